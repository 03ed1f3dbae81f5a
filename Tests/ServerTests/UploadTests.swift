import Assistant
import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Server

extension Desk {
  func handOver(as name: String = "a.txt", by key: String? = nil) async throws -> Answer {
    let wire = try send(
      "PUT", "/api/uploads?name=\(name)", ["Content-Length: 1000"], body: String(repeating: "a", count: 1000), as: key)
    return await wire.response()
  }
}

@Suite("Uploads")
struct UploadTests {
  @Test("What a killed server left is removed at the next start, and what a running one holds is not")
  func stale() throws {
    let scratch = try Scratch("uploads")
    let cache = scratch.folder
    let (stale, live) = (cache.appending(path: "uploads-1/x"), cache.appending(path: "uploads-2"))
    try FileManager.default.createDirectory(at: stale, withIntermediateDirectories: true)
    let running = try Uploads(folder: live)
    for folder in [stale.deletingLastPathComponent(), live] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: folder.path)
    }
    let next = try Uploads(folder: cache.appending(path: "uploads-3"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).sorted() == ["uploads-2", "uploads-3"])
    try next.close()
    try running.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).isEmpty)
  }

  @Test("What one has handed over nobody else can have used, removed, or find no room for")
  func others() async throws {
    struct Taken: Decodable { var upload: String }
    try await withDesk([Sample.echo], bounds: { $0.waitingUploads = 2 }) { desk in
      let (mine, other) = (try desk.key([.manage]), try desk.key([.manage, .transcribe]))
      let page = try await desk.letIn().secret
      let file = try JSONDecoder().decode(Taken.self, from: try await desk.handOver(by: mine).body)
      func use(_ key: String) async throws -> Answer {
        try await desk.ask("POST", "/api/echo", json: #"{"upload":"\#(file.upload)"}"#, as: key)
      }
      for stranger in [other, page] { #expect(try await use(stranger).code == "unknown_upload") }
      while try await desk.handOver(by: other).status == 200 {}
      #expect(try await desk.handOver(by: page).status == 200, "a program's files take no room from the page's")
      #expect(try await use(mine).status == 200)
    }
  }

  @Test("What was handed over and never asked for goes after its time, also where nothing more is handed over")
  func late() async throws {
    func bounds(_ bounds: inout Bounds) {
      (bounds.uploadSeconds, bounds.unusedUploadSeconds, bounds.heartbeatSeconds) = (0, 0, 1)
    }
    try await withDesk(bounds: bounds) { desk in
      #expect(try await desk.handOver().status == 200)
      while try !files(desk).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  @Test("What is named again and again in one request is handed over once")
  func repeated() throws {
    let scratch = try Scratch("uploads")
    let uploads = try Uploads(folder: scratch.folder.appending(path: "uploads-1"))
    let key = Caller.key(id: "k", rights: [.manage])
    var request = Request(method: "PUT", path: "/api/uploads")
    (request.caller, request.query) = (key, ["name": "a.txt"])
    let file = uploads.place(of: request)
    try uploads.create(file).close()
    let id = file.deletingLastPathComponent().lastPathComponent
    let names = (0..<1000).map { $0.isMultiple(of: 2) ? id : id.uppercased() }
    let staged = try uploads.resolve(JSONSerialization.data(withJSONObject: ["uploads": names]), for: key)
    #expect(staged.used.count == 1)
    #expect(try JSON.decode([String: [String]].self, from: staged.body) == ["paths": [file.path]])
    try uploads.close()
  }

  @Test("What a route took as its own body and removed does not count as waiting")
  func tookItself() async throws {
    let sound = Route(
      "PUT", "/sound", needs: .entry, body: .file(limit: 2000, seconds: 30),
      .now { request in
        if let file = request.file { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        return .empty(204)
      })
    try await withDesk(routes: [sound], bounds: { $0.waitingUploads = 2 }) { desk in
      for _ in 0..<5 {
        let wire = try desk.send("PUT", "/sound", ["Content-Length: 4"], body: "tick")
        #expect(await wire.response().status == 204)
      }
      #expect(try await desk.handOver().status == 200)
    }
  }

  /// What waits or is being written, by its name.
  private func files(_ desk: Desk) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: desk.folder.path).filter {
      $0.contains("/uploads-") && $0.hasSuffix(".txt")
    }
  }

  @Test("What hides its length is taken, in large and in small pieces", arguments: [1 << 18, 40_000, 700])
  func chunked(size: Int) async throws {
    let whole = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    try await withDesk { desk in
      let wire = try desk.send("PUT", "/api/uploads?name=a.txt", ["Transfer-Encoding: chunked"])
      for start in stride(from: 0, to: whole.count, by: size) {
        let piece = whole[start..<min(start + size, whole.count)]
        wire.send(Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8))
      }
      wire.send("0\r\n\r\n")
      #expect(await wire.response().status == 200)
      let file = try #require(try files(desk).first)
      #expect(try Data(contentsOf: desk.folder.appending(path: file)) == whole)
      #expect(try await desk.ask("GET", "/health").status == 200)
    }
  }

  @Test("What breaks off is not kept and takes no room")
  func brokenOff() async throws {
    // However long the looks take: a connection on which nothing comes is closed, and then nothing is to be seen.
    func bounds(_ bounds: inout Bounds) { (bounds.waitingUploads, bounds.idleSeconds) = (2, 3600) }
    try await withDesk(bounds: bounds) { desk in
      for number in 0..<4 {
        let wire = try desk.send("PUT", "/api/uploads?name=b.txt", ["Content-Length: 1000"], body: "begun \(number)")
        while try files(desk).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        wire.hangUp()
        while try !files(desk).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      }
      #expect(try await desk.handOver().status == 200)
    }
  }

  /// Puts what is handed over into one file.
  private final class OneFile: ExchangeDesk {
    private let file: FileHandle
    private let opened: DispatchSemaphore?
    private let upload = Route("PUT", "/slow", needs: .nothing, body: .file(limit: 1 << 30, seconds: 600), taken)
    private let other = Route("GET", "/", needs: .nothing, .now { _ in .empty(204) })
    private static let taken = Route.Answer.now { _ in .empty(204) }

    func admit(_ request: Request) -> Router.Match {
      Router.Match(route: request.method == "PUT" ? upload : other, caller: .page(session: "s"))
    }
    func headers(for request: Request) -> [(name: String, value: String)] { [] }
    func place(of request: Request) -> URL { URL(filePath: "/slow") }
    func create(_ place: URL) -> FileHandle {
      opened?.wait()
      return file
    }
    func leave(_ file: URL) {}
    func discard(_ file: URL) {}
    init(_ file: FileHandle, opened: DispatchSemaphore? = nil) {
      (self.file, self.opened) = (file, opened)
    }
  }

  @Test("A disk that takes nothing of what is handed over holds nobody else up, and all of it comes once it does")
  func slowDisk() async throws {
    let (disk, sockets) = (Pipe(), try LoopbackSockets.open(port: 0))
    let desk = OneFile(disk.fileHandleForWriting)
    let daemon = Daemon(desk: desk, bounds: Bounds())
    try daemon.start(on: sockets.sockets)
    let body = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    let upload = try Wire(port: sockets.port)
    // At once, on a thread of its own: a connection on which nothing comes is closed.
    let sent = Mutex(Bool?.none)
    Thread.detachNewThread {
      upload.send("PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
      let isSent = upload.send(body)
      sent.withLock { $0 = isSent }
    }
    // Until the pipe takes no more: whoever writes on waits.
    var (taken, unchanged): (CInt, Int) = (0, 0)
    for _ in 0..<3000 where unchanged < 10 {
      try await Task.sleep(for: .milliseconds(10))
      try #require(sent.withLock { $0 } != false, "the server has closed the connection")
      let before = taken
      _ = ioctl(disk.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &taken)
      unchanged = taken > 0 && taken == before ? unchanged + 1 : 0
      let wire = try Wire(port: sockets.port)
      wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(await wire.response().status == 204)
    }
    try #require(unchanged == 10, "\(taken)")
    let written = Task.detached { try disk.fileHandleForReading.readToEnd() }
    #expect(await upload.response().status == 204)
    #expect(try await written.value == body)
    daemon.stop()
  }

  @Test("A disk that takes its time to make a file holds nobody else up")
  func slowToOpen() async throws {
    let (disk, opened) = (Pipe(), DispatchSemaphore(value: 0))
    let sockets = try LoopbackSockets.open(port: 0)
    let daemon = Daemon(desk: OneFile(disk.fileHandleForWriting, opened: opened), bounds: Bounds())
    try daemon.start(on: sockets.sockets)
    let upload = try Wire(port: sockets.port)
    upload.send("PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ntick")
    let other = try Wire(port: sockets.port)
    other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await other.response().status == 204)
    opened.signal()
    #expect(await upload.response().status == 204)
    #expect(try disk.fileHandleForReading.read(upToCount: 9) == Data("tick".utf8))
    daemon.stop()
  }

  @Test("What the disk refuses in the middle of what is handed over is told at its end")
  func refusedDisk() async throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let (desk, sockets) = (OneFile(full), try LoopbackSockets.open(port: 0))
    let daemon = Daemon(desk: desk, bounds: Bounds())
    try daemon.start(on: sockets.sockets)
    let wire = try Wire(port: sockets.port)
    let body = String(repeating: "a", count: 1 << 20)
    wire.send("PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(await wire.response().code == "upload_failed")
    daemon.stop()
  }
}
