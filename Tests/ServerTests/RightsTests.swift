import Assistant
import Core
import Foundation
import Testing

@testable import Server

@Suite("What a key may do")
struct RightsTests {
  /// Every operation there is, each of which would only say its name, and every route of the program.
  private func withEverything(_ body: (Desk) async throws -> Void) async throws {
    let services = Operations.all.map { operation in
      Service(operation.name, needs: operation.right) { _ in
        AsyncThrowingStream {
          $0.yield(Data(#"{"n":0}"#.utf8))
          $0.finish()
        }
      }
    }
    let ask = try #require(services.first { $0.name == "ask" })
    let transcribe = try #require(services.first { $0.name == "transcribe" })
    try await withDesk(services, routes: SampleSource.routes(ask: ask, transcribe: transcribe), body)
  }

  private func ask(_ desk: Desk, _ route: Route, _ headers: [String]) async throws -> Answer {
    let path = route.path + (route.isPrefix ? "some-id" : "")
    var json: String?
    if case .json = route.body { json = "{}" }
    return try await desk.ask(route.method, path, headers, json: json, token: false)
  }

  @Test("Every route is for everybody, for whoever is let in, or needs a right; without it nothing happens")
  func table() async throws {
    // What is for everybody, whole; the page's own files beside it.
    let open: Set = ["POST /api/session", "GET /api/session/"]
    // What shows no more than the caller's own.
    let entry: Set = [
      "GET /api", "GET /api/ping", "GET /api/events", "GET /api/operations", "GET /api/operations/",
      "DELETE /api/operations/", "GET /v1/models", "GET /v1/models/", "GET /api/tags", "GET /api/ps", "POST /api/show",
      "GET /api/version", "GET /props",
    ]
    try await withEverything { desk in
      for route in desk.server.routes {
        let name = "\(route.method) \(route.path)"
        switch route.needs {
        case .nothing:
          #expect(
            open.contains(name) || (route.method == "GET" && !name.contains("/api") && !name.contains("/v1")), "\(name)"
          )
        case .entry: #expect(entry.contains(name), "\(name)")
        case .oneOf(let rights): #expect(!rights.isEmpty, "\(name)")
        }
        guard route.needs != .nothing else { continue }
        #expect(try await ask(desk, route, []).status == 401, "\(name)")
        guard case .oneOf(let rights) = route.needs else { continue }
        for right in Right.allCases {
          let answer = try await ask(desk, route, ["Authorization: Bearer \(try narrow(desk, right))"])
          if rights.contains(right) {
            #expect(answer.status != 403 && answer.status != 401, "\(name) with \(right): \(answer.status)")
          } else {
            #expect(answer.status == 403, "\(name) with \(right)")
          }
        }
      }
    }
  }

  /// One key for each right.
  private func narrow(_ desk: Desk, _ right: Right) throws -> String {
    let file = desk.folder.appending(path: "key-\(right.rawValue)")
    if let known = FileManager.default.contents(atPath: file.path) { return String(decoding: known, as: UTF8.self) }
    let made = try desk.key([right])
    try Data(made.utf8).write(to: file)
    return made
  }

  @Test("No operation bears a name of Ollama's, whose addresses lie beside those of operations")
  func names() {
    let taken = OllamaPath.names
    #expect(Operations.all.map(\.name).filter(taken.contains) == [])
  }

  @Test("A key comes as a bearer, as Anthropic's clients send it, or as an address's password; not so from a browser")
  func ways() async throws {
    try await withEverything { desk in
      let key = try desk.key([.ask])
      let page = try await desk.letIn().secret
      func basic(_ secret: String) -> String {
        "Authorization: Basic " + Data("x:\(secret)".utf8).base64EncodedString()
      }
      let cases: [(headers: [String], status: Int)] = [
        (["Authorization: Bearer \(key)"], 200), (["X-Api-Key: \(key)"], 200), ([basic(key)], 200),
        (["X-Api-Key: \(key)x"], 401), ([basic("")], 401), (["Authorization: Basic ???"], 401),
        ([basic(key), "Sec-Fetch-Site: same-origin"], 401),
        // A page's session is no key of a program.
        (["X-Api-Key: \(page)"], 401), ([basic(page)], 401), (["Authorization: Bearer \(page)"], 200),
        (["X-Api-Key: \(key)", "X-Api-Key: \(key)"], 400),
      ]
      for (headers, status) in cases {
        #expect(try await desk.ask("GET", "/v1/models", headers, token: false).status == status, "\(headers)")
      }
      for path in ["/\(key)/v1/models", "/v1/models/\(key)", "/v1/models?key=\(key)", "/v1/models?api_key=\(key)"] {
        let status = try await desk.ask("GET", path, [], token: false).status
        #expect([401, 404].contains(status), "\(path)")
      }
    }
  }

  @Test("A key is told of the operations that it may use, a page of all")
  func told() async throws {
    struct Told: Decodable { var operations: [String] }
    try await withEverything { desk in
      for right in Right.allCases {
        let answer = try await desk.ask(
          "GET", "/api", ["Authorization: Bearer \(try desk.key([right]))"], token: false)
        let mine = Operations.all.filter { $0.right == right }.map(\.name).sorted()
        #expect(try JSON.decode(Told.self, from: answer.body).operations == mine)
      }
      let page = try await desk.ask(
        "GET", "/api", ["Authorization: Bearer \(try await desk.letIn().secret)"], token: false)
      #expect(try JSON.decode(Told.self, from: page.body).operations.count == Operations.all.count)
    }
  }

  @Test("What a tool of the Model Context Protocol does needs the right to ask and no other")
  func tools() {
    for tool in ModelContextTools.Tool.allCases {
      #expect(Operations.named(tool.operation)?.right == .ask, "\(tool)")
    }
  }

  @Test("A key hears, sees and stops only what it has started itself; a page all of it")
  func own() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate)]) { desk in
      let (mine, other) = (try desk.key([.manage]), try desk.key([.manage]))
      let page = try await desk.letIn().secret
      func bearer(_ secret: String) -> [String] { ["Authorization: Bearer \(secret)"] }
      let streams = try await [mine, other, page].asyncMap { try await desk.events(as: $0).wire }
      let start = bearer(mine) + ["Prefer: respond-async", "Idempotency-Key: the-run-1"]
      #expect(try await desk.ask("POST", "/api/hang", start, json: "{}", token: false).status == 202)
      #expect(await streams[0].read(until: "the-run-1").contains("started"))
      #expect(await streams[2].read(until: "the-run-1").contains("started"))

      let list = "/api/operations"
      #expect(try await desk.ask("GET", list, bearer(mine), token: false).text.contains("the-run-1"))
      #expect(try await desk.ask("GET", list, bearer(page), token: false).text.contains("the-run-1"))
      #expect(try await !desk.ask("GET", list, bearer(other), token: false).text.contains("the-run-1"))
      #expect(try await desk.ask("GET", list + "/the-run-1", bearer(other), token: false).status == 404)
      #expect(try await desk.ask("DELETE", list + "/the-run-1", bearer(other), token: false).status == 404)
      let again = bearer(other) + ["Prefer: respond-async", "Idempotency-Key: the-run-1"]
      #expect(try await desk.ask("POST", "/api/hang", again, json: "{}", token: false).code == "bad_operation_id")

      // The other's stream has said nothing of it: what comes next is what it started itself.
      let last = bearer(other) + ["Prefer: respond-async", "Idempotency-Key: the-run-2"]
      _ = try await desk.ask("POST", "/api/hang", last, json: "{}", token: false)
      #expect(await !streams[1].read(until: "the-run-2").contains("the-run-1"))
      #expect(try await desk.ask("DELETE", list + "/the-run-1", bearer(page), token: false).status == 202)
      await gate.passed()
    }
  }

  @Test("With a revoked key ends what it had running, and its stream of events")
  func revoked() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate)]) { desk in
      let secret = try desk.server.access.keys.add("guest", [.manage])
      let stream = try await desk.events(as: secret)
      let start = ["Authorization: Bearer \(secret)", "Prefer: respond-async"]
      #expect(try await desk.ask("POST", "/api/hang", start, json: "{}", token: false).status == 202)
      try desk.server.access.keys.revoke("guest")
      #expect(try await desk.ask("GET", "/api/ping", ["Authorization: Bearer \(secret)"], token: false).status == 401)
      await gate.passed()
      _ = await stream.wire.read()
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Made>(_ make: (Element) async throws -> Made) async rethrows -> [Made] {
    var made: [Made] = []
    for one in self { made.append(try await make(one)) }
    return made
  }
}
