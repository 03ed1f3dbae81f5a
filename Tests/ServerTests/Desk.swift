import Assistant
import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Server

/// A server on a free port with operations made for the test, its page and its folders.
final class Desk: Sendable {
  let server: Server
  let scratch: Scratch
  var folder: URL { scratch.folder }
  let token: String
  var port: UInt16 { server.port }

  init(
    _ services: [Service] = [], routes: [Route] = [], bounds change: (inout Bounds) -> Void = { _ in },
    in known: Scratch? = nil, port: UInt16 = 0, origins: Set<String> = [], forgetting: [@Sendable () async -> Void] = []
  ) throws {
    var bounds = Bounds()
    change(&bounds)
    scratch = try known ?? Scratch("server")
    let folder = scratch.folder
    let web = folder.appending(path: "web")
    try FileManager.default.createDirectory(at: web.appending(path: "js"), withIntermediateDirectories: true)
    try Data("<!doctype html><title>page</title>".utf8).write(to: web.appending(path: "index.html"))
    try Data("export const a = 1".utf8).write(to: web.appending(path: "js/a.js"))
    try Data("secret".utf8).write(to: folder.appending(path: "secret.txt"))
    let folders = Folders(home: folder, environment: ["HOME": folder.path, "XDG_CACHE_HOME": folder.path])
    server = try Server(
      LoopbackSockets.open(port: port), folders: folders, services: services, routes: routes,
      origins: origins, web: web, bounds: bounds, forgetting: forgetting)
    token = try server.access.keys.add("test \(UUID().uuidString)", Set(Right.allCases))
    try server.start()
  }

  func close() async { await server.stop() }

  /// With a key or a page's secret, else with the key of the test; without any where `token` is false.
  func head(
    _ method: String, _ path: String, _ headers: [String] = [], as key: String? = nil, token: Bool = true,
    host: String? = nil
  ) -> String {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    if token { lines.append("Authorization: Bearer \(key ?? self.token)") }
    return (lines + headers).joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// A request on a connection of its own, whose answer is still to be read.
  func send(
    _ method: String, _ path: String, _ headers: [String] = [], json: String? = nil, body: String = "",
    as key: String? = nil, token: Bool = true, host: String? = nil
  ) throws -> Wire {
    let wire = try Wire(port: port)
    var headers = headers
    if let json { headers += ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"] }
    wire.send(head(method, path, headers, as: key, token: token, host: host) + (json ?? body))
    return wire
  }

  func ask(
    _ method: String, _ path: String, _ headers: [String] = [], json: String? = nil, as key: String? = nil,
    token: Bool = true, host: String? = nil
  ) async throws -> Answer {
    let wire = try send(method, path, headers, json: json, as: key, token: token, host: host)
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
  func events(after id: String? = nil, as key: String? = nil) async throws -> (wire: Wire, start: String) {
    let wire = try send("GET", "/api/events", id.map { ["Last-Event-ID: \($0)"] } ?? [], as: key)
    return (wire, await wire.read(until: "event: hello"))
  }
}

func withDesk(
  _ services: [Service] = [], routes: [Route] = [], bounds: (inout Bounds) -> Void = { _ in },
  origins: Set<String> = [], _ body: (Desk) async throws -> Void
) async throws {
  let desk = try Desk(services, routes: routes, bounds: bounds, origins: origins)
  do { try await body(desk) } catch {
    await desk.close()
    throw error
  }
  await desk.close()
}

/// The same with every route for other programs.
func withPrograms(
  names: SampleNames = SampleNames(), origins: Set<String> = [], _ body: (Desk) async throws -> Void
) async throws {
  try await withDesk(
    [Sample.ask], routes: SampleSource.routes(ask: Sample.ask, names: names), origins: origins, body)
}

/// Operations for tests.
enum Sample {
  struct Failure: Explained {
    var code = "sample_failed"
    var message = "It did not work."
    var remedy: String? = "Try another."
  }

  /// Says its input back, once.
  static let echo = Service("echo", needs: .manage) { body in streaming { emit in emit(body) } }

  /// {"count": n}: n numbered events.
  static let count = Service("count", needs: .manage) { body in
    struct Input: Decodable { var count: Int }
    return streaming { emit in
      for number in 0..<(try JSON.decode(Input.self, from: body).count) { emit(Data("{\"n\":\(number)}".utf8)) }
    }
  }

  /// Gives every question the same answer, from the collection that is asked.
  static let ask = Service("ask", needs: .ask) { input in
    let collection = try object(String(decoding: input, as: UTF8.self))["collection"] as? String ?? "all"
    return streaming { emit in
      emit(Data(#"{"piece":"Every six months."}"#.utf8))
      let record = """
        {"done":{"answer":"Every six months.","abstained":false,"provider":"local","mode":"fast","limits":[],
        "sentences":[{"text":"Every six months.","support":[0],"supported":true}],
        "citations":[{"id":"c1","document":"\(collection)","title":"Manual","page":12,"text":"…","score":0.8}],
        "timings":{"prompt_tokens":9,"generated_tokens":4,"reused_tokens":0}}}
        """
      emit(Data(record.replacing("\n", with: "").utf8))
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
