import Core
import Foundation
import Safety
import Testing
import Workers

/// A sealed worker that only repeats, for looking at what carries the useful ones.
func echo(files: [CInt] = [], seal: SealSpecification = SealSpecification()) async throws -> Worker {
  try await Worker.start(.echo, seal: seal, files: files)
}

func collect(_ stream: AsyncThrowingStream<CallReply, any Error>) async throws -> [CallReply] {
  var replies: [CallReply] = []
  for try await reply in stream { replies.append(reply) }
  return replies
}

func bytes(_ replies: [CallReply]) -> Data {
  replies.reduce(into: Data()) { all, reply in if case .bytes(let piece) = reply { all.append(piece) } }
}

/// Waits for the first reply of a call, so that the call is certainly running.
func first(_ stream: AsyncThrowingStream<CallReply, any Error>) async throws -> (
  CallReply?, AsyncThrowingStream<CallReply, any Error>.Iterator
) {
  var iterator = stream.makeAsyncIterator()
  return (try await iterator.next(), iterator)
}

@Suite("A worker")
struct WorkerTests {
  @Test("What is sent comes back whole, from nothing to megabytes")
  func repeats() async throws {
    let worker = try await echo()
    for size in [0, 1, 65_536, 5_000_000] {
      let text = String(repeating: "é", count: size / 2)
      let back = bytes(try await collect(worker.call("echo", text)))
      #expect(back == (try JSONEncoder().encode(text)))
    }
    await worker.stop()
  }

  @Test("Calls made at once are answered in the order they were made, each its own")
  func queues() async throws {
    let worker = try await echo()
    let streams = (0..<50).map { worker.call("echo", $0) }
    for (number, stream) in streams.enumerated() {
      #expect(bytes(try await collect(stream)) == Data("\(number)".utf8))
    }
    await worker.stop()
  }

  @Test("Dropping a call cancels it and the next one is answered")
  func cancels() async throws {
    let worker = try await echo()
    let consumer = Task { try await collect(worker.call("sleep", "")) }
    let second = worker.call("echo", 2)
    try await Task.sleep(for: .milliseconds(20))
    consumer.cancel()
    #expect(bytes(try await collect(second)) == Data("2".utf8))
    await worker.stop()
  }

  @Test("A call still waiting can be cancelled without touching the one that runs")
  func cancelsWaiting() async throws {
    let worker = try await echo()
    let (begun, running) = try await first(worker.call("sleep", ""))
    #expect(begun != nil)
    let waiting = Task { try await collect(worker.call("crash", "")) }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    _ = try? await waiting.value
    #expect(worker.isAlive)
    try withExtendedLifetime(running) { try worker.adjust("awake") }
    var running2 = running
    #expect(try await running2.next().map { bytes([$0]) } == Data("\"awake\"".utf8))
    await worker.stop()
  }

  @Test("Killed in mid-call, the call ends with the signal's name and the next worker answers")
  func killed() async throws {
    let worker = try await echo()
    var (_, call) = try await first(worker.call("sleep", ""))
    kill(worker.process, SIGKILL)
    await #expect {
      while try await call.next() != nil {}
    } throws: {
      RemoteError($0).code == "worker_died" && RemoteError($0).message.contains("KILL")
    }
    #expect(!worker.isAlive)
    #expect(worker.footprint() == nil && worker.processorTime() == nil)
    await #expect(throws: (any Error).self) { try await collect(worker.call("echo", 1)) }
    let next = try await echo()
    #expect(bytes(try await collect(next.call("echo", 1))) == Data("1".utf8))
    await next.stop()
  }

  @Test("A crash is told with its signal and its last words")
  func crashes() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("crash", ""))
    } throws: {
      let message = RemoteError($0).message
      return message.contains("ABRT") && message.contains("about to abort")
    }
  }

  @Test("Garbage on the socket ends the worker with an error")
  func garbage() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("garbage", ""))
    } throws: {
      RemoteError($0).code == "worker_protocol"
    }
    #expect(!isRunning(worker.process))
  }

  @Test("Files handed over can be read, and the caller keeps its own")
  func files() async throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "secret")
    try Data("from the file".utf8).write(to: file)
    let open = try FileHandle(forReadingFrom: file)
    let worker = try await echo()
    let back = bytes(try await collect(worker.call("read", "", files: [open.fileDescriptor])))
    #expect(back == Data("from the file".utf8))
    #expect(try open.seek(toOffset: 0) == ())
    #expect(try open.readToEnd() == Data("from the file".utf8))
    await worker.stop()
  }

  @Test("Stopping ends the process even if its engine never listens, and leaves no zombie")
  func stops() async throws {
    let worker = try await echo()
    let (_, call) = try await first(worker.call("deaf", ""))
    #expect(try #require(worker.footprint()) > 1_000_000)
    #expect(try #require(worker.processorTime()) < .seconds(60))
    await worker.stop()
    #expect(!isRunning(worker.process))
    withExtendedLifetime(call) {}
  }

  @Test("A worker that sends far more than is read is cut off")
  func floods() async throws {
    let worker = try await echo()
    let call = worker.call("spin", ["pieces": 100_000, "bytes": 1])
    while worker.isAlive { try await Task.sleep(for: .milliseconds(5)) }
    await #expect {
      try await collect(call)
    } throws: {
      RemoteError($0).code == "worker_flooded"
    }
  }

  @Test("A worker that tells more than what was asked can come to is ended, as it tells it")
  func tellsTooMuch() async throws {
    let worker = try await echo()
    let pieces = ["pieces": 3, "bytes": 600_000]
    #expect(bytes(try await collect(worker.call("spin", pieces, most: .bytes(2 << 20)))).count == 1_800_000)
    await #expect {
      try await collect(worker.call("spin", pieces))
    } throws: {
      RemoteError($0).code == "worker_flooded" && RemoteError($0).message.contains("spin")
    }
    #expect(!worker.isAlive)
    // More than the question has is told of a long one.
    let next = try await echo()
    #expect(try await collect(next.call("echo", String(repeating: "x", count: 4 << 20))).count == 1)
    await next.stop()
  }

  @Test("A worker that tells a number that nothing has is cut off at once", arguments: [1e12, -1e18, 1e300])
  func hugeNumbers(_ number: Double) async throws {
    let worker = try await echo()
    #expect(try await worker.ask("number", 999_999_999_999.5, for: Double.self) == 999_999_999_999.5)
    #expect(try await worker.ask("number", -1e-300, for: Double.self) == -1e-300)
    await #expect {
      try await worker.ask("number", number, for: Double.self)
    } throws: {
      RemoteError($0).code == "worker_protocol"
    }
    #expect(!worker.isAlive)
  }

  @Test("Of an error that a worker tells at any length the beginning is taken, and the worker lives on")
  func longErrors() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("complain", 4 << 20, most: .stream))
    } throws: { error in
      let told = RemoteError(error)
      return told.message.hasPrefix("xxx")
        && [told.code, told.message, told.remedy ?? ""].allSatisfy { $0.utf8.count <= 4000 }
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("Letting go of a call at the very moment its replies arrive never locks up")
  func letGoOfCalls() async throws {
    let worker = try await echo()
    for round in 0..<1500 {
      let reading = Task {
        for try await _ in streaming({ emit in
          for try await reply in worker.call("spin", ["pieces": 40, "bytes": 1]) { emit(reply) }
        }) {}
      }
      // From before the first reply until about the last.
      for _ in 0..<(round % 60) { await Task.yield() }
      reading.cancel()
      do { try await reading.value } catch is CancellationError {}
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("A message too large for one frame is refused before it is sent")
  func tooLarge() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("echo", String(repeating: "x", count: 17 << 20)))
    } throws: {
      RemoteError($0).code == "message_too_large"
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }

  @Test("Letting go of a worker ends its process")
  func letGo() async throws {
    var worker: Worker? = try await echo()
    let process = try #require(worker).process
    worker = nil
    while isRunning(process) { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("An operation that does not exist is an error of the call, not of the worker")
  func unknown() async throws {
    let worker = try await echo()
    await #expect {
      try await collect(worker.call("fly", ""))
    } throws: {
      RemoteError($0).code == "unknown_operation"
    }
    #expect(bytes(try await collect(worker.call("echo", 1))) == Data("1".utf8))
    await worker.stop()
  }
}

func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 }

func scratch() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
