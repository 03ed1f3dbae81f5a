import Core
import Foundation
import Safety
import TestSupport
import Testing
import Workers

@testable import Assistant

@Suite("Tools of other programs")
struct ToolTests {
  private static let schema = """
    {"type": "object", "required": ["city", "days"], "properties": {
      "city": {"type": "string", "description": "Where"}, "days": {"type": "integer"},
      "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}, "exact": {"type": "boolean"},
      "area": {"type": "object"}, "share": {"type": "number"}}}
    """

  private static func tool(_ schema: String) throws -> OutsideTool {
    let node = try JSONNode(json: schema)
    return OutsideTool(name: "t", title: nil, description: "", fields: ToolField.all(in: node), schema: node)
  }

  @Test("A schema becomes fields that a person can fill in, the needed ones first")
  func fields() throws {
    let fields = try Self.tool(Self.schema).fields
    #expect(fields.map(\.name) == ["city", "days", "area", "exact", "share", "unit"])
    #expect(fields.map(\.kind) == [.text, .whole, .other, .flag, .number, .text])
    #expect(fields.map(\.isRequired) == [true, true, false, false, false, false])
    #expect(fields[0].about == "Where" && fields[5].choices == ["celsius", "fahrenheit"])
    for odd in [#"{}"#, #"{"properties": 3}"#, #"[]"#, #"{"properties": {"a": null}, "required": "a"}"#] {
      #expect(try Self.tool(odd).fields.allSatisfy { !$0.isRequired }, "\(odd)")
    }
  }

  @Test(
    "What a person writes becomes a value of the field's kind or none",
    arguments: [
      (ToolField.Kind.text, "Bonn", JSONNode?.some(.text("Bonn"))), (.whole, " 3 ", .whole(3)), (.whole, "3.5", nil),
      (.whole, "99999999999999999999", nil), (.number, "3.5", .number(3.5)), (.number, "1e999", nil),
      (.number, "nan", nil), (.flag, "True", .flag(true)), (.flag, "yes", nil),
      (.other, #"{"a": [1]}"#, .object(["a": .list([.whole(1)])])),
      (.other, "{", nil), (.other, String(repeating: "[", count: 1000), nil),
    ])
  func values(kind: ToolField.Kind, text: String, value: JSONNode?) {
    #expect(ToolField(name: "x", kind: kind, about: nil, choices: nil, isRequired: true).value(of: text) == value)
  }

  @Test("Words go to the only text that is needed; anything else takes a model or a person")
  func plain() throws {
    let one = try Self.tool(#"{"required": ["q"], "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}"#)
    #expect(ToolArguments.plain("the plumber", for: one) == ["q": .text("the plumber")])
    #expect(ToolArguments.plain("", for: one) == [:])
    #expect(ToolArguments.plain("anything", for: try Self.tool("{}")) == [:])
    #expect(ToolArguments.plain("Bonn", for: try Self.tool(Self.schema)) == nil)
    let choice = try Self.tool(#"{"required": ["u"], "properties": {"u": {"type": "string", "enum": ["a"]}}}"#)
    #expect(ToolArguments.plain("a", for: choice) == nil)
  }

  @Test("Of what a model fills in only what the person has said is kept")
  func kept() throws {
    let tool = try Self.tool(Self.schema)
    let written: [String: JSONNode] = [
      "city": .text("bonn"), "days": .whole(3), "unit": .text("celsius"), "share": .number(7), "exact": .text("yes"),
      "invented": .text("Bonn"),
    ]
    let kept = ToolArguments.kept(written, of: "The weather in Bonn for 3 days", for: tool)
    #expect(kept == ["city": .text("bonn"), "days": .whole(3), "unit": .text("celsius")])
    #expect(ToolArguments.kept(written, of: "The weather in Paris", for: tool)["city"] == nil)
    #expect(ToolArguments.missing(in: kept, for: tool) == [])
    #expect(
      ToolArguments.missing(in: ["days": .text("3"), "unit": .text("kelvin")], for: tool) == ["city", "days", "unit"])
  }

  // MARK: A server

  /// Speaks the protocol as far as the tests need it; `turns` says what it does with a call.
  static func server(_ turns: String) -> String {
    """
    import json, sys
    def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
    print("a greeting that is no message", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        number, method, given = asked.get("id"), asked.get("method"), asked.get("params") or {}
        if method == "initialize":
            say(id=number, result={"protocolVersion": given["protocolVersion"], "capabilities": {}, "serverInfo": {}})
        elif method == "tools/list":
            page = int(given.get("cursor", 0))
            say(id=number, result={"tools": [{"name": f"tool{page}", "description": "d", "inputSchema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}}}], **({"nextCursor": str(page + 1)} if page < 2 else {})})
        elif method == "tools/call":
    \(turns.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n"))
    """
  }

  func withDesk(
    _ turns: String, unasked: [String] = [], script: String? = nil, _ work: (House, ToolServer) async throws -> Void
  ) async throws {
    let scratch = try Scratch("tools")
    let base = scratch.folder
    let folders = Folders(
      home: base.appending(path: "home", directoryHint: .isDirectory),
      environment: ["HOME": base.path, "XDG_CACHE_HOME": base.appending(path: "cache").path])
    try Folders.make(folders.data)
    var servers = ToolServers()
    let server = try ToolServer(
      name: "test", program: "/usr/bin/python3", arguments: ["-c", script ?? Self.server(turns)])
    try servers.add(server)
    try servers.write(folders)
    let launcher = try Launcher(folders)
    let house = try House(folders: folders, sensors: deviceSensors, launcher: launcher, seal: .unsealed("a test"))
    await house.tools.wait(.seconds(1200))
    do {
      for tool in unasked { try await allow(tool, in: house, folders) }
      try await work(house, server)
    } catch {
      await house.close()
      throw error
    }
    await house.close()
  }

  /// As a person does at a terminal who has looked at the list.
  func allow(_ tool: String, in house: House, _ folders: Folders) async throws {
    for try await _ in ListTools.perform(.init(starts: true), for: .terminal, in: house) {}
    var servers = try ToolServers.read(folders)
    try servers.allow(tool, of: "test", shown: ShownTools.read(folders))
    try servers.write(folders)
  }

  func propose(_ text: String, in house: House, from caller: Caller = .terminal) async throws -> ToolCard {
    var cards: [ToolCard] = []
    for try await card in ProposeToolCall.perform(.init(text: text, tool: "tool1"), for: caller, in: house) {
      cards.append(card)
    }
    return try #require(cards.first)
  }

  func call(
    _ input: CallTool.Input, in house: House, from caller: Caller = .terminal
  ) async throws -> [CallTool.Event] {
    var events: [CallTool.Event] = []
    for try await event in CallTool.perform(input, for: caller, in: house) { events.append(event) }
    return events
  }

  func refused(_ code: String, _ work: () async throws -> Void) async {
    await #expect { try await work() } throws: { RemoteError($0).code == code }
  }

  @Test("All pages of tools are read, and a call is shown before it is made, told of, and made once")
  func journey() async throws {
    let turns = """
      token = given["_meta"]["progressToken"]
      say(method="notifications/progress", params={"progressToken": token, "progress": 1, "total": 2, "message": "half"})
      say(id=99, method="sampling/createMessage", params={})
      say(id=number, result={"content": [{"type": "text", "text": "heard " + given["arguments"]["q"]}, {"type": "image", "mimeType": "image/png", "data": "AAAA"}]})
      """
    try await withDesk(turns) { house, server in
      #expect(try await house.tools.tools(of: server).map(\.name) == ["tool0", "tool1", "tool2"])
      let card = try await propose("@test the plumber", in: house)
      #expect(card.asks && card.missing.isEmpty && card.arguments == ["q": .text("the plumber")])
      await refused("tool_refused") { _ = try await call(.init(id: card.id), in: house) }
      await refused("person_only") {
        let key = Caller.key(id: "k", rights: Set(Right.allCases))
        _ = try await call(.init(id: card.id, confirmed: true), in: house, from: key)
      }
      let events = try await call(.init(id: card.id, values: ["q": "Ann"], confirmed: true), in: house)
      #expect(events.first?.told == "50 % half")
      let outcome = try #require(events.last?.outcome)
      #expect(outcome.text == "heard Ann" && outcome.others == ["image/png, 0 kB"] && !outcome.failed)
      await refused("tool_not_found") { _ = try await call(.init(id: card.id, confirmed: true), in: house) }
    }
  }

  @Test("However many cards a program has made, the person's stays")
  func crowd() async throws {
    try await withDesk("say(id=number, result={\"content\": []})") { house, server in
      let card = try await propose("@test x", in: house)
      let tool = try #require(try await house.tools.tools(of: server).first)
      await Caller.$asking.withValue(.key(id: "k", rights: [.act])) {
        for number in 0..<200 {
          var other = card
          (other.id, other.tool) = ("\(number)", tool)
          await house.tools.keep(other, of: server)
        }
      }
      #expect(try await house.tools.card("199").tool == tool)
      await refused("tool_not_found") { _ = try await house.tools.card("100") }
      #expect(try await call(.init(id: card.id, confirmed: true), in: house).last?.outcome != nil)
    }
  }

  @Test("A tool that may act unasked is called by a program as well, with what it lacks refused")
  func unasked() async throws {
    try await withDesk(
      "say(id=number, result={\"content\": [], \"structuredContent\": given[\"arguments\"]})", unasked: ["tool1"]
    ) { house, _ in
      let empty = try await propose("@test", in: house)
      #expect(empty.missing == ["q"])
      await refused("input_unreadable") { _ = try await call(.init(id: empty.id), in: house) }
      let card = try await propose("@test x", in: house)
      let key = Caller.key(id: "k", rights: [.act])
      #expect(try await call(.init(id: card.id), in: house, from: key).last?.outcome?.text == "{\n  \"q\" : \"x\"\n}")
    }
  }

  @Test(
    "What goes wrong within a server is told, and the next call finds a fresh one",
    arguments: [
      ("sys.exit(7)", "tool_server_ended"),
      ("say(id=number, error={\"code\": 1, \"message\": \"no\"})", "tool_failed"),
      ("say(id=number, result=[1, 2])", "tool_failed"),
      ("print(json.dumps([1] * 200000), flush=True)", "tool_failed"),
      ("print(\"{\" * 1000 + \"nonsense\"); say(id=number, result={\"content\": 3})", "tool_failed"),
    ])
  func trouble(turns: String, code: String) async throws {
    try await withDesk(turns) { house, _ in
      for _ in 0..<2 {
        let card = try await propose("@test x", in: house)
        await refused(code) { _ = try await call(.init(id: card.id, confirmed: true), in: house) }
      }
    }
  }

  @Test("What a server on this machine says of itself is its own word, also by the number of the bridge to others")
  func pretended() async throws {
    let lie = #"say(id=number, error={"code": -32099, "message": "nothing was sent"})"#
    try await withDesk(lie) { house, _ in
      let card = try await propose("@test x", in: house)
      await #expect(throws: ToolError.refused("test", "nothing was sent")) {
        _ = try await house.tools.call(card, [:]) { _ in }
      }
    }
  }

  @Test("A server that says nothing keeps nobody waiting")
  func silent() async throws {
    try await withDesk("", script: "import sys\nfor line in sys.stdin: pass") { house, _ in
      await house.tools.wait(.milliseconds(200))
      await refused("tool_failed") { _ = try await propose("@test x", in: house) }
    }
  }

  @Test("A call that nobody waits for any more is given up, and the server goes on")
  func cancelled() async throws {
    try await withDesk("pass") { house, _ in
      let card = try await propose("@test x", in: house)
      let waiting = Task { try await call(.init(id: card.id, confirmed: true), in: house) }
      try await Task.sleep(for: .milliseconds(20))
      waiting.cancel()
      // A stream whose consumer was cancelled ends without an outcome, or with that as its error.
      #expect(((try? await waiting.value) ?? []).allSatisfy { $0.outcome == nil })
      #expect(try await propose("@test y", in: house).arguments == ["q": .text("y")])
    }
  }

  @Test("Whoever names no server, or one that is not there, is told which there are")
  func which() async throws {
    try await withDesk("pass") { house, _ in
      await refused("input_unreadable") { _ = try await propose("the plumber", in: house) }
      await refused("tool_server_not_found") { _ = try await propose("@other x", in: house) }
    }
  }
}
