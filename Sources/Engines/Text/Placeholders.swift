import Foundation

/// Words of others while a template renders: each stands there as a mark, and afterwards apart from the template's own text.
struct Placeholders {
  private struct Hidden {
    var mark: String
    var text: String
    /// A template may leave out part of a function's description, never part of a message.
    var mayGo: Bool
  }

  private var all: [Hidden] = []

  mutating func hide(_ text: String, mayGo: Bool = false) -> String {
    let mark = Self.mark()
    all.append(Hidden(mark: mark, text: text, mayGo: mayGo))
    return mark
  }

  /// JSON in which every text that could hold markup is hidden; its keys and values stay where they are.
  mutating func hideStrings(of json: String) -> String {
    var out = ""
    var rest = json[...]
    while let quote = rest.firstIndex(of: "\"") {
      out += rest[...quote]
      rest = rest[rest.index(after: quote)...]
      var end = rest.startIndex
      while end < rest.endIndex, rest[end] != "\"" {
        end = rest.index(end, offsetBy: rest[end] == "\\" ? 2 : 1, limitedBy: rest.endIndex) ?? rest.endIndex
      }
      let text = String(rest[..<end])
      out += text.allSatisfy(Self.isPlain) ? text : hide(text, mayGo: true)
      guard end < rest.endIndex else { return out }
      out.append("\"")
      rest = rest[rest.index(after: end)...]
    }
    return out + rest
  }

  /// In these no family of models writes markup.
  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || " .,;:_-/'()?!+*=#$&%@".contains(character))
  }

  /// Plain letters and digits, so that no template has a reason to escape or trim them; too many to guess.
  private static func mark() -> String {
    "x" + String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
      + "x"
  }

  func split(_ rendered: String) throws -> [ChatTemplate.Part] {
    var places = [(range: Range<String.Index>, text: String)]()
    for hidden in all {
      guard let first = rendered.range(of: hidden.mark) else {
        if hidden.mayGo { continue }
        throw EngineError.templateRefused(reason: "it drops or alters text that must be kept apart")
      }
      guard rendered.range(of: hidden.mark, range: first.upperBound..<rendered.endIndex) == nil else {
        throw EngineError.templateRefused(reason: "it repeats text that must be kept apart")
      }
      places.append((first, hidden.text))
    }
    var parts = [ChatTemplate.Part]()
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
}
