import Core
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("The OpenAI-compatible API")
struct CompletionTests {
  @Test("A chat completion has the shape clients expect, with its usage")
  func chat() async throws {
    try await withPrograms { desk in
      let json =
        #"{"model":"sample-chat","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"one two three"}]}"#
      let answer = try object(await desk.ask("POST", "/v1/chat/completions", json: json))
      let choice = try #require((answer["choices"] as? [[String: Any]])?.first)
      #expect((choice["message"] as? [String: Any])?["content"] as? String == "one two three")
      #expect(choice["finish_reason"] as? String == "stop" && choice["logprobs"] is NSNull)
      #expect(answer["object"] as? String == "chat.completion")
      #expect((answer["usage"] as? [String: Any])?["total_tokens"] as? Int == 15)
    }
  }

  @Test("What no model here could take is refused at the door, with the reason", arguments: Excess.all)
  private func excess(_ excess: Excess) async throws {
    try await withPrograms { desk in
      let answer = try await desk.ask("POST", excess.path, json: excess.json)
      #expect(answer.status == 400, "\(excess.name): \(answer.status)")
      let error = try #require(object(answer)["error"] as? [String: Any])
      #expect(error["code"] as? String == excess.code, "\(excess.name): \(error)")
    }
  }

  @Test("A streamed completion comes in chunks and ends with its usage and [DONE]")
  func streamed() async throws {
    try await withPrograms { desk in
      let json =
        #"{"model":"sample-chat","stream":true,"stream_options":{"include_usage":true},"max_tokens":2,"messages":[{"role":"user","content":[{"type":"text","text":"a b c"}]}]}"#
      let answer = try await desk.ask("POST", "/v1/chat/completions", json: json)
      #expect(answer.headers["content-type"] == "text/event-stream")
      #expect(answer.text.hasSuffix("data: [DONE]\n\n"))
      #expect(answer.text.contains(#""delta":{"content":" b"}"#) && answer.text.contains(#""finish_reason":"length""#))
      #expect(answer.text.contains(#""choices":[],"created""#))
    }
  }

  @Test(
    "What would change the answer and cannot be done is refused, never ignored",
    arguments: [
      #""n":100"#, #""n":0"#, #""tools":[{"type":"function"}]"#, #""logit_bias":{"1":500}"#, #""logit_bias":{"the":5}"#,
      #""temperature":9"#,
      #""response_format":{"type":"xml"}"#,
      #""messages":[{"role":"tool","content":"x"}]"#, #""messages":[]"#, #""tool_choice":"required""#,
      #""tools":[{"type":"function","function":{"name":"a b"}}]"#, #""functions":[{"name":"a"}]"#,
      #""tools":[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]"#,
      #""tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}"#,
      #""tools":[{"type":"function","function":{"name":"a"}}],"response_format":{"type":"json_object"}"#,
      #""tools":[{"type":"function","function":{"name":"a"}}],"logprobs":true"#,
      #""messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"["}}]}]"#,
      #""messages":[{"role":"user","content":[{"type":"image_url"}]}]"#,
      #""max_tokens":0"#, #""top_logprobs":99,"logprobs":true"#,
    ])
  func refusals(field: String) async throws {
    try await withPrograms { desk in
      let messages = field.contains("messages") ? "" : #""messages":[{"role":"user","content":"x"}],"#
      let answer = try await desk.ask(
        "POST", "/v1/chat/completions", json: #"{"model":"sample-chat",\#(messages)\#(field)}"#)
      #expect(answer.status == 400, "\(field): \(answer.text)")
    }
  }

  @Test("A call of a function comes with its id, whole and in parts, and its result is taken back")
  func tools() async throws {
    try await withPrograms { desk in
      let tools =
        #""tools":[{"type":"function","function":{"name":"say","parameters":{"type":"object","properties":{"words":{"type":"string"}}}}}],"tool_choice":"required""#
      let json = #"{"model":"sample-chat",\#(tools),"messages":[{"role":"user","content":"one two"}]}"#
      let choice = try #require(
        (object(await desk.ask("POST", "/v1/chat/completions", json: json))["choices"] as? [[String: Any]])?.first)
      #expect(choice["finish_reason"] as? String == "tool_calls")
      let message = try #require(choice["message"] as? [String: Any])
      #expect(message["content"] is NSNull)
      let call = try #require((message["tool_calls"] as? [[String: Any]])?.first)
      #expect((call["id"] as? String)?.hasPrefix("call_") == true && call["type"] as? String == "function")
      let function = try #require(call["function"] as? [String: Any])
      #expect(function["name"] as? String == "say" && function["arguments"] as? String == #"{"words": "one two"}"#)

      let streamed = try await desk.ask("POST", "/v1/chat/completions", json: #"{"stream":true,"# + json.dropFirst())
      #expect(streamed.text.contains(#""function":{"arguments":"","name":"say"},"id":"call_"#))
      #expect(streamed.text.contains(#""finish_reason":"tool_calls""#))

      let answered =
        #"{"model":"sample-chat","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"say","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"said it"}]}"#
      #expect(try await desk.ask("POST", "/v1/chat/completions", json: answered).text.contains(#""content":"said it""#))
    }
  }

  @Test("Several answers and several prompts come as choices of their own, and a prompt counts once")
  func several() async throws {
    try await withPrograms { desk in
      let json =
        #"{"model":"sample-chat","n":2,"seed":4,"messages":[{"role":"user","content":"one two"}]}"#
      let answer = try object(await desk.ask("POST", "/v1/chat/completions", json: json))
      let choices = try #require(answer["choices"] as? [[String: Any]])
      #expect(choices.map { ($0["message"] as? [String: Any])?["content"] as? String } == ["one two #4", "one two #5"])
      #expect(choices.map { $0["index"] as? Int } == [0, 1])
      #expect((answer["usage"] as? [String: Any])?["prompt_tokens"] as? Int == 12)
      let streamed = try await desk.ask("POST", "/v1/chat/completions", json: #"{"stream":true,"# + json.dropFirst())
      #expect(streamed.text.contains(#""finish_reason":"stop","index":1"#))
      let prompts = #"{"model":"sample-chat","prompt":["a b","c"]}"#
      let both = try object(await desk.ask("POST", "/v1/completions", json: prompts))
      #expect((both["choices"] as? [[String: Any]])?.map { $0["text"] as? String } == ["a b", "c"])
      let words = Array(repeating: "a", count: 20).joined(separator: " ")
      let long = try object(
        await desk.ask("POST", "/v1/completions", json: #"{"model":"sample-chat","prompt":"\#(words)"}"#))
      #expect((long["usage"] as? [String: Any])?["completion_tokens"] as? Int == 16)
    }
  }

  @Test("A schema reaches the model in the order in which it was written, and with letters for their numbers")
  func order() throws {
    struct Body: Decodable { var list: [JSONValue] }
    let json = #"{ "list" : [ 1, {"z": {"b\u00e9": "\u00e9\n" , "a": [ ]}, "a": -1.5e3}, "x y", null ] }"#
    let told = try JSONValue.decode(Body.self, from: Data(json.utf8)).list.map(\.text)
    #expect(told == ["1", #"{"z":{"bé":"é\n","a":[]},"a":-1.5e3}"#, #""x y""#, "null"])
  }

  @Test(
    "Signs stand for themselves where they may, and as they came where not",
    arguments: [
      (#""\ud83d\ude00 \/ \t""#, #""😀 / \t""#), (#""\u0022\u005c\u0001""#, #""\u0022\u005c\u0001""#),
      (#""\\u00e9""#, #""\\u00e9""#), (#""\u00E9\\""#, #""é\\""#),
    ])
  func signs(json: String, told: String) throws {
    #expect(try JSONValue.decode(JSONValue.self, from: Data(json.utf8)).text == told)
  }

  @Test("Texts longer than the window are read in pieces, or cut where that is asked for; vectors are shortened")
  func long() async throws {
    try await withPrograms { desk in
      func ask(_ more: String) async throws -> [String: Any] {
        try object(
          await desk.ask(
            "POST", "/v1/embeddings", json: #"{"model":"sample-embed","input":["a long text","b"]\#(more)}"#))
      }
      #expect((try await ask("")["libera"] as? [String: Any])?["divided"] as? Int == 1)
      #expect((try await ask(#","truncate":true"#)["libera"] as? [String: Any])?["truncated"] as? Int == 1)
      let short = try await ask(#","dimensions":2"#)["data"] as? [[String: Any]]
      let vector = try #require(short?.first?["embedding"] as? [Double])
      #expect(vector.count == 2 && abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 0.001)
      let wrong = try await desk.ask(
        "POST", "/v1/embeddings", json: #"{"model":"sample-embed","input":"a","dimensions":9}"#)
      #expect(wrong.status == 400)
    }
  }

  @Test("Tokens may be named by their numbers, in one list or several; what is no list of them is refused")
  func tokens() async throws {
    try await withPrograms { desk in
      func embed(_ input: String) async throws -> [[Double]]? {
        let json = #"{"model":"sample-embed","input":\#(input)}"#
        let data = try object(await desk.ask("POST", "/v1/embeddings", json: json))["data"] as? [[String: Any]]
        return data?.compactMap { $0["embedding"] as? [Double] }
      }
      let vectors = try await embed("[7592, 2088]")
      #expect(vectors == [[9680, 0.5, -1]])
      #expect(try await embed("[[1, 2], [3]]")?.map(\.first) == [3, 3])
      func complete(_ prompt: String) async throws -> [String?]? {
        let json = #"{"model":"sample-chat","prompt":\#(prompt)}"#
        let choices = try object(await desk.ask("POST", "/v1/completions", json: json))["choices"] as? [[String: Any]]
        return choices?.map { $0["text"] as? String }
      }
      #expect(try await complete("[5, 6]") == ["[5, 6]"])
      #expect(try await complete("[[5], [6, 7]]") == ["[5]", "[6, 7]"])
      for wrong in ["[[]]", "[[1],[]]", #"[1,"a"]"#, "[1.5]", "[99999999999]", "[99999]", "[[[1]]]", "7"] {
        let json = #"{"model":"sample-embed","input":\#(wrong)}"#
        #expect(try await desk.ask("POST", "/v1/embeddings", json: json).status == 400, "\(wrong)")
      }
    }
  }

  @Test("An unknown model is not found; an embedder does not chat")
  func models() async throws {
    try await withPrograms { desk in
      for model in ["gpt-4", "sample-embed", "../x"] {
        let json = #"{"model":"\#(model)","messages":[{"role":"user","content":"x"}]}"#
        let answer = try await desk.ask("POST", "/v1/chat/completions", json: json)
        #expect(answer.code == "model_not_found")
      }
      #expect(try await desk.ask("GET", "/v1/models/sample-chat").status == 200)
      #expect(try await desk.ask("GET", "/v1/models/other").status == 404)
      let all = try await desk.ask("GET", "/v1/models").text
      #expect(all.contains(#""id":"libera""#))
    }
  }

  @Test("A grounded completion carries its citations, and a request can name a collection")
  func grounded() async throws {
    try await withPrograms { desk in
      let json =
        #"{"model":"libera","libera":{"collection":"manuals"},"messages":[{"role":"user","content":"When?"}]}"#
      let answer = try object(await desk.ask("POST", "/v1/chat/completions", json: json))
      let record = try #require(answer["libera"] as? [String: Any])
      #expect((record["citations"] as? [[String: Any]])?.first?["document"] as? String == "manuals")
      #expect((answer["usage"] as? [String: Any])?["completion_tokens"] as? Int == 4)
      let streamed = try await desk.ask("POST", "/v1/chat/completions", json: #"{"stream":true,"# + json.dropFirst())
      #expect(streamed.text.contains(#""citations":[{"document":"manuals""#))
    }
  }

  @Test("docs/openapi.json names every route there is and no other")
  func description() async throws {
    let described = try object(Checkout.text("docs/openapi.json"))
    var written = Set<String>()
    for (path, methods) in try #require(described["paths"] as? [String: [String: Any]]) {
      for method in methods.keys { written.insert("\(method.uppercased()) \(path)") }
    }
    try await withPrograms { desk in
      var served = Set<String>()
      for route in desk.server.routes where !route.path.contains(".") && route.path != "/" {
        served.insert(
          "\(route.method) \(route.path)\(route.isPrefix ? "{id}" : "")".replacingOccurrences(
            of: "/api/ask", with: "/api/{operation}"))
      }
      #expect(written == served)
    }
  }
}

/// Requests that are only there to keep a worker busy.
private struct Excess: Sendable, CustomTestStringConvertible {
  var name: String
  var code = "input_unreadable"
  var path = "/v1/chat/completions"
  var json: String
  var testDescription: String { name }

  private static func chat(_ more: String = "", messages: String = #"{"role":"user","content":"a"}"#) -> String {
    #"{"model":"sample-chat","messages":[\#(messages)]\#(more)}"#
  }
  private static func schema(_ schema: String) -> String {
    chat(#","response_format":{"type":"json_schema","json_schema":{"schema":\#(schema)}}"#)
  }
  private static func grammar(_ grammar: String) -> String {
    let text = grammar.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\u{0}", with: "\\u0000")
    return chat(#","grammar":"\#(text)""#)
  }
  private static func many(_ text: String, _ count: Int) -> String {
    Array(repeating: text, count: count).joined(separator: ",")
  }
  private static let tooLong = "context_length_exceeded"

  static let all = [
    Excess(
      name: "100,000 messages", code: tooLong, json: chat(messages: many(#"{"role":"user","content":"a"}"#, 100_000))),
    Excess(
      name: "10,000 calls in one message", code: tooLong,
      json: chat(
        messages:
          #"{"role":"assistant","tool_calls":[\#(many(#"{"function":{"name":"a","arguments":""}}"#, 10_000))]}"#)),
    Excess(
      name: "10,000 calls of one answer, each by itself", code: tooLong, path: "/v1/responses",
      json: #"{"model":"sample-chat","input":[\#(many(#"{"type":"function_call","name":"a"}"#, 10_000))]}"#),
    Excess(
      name: "a message of 5 MB", code: tooLong,
      json: chat(messages: #"{"role":"user","content":"\#(String(repeating: "a", count: 5 << 20))"}"#)),
    Excess(
      name: "a million parts", code: tooLong,
      json: chat(
        messages:
          #"{"role":"user","content":[\#(many(#"{"type":"text","text":"\#(String(repeating: "ab", count: 25))"}"#, 90_000))]}"#
      )),
    Excess(
      name: "a prompt of 5 MB", code: tooLong, path: "/v1/completions",
      json: #"{"model":"sample-chat","prompt":"\#(String(repeating: "a", count: 5 << 20))"}"#),
    Excess(name: "1000 stops", json: chat(#","stop":[\#(many("\"a\"", 1000))]"#)),
    Excess(name: "a long stop", json: chat(#","stop":"\#(String(repeating: "a", count: 1000))""#)),
    Excess(
      name: "a schema of 100,000 values",
      json: schema(#"{"enum":[\#((0..<100_000).map(String.init).joined(separator: ","))]}"#)),
    Excess(name: "a schema of 10,000 short values", json: schema(#"{"enum":[\#(many("1", 10_000))]}"#)),
    Excess(
      name: "a deep schema",
      json: schema(
        String(repeating: #"{"items":"#, count: 100) + "true" + String(repeating: "}", count: 100))),
    Excess(name: "a schema of 100,000 characters", json: schema(#"{"type":"string","maxLength":100000}"#)),
    Excess(name: "a schema with a huge count", json: schema(#"{"type":"array","minItems":1e300}"#)),
    Excess(
      name: "a schema with a long pattern",
      json: schema(#"{"type":"string","pattern":"^\#(String(repeating: "(a|b)", count: 1000))$"}"#)),
    Excess(name: "a grammar of a megabyte", json: grammar("root ::= \"\(String(repeating: "a", count: 1 << 20))\"")),
    Excess(name: "a deep grammar", json: grammar("root ::= \(String(repeating: "(", count: 100))\"a\"")),
    Excess(
      name: "a grammar of 10,000 parts", json: grammar("root ::= " + String(repeating: "a | ", count: 10_000) + "a")),
    Excess(name: "a grammar with a huge count", json: grammar("root ::= \"a\"{1,100000}")),
    Excess(name: "a grammar with a count beyond numbers", json: grammar("root ::= \"a\"{99999999999999999999}")),
    Excess(
      name: "a grammar whose counts come to much",
      json: grammar("root ::= \"\(String(repeating: "a", count: 1000))\"{2000}")),
    Excess(name: "a grammar with a zero in it", json: grammar("root ::= \"a\"\u{0}")),
    Excess(
      name: "tools of a megabyte",
      json: chat(
        #","tools":[{"type":"function","function":{"name":"f","description":"\#(String(repeating: "a", count: 1 << 20))"}}]"#
      )
    ),
    Excess(
      name: "embeddings of a million texts", path: "/v1/embeddings",
      json: #"{"model":"sample-embed","input":[\#(many("\"a\"", 1_000_000))]}"#),
    Excess(
      name: "embeddings of two million tokens", code: tooLong, path: "/v1/embeddings",
      json: #"{"model":"sample-embed","input":[\#(many("1", 2_000_000))]}"#),
    Excess(
      name: "embeddings of 6 MB", code: tooLong, path: "/v1/embeddings",
      json: #"{"model":"sample-embed","input":["\#(String(repeating: "a", count: 6 << 20))"]}"#),
    Excess(
      name: "a question of a megabyte", code: tooLong,
      json: #"{"model":"libera","messages":[{"role":"user","content":"\#(String(repeating: "a", count: 1 << 20))"}]}"#),
  ]
}
