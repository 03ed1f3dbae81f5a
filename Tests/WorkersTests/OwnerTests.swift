import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Workers

@Suite("The owner of a data folder")
struct OwnerTests {
  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private var file: URL { folder.appending(path: "owner.sock") }

  init() throws { scratch = try Scratch("owner") }

  private func lock(_ place: URL? = nil) throws -> OwnerLock? {
    let place = place ?? folder
    if case .taken(let lock) = try OwnerLock.take(place.appending(path: "owner.lock")) { return lock }
    return nil
  }

  @Test("There is one; others learn its number; when it lets go the next one may")
  func one() throws {
    var first = try lock()
    #expect(first != nil)
    guard case .held(let by) = try OwnerLock.take(folder.appending(path: "owner.lock")) else {
      Issue.record("taken twice")
      return
    }
    #expect(by == getpid())
    first = nil
    #expect(try lock() != nil)
  }

  @Test("Commands call its operations, several at once, also below a very long path")
  func calls() async throws {
    let deep = folder.appending(path: String(repeating: "d", count: 150))
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: false)
    let file = deep.appending(path: "owner.sock")
    let owner = try OwnerSocket(OwnerListener(file, holding: try #require(try lock(deep)))) { operation, body in
      streaming { emit in
        guard operation == "count" else { throw WorkerError.unknownOperation(operation) }
        for number in 0..<(try JSON.decode(Int.self, from: body)) { emit(Data("\(number)".utf8)) }
      }
    }
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let client = try #require(try await OwnerClient.connect(file))
    #expect(client.process == getpid())
    let streams = [3, 0, 500].map { client.call("count", Data("\($0)".utf8)) }
    for (stream, expected) in zip(streams, [3, 0, 500]) {
      var events = 0
      for try await event in stream {
        #expect(event == Data("\(events)".utf8))
        events += 1
      }
      #expect(events == expected)
    }
    #expect(await errorCode { for try await _ in client.call("fly", Data()) {} } == "unknown_operation")
    owner.stop()
    #expect(try await OwnerClient.connect(file) == nil)
  }

  @Test("When a command goes away its operation stops")
  func cancels() async throws {
    let (stopped, stop) = AsyncStream.makeStream(of: String.self)
    let owner = try OwnerSocket(OwnerListener(file, holding: try #require(try lock()))) { operation, _ in
      AsyncThrowingStream { continuation in
        continuation.yield(Data("begun".utf8))
        continuation.onTermination = { _ in stop.yield(operation) }
      }
    }
    var client = try await OwnerClient.connect(file)
    let reading = Task { [client] in for try await _ in try #require(client).call("by cancelling", Data()) {} }
    try await Task.sleep(for: .milliseconds(20))
    reading.cancel()
    var iterator = stopped.makeAsyncIterator()
    #expect(await iterator.next() == "by cancelling")
    var events = try #require(client).call("by leaving", Data()).makeAsyncIterator()
    _ = try await events.next()
    client = nil
    events = AsyncThrowingStream<Data, any Error> { $0.finish() }.makeAsyncIterator()
    #expect(await iterator.next() == "by leaving")
    owner.stop()
  }

  @Test("An owner that is about to end answers first the command that it had let in")
  func lastAnswers() async throws {
    let (ending, end) = AsyncStream.makeStream(of: Void.self)
    let owner = try OwnerSocket(OwnerListener(file, holding: try #require(try lock()))) { _, _ in
      streaming { emit in
        emit(Data("begun".utf8))
        for await _ in ending { break }
        emit(Data("done".utf8))
      }
    }
    let client = try #require(try await OwnerClient.connect(file))
    var events = client.call("any", Data()).makeAsyncIterator()
    #expect(try await events.next() == Data("begun".utf8))
    let finishing = Task {
      end.yield()
      try await owner.finish()
    }
    #expect(try await events.next() == Data("done".utf8))
    #expect(try await events.next() == nil)
    try await finishing.value
    #expect(try await OwnerClient.connect(file) == nil)
  }

  @Test("A socket left behind by a killed owner means that there is none, and is replaced")
  func stale() async throws {
    #expect(try await OwnerClient.connect(file) == nil)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(Sockets.bind(descriptor, to: file))
    close(descriptor)
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(try await OwnerClient.connect(file) == nil)
    let owner = try OwnerSocket(OwnerListener(file, holding: try #require(try lock()))) { _, _ in
      streaming { $0(Data("1".utf8)) }
    }
    let client = try #require(try await OwnerClient.connect(file))
    for try await event in client.call("any", Data()) { #expect(event == Data("1".utf8)) }
    owner.stop()
  }

  @Test("Garbage from one command costs it its connection and nobody else theirs")
  func garbage() async throws {
    let owner = try OwnerSocket(OwnerListener(file, holding: try #require(try lock()))) { _, _ in
      streaming { $0(Data("1".utf8)) }
    }
    let good = try #require(try await OwnerClient.connect(file))
    let bad = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(Sockets.connect(bad, to: file))
    let wire = FileHandle(fileDescriptor: bad, closeOnDealloc: true)
    try wire.write(contentsOf: Data(repeating: 0xAB, count: 64))
    #expect(try wire.readToEnd() ?? Data() == Data())
    for try await event in good.call("any", Data()) { #expect(event == Data("1".utf8)) }
    owner.stop()
  }
}
