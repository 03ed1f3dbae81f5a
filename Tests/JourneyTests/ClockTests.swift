import Foundation
import TestSupport
import Testing

/// The wall clock turned by hand under the running program, and the places and languages a machine can be set to.
@Suite("Clocks, zones and languages", .enabled(if: Shim.isPossible, TurnedClock.needsCompiler))
struct ClockTests {
  private struct Due: Decodable { var id: String, title: String, state: String }

  @Test("A reminder rings once however the clock gets past it: by a jump, by a day asleep, and set back in between")
  func ringsOnce() async throws {
    let clock = try TurnedClock()
    var program = try Program()
    try clock.wind(&program)
    let desktop = try Desktop(for: &program)
    let owner = try await program.serve()
    #expect(try await program.run("do", "remind me in two hours to call Anna").status == 0)
    #expect(try await Self.due(program).isEmpty)

    try clock.turn(by: -365 * 86_400)
    #expect(try await program.run("do", "remind me in two hours to feed the cat").status == 0)
    #expect(try await Self.due(program).isEmpty)

    for process in [owner.identifier] + Processes.workers(of: owner.identifier) { kill(process, SIGSTOP) }
    try clock.turn(by: 86_400)
    for process in [owner.identifier] + Processes.workers(of: owner.identifier) { kill(process, SIGCONT) }
    #expect(try await Set(Self.due(program).map(\.title)) == ["call Anna", "feed the cat"])
    // Nobody has asked for a list of its own accord: the server looks at least once a minute.
    #expect(try await eventually { try desktop.notices.count == 2 })

    try clock.turn(by: -365 * 86_400)
    _ = try await Self.due(program)
    try clock.turn(by: 2 * 86_400)
    #expect(try await Self.due(program).count == 2)
    #expect(try Set(desktop.notices.map(\.text)) == ["call Anna", "feed the cat"])
    #expect(try desktop.notices.count == 2)
    #expect(try await owner.end().status == 0)
  }

  @Test("What is stored while the clock is a year back is found when it is right again, and nothing is stored twice")
  func storedInThePast() async throws {
    let clock = try TurnedClock()
    var program = try Program()
    try clock.wind(&program)
    let owner = try await program.serve()
    let paper = try program.file(
      "boiler.md", "# Boiler\n\nThe water filter of the boiler must be changed every 4 months.\n")
    try clock.turn(by: -365 * 86_400)
    #expect(try await program.run("import", paper.path).status == 0)
    #expect(try await program.run("do", "note that the plumber is called Meyer").status == 0)
    try clock.turn(by: 0)
    let again = try await program.run("import", paper.path, "--json")
    #expect(again.output.contains("\"skipped\":1"))
    #expect(try await program.run("ask", "How often must the water filter be changed?").output.contains("4 months"))
    #expect(try await program.run("documents", "list", "--json").lines.count == 1)
    #expect(try await owner.end().status == 0)
  }

  @Test(
    "Import, question, command and agenda work wherever and in whatever language the machine is set up",
    arguments: [
      ["TZ": "Pacific/Kiritimati", "LC_ALL": "C"], ["TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"],
      ["TZ": "Nowhere/Nothing", "LC_ALL": "de_DE.UTF-8"], ["TZ": "", "LC_ALL": "no such locale"],
      ["LANG": String(repeating: "a", count: 5000)],
      ["TZ": "Asia/Kathmandu", "LC_ALL": "ar_EG.UTF-8", "LANG": "ar_EG.UTF-8", "LANGUAGE": "ar"],
    ])
  func placesAndLanguages(settings: [String: String]) async throws {
    var program = try Program()
    program.environment.merge(settings) { $1 }
    let paper = try program.file(
      "I Istanbul.md", "# Kettle\n\nThe kettle holds 1.7 litres. It was bought in ISTANBUL.\n")
    #expect(try await program.run("import", paper.path).status == 0)
    #expect(try await program.run("ask", "How many litres does the kettle hold?").output.contains("1.7 litres"))
    #expect(try await program.run("search", "istanbul", "--json").output.contains("ISTANBUL"))
    #expect(try await program.run("do", "remind me tomorrow at 9 am to descale the kettle").status == 0)
    let agenda = try await program.run("agenda", "--json")
    #expect(agenda.output.contains("T09:00:00") && agenda.output.contains("descale the kettle"))
  }

  private static func due(_ program: Program) async throws -> [Due] {
    try await program.run("reminders", "list", "--json").lines.map {
      try JSONDecoder().decode(Due.self, from: Data($0.utf8))
    }
  }
}
