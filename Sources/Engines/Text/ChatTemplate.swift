import CLlama
import Core
import Foundation
import Inference

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
  /// Whether it renders functions itself; where not, they are explained in words (`ToolWords`).
  private let knowsTools: Bool

  init(source: String, beginning: String, end: String) throws(EngineError) {
    var failure: UnsafeMutablePointer<CChar>?
    guard let pointer = libera_template_open(source, beginning, end, &failure) else {
      throw EngineError.templateRefused(reason: Self.taking(failure))
    }
    self.pointer = pointer
    let isTagged = source.contains(ToolForm.mark) && !source.contains("<function=")
    let isBare = !isTagged && source.contains(#"{"name": "#) && source.contains(#""parameters": "#)
    knowsTools = source.contains("tools") && (isTagged || isBare)
    toolForm = isBare ? .bare : .tagged
  }

  deinit { libera_template_close(pointer) }

  func parts(of messages: [Message], tools: ToolUse? = nil, openAnswer: Bool = true) throws -> [Part] {
    var marks = Placeholders()
    let messages = knowsTools ? messages : ToolWords.explained(messages, tools, form: toolForm)
    let plain = messages.enumerated().map { place, message in
      Plain(
        role: message.role,
        content: message.spans.map { span in
          switch span {
          case .trusted(let text): text
          case .untrusted(let text): marks.hide(text)
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
    let rendered = try render(JSON.line(plain), tools: definitions, openAnswer: openAnswer)
    return try marks.split(rendered)
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

  private func render(_ messages: String, tools: String?, openAnswer: Bool) throws -> String {
    var failure: UnsafeMutablePointer<CChar>?
    guard let text = libera_template_render(pointer, messages, tools, openAnswer ? 1 : 0, &failure) else {
      throw EngineError.templateRefused(reason: Self.taking(failure))
    }
    return Self.taking(text)
  }

  /// GBNF for a JSON schema.
  static func grammar(schema: String) throws -> String {
    var failure: UnsafeMutablePointer<CChar>?
    guard let text = libera_schema_to_grammar(schema, &failure) else {
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
