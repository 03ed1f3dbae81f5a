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
        let wrong = try await desk.ask(
          "GET", path, ["Authorization: Bearer \(String(repeating: "0", count: 64))"], token: false)
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

  @Test("A code opens one browser once; its cookie survives a restart and ends with a rotation")
  func session() async throws {
    let first = try Desk()
    let address = first.server.pageAddress()
    let code = try #require(address.components(separatedBy: "#key=").last)
    let entry = try await first.ask("POST", "/api/session", json: #"{"code":"\#(code)"}"#, token: false)
    #expect(entry.status == 204)
    let cookie = try #require(entry.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"))
    #expect(try await first.ask("POST", "/api/session", json: #"{"code":"\#(code)"}"#, token: false).status == 401)
    let pair = "Cookie: other=1; " + (cookie.split(separator: ";").first.map(String.init) ?? "")
    #expect(try await first.ask("GET", "/api/session", [pair], token: false).status == 200)
    let port = first.port
    await first.close(keepFolder: true)
    let second = try Desk(folder: first.folder, port: port)
    #expect(second.token == first.token)
    #expect(try await second.ask("GET", "/api/session", [pair], token: false).status == 200)
    // As another process would do it: `libera token --rotate` beside a running server.
    try Access(folder: first.folder).rotate()
    #expect(try await second.ask("GET", "/api/session", [pair], token: false).status == 401)
    #expect(try await second.ask("GET", "/api/ping").status == 401)
    let fresh = try Access(folder: first.folder).token()
    #expect(try await second.ask("GET", "/api/ping", ["Authorization: Bearer \(fresh)"], token: false).status == 200)
    await second.close()
  }

  @Test("The access file is the owner's alone, and one that others could read gets new secrets")
  func accessFile() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "libera-access-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let access = try Access(folder: folder)
    let token = try access.token()
    var info = stat()
    #expect(stat(access.file.path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(try Access(folder: folder).token() == token)
    chmod(access.file.path, 0o644)
    #expect(try Access(folder: folder).token() != token)
    try Data("{}".utf8).write(to: access.file)
    chmod(access.file.path, 0o600)
    #expect(throws: ServerError.self) { try Access(folder: folder) }
    try FileManager.default.removeItem(at: access.file)
    try FileManager.default.createSymbolicLink(atPath: access.file.path, withDestinationPath: "/etc/hostname")
    #expect(throws: ServerError.self) { try Access(folder: folder) }
  }

  @Test("A taken port gives the next one, on both loopback addresses")
  func ports() throws {
    let first = try Listening.open(port: 0)
    let second = try Listening.open(port: first.port)
    #expect(second.port > first.port)
    #expect(throws: ServerError.self) { try Listening.open(port: first.port, attempts: 1) }
    for socket in first.sockets + second.sockets { close(socket) }
  }
}
