import Core
import Foundation
import TestSupport
import Testing

@Suite("Offline")
struct OfflineTests {
  private func wasSaid(_ program: Program, _ check: String) async throws -> String {
    struct Check: Decodable { var name: String, detail: String }
    struct Report: Decodable { var checks: [Check] }
    let report = try await program.run("doctor", "--json").json(Report.self)
    return report.checks.first { $0.name == check }?.detail ?? ""
  }

  @Test("Set while another process fetches, it ends the fetch and its connection with that reason; and back again")
  func whileFetching() async throws {
    let rig = try PullRig()
    let pull = try rig.program.start(["packs", "pull", "tiny", "--json"])
    #expect(try await eventually { try rig.staged == 100_000 })
    let fetching = Processes.workers("fetch", of: pull.identifier)
    #expect(fetching.count == 1)
    #expect(try rig.server.connections() == 1)

    let set = try await rig.program.run("settings", "set", "offline", "true")
    #expect(set.status == 0, "\(set.errors)")
    #expect(try await eventually { try rig.server.connections() == 0 && !fetching.contains(where: Processes.isAlive) })
    let ended = try await pull.outcome()
    #expect(ended.status == 4 && ended.errorCode == "offline", "\(ended.errors)")
    #expect(ended.errors.contains("Offline was set"))

    let asked = try rig.server.requests().count
    let refused = try await rig.program.run("packs", "pull", "tiny", "--json")
    #expect(refused.status == 4 && refused.errorCode == "offline", "\(refused.errors)")
    #expect(try rig.server.requests().count == asked)
    #expect(try await wasSaid(rig.program, "network").contains("offline is set"))
    #expect(try await rig.program.run("settings", "get", "offline").output == "true\n")

    #expect(try await rig.program.run("settings", "set", "offline", "false").status == 0)
    let again = try await rig.program.run("packs", "pull", "tiny")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try rig.server.requests().last?.contains("bytes=100000-") == true)
    #expect(try await !wasSaid(rig.program, "network").contains("offline"))
  }

  @Test("A settings file that says offline is believed where no permissions were ever written, and never as a way out")
  func written() async throws {
    let rig = try PullRig()
    let settings = try rig.program.file("settings.json", #"{"offline": true}"#)
    #expect(try await rig.program.run("packs", "pull", "tiny", "--json").errorCode == "offline")
    #expect(try await rig.program.run("settings", "set", "offline", "true").status == 0)
    try Data(#"{"offline": false}"#.utf8).write(to: settings)
    #expect(try await rig.program.run("packs", "pull", "tiny", "--json").errorCode == "offline")
    #expect(try rig.server.requests().isEmpty)
  }
}

@Suite("Settings in a terminal")
struct SettingsCommandTests {
  @Test(
    "A program that sends mail is named in a terminal, stands in the permissions alone, and no other program is taken")
  func mailProgram() async throws {
    let program = try Program()
    let tools = program.home.appendingPathExtension("tools")
    let msmtp = tools.appending(path: "msmtp")
    try Folders.make(tools)
    try Data("#!/bin/sh\n".utf8).write(to: msmtp)
    chmod(msmtp.path, 0o700)
    for command in ["/bin/sh -c id", "\(msmtp.path) -C /tmp/x", "msmtp -t", "\(tools.path)/esmtp -t"] {
      let refused = try await program.run("settings", "set", "sendmail", command, "--json")
      #expect(refused.status == 4 && refused.errorCode == "setting_refused", "\(command): \(refused.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: program.permissions.path))

    #expect(try await program.run("settings", "set", "sendmail", "\(msmtp.path) -t").output == "\(msmtp.path) -t\n")
    #expect(try await program.run("settings", "get", "sendmail").output == "\(msmtp.path) -t\n")
    let settings = try String(contentsOf: program.home.appending(path: "settings.json"), encoding: .utf8)
    #expect(!settings.contains("msmtp"))
    #expect(try await program.run("settings", "set", "sendmail", "null").output == "null\n")
  }

  @Test(
    "A value out of its range is refused with 4 and what is allowed; one in the file gives way and the doctor names it")
  func ranges() async throws {
    let program = try Program()
    let refused = try await program.run("settings", "set", "mailUndoSeconds", "-15")
    #expect(refused.status == 4 && refused.errors.contains("0 to 86400"), "\(refused.errors)")
    try Data(#"{"threads": -2, "mode": "deep", "sendmail": "/bin/sh -c id"}"#.utf8)
      .write(to: program.home.appending(path: "settings.json"))
    #expect(try await program.run("settings", "get", "mode").output == "deep\n")
    #expect(try await program.run("settings", "get", "sendmail").output == "null\n")
    let doctor = try await program.run("doctor")
    #expect(doctor.output.contains("gives threads as -2") && doctor.output.contains("gives sendmail"))
  }
}
