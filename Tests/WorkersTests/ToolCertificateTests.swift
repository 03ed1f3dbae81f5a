import Core
import Foundation
import TestSupport
import Testing

@testable import Workers

/// A web server with a certificate that openssl makes for the occasion stands for a tool server elsewhere.
@Suite("Certificates of tool servers elsewhere", .enabled(if: Certificate.canBeMade))
struct ToolCertificateTests {
  private static let script = """
    import http.server, json, ssl, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with open(sys.argv[3], "a") as log: print(asked["method"], self.headers.get("Authorization"), file=log)
            body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sound": True}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_): pass
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private let place: LaunchPlace

  init() throws {
    place = try LaunchPlace()
    try Folders.make(place.folders.data)
  }

  private var log: URL { place.base.appending(path: "requests.log") }
  private var requests: String {
    FileManager.default.contents(atPath: log.path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func certificate(_ name: String, for subject: String) throws -> Certificate {
    try Certificate(name, for: subject, in: place.base)
  }

  /// What the bridge answers for a server with this certificate, where this authority is trusted.
  private func answer(_ shown: Certificate, trusting authority: String?) async throws -> JSONNode {
    let server = try PythonServer(["-c", Self.script, shown.file.path, shown.key.path, log.path])
    defer { server.stop() }
    var servers = ToolServers()
    try servers.add(
      ToolServer(name: "far", address: "https://127.0.0.1:\(server.port)/mcp", key: "secret-key", authority: authority))
    try servers.write(place.folders)
    var answer = JSONNode.null
    try await place.launching { launcher in
      let bridge = try await launcher.start(tool: "far")
      let request: JSONNode = .object(["jsonrpc": .text("2.0"), "id": .whole(1), "method": .text("initialize")])
      try bridge.write(JSON.encode(request))
      var lines = bridge.lines.makeAsyncIterator()
      let line = try await lines.next()
      answer = try JSON.decode(JSONNode.self, from: try #require(line))
      // The folder goes with the launcher.
      #expect((answer["result"] != nil) == (requests == "initialize Bearer secret-key\n"))
      #expect((answer["error"] != nil) == requests.isEmpty, "the key is shown to nobody who is not trusted")
      bridge.stop()
    }
    return answer
  }

  @Test("One that nobody vouches for is refused with the reason, and nothing is sent")
  func untrusted() async throws {
    let answer = try await answer(try certificate("own", for: "IP:127.0.0.1"), trusting: nil)
    let words = try #require(answer["error"]?["message"]?.text)
    #expect(answer["error"]?["code"] == .whole(-32099))
    #expect(words.contains("certificate is not trusted") && words.contains("self-signed certificate"), "\(words)")
    #expect(words.contains("--ca-file"), "\(words)")
  }

  @Test("One that the named authority vouches for is taken")
  func trusted() async throws {
    let own = try certificate("own", for: "IP:127.0.0.1")
    #expect(try await answer(own, trusting: own.text)["result"]?["sound"] == .flag(true))
  }

  @Test("Another authority vouches for nothing")
  func other() async throws {
    let (own, other) = (try certificate("own", for: "IP:127.0.0.1"), try certificate("other", for: "IP:127.0.0.1"))
    let words = try await answer(own, trusting: other.text)["error"]?["message"]?.text
    #expect(words?.contains("certificate is not trusted") == true, "\(words ?? "")")
  }

  @Test("A certificate that is another server's is refused, whoever vouches for it")
  func anotherName() async throws {
    let own = try certificate("own", for: "DNS:elsewhere.example")
    let words = try await answer(own, trusting: own.text)["error"]?["message"]?.text
    #expect(
      words?.contains("certificate is not trusted") == true && words?.contains("127.0.0.1") == true, "\(words ?? "")")
  }

  @Test("What is no certificate, and one for an address that has none, is not taken")
  func strange() {
    let sound = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
    for odd in ["", "a word", sound + "\u{0}", sound + "é", sound + String(repeating: "a", count: 70_000)] {
      #expect(throws: ToolServerError.self) {
        try ToolServer(name: "x", address: "https://a.example", key: nil, authority: odd)
      }
    }
    #expect(throws: ToolServerError.self) {
      try ToolServer(name: "x", address: "http://127.0.0.1", key: nil, authority: sound)
    }
  }
}
