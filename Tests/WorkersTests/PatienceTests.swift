import Core
import Foundation
import Safety
import TestSupport
import Testing
import Workers

@Suite("A worker that does not listen")
struct PatienceTests {
  /// Starts an engine that never looks at its flag, and lets go of the call.
  private func abandoned(on worker: Worker) async throws {
    let (reply, call) = try await first(worker.call("deaf", ""))
    #expect(reply != nil)
    withExtendedLifetime(call) {}
  }

  @Test("A cancelled call that goes on ends its worker, and whoever waits is told why")
  func unresponsive() async throws {
    let worker = try await echo()
    let process = worker.process
    try await abandoned(on: worker)
    await #expect {
      try await collect(worker.call("echo", 1))
    } throws: {
      RemoteError($0).code == "worker_unresponsive" && RemoteError($0).message.contains("deaf")
    }
    #expect(!isRunning(process))
    #expect(!worker.isAlive)
    // And what is asked of it from now on is told the same at once.
    #expect(await errorCode { try await collect(worker.call("echo", 1)) } == "worker_unresponsive")
    let next = try await echo()
    #expect(bytes(try await collect(next.call("echo", 1))) == Data("1".utf8))
    await next.stop()
  }

  @Test("A cancelled call that had not begun ends at once, however long the one before it takes")
  func cancelledInTheQueue() async throws {
    let worker = try await echo()
    var (_, running) = try await first(worker.call("sleep", ""))
    let waiting = Task { try await collect(worker.call("echo", 2)) }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    _ = try? await waiting.value
    // Longer than a cancelled call may go on.
    try await Task.sleep(for: .seconds(6))
    #expect(worker.isAlive)
    try worker.adjust("awake")
    #expect(try await running.next().map { bytes([$0]) } == Data("\"awake\"".utf8))
    await worker.stop()
  }

  @Test("A call with a deadline is told when it has passed, and the worker goes on if it listens")
  func overdue() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("sleep", "", deadline: .milliseconds(200)))
    } throws: {
      RemoteError($0).code == "worker_overdue" && RemoteError($0).message.contains("sleep")
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("A deadline that passes in a worker that does not listen ends the worker")
  func overdueAndDeaf() async throws {
    let worker = try await echo()
    let process = worker.process
    #expect(
      await errorCode { try await collect(worker.call("deaf", "", deadline: .milliseconds(200))) } == "worker_overdue")
    #expect(await errorCode { try await collect(worker.call("echo", 1)) } == "worker_unresponsive")
    #expect(!isRunning(process))
  }

  @Test("The time of a call begins when those before it have ended")
  func deadlineInTheQueue() async throws {
    let worker = try await echo()
    let clock = worker.call("clock", 400)
    let next = worker.call("echo", 1, deadline: .milliseconds(150))
    for try await _ in clock {}
    #expect(bytes(try await collect(next)) == Data("1".utf8))
    await worker.stop()
  }

  @Test(
    "Work that cannot be told to stop is ended with its worker, and its own error is told", arguments: [false, true])
  func bounded(swells: Bool) async throws {
    struct Bound: Encodable { var milliseconds, bytes: Int, swells: Bool }
    let worker = try await echo()
    let bound = Bound(
      milliseconds: swells ? 600_000 : 300, bytes: swells ? 64 << 20 : 1 << 40, swells: swells)
    await #expect {
      try await collect(worker.call("swell", bound))
    } throws: {
      RemoteError($0).message.contains("it would not end")
    }
    while isRunning(worker.process) { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("A worker that takes more memory of its own than it may dies alone")
  func ownMemory() async throws {
    let worker = try await echo(seal: SealSpecification(memoryBytes: 256 << 20))
    #expect(worker.seal.limits.shut)
    #expect(await errorCode { try await collect(worker.call("take", 1000)) } == "worker_died")
    let next = try await echo(seal: SealSpecification(memoryBytes: 256 << 20))
    #expect(try await next.ask("take", 20, for: Int.self) == 20)
    await next.stop()
  }

  @Test("A worker that holds more memory than it may is ended and told so")
  func heldMemory() async throws {
    let worker = try await Worker.start(.echo, seal: SealSpecification(), mostBytes: 128 << 20)
    #expect(try await worker.ask("take", 20, for: Int.self) == 20)
    #expect(
      await errorCode {
        for try await _ in worker.call("take", 200) {}
        _ = try await collect(worker.call("sleep", ""))
      } == "worker_memory")
    #expect(!isRunning(worker.process))
  }
}
