import Core
import Foundation
import Inference
import Testing

@testable import Server

@Suite("What llama.cpp's clients ask for")
struct LlamaTests {
  @Test("The server says how much context there is, and of which model, to whoever is let in")
  func properties() async throws {
    try await withPrograms { desk in
      for path in ["/props", "/props?model=sample-chat"] {
        let told = try object(await desk.ask("GET", path).text)
        #expect((told["default_generation_settings"] as? [String: Any])?["n_ctx"] as? Int == 4096)
        #expect(told["model_alias"] as? String == "sample-chat" && told["total_slots"] as? Int == 1)
        #expect((told["modalities"] as? [String: Any])?["vision"] as? Bool == false)
      }
      #expect(try await desk.ask("GET", "/props?model=none").status == 404)
      #expect(try await desk.ask("GET", "/props", token: false).status == 401)
      #expect(try await desk.ask("POST", "/completion", json: "{}", token: false).status == 401)
    }
  }

  @Test("A prompt may have as many tokens as a context has room for; options of that many values are none")
  func long() async throws {
    let many = Array(repeating: "1", count: 150_000).joined(separator: ",")
    try await withPrograms { desk in
      #expect(try await desk.ask("POST", "/completion", json: #"{"prompt":[\#(many)]}"#).status == 200)
      #expect(try await desk.ask("POST", "/completion", json: #"{"prompt":"a","stop":[\#(many)]}"#).status == 400)
      let options = try await desk.ask(
        "POST", "/api/generate", json: #"{"model":"sample-chat","prompt":"a","options":{"num_keep":[\#(many)]}}"#)
      #expect(options.status == 400)
    }
  }

  @Test("A completion is told whole or piece by piece, with its counts, its end and what each token was worth")
  func completion() async throws {
    try await withPrograms { desk in
      let json = #""prompt":"one two three","n_predict":2,"n_probs":2,"cache_prompt":true"#
      let whole = try object(await desk.ask("POST", "/completion", json: "{\(json)}").text)
      #expect(whole["content"] as? String == "one two" && whole["stop"] as? Bool == true)
      #expect(whole["stop_type"] as? String == "limit" && whole["model"] as? String == "sample-chat")
      #expect(whole["tokens_predicted"] as? Int == 2 && whole["tokens_evaluated"] as? Int == 12)
      #expect((whole["timings"] as? [String: Any])?["prompt_n"] as? Int == 8)
      let worth = try #require(whole["completion_probabilities"] as? [[String: Any]])
      #expect(worth.map { $0["token"] as? String } == ["one", " two"] && worth.map { $0["id"] as? Int } == [0, 1])
      #expect(
        worth.allSatisfy { ($0["top_logprobs"] as? [[String: Any]])?.count == 2 && $0["logprob"] as? Double == -0.25 })

      let answer = try await desk.ask("POST", "/completion", json: #"{"stream":true,\#(json)}"#)
      let told = try answer.text.split(separator: "\n").map { try object($0.dropFirst(6)) }
      #expect(told.map { $0["content"] as? String } == ["one", " two", ""])
      #expect(told.map { $0["stop"] as? Bool } == [false, false, true])
      #expect(told.map { ($0["completion_probabilities"] as? [Any])?.count } == [1, 1, nil])
      let stopped = try object(await desk.ask("POST", "/completion", json: #"{"prompt":"a b c","stop":["c"]}"#).text)
      #expect(stopped["stop_type"] as? String == "word" && stopped["stopping_word"] as? String == "c")
      let plain = try object(
        await desk.ask("POST", "/completion", json: #"{"prompt":[1,2],"seed":5,"model":"sample-chat"}"#).text)
      #expect(plain["content"] as? String == "[1, 2] #5" && plain["completion_probabilities"] == nil)
    }
  }

  @Test(
    "What it cannot do, and what is no request, is refused in the words of OpenAI's clients",
    arguments: [
      (#"{"prompt":"a","mirostat":2}"#, 400), (#"{"prompt":"a","ignore_eos":true}"#, 400),
      (#"{"prompt":["a","b"]}"#, 400),
      (#"{"prompt":"a","n_predict":-2}"#, 400), (#"{"prompt":"a","n_probs":21}"#, 400), (#"{"prompt":3}"#, 400),
      (#"{"prompt":"a","temperature":"hot"}"#, 400), (#"{"model":"libera","prompt":"a"}"#, 400),
      (#"{"prompt":"a","grammar":"root ::= \"a\"","json_schema":{}}"#, 400), ("{}", 400), ("[", 400),
      (#"{"prompt":"a","grammar":"root ::= \"a\"{3000}"}"#, 400), (#"{"model":"none","prompt":"a"}"#, 404),
    ])
  func refusals(json: String, status: Int) async throws {
    try await withPrograms { desk in
      let answer = try await desk.ask("POST", "/completion", json: json)
      #expect(answer.status == status, "\(json): \(answer.text)")
      #expect((try object(answer.text)["error"] as? [String: Any])?["type"] is String)
    }
  }

  @Test(
    "A grammar of the client's own holds an answer of OpenAI's API too, but not beside a schema, tools or begun words")
  func grammars() async throws {
    try await withPrograms { desk in
      let source = #"root ::= (\"a\" | [b-d\\]]){2,5} # \"("#
      let chat = #""model":"sample-chat","messages":[{"role":"user","content":"x"}],"grammar":"\#(source)""#
      let told = try await desk.ask("POST", "/v1/chat/completions", json: "{\(chat)}")
      #expect(told.status == 200 && told.text.contains("root ::= "), "\(told.text)")
      let plain = #"{"model":"sample-chat","prompt":"x","max_tokens":50,"grammar":"\#(source)"}"#
      #expect(try await desk.ask("POST", "/v1/completions", json: plain).text.contains("root ::= "))
      #expect(
        try await desk.ask(
          "POST", "/v1/chat/completions",
          json: #"{"model":"sample-chat","messages":[{"role":"user","content":"x"}],"grammar":""}"#
        ).status == 200)
      let tool = #"{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}"#
      for more in [
        #""response_format":{"type":"json_object"}"#, #""tools":[\#(tool)]"#, #""model":"libera""#,
        #""messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#,
      ] {
        // The later of two fields of a name counts.
        let json =
          more.hasPrefix(#""messages"#)
          ? "{\"model\":\"sample-chat\",\"grammar\":\"\(source)\",\(more)}" : "{\(chat),\(more)}"
        let model = more.hasPrefix(#""model"#) ? json.replacing(#""model":"sample-chat","#, with: "") : json
        let answer = try await desk.ask("POST", "/v1/chat/completions", json: model)
        #expect(answer.status == 400 && answer.text.contains("grammar"), "\(more): \(answer.text)")
      }
    }
  }

  @Test(
    "What each token was worth is told of a plain completion as llama.cpp's clients read it, where they ask in its words"
  )
  func probabilities() async throws {
    try await withPrograms { desk in
      func logprobs(_ more: String) async throws -> [String: Any]? {
        let json = #"{"model":"sample-chat","prompt":"a b",\#(more)}"#
        let choices =
          try object(await desk.ask("POST", "/v1/completions", json: json).text)["choices"] as? [[String: Any]]
        return choices?.first?["logprobs"] as? [String: Any]
      }
      let told = try await logprobs(#""n_probs":3"#)
      #expect((told?["content"] as? [[String: Any]])?.count == 2)
      #expect(try await logprobs(#""logprobs":3"#)?["tokens"] as? [String] == ["a", " b"])
      #expect(try await logprobs(#""n_probs":0"#) == nil)
    }
  }
}
