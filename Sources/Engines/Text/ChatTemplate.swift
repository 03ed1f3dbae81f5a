import CLlama
import Core
import Foundation
import Inference

/// A model's Jinja template, rendered with placeholders where untrusted text belongs.
final class ChatTemplate {
  /// What a template made of the messages: its own text, and the places where others' text goes.
  enum Part: Equatable {
    case template(String)
    case untrusted(String)
  }

  private let pointer: OpaquePointer

  init(source: String, beginning: String, end: String) throws(EngineError) {
    var failure: UnsafeMutablePointer<CChar>?
    guard let pointer = libera_template_open(source, beginning, end, &failure) else {
      throw EngineError.templateRefused(reason: Self.taking(failure))
    }
    self.pointer = pointer
  }

  deinit { libera_template_close(pointer) }

  func parts(of messages: [Message], tools: String? = nil, openAnswer: Bool = true) throws -> [Part] {
    var placeholders = [(mark: String, text: String)]()
    let plain = messages.map { message in
      let content = message.spans.map { span in
        switch span {
        case .trusted(let text): return text
        case .untrusted(let text):
          let mark = Self.mark()
          placeholders.append((mark, text))
          return mark
        }
      }
      return ["role": message.role.rawValue, "content": content.joined()]
    }
    let rendered = try render(JSON.line(plain), tools: tools, openAnswer: openAnswer)
    return try Self.split(rendered, at: placeholders)
  }

  private func render(_ messages: String, tools: String?, openAnswer: Bool) throws -> String {
    var failure: UnsafeMutablePointer<CChar>?
    guard let text = libera_template_render(pointer, messages, tools, openAnswer ? 1 : 0, &failure) else {
      throw EngineError.templateRefused(reason: Self.taking(failure))
    }
    return Self.taking(text)
  }

  /// Plain letters and digits, so that no template has a reason to escape or trim them; too many to guess.
  private static func mark() -> String {
    "x" + String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
      + "x"
  }

  private static func split(_ rendered: String, at placeholders: [(mark: String, text: String)]) throws -> [Part] {
    var places = [(range: Range<String.Index>, text: String)]()
    for (mark, text) in placeholders {
      guard let first = rendered.range(of: mark) else {
        throw EngineError.templateRefused(reason: "it drops or alters text that must be kept apart")
      }
      guard rendered.range(of: mark, range: first.upperBound..<rendered.endIndex) == nil else {
        throw EngineError.templateRefused(reason: "it repeats text that must be kept apart")
      }
      places.append((first, text))
    }
    var parts = [Part]()
    var position = rendered.startIndex
    for place in places.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      if position < place.range.lowerBound {
        parts.append(.template(String(rendered[position..<place.range.lowerBound])))
      }
      if !place.text.isEmpty { parts.append(.untrusted(place.text)) }
      position = place.range.upperBound
    }
    if position < rendered.endIndex { parts.append(.template(String(rendered[position...]))) }
    return parts
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
