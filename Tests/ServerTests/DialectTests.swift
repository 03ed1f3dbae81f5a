import Core
import Foundation
import Inference
import Testing

@testable import Server

@Suite("The dialects of other programs")
struct DialectTests {
  private func lines(_ answer: Answer) throws -> [[String: Any]] {
    try answer.text.split(separator: "\n").map { try object($0) }
  }

  /// The events of a stream with their data.
  private func events(_ answer: Answer) throws -> [[String: Any]] {
    try answer.text.split(separator: "\n").filter { $0.hasPrefix("data: ") && !$0.hasSuffix("[DONE]") }
      .map { try object($0.dropFirst(6)) }
  }

  @Test("Ollama's clients hear a chat line by line, with counts and times in the last, or at once")
  func ollamaChat() async throws {
    try await withPrograms { desk in
      let json = #""model":"sample-chat:latest","messages":[{"role":"user","content":"one two"}]"#
      let answer = try await desk.ask("POST", "/api/chat", json: "{\(json)}")
      #expect(answer.headers["content-type"] == "application/x-ndjson")
      let told = try lines(answer)
      #expect(told.map { ($0["message"] as? [String: Any])?["content"] as? String } == ["one", " two", ""])
      let last = try #require(told.last)
      #expect(last["done"] as? Bool == true && last["done_reason"] as? String == "stop")
      #expect(last["prompt_eval_count"] as? Int == 12 && last["eval_count"] as? Int == 2)
      #expect(told.allSatisfy { $0["model"] as? String == "sample-chat:latest" })
      let whole = try object(await desk.ask("POST", "/api/chat", json: #"{"stream":false,\#(json)}"#).text)
      #expect((whole["message"] as? [String: Any])?["content"] as? String == "one two")
      let short = try object(
        await desk.ask("POST", "/api/chat", json: #"{"stream":false,"options":{"num_predict":1},\#(json)}"#).text)
      #expect(short["done_reason"] as? String == "length")
      let prompt = #"{"model":"sample-chat","prompt":"a b","stream":false,"options":{"seed":7,"num_thread":4}}"#
      #expect(try object(await desk.ask("POST", "/api/generate", json: prompt).text)["response"] as? String == "a b #7")
      let load = try object(await desk.ask("POST", "/api/generate", json: #"{"model":"sample-chat"}"#).text)
      #expect(load["done_reason"] as? String == "load")
      let grounded = #"{"model":"libera","messages":[{"role":"user","content":"When?"}],"stream":false}"#
      #expect(try await desk.ask("POST", "/api/chat", json: grounded).text.contains("Every six months."))
    }
  }

  @Test("A call comes with its arguments as an object, and what it gave is taken back")
  func ollamaTools() async throws {
    try await withPrograms { desk in
      let tools =
        #""tools":[{"type":"function","function":{"name":"say","parameters":{"type":"object","properties":{}}}}]"#
      let history =
        #"[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"say","arguments":{"words":"a"}}}]},{"role":"tool","content":"said it","tool_name":"say"}]"#
      let json = #"{"model":"sample-chat","stream":false,\#(tools),"messages":\#(history)}"#
      #expect(try await desk.ask("POST", "/api/chat", json: json).text.contains(#""content":"said it""#))
      var form = OllamaForm(chat: true, model: "m")
      var told = Data()
      for piece in [
        AnswerPiece.call("say"), .arguments(#"{"b":1,"#), .arguments(#""a":[]}"#), .ended(.init(reason: .calls)),
      ] {
        told += try form.part(piece)
      }
      let first = try #require(String(decoding: told, as: UTF8.self).split(separator: "\n").first)
      #expect(first.contains(#""tool_calls":[{"function":{"arguments":{"a":[],"b":1},"index":0,"name":"say"}}]"#))
    }
  }

  @Test(
    "What Ollama's clients ask for and is not done is refused in their words",
    arguments: [
      (#"{"model":"none","messages":[{"role":"user","content":"x"}]}"#, 404),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x","images":["aa"]}]}"#, 400),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"options":{"mirostat":2}}"#, 400),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"options":{"temperature":"hot"}}"#, 400),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"options":{"wings":2}}"#, 400),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"format":"xml"}"#, 400),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"keep_alive":"soon"}"#, 400),
      // A pattern that tries each way of reading this would not come to an end.
      (
        #"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"keep_alive":"\#(String(repeating: "1", count: 60))x"}"#,
        400
      ),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"think":true}"#, 400),
      (#"{"model":"sample-chat","messages":3}"#, 400), ("{", 400),
    ])
  func ollamaRefusals(json: String, status: Int) async throws {
    try await withPrograms { desk in
      let answer = try await desk.ask("POST", "/api/chat", json: json)
      #expect(answer.status == status, "\(json): \(answer.text)")
      #expect(try object(answer.text)["error"] is String)
    }
  }

  @Test("Ollama's clients learn of the models, pull those of the catalogue and no others, and have vectors")
  func ollamaModels() async throws {
    try await withPrograms { desk in
      let tags = try object(await desk.ask("GET", "/api/tags").text)["models"] as? [[String: Any]]
      #expect(tags?.map { $0["name"] as? String } == ["sample-chat", "sample-embed", "libera"])
      #expect((tags?[0]["details"] as? [String: Any])?["parameter_size"] as? String == "1.5B")
      let running = try object(await desk.ask("GET", "/api/ps").text)["models"] as? [[String: Any]]
      #expect(running?.map { $0["name"] as? String } == ["sample-chat"])
      let shown = try object(await desk.ask("POST", "/api/show", json: #"{"model":"sample-embed"}"#).text)
      #expect(shown["capabilities"] as? [String] == ["embedding"])
      let pulled = try lines(await desk.ask("POST", "/api/pull", json: #"{"model":"known:latest"}"#))
      #expect(pulled.map { $0["status"] as? String } == ["pulling manifest", "downloading", "success"])
      #expect(pulled[1]["completed"] as? Int == 5 && (pulled[1]["digest"] as? String)?.hasPrefix("sha256:") == true)
      let unknown = try await desk.ask("POST", "/api/pull", json: #"{"model":"llama3","stream":false}"#)
      #expect(unknown.status == 404)
      let vectors = try object(
        await desk.ask("POST", "/api/embed", json: #"{"model":"sample-embed","input":["a","b c d e f g"]}"#).text)
      #expect((vectors["embeddings"] as? [[Double]])?.map(\.count) == [3, 3])
      let whole = #"{"model":"sample-embed","input":"b c d e f g","truncate":false}"#
      #expect(try await desk.ask("POST", "/api/embed", json: whole).status == 400)
      #expect(try await desk.ask("HEAD", "/", token: false).status == 200)
    }
  }

  @Test("Anthropic's clients have a message of blocks, or the events by which it grows")
  func anthropic() async throws {
    try await withPrograms { desk in
      let json =
        #""model":"sample-chat","max_tokens":9,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"one two"}]}]"#
      let whole = try object(await desk.ask("POST", "/v1/messages", json: "{\(json)}").text)
      #expect((whole["content"] as? [[String: Any]])?.map { $0["text"] as? String } == ["one two"])
      #expect(whole["stop_reason"] as? String == "end_turn" && whole["stop_sequence"] is NSNull)
      let usage = try #require(whole["usage"] as? [String: Any])
      #expect(usage["input_tokens"] as? Int == 8 && usage["cache_read_input_tokens"] as? Int == 4)
      let told = try events(await desk.ask("POST", "/v1/messages", json: #"{"stream":true,\#(json)}"#))
      #expect(
        told.map { $0["type"] as? String } == [
          "message_start", "content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
          "message_delta", "message_stop",
        ])
      let count = try await desk.ask("POST", "/v1/messages/count_tokens", json: "{\(json)}")
      #expect(try object(count.text)["input_tokens"] as? Int == 12)
    }
  }

  @Test("A call is a block of its own, and what it gave comes back in one")
  func anthropicTools() async throws {
    try await withPrograms { desk in
      let tools =
        #""tools":[{"name":"say","input_schema":{"type":"object","properties":{"words":{"type":"string"}}}}],"tool_choice":{"type":"any"}"#
      let start = #""model":"sample-chat","max_tokens":99"#
      let asked = #"{\#(start),\#(tools),"messages":[{"role":"user","content":"one two"}]}"#
      let whole = try object(await desk.ask("POST", "/v1/messages", json: asked).text)
      #expect(whole["stop_reason"] as? String == "tool_use")
      let call = try #require((whole["content"] as? [[String: Any]])?.first)
      #expect(call["name"] as? String == "say" && (call["input"] as? [String: Any])?["words"] as? String == "one two")
      let told = try events(await desk.ask("POST", "/v1/messages", json: #"{"stream":true,"# + asked.dropFirst()))
      let parts = told.compactMap { ($0["delta"] as? [String: Any])?["partial_json"] as? String }
      #expect(try object(parts.joined())["words"] as? String == "one two")
      let back =
        #"{\#(start),"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"say","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"said it"}]}]}]}"#
      #expect(try await desk.ask("POST", "/v1/messages", json: back).text.contains("said it"))
    }
  }

  @Test(
    "What Anthropic's clients ask for and is not done is refused in their words",
    arguments: [
      (#"{"model":"none","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#, 404, "not_found_error"),
      (#"{"model":"sample-chat","messages":[{"role":"user","content":"x"}]}"#, 400, "invalid_request_error"),
      (
        #"{"model":"sample-chat","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image"}]}]}"#, 400,
        "invalid_request_error"
      ),
      (
        #"{"model":"sample-chat","max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}"#, 400,
        "invalid_request_error"
      ),
      ("[", 400, "invalid_request_error"),
    ])
  func anthropicRefusals(json: String, status: Int, type: String) async throws {
    try await withPrograms { desk in
      let answer = try await desk.ask("POST", "/v1/messages", json: json)
      #expect(answer.status == status, "\(json): \(answer.text)")
      #expect((try object(answer.text)["error"] as? [String: Any])?["type"] as? String == type)
      let stranger = try await desk.ask("POST", "/v1/messages", json: json, token: false)
      #expect(stranger.status == 401 && stranger.text.contains("authentication_error"))
    }
  }

  @Test("An answer of /v1/responses is gone on with by its id, unless it was not to be kept")
  func responses() async throws {
    try await withPrograms { desk in
      let start = #""model":"sample-chat","input":"how many messages""#
      func send(_ more: String = "") async throws -> (id: String, text: String, whole: [String: Any]) {
        let whole = try object(await desk.ask("POST", "/v1/responses", json: "{\(start)\(more)}").text)
        let item = (whole["output"] as? [[String: Any]])?.first
        let text = (item?["content"] as? [[String: Any]])?.first?["text"] as? String
        return (whole["id"] as? String ?? "", text ?? "", whole)
      }
      let first = try await send(#","instructions":"Be brief.""#)
      #expect(first.text == "2" && first.whole["store"] as? Bool == true)
      // What was instructed holds for one answer; question and answer stay.
      let second = try await send(#","previous_response_id":"\#(first.id)""#)
      #expect(second.text == "3" && second.whole["previous_response_id"] as? String == first.id)
      #expect(try await send(#","previous_response_id":"\#(second.id)""#).text == "5")
      #expect(try await send(#","previous_response_id":"\#(first.id)""#).text == "3", "both branches go on")
      let streamed = try events(await desk.ask("POST", "/v1/responses", json: "{\(start),\"stream\":true}"))
      let told = try #require(streamed.last?["response"] as? [String: Any])
      let id = try #require(told["id"] as? String)
      #expect(try await send(#","previous_response_id":"\#(id)""#).text == "3")
      let forgotten = try await send(#","store":false"#)
      #expect(forgotten.whole["store"] as? Bool == false)
      for unknown in [forgotten.id, "resp_none"] {
        let answer = try await desk.ask(
          "POST", "/v1/responses", json: #"{\#(start),"previous_response_id":"\#(unknown)"}"#)
        let error = try object(answer.text)["error"] as? [String: Any]
        #expect(answer.status == 400 && error?["code"] as? String == "previous_response_not_found")
        #expect(error?["param"] as? String == "previous_response_id")
      }
    }
  }

  @Test("Once something was destroyed, no earlier answer is gone on with")
  func destroyed() async throws {
    let texts = TextDesk(SampleSource(), ask: nil)
    let desk = try Desk(routes: texts.responsesRoutes, forgetting: [texts.forget])
    let start = #""model":"sample-chat","input":"how many messages""#
    let first = try object(await desk.ask("POST", "/v1/responses", json: "{\(start)}").text)["id"] as? String ?? ""
    let next = "{\(start),\"previous_response_id\":\"\(first)\"}"
    #expect(try await desk.ask("POST", "/v1/responses", json: next).status == 200)
    await desk.server.forget()
    #expect(try await desk.ask("POST", "/v1/responses", json: next).code == "previous_response_not_found")
    await desk.close()
  }

  @Test("What was answered is kept for the program that asked, and of each the newest alone")
  func keptResponses() async throws {
    let kept = KeptResponses()
    let (one, other) = (Caller.key(id: "one", rights: [.ask]), Caller.key(id: "other", rights: [.ask]))
    let told = [Message(.user, untrusted: "x")]
    await kept.keep(told, as: "first", for: one)
    #expect(try await kept.conversation("first", for: one) == told)
    await #expect(throws: ServerError.unknownResponse("first")) { try await kept.conversation("first", for: other) }
    for number in 0..<100 { await kept.keep(told, as: "\(number)", for: other) }
    #expect(try await kept.conversation("first", for: one) == told)
    await #expect(throws: ServerError.self) { try await kept.conversation("0", for: other) }
    #expect(try await kept.conversation("99", for: other) == told)
    let long = [Message(.user, untrusted: String(repeating: "x", count: 3 << 20))]
    for number in 0..<4 { await kept.keep(long, as: "long \(number)", for: one) }
    await #expect(throws: ServerError.self) { try await kept.conversation("first", for: one) }
    #expect(try await kept.conversation("long 3", for: one) == long)
    // Messages that say nothing take memory, too.
    let empty = [Message](repeating: Message(.user, untrusted: ""), count: 4096)
    for number in 0..<20 { await kept.keep(empty, as: "empty \(number)", for: one) }
    await #expect(throws: ServerError.self) { try await kept.conversation("empty 9", for: one) }
    #expect(try await kept.conversation("empty 19", for: one).count == 4096)
  }

  @Test("A conversation that ends with the assistant asks for that answer to be gone on with, but under no grammar")
  func begun() async throws {
    try await withPrograms { desk in
      let messages = #""messages":[{"role":"user","content":"x"},{"role":"assistant","content":"It is"}]"#
      let anthropic = #"{"model":"sample-chat","max_tokens":9,\#(messages)}"#
      #expect(try await desk.ask("POST", "/v1/messages", json: anthropic).status == 200)
      let plain = #""model":"sample-chat",\#(messages)"#
      #expect(try await desk.ask("POST", "/v1/chat/completions", json: "{\(plain)}").status == 200)
      #expect(try await desk.ask("POST", "/api/chat", json: "{\(plain)}").status == 200)
      let held = #"{\#(plain),"response_format":{"type":"json_object"}}"#
      let answer = try await desk.ask("POST", "/v1/chat/completions", json: held)
      #expect(answer.status == 400 && answer.text.contains("unsupported"))
    }
  }
}
