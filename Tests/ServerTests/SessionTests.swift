import Assistant
import Core
import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Browsers that are let in")
struct SessionTests {
  @Test("A code lets one browser in, once; neither code nor secret travels, and no answer sets a cookie")
  func code() async throws {
    try await withDesk([Sample.echo]) { desk in
      let code = desk.server.access.sessions.mint(for: .seconds(600))
      let ticket = #"{"ticket":"\#(SHA256.of(Data(code.utf8)))"}"#
      for wrong in [code, "", String(repeating: "0", count: 64)] {
        let refused = try await desk.ask("POST", "/api/session", json: #"{"ticket":"\#(wrong)"}"#, token: false)
        #expect(refused.status == 401 && refused.code == "code_spent")
      }
      let entry = try await desk.ask("POST", "/api/session", json: ticket, token: false)
      #expect(entry.status == 200 && entry.headers["set-cookie"] == nil)
      let secret = SHA256.keyed(code, "session")
      #expect(!entry.text.contains(secret) && !entry.text.contains(code))
      // A page that is loaded again before it had the answer comes to the same session.
      #expect(try await desk.ask("POST", "/api/session", json: ticket, token: false).text == entry.text)
      let page = try await desk.ask("POST", "/api/echo", json: "{}", as: secret)
      #expect(page.status == 200 && page.headers["set-cookie"] == nil)
      #expect(try await desk.ask("POST", "/api/session", json: ticket, token: false).code == "code_spent")
      for name in ["libera", "libera_\(desk.port)", "session"] {
        let cookie = try await desk.ask("GET", "/api/ping", ["Cookie: \(name)=\(secret)"], token: false)
        #expect(cookie.status == 401, "a cookie opens nothing")
      }
      #expect(try await desk.ask("GET", "/api/ping?session=\(secret)", token: false).status == 401)
    }
  }

  @Test("A code is too old after its time, and tells when it is used")
  func age() async throws {
    try await withDesk { desk in
      let sessions = desk.server.access.sessions
      let used = Mutex(0)
      let old = sessions.mint(for: .seconds(-1)) { used.withLock { $0 += 1 } }
      #expect(sessions.open(SHA256.of(Data(old.utf8)), browser: "") == nil)
      #expect(used.withLock { $0 } == 0)
      let fresh = sessions.mint(for: .seconds(30)) { used.withLock { $0 += 1 } }
      let id = try #require(sessions.open(SHA256.of(Data(fresh.utf8)), browser: ""))
      #expect(sessions.open(SHA256.of(Data(fresh.utf8)), browser: "") == id)
      #expect(used.withLock { $0 } == 1)
      #expect(sessions.end(id) && sessions.open(SHA256.of(Data(fresh.utf8)), browser: "") == nil)
    }
  }

  @Test(
    "The server proves that it knows a session before the page sends its secret; another program on the port cannot")
  func proof() async throws {
    try await withDesk { desk in
      let (id, secret) = try await desk.letIn()
      let nonce = SHA256.secret()
      let answer = try await desk.ask("GET", "/api/session/\(id)?nonce=\(nonce)", token: false)
      #expect(answer.text == #"{"proof":"\#(SHA256.keyed(secret, "server " + nonce))"}"#)
      #expect(answer.headers["cache-control"] == "no-store")
      for bad in ["", "?nonce=", "?nonce=session", "?nonce=\(nonce)0"] {
        #expect(try await desk.ask("GET", "/api/session/\(id)\(bad)", token: false).status == 400)
      }
      let unknown = try await desk.ask("GET", "/api/session/\(UUID().uuidString)?nonce=\(nonce)", token: false)
      #expect(unknown.status == 401 && unknown.code == "session_over")
    }
  }

  @Test("A nonce beside the ticket brings the proof with the session; one that is no nonce spends nothing")
  func proofAtOnce() async throws {
    try await withDesk { desk in
      let code = desk.server.access.sessions.mint(for: .seconds(600))
      let ticket = SHA256.of(Data(code.utf8))
      let bad = try await desk.ask(
        "POST", "/api/session", json: #"{"ticket":"\#(ticket)","nonce":"session"}"#, token: false)
      #expect(bad.status == 400)
      let nonce = SHA256.secret()
      let entry = try await desk.ask(
        "POST", "/api/session", json: #"{"ticket":"\#(ticket)","nonce":"\#(nonce)"}"#, token: false)
      #expect(entry.status == 200)
      #expect(entry.text.contains(#""proof":"\#(SHA256.keyed(SHA256.keyed(code, "session"), "server " + nonce))""#))
    }
  }

  @Test("Sessions end with the program")
  func restart() async throws {
    let first = try Desk()
    let (id, secret) = try await first.letIn()
    #expect(try await first.ask("GET", "/api/ping", as: secret).status == 200)
    let port = first.port
    await first.close()
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: first.folder.path).allSatisfy {
        FileManager.default.contents(atPath: first.folder.appending(path: $0).path)?.range(of: Data(secret.utf8)) == nil
      }, "a session is written nowhere")
    let second = try Desk(in: first.scratch, port: port)
    #expect(try await second.ask("GET", "/api/ping", as: secret).status == 401)
    let nonce = SHA256.secret()
    #expect(try await second.ask("GET", "/api/session/\(id)?nonce=\(nonce)", token: false).code == "session_over")
    await second.close()
  }

  @Test("A session that is ended opens nothing from then on, and its stream of events closes")
  func ending() async throws {
    try await withDesk { desk in
      let (kept, lost) = (try await desk.letIn(), try await desk.letIn())
      let stream = try await desk.events(as: lost.secret)
      #expect(desk.server.sessions().map(\.id).sorted() == [kept.id, lost.id].sorted())
      #expect(desk.server.end(lost.id) && !desk.server.end(lost.id))
      #expect(try await desk.ask("GET", "/api/ping", as: lost.secret).status == 401)
      _ = await stream.wire.read()  // ends because the server hangs up
      #expect(try await desk.ask("GET", "/api/ping", as: kept.secret).status == 200)
      #expect(desk.server.sessions().map(\.id) == [kept.id])
    }
  }

  @Test("Of what a browser says of itself only names that are known are kept")
  func names() {
    let linux = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    #expect(Sessions.name(of: linux) == "Firefox 128 on Linux")
    let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15"
    #expect(Sessions.name(of: mac) == "Safari 17 on macOS")
    #expect(Sessions.name(of: "Chrome/\u{1B}]0;x\u{7} Linux") == "Chrome on Linux")
    #expect(Sessions.name(of: "") == "a browser")
  }

  @Test("No more browsers are let in than a person has: the one that was seen longest ago goes")
  func crowd() async throws {
    try await withDesk { desk in
      let first = try await desk.letIn()
      for _ in 0..<64 { _ = try await desk.letIn() }
      #expect(desk.server.sessions().count == 64)
      #expect(try await desk.ask("GET", "/api/ping", as: first.secret).status == 401)
    }
  }
}
