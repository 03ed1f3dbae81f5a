import Foundation
import Testing

@Suite("Importing, whatever happens", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct ImportTests {
  private func papers(_ program: Program, records: Int) throws -> URL {
    let folder = program.home.appending(path: "papers")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let lines = (0..<records).map { #"{"_id": "r\#($0)", "text": "Record \#($0) tells of number\#($0)."}"# }
    try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "corpus.jsonl"))
    for number in 0..<3 {
      let pages = (0..<4).map { "Page \($0) of file \(number)." }.joined(separator: "\u{c}")
      try Data(pages.utf8).write(to: folder.appending(path: "file\(number).txt"))
    }
    return folder
  }

  private func states(_ program: Program) async throws -> [String: String] {
    let documents = try await program.run("documents", "list", "--json").objects
    let pairs = documents.map { ($0["document"] as? String ?? "", $0["state"] as? String ?? "") }
    #expect(Set(pairs.map(\.0)).count == pairs.count, "nothing is there twice")
    return Dictionary(pairs) { first, _ in first }
  }

  @Test("Killed at any moment, an import loses nothing, doubles nothing, and is completed by the next")
  func killed() async throws {
    let program = try Program(withPacks: true)
    let folder = try papers(program, records: 40)
    for _ in 0..<5 {
      let running = try program.start(["import", folder.path, "--json"])
      try await Task.sleep(for: .milliseconds(Int.random(in: 100...2_500)))
      running.send(signal: SIGKILL)
      _ = try await running.outcome()
      #expect(try await !states(program).values.contains("failed"))
    }
    #expect(try await program.run("import", folder.path, "--json").status == 0)
    let states = try await states(program)
    #expect(states.count == 43 && states.values.allSatisfy { $0 == "ready" })
    let found = try await program.run("search", "number17", "--json").objects
    let results = found.first?["results"] as? [[String: Any]]
    #expect(results?.first?["document"] as? String == "r17")
  }

  @Test("Two imports at once share one vault, and what was found by words only gets its vectors with the next import")
  func together() async throws {
    let program = try Program()
    let folder = try papers(program, records: 20)
    let first = try program.start(["import", folder.path, "--json"])
    let second = try program.start(["import", folder.path, "--json"])
    #expect(try await first.outcome().status == 0)
    #expect(try await second.outcome().status == 0)
    #expect(try await states(program).values.allSatisfy { $0 == "indexed" })
    try program.linkPacks()
    #expect(try await program.run("import", folder.path, "--json").status == 0)
    let states = try await states(program)
    #expect(states.count == 23 && states.values.allSatisfy { $0 == "ready" })
  }
}
