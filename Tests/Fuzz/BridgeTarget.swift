import Core
import Foundation
import Synchronization
import Workers

/// What a tool server elsewhere sends over HTTP, to the bridge that the launcher starts for it, in its seal.
final class Bridges: Target {
  static let name = "bridges"
  private static let id = 7
  private let scratch: Scratch
  private let launcher: Launcher
  private let server: RawServer
  private let bridge = Mutex<ToolProcess?>(nil)
  private let fed = Atomic(0)
  let seeds: [Seed]

  init() async throws {
    scratch = try Scratch()
    server = try RawServer()
    let home = scratch.folder.appending(path: "home", directoryHint: .isDirectory)
    let folders = Folders(
      home: home, environment: ["HOME": scratch.folder.path, "XDG_CACHE_HOME": scratch.folder.path])
    try Folders.make(folders.data)
    var servers = ToolServers()
    try servers.add(ToolServer(name: "far", address: "http://127.0.0.1:\(server.port)/mcp", key: "secret"))
    try servers.write(folders)
    launcher = try Launcher(folders)
    let answer = #"{"jsonrpc":"2.0","id":\#(Self.id),"result":{"protocolVersion":"2025-06-18","a":"é"}}"#
    let progress = #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#
    let chunks = answer.map { "\(String(String($0).utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
    seeds =
      [
        Self.reply(["Content-Type: application/json", "Mcp-Session-Id: s-1"], answer),
        Self.reply(["Content-Type: application/json"], "[\(progress),\(answer)]"),
        Self.reply(
          ["Content-Type: text/event-stream"], ": c\nevent: message\ndata: \(progress)\n\ndata: \(answer)\n\n"),
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\ndata: {\"id\":\r\ndata: 7}\r\r",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)",
        Self.reply(["Content-Type: application/json"], #"{"error":{"code":1,"message":"no"}}"#, "401 Unauthorized"),
        Self.reply(["Location: /mcp/on"], "", "307 Temporary Redirect"),
        Self.reply([], "", "404 Not Found"), "HTTP/1.1 100 Continue\r\n\r\n" + Self.reply([], "", "202 Accepted"),
      ].map { Seed($0) }
  }

  private static func reply(_ headers: [String], _ body: String, _ status: String = "200 OK") -> String {
    let lines = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.utf8.count)"]
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  func feed(_ input: Data) async throws {
    server.says(input)
    try await ask(input.count % 8 == 0 ? "initialize" : "tools/call")
    if let wrong = server.wrong { throw Violation(what: wrong) }
    let count = fed.add(1, ordering: .relaxed).newValue
    guard count % 64 == 0 else { return }
    // Of a number that was never asked by before: a server may answer more than once, and what it said too much waits to be read.
    let number = Self.id + count
    server.says(Data(Self.reply(["Content-Type: application/json"], #"{"id":\#(number),"result":{}}"#).utf8))
    let told = try await ask("tools/list", id: number)
    guard told?["result"] != nil else {
      throw Violation(what: "a sound reply is not told, but \(String(describing: told))")
    }
  }

  /// Each request is answered: by the server, or by the bridge in its place. Nil where a session that is forgotten ended the bridge.
  @discardableResult
  private func ask(_ method: String, id: Int = Bridges.id) async throws -> JSONNode? {
    let process = try await open()
    var request = ["jsonrpc": JSONNode.text("2.0"), "id": .whole(id), "method": .text(method)]
    request["params"] = .object([:])
    do {
      // One that has forgotten its session says so and ends; its lines tell how.
      do { try process.write(JSON.encode(JSONNode.object(request))) } catch is ToolProcessError {}
      for try await line in process.lines {
        guard let message = try? JSON.decode(JSONNode.self, from: line) else {
          throw Violation(what: "the bridge says what is no message: \(String(decoding: line, as: UTF8.self))")
        }
        if message["method"] == nil, message["id"] == .whole(id) { return message }
      }
    } catch ToolProcessError.ended(_, let reason, let lastWords) {
      bridge.withLock { $0 = nil }
      // What is written to one that has just ended ends it once more.
      guard reason == .code(EX_TEMPFAIL) || reason == .signal(SIGKILL) else {
        throw Violation(what: "the bridge ended: \(reason) \(lastWords)")
      }
      return id == Self.id ? nil : try await ask(method, id: id)
    } catch is ToolProcessError {
      // More was said than anybody has asked for, and so it was ended.
      bridge.withLock { $0 = nil }
      return id == Self.id ? nil : try await ask(method, id: id)
    }
    throw Violation(what: "the bridge ended without a reason")
  }

  private func open() async throws -> ToolProcess {
    if let process = bridge.withLock({ $0 }) { return process }
    let process = try await launcher.start(tool: "far")
    bridge.withLock { $0 = process }
    return process
  }

  func end() async {
    bridge.withLock { $0 }?.stop()
    await launcher.stop()
    scratch.remove()
  }
}

/// Reads a request, says what it was told to say, and closes. It looks at what the bridge sends, which no reply may change but for the
/// session and the version.
private final class RawServer: Sendable {
  let port: UInt16
  private let state = Mutex((said: Data(), wrong: String?.none))

  private static let headers: Set<String> = [
    "host", "user-agent", "content-type", "accept", "authorization", "mcp-session-id", "mcp-protocol-version",
    "content-length",
  ]

  init() throws {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isOpen else { throw Violation(what: "no socket: \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { continue }
        // One that waits for its reply's end does not keep others waiting.
        Thread.detachNewThread { [self] in serve(connection) }
      }
    }
  }

  func says(_ bytes: Data) { state.withLock { $0.said = bytes } }
  var wrong: String? { state.withLock { $0.wrong } }

  private func serve(_ connection: CInt) {
    var request = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isWhole(request) {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      request += buffer[..<count]
    }
    let said = state.withLock { $0.said }
    said.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        sent += count
      }
    }
    close(connection)
  }

  private func isWhole(_ request: Data) -> Bool {
    guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
    let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map { $0.lowercased() } }
    if !lines[0].hasPrefix("POST /"), !lines[0].hasSuffix(" HTTP/1.1") { note("it asks \(lines[0])") }
    for field in fields where !Self.headers.contains(field[0]) { note("it sends \(field)") }
    let length = fields.first { $0[0] == "content-length" }.flatMap { Int($0[1].trimmingCharacters(in: .whitespaces)) }
    return request.count - end.upperBound >= length ?? 0
  }

  private func note(_ wrong: String) { state.withLock { $0.wrong = wrong } }
}
