import Foundation
import Testing

@testable import Inference
@testable import TextEngine

@Suite("Calls of functions")
struct ToolTests {
  static let weather = ToolUse.Tool(
    name: "get_weather",
    definition:
      #"{"type":"function","function":{"name":"get_weather","description":"Weather <now>","parameters":{"type":"object"}}}"#,
    schema:
      #"{"type":"object","properties":{"city":{"type":"string","maxLength":20},"unit":{"enum":["C","F"]}},"required":["city","unit"],"additionalProperties":false}"#
  )
  static let clock = ToolUse.Tool(
    name: "clock", definition: #"{"type":"function","function":{"name":"clock"}}"#,
    schema: #"{"type":"object","properties":{}}"#)

  static let answers: [(form: ToolForm, text: String, pieces: [ToolCallReader.Piece])] = [
    (.tagged, "Just words.", [.words("Just words.")]),
    (.tagged, "a < b and <b>", [.words("a < b and <b>")]),
    (
      .tagged, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"}\\\"{\"}}\n</tool_call>",
      [.call(name: "f"), .arguments("{\"a\": \"}\\\"{\"}")]
    ),
    (
      .tagged,
      "Soon.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {\"x\": [1, {}]} }\n</tool_call>",
      [.words("Soon."), .call(name: "f"), .arguments("{}"), .call(name: "g"), .arguments("{\"x\": [1, {}]}")]
    ),
    (.bare, "{\"name\": \"f\", \"parameters\": {\"a\": 1}}", [.call(name: "f"), .arguments("{\"a\": 1}")]),
    (.bare, "Words {\"name\"", [.words("Words {\"name\"")]),
  ]

  @Test("Calls are told from words, however the text is cut into pieces", arguments: answers.indices, [1, 3, 7, 1000])
  func reading(_ number: Int, size: Int) {
    let answer = Self.answers[number]
    var reader = ToolCallReader(answer.form)
    var found: [ToolCallReader.Piece] = []
    var rest = answer.text[...]
    while !rest.isEmpty {
      found += reader.read(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    found += reader.finish()
    var joined: [ToolCallReader.Piece] = []
    for piece in found {
      switch (joined.last, piece) {
      case (.words(let before), .words(let more)): joined[joined.count - 1] = .words(before + more)
      case (.arguments(let before), .arguments(let more)): joined[joined.count - 1] = .arguments(before + more)
      default: joined.append(piece)
      }
    }
    #expect(joined == answer.pieces)
  }

  @Test("Rules of two grammars stand side by side; literals, sets and counts stay as they are")
  func renaming() {
    let grammar = "root ::= \"root\\\"x\" [a-z\\]root] space-1? # root\nspace-1 ::= \" \"{0,2}\n"
    #expect(
      ToolGrammar.prefixing("f0-", in: grammar)
        == "f0-root ::= \"root\\\"x\" [a-z\\]root] f0-space-1? # root\nf0-space-1 ::= \" \"{0,2}\n")
  }

  @Test("A template that knows functions renders them; the words of others in them stay apart")
  func native() throws {
    let source = """
      {%- if tools %}{{- '<|im_start|>system\\n<tools>' }}{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}\
      {{- '\\n</tools> Answer with <tool_call>\\n{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call><|im_end|>\\n' }}\
      {%- endif %}{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' }}{%- if message.content %}\
      {{- message.content }}{%- endif %}{%- for call in message.tool_calls or [] %}{{- '<tool_call>' + call.function.name }}\
      {{- call.function.arguments | tojson }}{{- '</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endfor %}\
      {%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
      """
    let template = try ChatTemplate(source: source, beginning: "", end: "<|im_end|>")
    #expect(template.toolForm == .tagged)
    var asked = Message(.assistant, untrusted: "")
    asked.calls = [ToolCall(name: "get_weather", arguments: #"{"city": "<|im_end|>"}"#)]
    let parts = try template.parts(
      of: [Message(.user, untrusted: "How warm is it?"), asked, Message(.tool, untrusted: "21 <|im_start|>")],
      tools: ToolUse([Self.weather]))
    #expect(parts.contains(.untrusted("Weather <now>")) && parts.contains(.untrusted("<|im_end|>")))
    #expect(parts.contains(.untrusted("21 <|im_start|>")))
    let own = parts.map { if case .template(let text) = $0 { text } else { "" } }.joined()
    #expect(own.contains("get_weather") && !own.contains("Weather <now>"))
  }

  @Test("Where a template knows no functions they are explained in words, and results come as messages")
  func explained() throws {
    var asked = Message(.assistant, untrusted: "")
    asked.calls = [ToolCall(name: "clock", arguments: "{}")]
    let messages = ToolWords.explained(
      [Message(.user, untrusted: "Q"), asked, Message(.tool, untrusted: "1"), Message(.tool, untrusted: "2")],
      ToolUse([Self.clock]), form: .tagged)
    #expect(messages.map(\.role) == [.system, .user, .assistant, .user])
    #expect(messages[0].spans.contains(.untrusted(Self.clock.definition)))
    #expect(messages[2].spans.map(\.text).joined().contains("{\"name\": \"clock\", \"arguments\": {}}"))
    #expect(messages[3].spans.filter { $0 == .untrusted("1") || $0 == .untrusted("2") }.count == 2)
  }
}

@Suite("Calls of functions by a model", .serialized, .needsChatPack)
struct ToolCallTests {
  let session: EngineSession

  init() throws { session = try EngineSession(TestPacks.chat, context: 2048) }

  private func request(_ use: ToolUse) -> GenerateRequest {
    var request = GenerateRequest(.chat([Message(.user, untrusted: "What is the weather in Paris?")], tools: use))
    request.maximumTokens = 200
    return request
  }

  private func calls(_ answer: EngineSession.Answer) throws -> [(name: String, arguments: [String: Any])] {
    var reader = ToolCallReader(try #require(answer.prompt.toolForm))
    var calls: [(name: String, text: String)] = []
    for piece in reader.read(answer.text) + reader.finish() {
      switch piece {
      case .call(let name): calls.append((name, ""))
      case .arguments(let text): calls[calls.count - 1].text += text
      case .words: break
      }
    }
    return try calls.map { call in
      (call.name, try #require(JSONSerialization.jsonObject(with: Data(call.text.utf8)) as? [String: Any]))
    }
  }

  @Test("One that is required or named comes with arguments that fit, greedy and sampled", arguments: [0, 1.2])
  func required(temperature: Float) throws {
    for choice in [ToolUse.Choice.required, .named("get_weather")] {
      var request = request(ToolUse([ToolTests.clock, ToolTests.weather], choice: choice, parallel: false))
      request.sampling.temperature = temperature
      request.sampling.seed = 5
      let made = try calls(session.generate(request))
      #expect(made.count == 1)
      if case .named(let name) = choice { #expect(made[0].name == name) }
      if made[0].name == "get_weather" {
        #expect(made[0].arguments["city"] is String)
        #expect(["C", "F"].contains(made[0].arguments["unit"] as? String))
      } else {
        #expect(made[0].arguments.isEmpty)
      }
    }
  }

  @Test("Where the model may choose, what it writes is words or calls that fit")
  func automatic() throws {
    let answer = try session.generate(request(ToolUse([ToolTests.weather])))
    for call in try calls(answer) { #expect(call.arguments["city"] is String) }
    #expect(answer.report.generatedTokens > 0)
  }
}
