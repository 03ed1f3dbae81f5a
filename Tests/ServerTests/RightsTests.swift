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
        streaming { emit in emit(Data(#"{"n":0}"#.utf8)) }
      }
    }
    let ask = try #require(services.first { $0.name == "ask" })
    let transcribe = try #require(services.first { $0.name == "transcribe" })
    try await withDesk(services, routes: SampleSource.routes(ask: ask, transcribe: transcribe), body)
  }

  private func ask(_ desk: Desk, _ route: Route, as key: String? = nil) async throws -> Answer {
    let path = route.path + (route.isPrefix ? "some-id" : "")
    var json: String?
    if case .json = route.body { json = "{}" }
    return try await desk.ask(route.method, path, json: json, as: key, token: key != nil)
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
      let keys = try Dictionary(uniqueKeysWithValues: Right.allCases.map { ($0, try desk.key([$0])) })
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
        #expect(try await ask(desk, route).status == 401, "\(name)")
        guard case .oneOf(let rights) = route.needs else { continue }
        for (right, key) in keys {
          let answer = try await ask(desk, route, as: key)
          if rights.contains(right) {
            #expect(answer.status != 403 && answer.status != 401, "\(name) with \(right): \(answer.status)")
          } else {
            #expect(answer.status == 403, "\(name) with \(right)")
          }
        }
      }
    }
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
        let answer = try await desk.ask("GET", "/api", as: desk.key([right]))
        let mine = Operations.all.filter { $0.right == right }.map(\.name).sorted()
        #expect(try JSON.decode(Told.self, from: answer.body).operations == mine)
      }
      let page = try await desk.ask("GET", "/api", as: desk.letIn().secret)
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
      var streams: [Wire] = []
      for key in [mine, other, page] { streams.append(try await desk.events(as: key).wire) }
      let start = ["Prefer: respond-async", "Idempotency-Key: the-run-1"]
      #expect(try await desk.ask("POST", "/api/hang", start, json: "{}", as: mine).status == 202)
      #expect(await streams[0].read(until: "the-run-1").contains("started"))
      #expect(await streams[2].read(until: "the-run-1").contains("started"))

      let list = "/api/operations"
      #expect(try await desk.ask("GET", list, as: mine).text.contains("the-run-1"))
      #expect(try await desk.ask("GET", list, as: page).text.contains("the-run-1"))
      #expect(try await !desk.ask("GET", list, as: other).text.contains("the-run-1"))
      #expect(try await desk.ask("GET", list + "/the-run-1", as: other).status == 404)
      #expect(try await desk.ask("DELETE", list + "/the-run-1", as: other).status == 404)
      #expect(try await desk.ask("POST", "/api/hang", start, json: "{}", as: other).code == "bad_operation_id")

      // The other's stream has said nothing of it: what comes next is what it started itself.
      let last = ["Prefer: respond-async", "Idempotency-Key: the-run-2"]
      _ = try await desk.ask("POST", "/api/hang", last, json: "{}", as: other)
      #expect(await !streams[1].read(until: "the-run-2").contains("the-run-1"))
      #expect(try await desk.ask("DELETE", list + "/the-run-1", as: page).status == 202)
      await gate.passed()
    }
  }

  @Test("With a revoked key ends what it had running, and its stream of events")
  func revoked() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate)]) { desk in
      let secret = try desk.server.access.keys.add("guest", [.manage])
      let stream = try await desk.events(as: secret)
      #expect(try await desk.ask("POST", "/api/hang", ["Prefer: respond-async"], json: "{}", as: secret).status == 202)
      try desk.server.access.keys.revoke("guest")
      #expect(try await desk.ask("GET", "/api/ping", as: secret).status == 401)
      await gate.passed()
      _ = await stream.wire.read()
    }
  }
}
