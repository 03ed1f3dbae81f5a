import Assistant
import Core
import Foundation
import Synchronization
import Workers

/// What somebody else's tool server says, line by line, to the client that speaks with it.
final class Tools: Target {
  static let name = "tools"
  private static let mostOfEach = 3
  private let scratch: Scratch
  private let folders: Folders
  private let server: ToolServer
  let seeds = conversations.map { Seed($0) }

  init() async throws {
    scratch = try Scratch()
    let home = scratch.folder.appending(path: "home", directoryHint: .isDirectory)
    folders = Folders(home: home, environment: ["HOME": scratch.folder.path, "XDG_CACHE_HOME": scratch.folder.path])
    server = try ToolServer(name: "fuzz", program: "/bin/true", arguments: [])
    var servers = ToolServers()
    try servers.add(server)
    try servers.write(folders)
  }

  func feed(_ input: Data) async throws {
    let speaker = Speaker(input)
    let desk = ToolDesk(folders) { name in
      try await ToolProcess(name) { socket, _ in
        speaker.begin(on: socket)
        return speaker
      }
    }
    do { try await use(desk) } catch {
      await desk.close()
      try speaker.check()
      throw error
    }
    await desk.close()
    try speaker.check()
  }

  /// All that a person can have a server do, as far as it offers that.
  private func use(_ desk: ToolDesk) async throws {
    let offers = try await desk.offers(of: server)
    guard offers.tools.count <= OutsideTool.most, offers.resources.count <= OutsideResource.most else {
      throw Violation(what: "more is offered than is kept")
    }
    for tool in offers.tools.prefix(Self.mostOfEach) {
      let arguments = ToolArguments.plain("the plumber", for: tool) ?? [:]
      let card = try ToolCard(tool, of: server, "the plumber", arguments)
      guard card.asks else { throw Violation(what: "a tool acts without being allowed to") }
      _ = try JSON.decode(ToolCard.self, from: JSON.encode(card))
      await desk.keep(card, of: server)
      try Self.look(at: try await desk.call(card, arguments) { _ in })
    }
    for resource in offers.resources.prefix(Self.mostOfEach) {
      let read = try await desk.read(resource.uri, of: server)
      try Self.look(at: read.outcome)
      for part in read.parts {
        let name = ResourceFile.name(of: resource.uri, mimeType: part.mimeType, isText: part.isText)
        guard !name.isEmpty, name.utf8.count <= 255, !name.contains("/"), !name.hasPrefix(".") else {
          throw Violation(what: "a resource becomes a file called \(name)")
        }
      }
    }
    for prompt in offers.prompts.prefix(Self.mostOfEach) {
      _ = try await desk.prompt(prompt.name, [:], of: server)
    }
  }

  private static func look(at outcome: ToolOutcome) throws {
    guard outcome.text.count <= ToolOutcome.longestText else { throw Violation(what: "a tool says more than is shown") }
    _ = try JSON.decode(ToolOutcome.self, from: JSON.encode(outcome))
  }

  func end() async { scratch.remove() }
}

/// Stands for a server's process: at each request it says its input up to the line with that request's number, and all that is left
/// where there is none.
private final class Speaker: ChildProcess {
  let number: CInt = 0
  let isProcess = false
  private let state: Mutex<State>

  private struct State {
    var left: Data
    var wrong: String?
    var socket: CInt?

    mutating func next(upTo id: Int) -> (said: Data, isLast: Bool) {
      let mark = left.range(of: Data("\"id\":\(id),".utf8))
      guard let end = mark.flatMap({ left[$0.upperBound...].firstIndex(of: UInt8(ascii: "\n")) }) else {
        defer { left = Data() }
        return (left, true)
      }
      defer { left = Data(left[(end + 1)...]) }
      return (Data(left[...end]), false)
    }
  }

  private static let methods: Set<String> = [
    "initialize", "notifications/initialized", "notifications/cancelled", "tools/list", "tools/call", "resources/list",
    "resources/read", "prompts/list", "prompts/get",
  ]

  init(_ input: Data) { state = Mutex(State(left: input)) }

  /// A socket of its own: the one that is given is closed by whoever gave it.
  func begin(on socket: CInt) {
    let own = dup(socket)
    state.withLock { $0.socket = own }
    Thread.detachNewThread { [self] in listen(own) }
  }

  func kill() { state.withLock { if let socket = $0.socket { shutdown(socket, Int32(SHUT_RDWR)) } } }
  func wait() -> ExitReason { .code(0) }

  func check() throws { if let wrong = state.withLock({ $0.wrong }) { throw Violation(what: wrong) } }

  private func listen(_ socket: CInt) {
    var pending = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // Who has heard nothing that answers waits as long as a person does; here it is told the rest.
    var wait = timeval(tv_sec: 0, tv_usec: 2_000)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN {
        say(state.withLock { $0.next(upTo: -1) }, to: socket)
        continue
      }
      guard count > 0 else { break }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        hear(Data(pending[..<end]), socket)
        pending = Data(pending[(end + 1)...])
      }
    }
    state.withLock { $0.socket = nil }
    close(socket)
  }

  private func hear(_ line: Data, _ socket: CInt) {
    guard let message = try? JSON.decode(JSONNode.self, from: line), message["jsonrpc"]?.text == "2.0",
      message["method"]?.text.map(Self.methods.contains) ?? (message["id"] != nil)
    else { return state.withLock { $0.wrong = "the client says \(String(decoding: line, as: UTF8.self))" } }
    guard message["method"] != nil, case .whole(let id)? = message["id"] else { return }
    say(state.withLock { $0.next(upTo: id) }, to: socket)
  }

  private func say(_ next: (said: Data, isLast: Bool), to socket: CInt) {
    next.said.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        sent += count
      }
    }
    if next.isLast { shutdown(socket, Int32(SHUT_WR)) }
  }
}

/// What a sound server says from its greeting on.
private let conversations = [
  #"""
  {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"n","version":"1"}}}
  {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search","title":"Search","description":"Finds","inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"What"},"n":{"type":"integer"},"u":{"enum":["a","b"]}},"required":["q"]}},{"name":"now"}],"nextCursor":null}}
  {"jsonrpc":"2.0","id":3,"result":{"resources":[{"uri":"notes://a/b%20c.md?x#y","name":"a","mimeType":"text/markdown; charset=utf-8"},{"uri":"file:///../x","title":"T","description":"D"}]}}
  {"jsonrpc":"2.0","id":4,"result":{"prompts":[{"name":"compare","arguments":[{"name":"first","required":true}]}]}}
  {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1,"total":3,"message":"on"}}
  {"jsonrpc":"2.0","id":"p","method":"ping"}
  {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"07 é"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a","text":"b"}},{"type":"resource_link","uri":"c"}],"isError":false}}
  {"jsonrpc":"2.0","id":6,"result":{"structuredContent":{"a":[1,2.5,null,{"b":true}]}}}
  {"jsonrpc":"2.0","id":7,"result":{"contents":[{"uri":"notes://a","mimeType":"text/markdown","text":"# A"},{"blob":"JVBERi0=","mimeType":"application/pdf"}]}}
  {"jsonrpc":"2.0","id":8,"result":{"contents":[{"text":""}]}}
  {"jsonrpc":"2.0","id":9,"result":{"messages":[{"role":"user","content":{"type":"text","text":"Compare"}},{"role":"assistant","content":[{"type":"resource","resource":{"text":"x"}}]}]}}

  """#,
  #"""
  A greeting of the program, no message
  {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}
  {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"messages":[]}}
  {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":null}}
  {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"properties":{"x":{"type":["string","null"]}}}}],"nextCursor":"c1"}}
  {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b","inputSchema":{}}]}}
  {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no such tool"}}

  """#,
]
