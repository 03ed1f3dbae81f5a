import Core
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("The HTTP layer")
struct HTTPTests {
  @Test(
    "Path tricks reach nothing",
    arguments: [
      "/../secret.txt", "/js/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
      "/js/%2e%2e/%2e%2e/secret.txt",
      "//secret.txt", "/js/", "/js", "/index.html/", "/./index.html", "/js\\a.js", "/JS/A.JS",
      "/js/a.js/../../../secret.txt",
      "/%00", "/api/operations/..%2f..%2fsecret.txt", "/\u{FFFD}",
    ])
  func paths(path: String) async throws {
    try await withDesk { desk in
      let answer = try await desk.ask("GET", path)
      #expect((400..<500).contains(answer.status) || path == "/%00", "\(path) gave \(answer.status)")
      #expect(!answer.text.contains("secret\n") && answer.text != "secret")
    }
  }

  @Test("An absolute target under a foreign name and the asterisk are refused")
  func targets() async throws {
    try await withDesk { desk in
      for target in ["http://evil.example/", "*", "evil"] {
        let answer = try await desk.ask("GET", target)
        #expect((400..<500).contains(answer.status), "\(target)")
      }
    }
  }

  @Test("The page comes with its guards, is not sent again when unchanged, and HEAD has no body")
  func page() async throws {
    try await withDesk { desk in
      let page = try await desk.ask("GET", "/", token: false)
      #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
      let policy = try #require(page.headers["content-security-policy"])
      #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
      #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
      for name in ["x-content-type-options", "x-frame-options", "referrer-policy", "cross-origin-opener-policy"] {
        #expect(page.headers[name] != nil)
      }
      // With the last of these a browser starts a process anew before it paints.
      #expect(page.headers["cross-origin-embedder-policy"] == nil)
      #expect(page.headers["cache-control"] == "no-cache")
      let tag = try #require(page.headers["etag"])
      let again = try await desk.ask("GET", "/", ["If-None-Match: \"other\", \(tag)"], token: false)
      #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
      #expect(try await desk.ask("GET", "/", ["If-None-Match: \"other\""], token: false).status == 200)
      let head = try await desk.ask("HEAD", "/js/a.js", token: false)
      #expect(head.status == 200 && head.headers["content-length"] == "18" && head.body.isEmpty)
      #expect(head.headers["content-type"] == "text/javascript; charset=utf-8")
    }
  }

  @Test("A known path with another method says which it takes")
  func methods() async throws {
    try await withDesk([Sample.echo]) { desk in
      let answer = try await desk.ask("GET", "/api/echo")
      #expect(answer.status == 405 && answer.headers["allow"] == "POST")
      #expect(try await desk.ask("DELETE", "/").headers["allow"] == "GET, HEAD")
      #expect((400..<500).contains(try await desk.ask("BREW", "/api/echo").status))
    }
  }

  @Test("A body must be declared as JSON and be within its limit")
  func bodies() async throws {
    try await withDesk([Sample.echo], bounds: { $0.jsonBytes = 1000 }) { desk in
      let form = "Content-Type: application/x-www-form-urlencoded"
      let page = try await desk.letIn().secret
      for headers in [
        [form, "Content-Length: 2"], ["Content-Type: text/plain", "Content-Length: 2"], ["Content-Length: 0"],
      ] {
        #expect(try await desk.ask("POST", "/api/echo", headers, as: page).status == 415)
      }
      let large = String(repeating: "x", count: 1001)
      #expect(try await desk.ask("POST", "/api/echo", json: large).code == "too_large")
      #expect(try await desk.ask("POST", "/api/echo", json: String(repeating: " ", count: 1000)).status == 200)
      let huge = try await desk.ask(
        "POST", "/api/echo", ["Content-Type: application/json", "Content-Length: 99999999999"])
      #expect(huge.status == 413)
      // A body that hides its length is cut off when it goes beyond the limit.
      let wire = try desk.send("POST", "/api/echo", ["Content-Type: application/json", "Transfer-Encoding: chunked"])
      for _ in 0..<64 where wire.send("100\r\n" + String(repeating: "y", count: 256) + "\r\n") {}
      #expect(await wire.read().isEmpty)
      #expect(try await desk.ask("GET", "/api/ping").status == 200)
    }
  }

  @Test("A key in a header of its own stands for the declaration; in an address, which browsers keep, it does not")
  func declared() async throws {
    try await withDesk([Sample.echo]) { desk in
      let key = try desk.key([.manage])
      let form = "Content-Type: application/x-www-form-urlencoded"
      func ask(_ headers: String...) async throws -> Int {
        let wire = try desk.send("POST", "/api/echo", headers + ["Content-Length: 2"], body: "{}", token: false)
        return await wire.response().status
      }
      #expect(try await ask(form, "Authorization: Bearer \(key)") == 200)
      #expect(try await ask("X-Api-Key: \(key)") == 200)
      let basic = "Authorization: Basic \(Data("x:\(key)".utf8).base64EncodedString())"
      #expect(try await ask(form, basic) == 415)
      #expect(try await ask("Content-Type: application/json", basic) == 200)
      #expect(try await ask(form, "Authorization: Bearer wrong") == 401)
    }
  }

  @Test("Whoever watches over servers is told that it lives, without a key and to no page of others")
  func health() async throws {
    try await withDesk([Sample.echo]) { desk in
      let answer = try await desk.ask("GET", "/health", token: false)
      #expect(answer.status == 200 && answer.text == #"{"status":"ok"}"#)
      #expect(try await desk.ask("GET", "/health", ["Origin: https://evil.example"], token: false).status == 403)
    }
  }

  @Test(
    "A head that can be read in two ways is refused, and what comes after it on the line is no request",
    arguments: [
      "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2\r\nContent-Length: 4000",
      "Content-Length: 4000\r\ncontent-length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 2", "Content-Length: 2, 2", "Content-Length: +2",
      "Content-Length: -2", "Content-Length: 0x2", "Content-Length: 2 2", "Content-Length:",
      "Content-Length: 99999999999999999999999", "Content-Length : 2", "Content-Length\t: 2",
      "Content-Length: 2\r\nX Y: 1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: identity",
      "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: xchunked",
      "Transfer-Encoding:\u{0B}chunked", "Transfer-Encoding: \"chunked\"", "Content-Length: 2\r\nHost: 127.0.0.1:PORT",
      "Content-Length: 2\r\nHost: evil.example", "Content-Length: 2\r\nAuthorization: Bearer x",
      "Content-Length: 2\r\nAUTHORIZATION: Bearer x", "Content-Length: 2\r\nContent-Type: text/plain",
      "Content-Length: 2\r\nOrigin: http://127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT",
      "Content-Length: 2\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
      "Content-Length: 2\r\nIdempotency-Key: 12345678\r\nIdempotency-Key: 87654321",
      // The sign for kelvin, of which Swift makes a k.
      "Transfer-Encoding: chun\u{212A}ed", "Content-Length: 2\r\nX-Api-\u{212A}ey: 12345678",
    ])
  func ambiguous(headers: String) async throws {
    try await withDesk([Sample.echo]) { desk in
      let headers = headers.replacing("PORT", with: "\(desk.port)")
      let wire = try Wire(port: desk.port)
      let second =
        desk.head("POST", "/api/echo", ["Content-Type: application/json", "Content-Length: 9"]) + #"{"two":2}"#
      wire.send(desk.head("POST", "/api/echo", ["Content-Type: application/json", headers]) + "{}" + second)
      let told = String(decoding: await wire.read(), as: UTF8.self)
      // The library says some of its own refusals twice; no second answer is one to a request.
      #expect(told.hasPrefix("HTTP/1.1 4") && !told.hasPrefix("HTTP/1.1 401"), "\(headers): \(told.prefix(80))")
      #expect(!told.contains("HTTP/1.1 2") && !told.contains(#""two":2"#), "\(headers)")
      #expect(try await desk.ask("GET", "/api/ping").status == 200)
    }
  }

  @Test("A body that never arrives and a head that never ends are closed; the server goes on")
  func slowness() async throws {
    try await withDesk([Sample.echo], bounds: { ($0.idleSeconds, $0.bodySeconds) = (1, 1) }) { desk in
      let slowBody = try desk.send(
        "POST", "/api/echo", ["Content-Type: application/json", "Content-Length: 100"], body: "{")
      let slowHead = try Wire(port: desk.port)
      slowHead.send("GET / HTTP/1.1\r\nHost: ")
      let silent = try Wire(port: desk.port)
      // One byte now and then keeps the daemon's own timeout from firing; the deadline still holds.
      let trickle = Task {
        while slowHead.send("a"), !Task.isCancelled { try await Task.sleep(for: .milliseconds(200)) }
      }
      _ = await slowBody.read()
      _ = await slowHead.read()
      #expect(await silent.read().isEmpty)
      trickle.cancel()
      #expect(try await desk.ask("GET", "/api/ping").status == 200)
    }
  }

  @Test("Garbage in the head never harms the server")
  func fuzz() async throws {
    try await withDesk(bounds: { $0.idleSeconds = 1 }) { desk in
      var random = Dice(7)
      let pieces = [
        "GET / HTTP/1.1\r\n", "Host: 127.0.0.1:\(desk.port)\r\n", "Content-Length: -1\r\n", "Content-Length: 9e9\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: identity, chunked\r\n", "Cookie: =;;=;\r\n", "\r\n", "\n",
        "\0",
        "Authorization: Bearer\r\n", "Range: bytes=0-\r\n", "Expect: 100-continue\r\n", " folded: yes\r\n",
        ": none\r\n",
        "X: " + String(repeating: "a", count: 40000) + "\r\n", "GET " + String(repeating: "/", count: 40000),
        "\u{FF}\u{FE}",
        "POST /api/session HTTP/1.1\r\nContent-Type: application/json\r\n",
        "Connection: upgrade\r\nUpgrade: websocket\r\n",
        "ffffffffffffffff\r\n", "0\r\n\r\n",
      ]
      for _ in 0..<300 {
        let wire = try Wire(port: desk.port)
        let count = Int(random.next() % 8) + 1
        wire.send((0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined())
        if random.next() % 2 == 0 { wire.send(Data((0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) })) }
        shutdown(wire.socket, CInt(SHUT_WR))
        if random.next() % 3 == 0 { _ = await wire.read() }
      }
      #expect(try await desk.ask("GET", "/api/ping").status == 200)
    }
  }

  @Test("A flood of silent connections pushes itself out, not the person")
  func flood() async throws {
    // However busy the machine is, nobody leaves here for being silent.
    try await withDesk(bounds: { ($0.connections, $0.idleSeconds) = (64, 3600) }) { desk in
      let known = try desk.send("GET", "/api/ping")
      #expect(await known.response().status == 200)
      var crowd: [Wire] = []
      for _ in 0..<600 { crowd.append(try Wire(port: desk.port)) }
      #expect(try await desk.ask("GET", "/api/ping").status == 200)
      known.send(desk.head("GET", "/api/ping"))
      #expect(await known.response().status == 200, "a connection that had shown its token stays")
      #expect(desk.server.openConnections <= 64 + 256)
      _ = crowd.count
    }
  }

  @Test("A connection carries one request after another")
  func keepAlive() async throws {
    // However long a busy machine takes from one to the next.
    try await withDesk([Sample.echo], bounds: { $0.idleSeconds = 3600 }) { desk in
      let wire = try Wire(port: desk.port)
      for number in 0..<50 {
        let body = "{\"n\":\(number)}"
        wire.send(
          desk.head("POST", "/api/echo", ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"])
            + body)
        #expect(await wire.response().text == body + "\n")
      }
    }
  }

  @Test(
    "Any number of requests that arrive at one moment is answered, be it as many as the library takes at once",
    arguments: [127, 128, 129, 256])
  func together(number: Int) async throws {
    let gate = DispatchSemaphore(value: 0)
    let routes = [
      Route(
        "GET", "/wait", needs: .entry,
        .now { _ in
          gate.wait()
          return .empty(204)
        }),
      Route("GET", "/quick", needs: .entry, .now { _ in .empty(204) }),
    ]
    try await withDesk(routes: routes, bounds: { $0.idleSeconds = 3600 }) { desk in
      let crowd = try (0..<number).map { _ in try Wire(port: desk.port) }
      let first = try Wire(port: desk.port)
      // On a thread of its own: what else is tested meanwhile takes turns of seconds.
      let statuses = await withCheckedContinuation { done in
        Thread.detachNewThread {
          func answers() -> [Int] { crowd.map { Answer($0.receive { Answer($0).isWhole }).status } }
          for wire in crowd { wire.send(desk.head("GET", "/quick")) }
          let before = answers()
          // The daemon is busy until every request has arrived.
          first.send(desk.head("GET", "/wait"))
          Thread.sleep(forTimeInterval: 0.3)
          for wire in crowd { wire.send(desk.head("GET", "/quick")) }
          Thread.sleep(forTimeInterval: 0.3)
          gate.signal()
          done.resume(returning: before + answers())
        }
      }
      #expect(statuses == Array(repeating: 204, count: 2 * number))
      #expect(await first.response().status == 204)
    }
  }

  @Test("What was handed over and never asked for goes after its time, and only so much of it waits")
  func unused() async throws {
    var bounds = Bounds()
    (bounds.uploadSeconds, bounds.unusedUploadSeconds, bounds.waitingUploadBytes) = (0, 0, 1000)
    try await withDesk([Sample.echo], bounds: { $0 = bounds }) { desk in
      struct Taken: Decodable { var upload: String }
      let first = try JSONDecoder().decode(Taken.self, from: try await desk.handOver().body)
      // Its time is over at once; the next one takes its place.
      let second = try JSONDecoder().decode(Taken.self, from: try await desk.handOver().body)
      #expect(try await desk.ask("POST", "/api/echo", json: #"{"upload":"\#(first.upload)"}"#).code == "unknown_upload")
      #expect(try await desk.ask("POST", "/api/echo", json: #"{"upload":"\#(second.upload)"}"#).status == 200)
    }
    bounds.unusedUploadSeconds = 3600
    for (bytes, count) in [(1000, 256), (1 << 30, 1)] {
      (bounds.waitingUploadBytes, bounds.waitingUploads) = (bytes, count)
      try await withDesk([Sample.echo], bounds: { $0 = bounds }) { desk in
        let (first, second) = try await (desk.handOver(), desk.handOver())
        #expect(first.status == 200 && second.code == "upload_failed")
      }
    }
  }

  @Test("An uploaded file reaches the operation as a path under its plain name and is gone afterwards")
  func upload() async throws {
    try await withDesk([Sample.echo]) { desk in
      let content = String(repeating: "page ", count: 100_000)
      let wire = try desk.send(
        "PUT", "/api/uploads?name=..%2F..%2Fetc%2FLease%202024.pdf", ["Content-Length: \(content.utf8.count)"],
        body: content)
      let taken = await wire.response()
      struct Taken: Decodable { var upload: String, name: String }
      let upload = try JSONDecoder().decode(Taken.self, from: taken.body)
      #expect(upload.name == "Lease 2024.pdf")
      let answer = try await desk.ask("POST", "/api/echo", json: #"{"uploads":["\#(upload.upload)"]}"#)
      struct Echo: Decodable { var paths: [String] }
      let path = try #require(try JSONDecoder().decode(Echo.self, from: answer.body).paths.first)
      #expect(path.hasPrefix(desk.folder.path) && path.hasSuffix("/Lease 2024.pdf"))
      let again = try await desk.ask("POST", "/api/echo", json: #"{"uploads":["\#(upload.upload)"]}"#)
      #expect(again.code == "unknown_upload")
      let second = try desk.send("PUT", "/api/uploads?name=own.gguf", ["Content-Length: 4"], body: "GGUF")
      let one = try JSONDecoder().decode(Taken.self, from: await second.response().body)
      let single = try await desk.ask("POST", "/api/echo", json: #"{"upload":"\#(one.upload)"}"#)
      #expect(single.text.contains(#"/own.gguf""#) && single.text.contains(#""path":"#))
      for id in ["../../secret.txt", "x", ""] {
        #expect(try await desk.ask("POST", "/api/echo", json: #"{"uploads":["\#(id)"]}"#).status == 404)
      }
      // A slash that a joining sign follows is a slash for the system.
      let away = try await desk.handOver(as: "..%2F%E2%80%8D..%2F%E2%80%8Daway.md")
      #expect(away.text.contains(#""name":"away.md""#))
    }
  }
}
