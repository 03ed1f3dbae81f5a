import Core
import Foundation
import Safety
import TestSupport
import Testing

@testable import Workers

/// A program whose first line of output is awaited.
private struct Started {
  let process: Int32
  let output: FileHandle

  init(_ role: String) throws {
    let pipe = Pipe()
    let nothing = Spawner.nothing
    process = try Spawner.start(
      try WorkerProgram.find(.echo), [role], environment: ProcessInfo.processInfo.environment,
      files: [nothing, pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO])
    try pipe.fileHandleForWriting.close()
    output = pipe.fileHandleForReading
  }

  func line() throws -> String {
    var line = Data()
    while let byte = try output.read(upToCount: 1), byte != Data("\n".utf8) { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}

@Suite("Processes around the worker")
struct ProcessTests {
  @Test("A worker that ends before it greets is an error with its last words, not a wait without end")
  func endsBeforeGreeting() async throws {
    let error = await #expect(throws: WorkerError.self) {
      try await Worker.start(.echo, seal: SealSpecification(), files: []) { socket, stderr in
        OwnChild(
          try Spawner.start(
            "/bin/sh", ["-c", "echo a library is missing >&2; exit 127"], environment: [:],
            files: [Spawner.nothing, Spawner.nothing, stderr, socket]))
      }
    }
    #expect(error?.description.contains("a library is missing") == true)
  }

  @Test("When the parent is killed the worker goes too, even in the middle of work it never looks up from")
  func parentDeath() async throws {
    let parent = try Started("rehearse-parent")
    let worker = try #require(Int32(try parent.line()))
    #expect(isRunning(worker))
    kill(parent.process, SIGKILL)
    _ = Spawner.wait(parent.process)
    while isRunning(worker), !isZombie(worker) { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("A sealed main process goes on serving, has no way out, and can still start what it needs")
  func main() async throws {
    let main = try Started("rehearse-main")
    let result = try JSONDecoder().decode([String: Int].self, from: Data(try main.line().utf8))
    #expect(result["sealed"] == 1)
    #expect(result["socket in this thread"] == Int(EPERM))
    #expect(result["socket in another thread"] == Int(EPERM))
    #expect(result["unix socket"] == Int(EPERM))
    #expect(result["connect an older socket"] == Int(EPERM))
    #expect(result["a listener connects with its first word"] == Int(EPERM))
    #expect(result["worker sealed"] == 1)
    #expect(result["socket beyond the launcher"] == 0)
    #expect(result["connected"] == 1)
    #expect(try answer(ofPort: UInt16(try #require(result["port"]))) == "served")
    #expect(Spawner.wait(main.process) == .code(0))
  }

  private func answer(ofPort port: UInt16) throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    #expect(Sockets.connect(descriptor, toPort: port))
    return String(
      decoding: try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data(), as: UTF8.self)
  }

  private func isZombie(_ process: Int32) -> Bool {
    let status = FileManager.default.contents(atPath: "/proc/\(process)/stat").map {
      String(decoding: $0, as: UTF8.self)
    }
    return status?.split(separator: ")").last?.hasPrefix(" Z") ?? true
  }

  @Test("A worker of another version is told apart from a broken one")
  func version() async throws {
    let (channel, process) = try raw()
    var hello = try WireFrame.hello(WorkerSetup(kind: "echo", seal: SealSpecification()))
    hello.payload[0] = 99
    try channel.write(hello)
    let greeting = try #require(try channel.read())
    #expect(greeting.kind == .hello)
    #expect(try channel.read() == nil)
    #expect(Spawner.wait(process) == .code(EX_PROTOCOL))
    var theirs = greeting
    theirs.payload[0] = 99
    #expect { try theirs.readHello(WorkerGreeting.self) } throws: { RemoteError($0).code == "worker_version" }
  }

  @Test(
    "What is not a frame ends the worker, whatever it is",
    arguments: [
      Data(repeating: 0xFF, count: 64), Data("GET / HTTP/1.1\r\n\r\n".utf8),
      // A frame that announces 4 GB, one of no known kind, one with descriptors it does not bring.
      Data([0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
      Data([0, 0, 0, 0, 77, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
      Data([0, 0, 0, 0, 2, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
      // A call without a name, and one whose name is longer than the frame.
      Data([0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
      Data([2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0]),
    ], [true, false])
  func garbage(_ bytes: Data, afterGreeting: Bool) async throws {
    let (channel, process) = try raw()
    if afterGreeting {
      try channel.write(try WireFrame.hello(WorkerSetup(kind: "echo", seal: SealSpecification())))
      #expect(try channel.read()?.kind == .hello)
    }
    try FileHandle(fileDescriptor: channel.socket, closeOnDealloc: false).write(contentsOf: bytes)
    #expect(Spawner.wait(process) == .code(EX_PROTOCOL))
  }

  /// A worker and our end of its socket, without the client that keeps to the rules.
  private func raw() throws -> (Channel, Int32) {
    let pair = try Spawner.socketPair()
    defer { close(pair.theirs) }
    let nothing = Spawner.nothing
    let process = try Spawner.start(
      try WorkerProgram.find(.echo), ["echo"], environment: [:], files: [nothing, nothing, nothing, pair.theirs])
    return (Channel(pair.ours), process)
  }
}
