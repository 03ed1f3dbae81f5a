import Core
import Foundation
import Models
import TestSupport
import Testing

@Suite("Pulls that are killed half-way")
struct InterruptedPullTests {
  @Test(
    "The next pull goes on where the killed one was, and no process is left over",
    arguments: [
      40_000, 65_536, 150_001, PullRig.bytes - 1,
    ])
  func resumes(after count: Int) async throws {
    let rig = try PullRig()
    try rig.describe(behaviour: "stall/\(count)")
    let pull = try rig.program.start(["packs", "pull", "tiny"])
    #expect(try await eventually { try rig.staged == count })
    let processes = Processes.workers(of: pull.identifier)
    #expect(processes.count >= 2, "launcher and fetch worker")
    pull.send(signal: SIGKILL)
    _ = try await pull.outcome()
    #expect(try await eventually { !processes.contains(where: Processes.isAlive) })
    #expect(try await !rig.isInstalled())

    let again = try await rig.program.run("packs", "pull", "tiny")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try await rig.isInstalled())
    #expect(try rig.server.requests().last?.contains("bytes=\(count)-") == true)
  }

  @Test("Ctrl-C ends a pull with 130 and keeps what came")
  func interrupted() async throws {
    let rig = try PullRig()
    let pull = try rig.program.start(["packs", "pull", "tiny"])
    #expect(try await eventually { try rig.staged == 100_000 })
    pull.send(signal: SIGINT)
    #expect(try await pull.outcome().status == 130)
    #expect(try await rig.program.run("packs", "pull", "tiny").status == 0)
    #expect(try rig.server.requests().last?.contains("bytes=100000-") == true)
    #expect(try await rig.isInstalled())
  }

  @Test("Wrong bytes are kept apart, told with 4, and recorded in the error log")
  func wrongBytes() async throws {
    let rig = try PullRig()
    try rig.describe(behaviour: "good/0")
    try Data(repeating: 7, count: PullRig.bytes).write(to: rig.server.folder.appending(path: "weights"))
    let pull = try await rig.program.run("packs", "pull", "tiny", "--json")
    #expect(pull.status == 4)
    #expect(try await !rig.isInstalled())
    let log = try await rig.program.run("log", "--json")
    #expect(try log.objects.contains { $0["subsystem"] as? String == "packs-pull" })
  }

  @Test("A source that cannot be reached is told with a clear error")
  func unreachable() async throws {
    let rig = try PullRig()
    try rig.describe(address: "http://127.0.0.1:1/good/0/weights")
    let pull = try await rig.program.run("packs", "pull", "tiny", "--json")
    #expect(pull.status == 1)
    #expect(["no_source_worked", "unreachable"].contains(pull.errorCode), "\(pull.errors)")
  }
}
