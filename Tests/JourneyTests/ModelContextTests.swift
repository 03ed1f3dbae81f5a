import Foundation
import Testing

@Suite("The documents, for an editor or an agent", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct ModelContextTests {
  private typealias Object = [String: Any]

  /// What came back, by the id of its request.
  private func converse(_ program: Program, _ messages: [String]) async throws -> [Int: Object] {
    let input = messages.map { $0 + "\n" }.joined()
    let outcome = try await program.run("mcp", input: input)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answers = try outcome.objects
    #expect(answers.allSatisfy { $0["jsonrpc"] as? String == "2.0" })
    return Dictionary(answers.compactMap { answer in (answer["id"] as? Int).map { ($0, answer) } }) { first, _ in first
    }
  }

  private func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
  }

  private func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
    request(id, "tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#)
  }

  private func text(_ answer: Object?) throws -> String {
    let result = try #require(answer?["result"] as? Object)
    return try #require((result["content"] as? [Object])?.first?["text"] as? String)
  }

  @Test("A client searches, asks, lists and reads, each with what a program can use")
  func tools() async throws {
    let program = try Program(withPacks: true)
    let file = program.home.appending(path: "boiler.md")
    try "# Boiler\n\nThe water filter of the boiler must be changed every 4 months. Ü\n".write(
      to: file, atomically: true, encoding: .utf8)
    let imported = try await program.run("import", file.path)
    #expect(imported.status == 0, "\(imported.errors)")

    let greeting = #"{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}"#
    let answers = try await converse(
      program,
      [
        request(1, "initialize", greeting), #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        request(2, "tools/list"),
        call(3, "search", #"{"query":"water filter"}"#),
        call(4, "ask", #"{"question":"How often must the water filter be changed?"}"#),
        call(5, "list_documents", "{}"),
        call(6, "read_document", #"{"document":"boiler.md","offset":0,"length":6}"#),
        call(7, "read_document", #"{"document":"no such thing"}"#),
      ])
    #expect((answers[1]?["result"] as? Object)?["protocolVersion"] as? String == "2025-03-26")
    let tools = try #require((answers[2]?["result"] as? Object)?["tools"] as? [Object])
    #expect(tools.compactMap { $0["name"] as? String } == ["search", "ask", "list_documents", "read_document"])
    #expect(try text(answers[3]).contains("every 4 months"))
    #expect(try text(answers[4]).contains("4 months"))
    let record = try #require((answers[4]?["result"] as? Object)?["structuredContent"] as? Object)
    #expect((record["citations"] as? [Object])?.first?["document"] as? String == "boiler.md")
    #expect(try text(answers[5]).contains("boiler.md"))
    #expect(try text(answers[6]) == "Boiler")
    #expect((answers[7]?["result"] as? Object)?["isError"] as? Bool == true)
  }

  @Test("What is no message, no method or no tool is an error and ends nothing")
  func hostile() async throws {
    let program = try Program()
    let outcome = try await program.run(
      "mcp",
      input: [
        "not json", "[]", "{}", #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, request(2, "no/such"),
        call(3, "destroy", "{}"), call(4, "search", #"{"limit":"many"}"#), request(5, "tools/call"),
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        #"{"jsonrpc":"2.0","id":"six","method":"ping"}"#,
      ].map { $0 + "\n" }.joined())
    #expect(outcome.status == 0, "\(outcome.errors)")
    let codes = try outcome.objects.map { ($0["error"] as? Object)?["code"] as? Int }
    #expect(codes.filter { $0 == -32700 }.count == 1)
    #expect(codes.filter { $0 == -32600 }.count == 3)
    #expect(codes.filter { $0 == -32601 }.count == 1)
    #expect(codes.filter { $0 == -32602 }.count == 2)
    #expect(try outcome.objects.contains { $0["id"] as? String == "six" && $0["result"] != nil })
  }
}
