import Assistant
import Core
import Foundation
import Synchronization
import Testing

@testable import Server

/// A server on a free port with operations made for the test, its page and its folders.
final class Desk: Sendable {
  let server: Server
  let folder: URL
  let token: String
  var port: UInt16 { server.port }

  init(
    _ services: [Service] = [], routes: [Route] = [], bounds: Bounds = Bounds(), folder known: URL? = nil,
    port: UInt16 = 0, origins: Set<String> = []
  ) throws {
    folder = known ?? FileManager.default.temporaryDirectory.appending(path: "libera-server-\(UUID().uuidString)")
    let web = folder.appending(path: "web")
    try FileManager.default.createDirectory(at: web.appending(path: "js"), withIntermediateDirectories: true)
    try Data("<!doctype html><title>page</title>".utf8).write(to: web.appending(path: "index.html"))
    try Data("export const a = 1".utf8).write(to: web.appending(path: "js/a.js"))
    try Data("secret".utf8).write(to: folder.appending(path: "secret.txt"))
    let folders = Folders(home: folder, environment: ["HOME": folder.path, "XDG_CACHE_HOME": folder.path])
    server = try Server(
      LoopbackSockets.open(port: port), folders: folders, services: services, routes: routes,
      origins: origins, web: web, bounds: bounds)
    token = try server.access.keys.add("test \(UUID().uuidString)", Set(Right.allCases))
    try server.start()
  }

  func close(keepFolder: Bool = false) async {
    await server.stop()
    if !keepFolder { try? FileManager.default.removeItem(at: folder) }
  }

  func head(_ method: String, _ path: String, _ headers: [String] = [], token: Bool = true, host: String? = nil)
    -> String
  {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    if token { lines.append("Authorization: Bearer \(self.token)") }
    return (lines + headers).joined(separator: "\r\n") + "\r\n\r\n"
  }

  func ask(
    _ method: String, _ path: String, _ headers: [String] = [], json: String? = nil, token: Bool = true,
    host: String? = nil
  ) async throws -> Answer {
    let wire = try Wire(port: port)
    var headers = headers
    if let json { headers += ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"] }
    wire.send(head(method, path, headers, token: token, host: host) + (json ?? ""))
    return await wire.response(toHead: method == "HEAD")
  }

  /// A key with these rights alone.
  func key(_ rights: Set<Right>) throws -> String {
    try server.access.keys.add("narrow \(UUID().uuidString)", rights)
  }

  /// As the page does it: the session's id and secret.
  func letIn(_ code: String? = nil, agent: String = "") async throws -> (id: String, secret: String) {
    struct Made: Decodable { var session: String }
    let code = code ?? server.access.sessions.mint(for: .seconds(600))
    let ticket = SHA256.of(Data(code.utf8))
    let answer = try await ask(
      "POST", "/api/session", agent.isEmpty ? [] : ["User-Agent: \(agent)"], json: #"{"ticket":"\#(ticket)"}"#,
      token: false)
    try #require(answer.status == 200)
    return (try JSON.decode(Made.self, from: answer.body).session, SHA256.keyed(code, "session"))
  }

  /// An open event stream that has been greeted.
  func events(after id: String? = nil, as bearer: String? = nil) async throws -> (wire: Wire, start: String) {
    let wire = try Wire(port: port)
    let headers = (id.map { ["Last-Event-ID: \($0)"] } ?? []) + (bearer.map { ["Authorization: Bearer \($0)"] } ?? [])
    wire.send(head("GET", "/api/events", headers, token: bearer == nil))
    return (wire, await wire.read(until: "event: hello"))
  }
}

func withDesk(
  _ services: [Service] = [], routes: [Route] = [], bounds: Bounds = Bounds(),
  _ body: (Desk) async throws -> Void
) async throws {
  let desk = try Desk(services, routes: routes, bounds: bounds)
  do { try await body(desk) } catch {
    await desk.close()
    throw error
  }
  await desk.close()
}

/// Operations for tests.
enum Sample {
  struct Failure: Explained {
    var code = "sample_failed"
    var message = "It did not work."
    var remedy: String? = "Try another."
  }

  /// Says its input back, once.
  static let echo = Service("echo", needs: .manage) { body in
    AsyncThrowingStream { continuation in
      continuation.yield(body)
      continuation.finish()
    }
  }

  /// {"count": n}: n numbered events.
  static let count = Service("count", needs: .manage) { body in
    struct Input: Decodable { var count: Int }
    return AsyncThrowingStream { continuation in
      do {
        for number in 0..<(try JSON.decode(Input.self, from: body).count) {
          continuation.yield(Data("{\"n\":\(number)}".utf8))
        }
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
  }

  static let fail = Service("fail", needs: .manage) { _ in AsyncThrowingStream { $0.finish(throwing: Failure()) } }

  static let failLater = Service("fail-later", needs: .manage) { _ in
    AsyncThrowingStream {
      $0.yield(Data(#"{"n":0}"#.utf8))
      $0.finish(throwing: Failure())
    }
  }

  /// One event, then nothing until it is cancelled, which `gate` hears.
  static func hang(_ gate: Gate) -> Service {
    Service("hang", needs: .manage) { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(Data(#"{"n":0}"#.utf8))
        continuation.onTermination = { _ in gate.open() }
      }
    }
  }

  /// Opens once; waiting for it takes no thread.
  final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()
    func open() { continuation.yield(()) }
    func passed() async { for await _ in stream { return } }
  }
}
