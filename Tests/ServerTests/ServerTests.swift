import Foundation
import Testing

@testable import Server

@Suite("Who may speak to the server")
struct GateTests {
  @Test(
    "Only the loopback names with the right port are answered, before anything is looked up",
    arguments: [
      "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT", "127.0.0.1:PORT.",
      "LOCALHOST.evil:PORT", "localhost", "0.0.0.0:PORT", "127.1:PORT", "[::1]", "[::]:PORT", "evil@127.0.0.1:PORT", "",
    ])
  func rebinding(host: String) async throws {
    try await withDesk { desk in
      let name = host.replacingOccurrences(of: "PORT", with: "\(desk.port)")
      for path in ["/", "/api/ping", "/nothing"] {
        let answer = try await desk.ask("GET", path, host: name)
        #expect(answer.status == 421 || answer.status == 400, "\(name) \(path)")
        #expect(!answer.text.contains("<title>"))
      }
    }
  }

  @Test("The loopback names are answered; a second Host or none is not")
  func hosts() async throws {
    try await withDesk { desk in
      for host in ["127.0.0.1:\(desk.port)", "localhost:\(desk.port)", "[::1]:\(desk.port)"] {
        #expect(try await desk.ask("GET", "/api/ping", host: host).status == 200)
      }
      #expect(try await desk.ask("GET", "/api/ping", ["Host: 127.0.0.1:\(desk.port)"]).status != 200)
      let wire = try Wire(port: desk.port)
      wire.send("GET /api/ping HTTP/1.0\r\nAuthorization: Bearer \(desk.token)\r\n\r\n")
      #expect(await wire.response().status == 421)
    }
  }

  @Test("Requests from other pages are refused, and no answer ever carries a CORS header")
  func origins() async throws {
    try await withDesk([Sample.echo]) { desk in
      let own = "http://127.0.0.1:\(desk.port)"
      let refused = [
        "Origin: http://evil.example", "Origin: null", "Origin: https://127.0.0.1:\(desk.port)",
        "Origin: http://127.0.0.1:1",
        "Origin: http://localhost:\(desk.port)", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: invented",
      ]
      for header in refused {
        let answer = try await desk.ask("POST", "/api/echo", [header], json: "{}")
        #expect(answer.status == 403, "\(header)")
        #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") })
        #expect(
          try await desk.ask("OPTIONS", "/api/echo", [header, "Access-Control-Request-Method: POST"]).status == 403)
      }
      #expect(try await desk.ask("POST", "/api/echo", ["Sec-Fetch-Site: none"], json: "{}").status == 403)
      #expect(try await desk.ask("GET", "/", ["Sec-Fetch-Site: none"], token: false).status == 200)
      let answer = try await desk.ask(
        "POST", "/api/echo", ["Origin: \(own)", "Sec-Fetch-Site: same-origin"], json: "{}")
      #expect(answer.status == 200)
      #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") })
    }
  }

  @Test("Every route under /api and /v1 asks for the token before it tells what exists")
  func tokens() async throws {
    try await withDesk([Sample.echo]) { desk in
      for path in [
        "/api/ping", "/api/events", "/api/operations", "/api/operations/x", "/api/nothing", "/v1/models", "/api",
      ] {
        #expect(try await desk.ask("GET", path, token: false).status == 401, "\(path)")
        let wrong = try await desk.ask("GET", path, as: String(repeating: "0", count: 64))
        #expect(wrong.status == 401, "\(path)")
      }
      #expect(try await desk.ask("POST", "/api/echo", json: "{}", token: false).code == "no_token")
      #expect(try await desk.ask("PUT", "/api/uploads?name=a", token: false).status == 401)
      #expect(try await desk.ask("POST", "/api/echo?token=\(desk.token)", json: "{}", token: false).status == 401)
      #expect(
        try await desk.ask("GET", "/api/ping", ["Authorization: Basic \(desk.token)"], token: false).status == 401)
      #expect(try await desk.ask("GET", "/api/nothing").status == 404)
      #expect(try await desk.ask("GET", "/nothing", token: false).status == 404)
    }
  }

  @Test(
    "Somebody may come to the front door from elsewhere, as from a file that hands a browser over, and to nothing else")
  func arrivals() async throws {
    try await withDesk([Sample.echo]) { desk in
      let arrival = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
      func status(_ method: String, _ path: String, _ headers: [String]) async throws -> Int {
        try await desk.ask(method, path, headers).status
      }
      let page = try await desk.ask("GET", "/", arrival, token: false)
      #expect(page.status == 200 && page.headers["x-frame-options"] == "DENY")
      for path in ["/?x=1", "/index.html", "/js/a.js", "/api/ping", "/api", "/v1/models", "/api/session/x"] {
        #expect(try await status("GET", path, arrival) == 403, "\(path)")
      }
      for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
        #expect(try await status(method, "/", arrival) == 403, "\(method)")
      }
      for (place, others) in [
        (1, ["no-cors", "cors", "same-origin", "websocket", ""]),
        (2, ["iframe", "frame", "embed", "object", "empty", ""]),
        (0, ["same-site"]),
      ] {
        for other in others {
          var headers = arrival
          headers[place] = (headers[place].components(separatedBy: ": ").first ?? "") + ": " + other
          #expect(try await status("GET", "/", headers) == 403, "\(headers[place])")
        }
      }
      #expect(try await status("GET", "/", [arrival[0]]) == 403)
      #expect(try await status("GET", "/", arrival + ["Origin: null"]) == 403)
      #expect(try await status("GET", "/", arrival + ["Sec-Fetch-Site: same-origin"]) == 400)
    }
  }

  @Test("A taken port gives the next one, on both loopback addresses")
  func ports() throws {
    let first = try LoopbackSockets.open(port: 0)
    let second = try LoopbackSockets.open(port: first.port)
    #expect(second.port > first.port)
    #expect(throws: ServerError.self) { try LoopbackSockets.open(port: first.port, attempts: 1) }
    for socket in first.sockets + second.sockets { close(socket) }
  }
}
