import Inference
import Testing

@Suite("Calls that a model writes in its own way")
struct WrittenCallTests {
  private static let tools = [
    ToolUse.Tool(
      name: "weather", definition: "{}",
      schema:
        #"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"unit":{"enum":["c","f"]}},"required":["city"]}"#
    )
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var words = ""
    var calls: [String] = []
    var testDescription: String { text }
  }

  static let call = #"{"name": "weather", "arguments": {"city": "Paris"}}"#
  static let cases = [
    Case(text: "```json\n\(call)\n```", calls: [#"weather {"city":"Paris"}"#]),
    Case(
      text: "Let me look.\n```\n\(call)\n```\nThere.", words: "Let me look.\n\nThere.",
      calls: [#"weather {"city":"Paris"}"#]),
    Case(text: call, calls: [#"weather {"city":"Paris"}"#]),
    Case(text: "[\(call), \(call)]", calls: Array(repeating: #"weather {"city":"Paris"}"#, count: 2)),
    Case(
      text:
        #"{"type": "function", "function": {"name": "weather", "parameters": {"city": "A", "days": 2, "unit": "c"}}}"#,
      calls: [#"weather {"city":"A","days":2,"unit":"c"}"#]),
    // What is no call stays as it was written.
    Case(text: "```swift\nlet a = 1\n```", words: "```swift\nlet a = 1\n```"),
    Case(text: "`a` and ``b``", words: "`a` and ``b``"),
    Case(text: #"{"name": "other", "arguments": {}}"#, words: #"{"name": "other", "arguments": {}}"#),
    Case(text: #"{"name": "weather", "arguments": {}}"#, words: #"{"name": "weather", "arguments": {}}"#),
    Case(
      text: #"{"name": "weather", "arguments": {"city": "A", "days": true}}"#,
      words: #"{"name": "weather", "arguments": {"city": "A", "days": true}}"#),
    Case(
      text: #"{"name": "weather", "arguments": {"city": "A", "unit": "k"}}"#,
      words: #"{"name": "weather", "arguments": {"city": "A", "unit": "k"}}"#),
    Case(text: "```json\n{\"name\": \"wea", words: "```json\n{\"name\": \"wea"), Case(text: "", words: ""),
  ]

  @Test(
    "JSON with a function's name and arguments that fit is a call, whole or in pieces; all else is words",
    arguments: cases)
  func read(_ one: Case) {
    for size in [1, 3, 1000] {
      var reader = WrittenCalls(Self.tools)
      var pieces: [ToolCallReader.Piece] = []
      var rest = one.text[...]
      while !rest.isEmpty {
        pieces += reader.read(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      pieces += reader.finish()
      var (words, calls) = ("", [String]())
      for piece in pieces {
        switch piece {
        case .words(let text): words += text
        case .call(let name): calls.append(name + " ")
        case .arguments(let text): calls[calls.count - 1] += text
        }
      }
      #expect(words == one.words && calls == one.calls, "in pieces of \(size): \(pieces)")
    }
  }
}
