import CLlama
import Core
import Foundation
import Inference
import Workers

/// A model's Jinja template, rendered with placeholders where untrusted text belongs.
final class ChatTemplate {
  /// What a template made of the messages: its own text, and the places where others' text goes.
  enum Part: Hashable {
    case template(String)
    case untrusted(String)
  }

  private let pointer: OpaquePointer
  /// How its family writes calls of functions.
  let toolForm: ToolForm
  /// How its family marks what it thinks, where it does.
  let thoughts: Thoughts.Marks?
  /// Whether it renders functions itself; where not, they are explained in words (`ToolWords`).
  private let knowsTools: Bool

  /// A template is a program of the pack's maker: it has so long and so much memory for each thing it is asked. The longest of
  /// those in use has 30 kB.
  private static let time = Duration.seconds(10)
  private static let bytes = 512 << 20
  private static let longestSource = 256 << 10

  init(source: String, beginning: String, end: String, cancelled: CancelFlag = CancelFlag()) throws(EngineError) {
    guard source.contains(where: { !$0.isWhitespace }) else { throw EngineError.templateMissing }
    guard source.utf8.count <= Self.longestSource else {
      throw EngineError.templateRefused(reason: "it is longer than \(Self.longestSource >> 10) kB")
    }
    var failure: UnsafeMutablePointer<CChar>?
    // Opening tries it on messages of its own.
    let opened = cancelled.bounded(Self.time, bytes: Self.bytes, else: Self.tooMuch) {
      libera_template_open(source, beginning, end, &failure)
    }
    guard let pointer = opened else { throw EngineError.templateRefused(reason: Self.taking(failure)) }
    self.pointer = pointer
    thoughts = Thoughts.Marks.known(to: source)
    let isTagged = source.contains(ToolForm.mark) && !source.contains("<function=")
    let isBare = !isTagged && source.contains(#"{"name": "#) && source.contains(#""parameters": "#)
    knowsTools = source.contains("tools") && (isTagged || isBare)
    toolForm = isBare ? .bare : .tagged
  }

  deinit { libera_template_close(pointer) }

  /// What is asked of the model: the messages, and the head of its answer, which it goes on with where it has been begun.
  func parts(
    of conversation: [Message], tools: ToolUse? = nil, cancelled: CancelFlag = CancelFlag()
  ) throws -> [Part] {
    var marks = Placeholders()
    let (before, begun) = Message.begun(conversation)
    let messages = knowsTools ? before : ToolWords.explained(before, tools, form: toolForm)
    let plain = try messages.enumerated().map { place, message in
      Plain(
        role: message.role,
        content: try message.spans.map { span in
          switch span {
          case .trusted(let text): text
          case .untrusted(let text): marks.hide(text)
          case .tokens: throw EngineError.badRequest("A message is written as text.")
          }
        }.joined(),
        calls: message.calls?.enumerated().map { number, call in
          .init(id: "call\(place)x\(number)", name: call.name, arguments: marks.hideStrings(of: call.arguments))
        },
        answers: message.role == .tool ? Self.callAnswered(at: place, in: messages) : nil)
    }
    var definitions: String?
    if knowsTools, let tools {
      definitions = "[" + tools.tools.map { marks.hideStrings(of: $0.definition) }.joined(separator: ",") + "]"
    }
    try cancelled.check()
    let told = try JSON.line(plain)
    try cancelled.check()
    let rendered = try cancelled.bounded(Self.time, bytes: Self.bytes, else: Self.tooMuch) {
      try render(told, tools: definitions)
    }
    try cancelled.check()
    return try marks.split(rendered) + begun.map { .untrusted($0.text) }
  }

  @Sendable private static func tooMuch() -> any Error {
    EngineError.templateRefused(
      reason: "it was not done after \(time.components.seconds) s or took more than \(bytes >> 20) MB of memory")
  }

  /// A message as templates know it.
  private struct Plain: Encodable {
    struct Call: Encodable {
      struct Function: Encodable {
        var name: String
        var arguments: String
      }
      var id: String
      var type = "function"
      var function: Function
      init(id: String, name: String, arguments: String) {
        self.id = id
        function = Function(name: name, arguments: arguments)
      }
    }
    var role: Role
    var content: String
    var calls: [Call]?
    var answers: String?
    enum CodingKeys: String, CodingKey {
      case role, content
      case calls = "tool_calls"
      case answers = "tool_call_id"
    }
  }

  /// Results follow their calls in the same order.
  private static func callAnswered(at place: Int, in messages: [Message]) -> String {
    let asking = messages[..<place].lastIndex { $0.role != .tool } ?? 0
    return "call\(asking)x\(place - asking - 1)"
  }

  private func render(_ messages: String, tools: String?) throws -> String {
    var failure: UnsafeMutablePointer<CChar>?
    guard let text = libera_template_render(pointer, messages, tools, 1, &failure) else {
      throw EngineError.templateRefused(reason: Self.taking(failure))
    }
    return Self.taking(text)
  }

  /// GBNF for a JSON schema.
  static func grammar(schema: String, cancelled: CancelFlag = CancelFlag()) throws -> String {
    try cancelled.check()
    var failure: UnsafeMutablePointer<CChar>?
    let made = cancelled.bounded(TokenSampler.time, bytes: TokenSampler.bytes, else: TokenSampler.tooMuch) {
      libera_schema_to_grammar(schema, &failure)
    }
    guard let text = made else {
      throw EngineError.grammarRefused(reason: taking(failure))
    }
    return taking(text)
  }

  private static func taking(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "no reason was given" }
    defer { libera_string_free(text) }
    return String(cString: text)
  }
}
