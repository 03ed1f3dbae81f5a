import Core
import Foundation
import Safety
import Synchronization
import Testing

@testable import Workers

/// An engine for threads of this program: echoes, fails, sleeps until it is told to stop, or never looks up.
private final class TestEngine: Engine {
  static let alive = Mutex(0)
  static let released = DispatchSemaphore(value: 0)
  private let adjustment = Mutex(Data())

  init() { Self.alive.withLock { $0 += 1 } }
  deinit { Self.alive.withLock { $0 -= 1 } }

  func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "echo": try call.body.withUnsafeBytes { try reply.bytes($0) }
    case "read":
      for file in call.files {
        let text = try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
        try text.withUnsafeBytes { try reply.bytes($0) }
      }
    case "fail": throw WorkerError.badRequest("it makes no sense")
    case "sleep":
      try reply.event("asleep")
      while !call.cancelled.isSet {
        Thread.sleep(forTimeInterval: 0.002)
        let now = adjustment.withLock { $0 }
        if !now.isEmpty { try now.withUnsafeBytes { try reply.bytes($0) } }
      }
      throw CancellationError()
    case "deaf":
      try reply.event("deaf")
      Self.released.wait()
    case "bounded":
      call.cancelled.bounded(.milliseconds(50), bytes: 1, else: { WorkerError.badRequest("it would not end") }) {
        Self.released.wait()
      }
    default: throw WorkerError.unknownOperation(call.operation)
    }
  }

  func adjust(_ body: Data) { adjustment.withLock { $0 = body } }
}

/// The same messages as to a worker's process, answered by a thread of this one.
@Suite("An engine in this program", .serialized)
struct EngineThreadTests {
  private let host = WorkerHost.threads { kind in
    guard kind == .echo else { throw WorkerError.noEngine(kind.rawValue) }
    return TestEngine()
  }

  /// Begins a call that never looks up, and lets go of it.
  private func leave(_ worker: Worker) async throws {
    let (reply, call) = try await first(worker.call("deaf", ""))
    #expect(reply != nil)
    withExtendedLifetime(call) {}
  }

  private func start() async throws -> Worker { try await host.start(.echo, seal: SealSpecification()) }

  @Test("Answers, takes files and says that it is not sealed")
  func answers() async throws {
    let worker = try await start()
    #expect(!worker.isProcess && !worker.seal.isSealed && worker.footprint() == nil)
    #expect(bytes(try await collect(worker.call("echo", 7))) == Data("7".utf8))
    let file = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString)")
    try Data("from a file".utf8).write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    let read = try await collect(worker.call("read", "", files: [handle.fileDescriptor]))
    #expect(bytes(read) == Data("from a file".utf8))
    await worker.stop()
    try FileManager.default.removeItem(at: file)
  }

  @Test("An error is one call's, and the engine goes on")
  func failing() async throws {
    let worker = try await start()
    for _ in 0..<3 {
      await #expect { try await collect(worker.call("fail", "")) } throws: { RemoteError($0).code == "bad_request" }
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("A call that is let go of is cancelled, one that runs can be adjusted, and the next has the engine")
  func cancelling() async throws {
    let worker = try await start()
    var (asleep, running) = try await first(worker.call("sleep", ""))
    #expect(asleep != nil)
    try worker.adjust("awake")
    #expect(try await running.next().map { bytes([$0]) } == Data("\"awake\"".utf8))
    let listening = Task { [running] in
      var running = running
      while try await running.next() != nil {}
    }
    listening.cancel()
    _ = await listening.result
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("The engine is gone when stopping returns, also while a call runs")
  func stopping() async throws {
    let before = TestEngine.alive.withLock { $0 }
    let worker = try await start()
    _ = try await collect(worker.call("echo", 1))
    #expect(TestEngine.alive.withLock { $0 } == before + 1)
    let (_, running) = try await first(worker.call("sleep", ""))
    await worker.stop()
    #expect(TestEngine.alive.withLock { $0 } == before && !worker.isAlive)
    withExtendedLifetime(running) {}
    await #expect { try await collect(worker.call("echo", 1)) } throws: { RemoteError($0).code == "worker_stopped" }
  }

  @Test("What does not come back is left behind, said so, and does not hold up the next")
  func leftBehind() async throws {
    let worker = try await start()
    try await leave(worker)
    await #expect { try await collect(worker.call("echo", 1)) } throws: { RemoteError($0).code == "engine_abandoned" }
    let next = try await start()
    #expect(bytes(try await collect(next.call("echo", 2))) == Data("2".utf8))
    await next.stop()
    TestEngine.released.signal()
  }

  @Test("A stretch that is not done in its time fails its call alone, and the engine is given up")
  func bounded() async throws {
    let worker = try await start()
    await #expect { try await collect(worker.call("bounded", "")) } throws: {
      RemoteError($0).message.contains("it would not end")
    }
    TestEngine.released.signal()
    await #expect { try await collect(worker.call("echo", 1)) } throws: {
      ["worker_died", "engine_abandoned"].contains(RemoteError($0).code)
    }
    let next = try await start()
    #expect(bytes(try await collect(next.call("echo", 2))) == Data("2".utf8))
    await next.stop()
  }

  @Test("A kind that has no engine here says so to every call")
  func absent() async throws {
    let worker = try await host.start(.fetch, seal: SealSpecification())
    await #expect { try await collect(worker.call("pull", "")) } throws: { RemoteError($0).code == "no_engine" }
    await worker.stop()
  }
}
