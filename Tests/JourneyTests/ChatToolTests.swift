import Foundation
import Testing

/// A tool server that says back what it is told, and a chat in a terminal.
@Suite("Tools in a conversation of the terminal")
struct ChatToolTests {
  private static let server = """
    import json, sys
    for line in sys.stdin:
        asked = json.loads(line)
        method, id = asked.get("method"), asked.get("id")
        if id is None: continue
        result = {}
        if method == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": {"name": "e", "version": "1"}}
        elif method == "tools/list":
            text = {"type": "string"}
            result = {"tools": [{"name": "echo", "description": "Says it back \\u001b[2J", "inputSchema": {"type": "object", "properties": {"words": text}, "required": ["words"]}}]}
        elif method == "resources/list": result = {"resources": [{"uri": "echo://one", "name": "one"}]}
        elif method == "tools/call":
            with open(sys.argv[1], "a") as log: print(asked["params"]["arguments"]["words"], file=log)
            result = {"content": [{"type": "text", "text": "ECHO " + asked["params"]["arguments"]["words"]}]}
        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
    """

  private func added(_ program: Program) async throws -> URL {
    let folder = program.home.appendingPathExtension("echo")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = folder.appending(path: "echo.py")
    try Data(Self.server.utf8).write(to: script)
    // The home stands before the server's own words.
    let words = [
      try Program.binary.path, "tools", "add", "echo", "--home", program.home.path, "--write", folder.path, "--",
      "/usr/bin/python3", script.path, folder.appending(path: "called").path,
    ]
    let outcome = try await Running(words, environment: program.environment, input: Data()).outcome()
    try #require(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    return folder.appending(path: "called")
  }

  private func calls(_ called: URL) -> [Substring] {
    let text = FileManager.default.contents(atPath: called.path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n")
  }

  @Test("A card is shown and nothing is called before a yes; what is allowed for good is called at once")
  func asks() async throws {
    let program = try Program(withPacks: Program.preparedPacks != nil)
    let called = try await added(program)
    let chat = try program.onTerminal(["chat"])
    if Program.preparedPacks == nil {
      try #require(try await chat.waitFor { $0.contains("Which?") })
      try chat.type("")
    }
    try #require(try await chat.waitFor { $0.contains("Ctrl-D ends") })
    try chat.type("@echo first words")
    try #require(try await chat.waitFor { $0.contains("Call it? [y, N]") })
    #expect(try chat.text.contains("words: first words") && calls(called) == [])
    // A server's words give the terminal no orders.
    #expect(try !chat.text.contains("\u{1B}[2J"))
    try chat.type("n")
    try #require(try await chat.waitFor { $0.contains("Nothing was called.") })
    #expect(calls(called) == [])

    try chat.type("@echo second words")
    try #require(try await chat.waitFor { $0.components(separatedBy: "Call it?").count == 3 })
    try chat.type("y")
    try #require(try await chat.waitFor { $0.contains("ECHO second words") })

    try chat.type("@echo /")
    try #require(try await chat.waitFor { $0.contains("echo://one") })
    try chat.type("@nobody words")
    try #require(try await chat.waitFor { $0.contains("No tool server is called nobody") })
    try await chat.quit()
    #expect(calls(called) == ["second words"])

    // It stays in the conversation.
    let conversations = try await program.run("conversations", "list", "--json").objects
    let id = try #require(conversations.first?["id"] as? String)
    #expect(try await program.run("conversations", "show", id, "--json").output.contains("ECHO second words"))

    #expect(try await program.run("tools", "allow", "echo", "echo").status == 0)
    let piped = try await program.run("chat", input: "@echo third words\n")
    #expect(piped.status == 0 && piped.output.contains("ECHO third words"), "\(piped.errors)")
    #expect(calls(called) == ["second words", "third words"])
  }

  @Test("Where nobody can be asked the card is shown and nothing is called, whatever is written after it")
  func piped() async throws {
    let program = try Program()
    let called = try await added(program)
    for options in [[], ["--json"]] {
      let running = try program.start(["chat"] + options, input: Data("@echo some words\ny\ny\n".utf8))
      let outcome = try await running.outcome()
      #expect(outcome.output.contains("some words"), "\(outcome.errors)")
      #expect(calls(called) == [])
    }
  }
}
