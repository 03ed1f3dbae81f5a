import Core
import Foundation
import TestSupport
import Testing

@testable import Workers

/// A small web server stands for tool servers elsewhere; what it answers hangs on the address.
@Suite("Tool servers elsewhere")
struct ToolBridgeTests {
  private static let script = """
    import http.server, json, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *_): pass
        def answer(self, status, body=b"", **fields):
            self.send_response(status)
            for name, value in fields.items(): self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with open(sys.argv[1], "a") as log: print(self.path, asked.get("method"), file=log)
            number, seen = asked.get("id"), {name: self.headers.get(name) for name in ("Authorization", "Mcp-Session-Id", "MCP-Protocol-Version", "Accept")}
            if asked.get("method") == "initialize": seen["protocolVersion"] = "2025-06-18"
            reply = {"jsonrpc": "2.0", "id": number, "result": {**seen, "path": self.path}}
            whole = json.dumps(reply, indent=1).encode()
            kind = self.path.strip("/").split("/")[0]
            if number is None: self.answer(202)
            elif kind == "moved" and self.path != "/moved/on": self.answer(307, b"moved", Location="/moved/on")
            elif kind == "away": self.answer(307, b"away", Location="http://localhost:%d/json" % self.server.server_port)
            elif kind == "refuses": self.answer(401, b'{"error": "invalid_token"}', Content_Type="application/json")
            elif kind == "forgets" and asked["method"] != "initialize": self.answer(404, b"gone")
            elif kind == "huge":
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.close_connection = True
                try:
                    while True: self.wfile.write(b": " + b"a" * 65536 + b"\\n")
                except OSError: pass
            elif kind == "events":
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.close_connection = True
                for one in ({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, reply):
                    self.wfile.write(b"event: message\\r\\ndata: " + json.dumps(one).encode() + b"\\r\\n\\r\\n")
                    self.wfile.flush()
                # It stays open: the answer is enough.
                try:
                    while self.connection.recv(1): pass
                except OSError: pass
            else: self.answer(200, whole, Content_Type="application/json", Mcp_Session_Id="session-1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  private let place: LaunchPlace

  init() throws {
    place = try LaunchPlace()
    try Folders.make(place.folders.data)
  }

  private var log: URL { place.base.appending(path: "requests.log") }
  private var requests: [Substring] {
    get throws { try String(contentsOf: log, encoding: .utf8).split(separator: "\n") }
  }

  /// The bridge to what answers at this path, as the launcher starts it.
  private func bridging(
    _ path: String, key: String? = nil, _ work: (ToolProcess, Launcher) async throws -> Void
  ) async throws {
    let server = try PythonServer(["-c", Self.script, log.path])
    defer { server.stop() }
    var servers = ToolServers()
    try servers.add(try ToolServer(name: "far", address: "http://127.0.0.1:\(server.port)/\(path)", key: key))
    try servers.write(place.folders)
    try await place.launching { launcher in
      let bridge = try await launcher.start(tool: "far")
      try await work(bridge, launcher)
      bridge.stop()
    }
  }

  private func say(_ method: String, id: Int? = nil, to bridge: ToolProcess) throws {
    var message = ["jsonrpc": JSONNode.text("2.0"), "method": .text(method)]
    message["id"] = id.map { .whole($0) }
    try bridge.write(JSON.encode(JSONNode.object(message)))
  }

  private typealias Lines = AsyncThrowingStream<Data, any Error>.AsyncIterator

  private func node(_ lines: inout Lines) async throws -> JSONNode {
    let line = try await lines.next()
    return try JSON.decode(JSONNode.self, from: try #require(line))
  }

  @Test("Lines become requests and answers lines, with the key, the session and the version that were agreed on")
  func session() async throws {
    try await bridging("json", key: "secret-key") { bridge, launcher in
      var lines = bridge.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: bridge)
      let first = try await node(&lines)
      #expect(first["id"] == .whole(1) && first["result"]?["Authorization"]?.text == "Bearer secret-key")
      #expect(first["result"]?["Mcp-Session-Id"] == .null && first["result"]?["MCP-Protocol-Version"] == .null)
      try say("notifications/initialized", to: bridge)
      try say("tools/list", id: 2, to: bridge)
      let second = try await node(&lines)
      #expect(second["result"]?["Mcp-Session-Id"]?.text == "session-1")
      #expect(second["result"]?["MCP-Protocol-Version"]?.text == "2025-06-18")
      #expect(second["result"]?["Accept"]?.text == "application/json, text/event-stream")
      #expect(try requests == ["/json initialize", "/json notifications/initialized", "/json tools/list"])
      #expect(try await launcher.count().connected == 1)
      // The key stands on no command line.
      #expect(!Self.commandLines().contains { $0.contains("secret-key") })
    }
  }

  #if os(Linux)
    @Test("What speaks with it is sealed, asked of the kernel")
    func sealed() async throws {
      try await bridging("json") { bridge, _ in
        var lines = bridge.lines.makeAsyncIterator()
        try say("initialize", id: 1, to: bridge)
        _ = try await node(&lines)
        let status = try String(contentsOfFile: "/proc/\(bridge.process)/status", encoding: .utf8)
        let fields = status.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        for field in [["NoNewPrivs:", "1"], ["Seccomp:", "2"], ["CapEff:", String(repeating: "0", count: 16)]] {
          #expect(fields.contains(field), "\(field)")
        }
      }
    }
  #endif

  private static func commandLines() -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.filter { Int($0) != nil } ?? []
    return processes.compactMap { number in
      FileManager.default.contents(atPath: "/proc/\(number)/cmdline").map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test("A stream of events comes as lines, and an answer ends it however long the server keeps it open")
  func events() async throws {
    try await bridging("events") { bridge, _ in
      var lines = bridge.lines.makeAsyncIterator()
      for id in 1...20 {
        try say("tools/call", id: id, to: bridge)
        let (progress, answer) = (try await node(&lines), try await node(&lines))
        #expect(progress["method"]?.text == "notifications/progress" && answer["id"] == .whole(id))
      }
    }
  }

  @Test(
    "What a server does not answer is answered in its place",
    arguments: [
      ("refuses", "does not accept the key, or wants one"), ("refuses", "invalid_token"),
      ("away", "leads on to http://localhost"),
      ("huge", "longer than 16 MB"),
    ])
  func failures(path: String, words: String) async throws {
    try await bridging(path) { bridge, _ in
      var lines = bridge.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: bridge)
      let answer = try await node(&lines)
      #expect(answer["id"] == .whole(1) && answer["error"]?["code"] == .whole(-32099))
      #expect(answer["error"]?["message"]?.text?.contains(words) == true, "\(answer)")
      #expect(try requests.count == 1)
    }
  }

  @Test("Another place of the same server is followed")
  func moved() async throws {
    try await bridging("moved") { bridge, _ in
      var lines = bridge.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: bridge)
      let answer = try await node(&lines)
      #expect(answer["result"]?["path"]?.text == "/moved/on")
    }
  }

  @Test("A server that is not there is said to be so, and one that has forgotten the session ends the bridge")
  func gone() async throws {
    try await bridging("forgets") { bridge, launcher in
      var lines = bridge.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: bridge)
      _ = try await lines.next()
      try say("tools/list", id: 2, to: bridge)
      let failed = try await node(&lines)
      #expect(failed["error"]?["message"]?.text?.contains("forgotten this session") == true)
      await #expect(throws: ToolProcessError.self) { try await lines.next() }

      var servers = ToolServers()
      try servers.add(try ToolServer(name: "nobody", address: "http://127.0.0.1:1/mcp", key: nil))
      try servers.write(place.folders)
      let other = try await launcher.start(tool: "nobody")
      var others = other.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: other)
      let unreached = try await node(&others)
      #expect(unreached["error"]?["message"]?.text == "127.0.0.1 cannot be reached.")
      other.stop()
    }
  }

  @Test("Offline ends the bridge and starts none")
  func offline() async throws {
    try await bridging("json") { bridge, launcher in
      var lines = bridge.lines.makeAsyncIterator()
      try say("initialize", id: 1, to: bridge)
      _ = try await lines.next()
      try await launcher.goOffline()
      await #expect(throws: ToolProcessError.self) { try await lines.next() }
      await #expect { _ = try await launcher.start(tool: "far") } throws: { RemoteError($0).code == "offline" }
    }
  }

  @Test("What is for this machine goes to no proxy, and nothing else of the environment is handed on")
  func environment() {
    let whole = ["HTTPS_PROXY": "p", "no_proxy": "n", "HOME": "/h", "SECRET": "s"]
    #expect(
      BridgeStart.environment("https://a.example", key: "k", whole)
        == [
          "HTTPS_PROXY": "p", "no_proxy": "n", "LIBERA_TOOL_ADDRESS": "https://a.example", "LIBERA_TOOL_KEY": "k",
        ])
    #expect(
      BridgeStart.environment("http://127.0.0.1:1", key: nil, whole) == ["LIBERA_TOOL_ADDRESS": "http://127.0.0.1:1"])
  }
}
