import Core
import Foundation

/// Calls of functions that a model writes in its own way where it may choose: JSON with a function's name, fenced or as its whole
/// answer. The grammar does not hold what is written so, so it is a call only where the name is known and the arguments fit.
package struct WrittenCalls: Sendable {
  private enum State {
    case words
    /// Within a fence, or from a brace that began the answer.
    case fence, bare
  }

  private static let fence = "```"
  /// No call is longer; what is comes as words.
  private static let longest = 64 << 10

  private let tools: [ToolUse.Tool]
  private var state = State.words
  private var held = ""
  private var isAtStart = true

  package init(_ tools: [ToolUse.Tool]) { self.tools = tools }

  package mutating func read(_ text: String) -> [ToolCallReader.Piece] {
    held += text
    var pieces: [ToolCallReader.Piece] = []
    while let found = step() { pieces += found }
    return pieces
  }

  /// What was held back, at the answer's end.
  package mutating func finish() -> [ToolCallReader.Piece] {
    defer { held = "" }
    if case .words = state { return held.isEmpty ? [] : [.words(held)] }
    return calls(in: held) ?? (held.isEmpty ? [] : [.words(held)])
  }

  /// nil where more text is needed.
  private mutating func step() -> [ToolCallReader.Piece]? {
    if held.utf8.count > Self.longest { return letGo() }
    switch state {
    case .words: return before()
    case .bare: return nil
    case .fence:
      let inside = held.index(held.startIndex, offsetBy: Self.fence.count)
      guard let end = held.range(of: Self.fence, range: inside..<held.endIndex) else { return nil }
      let block = String(held[..<end.upperBound])
      held.removeSubrange(..<end.upperBound)
      state = .words
      return calls(in: block) ?? [.words(block)]
    }
  }

  private mutating func letGo() -> [ToolCallReader.Piece] {
    defer { (held, state, isAtStart) = ("", .words, false) }
    return [.words(held)]
  }

  private mutating func before() -> [ToolCallReader.Piece]? {
    guard let first = held.firstIndex(where: { !$0.isWhitespace }) else { return nil }
    if isAtStart, held[first] == "{" || held[first] == "[" {
      state = .bare
      return []
    }
    if let mark = held.range(of: Self.fence) {
      let words = String(held[..<mark.lowerBound])
      held.removeSubrange(..<mark.lowerBound)
      let isOpening = isAtStart && words.allSatisfy(\.isWhitespace)
      (state, isAtStart) = (.fence, false)
      return words.isEmpty || isOpening ? [] : [.words(words)]
    }
    // The end may be the mark's beginning.
    let marks = held.reversed().prefix { $0 == "`" }.count
    let words = String(held.dropLast(marks))
    guard words.contains(where: { !$0.isWhitespace }) else { return nil }
    held = String(repeating: "`", count: marks)
    isAtStart = false
    return [.words(words)]
  }

  // MARK: What is a call

  private func calls(in block: String) -> [ToolCallReader.Piece]? {
    var text = block.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.hasPrefix(Self.fence) {
      // The word behind the fence names a language.
      text = String(text.dropFirst(Self.fence.count).drop { $0.isLetter || $0 == "_" })
      if text.hasSuffix(Self.fence) { text.removeLast(Self.fence.count) }
    }
    // Whatever cannot be read is no call, and is told as the words it is.
    guard let value = try? JSONNode(json: text) else { return nil }
    let entries = if case .list(let several) = value { several } else { [value] }
    let found = entries.compactMap(call)
    guard !found.isEmpty, found.count == entries.count else { return nil }
    return found.flatMap { [.call(name: $0.name), .arguments($0.arguments)] }
  }

  private func call(_ value: JSONNode) -> (name: String, arguments: String)? {
    let object = if let inner = value["function"], case .object = inner { inner } else { value }
    guard let name = (object["name"] ?? object["function"] ?? object["tool"])?.text,
      let tool = tools.first(where: { $0.name == name }),
      case .object(let arguments)? = object["arguments"] ?? object["parameters"],
      Self.fits(arguments, tool.schema), let text = try? JSON.encode(arguments)
    else { return nil }
    return (name, String(decoding: text, as: UTF8.self))
  }

  /// A schema, as far as it is looked at here.
  private struct Schema: Decodable {
    struct Property: Decodable {
      var type: JSONNode?
      var choices: [JSONNode]?
      enum CodingKeys: String, CodingKey {
        case type
        case choices = "enum"
      }
    }
    var properties: [String: Property]?
    var required: [String]?
    var others: JSONNode?
    enum CodingKeys: String, CodingKey {
      case properties, required
      case others = "additionalProperties"
    }
  }

  /// Whether arguments have what a schema requires, of the kinds that it names, and nothing that it does not know.
  private static func fits(_ given: [String: JSONNode], _ schema: String) -> Bool {
    guard let schema = try? JSON.decode(Schema.self, from: Data(schema.utf8)) else { return false }
    let properties = schema.properties ?? [:]
    guard (schema.required ?? []).allSatisfy({ given[$0] != nil }) else { return false }
    return given.allSatisfy { name, value in
      guard let wanted = properties[name] else { return schema.others == .flag(true) }
      if let choices = wanted.choices { return choices.contains { value.equals($0) } }
      return wanted.type.map { value.isA($0) } ?? true
    }
  }
}

extension JSONNode {
  /// Numbers by what they are worth, however they are written.
  fileprivate func equals(_ other: JSONNode) -> Bool { self == other || worth != nil && worth == other.worth }

  private var worth: Double? {
    switch self {
    case .whole(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  fileprivate func isA(_ kind: JSONNode) -> Bool {
    switch (kind, self) {
    case (.text("string"), .text), (.text("boolean"), .flag), (.text("number"), .number), (.text("number"), .whole),
      (.text("integer"), .whole), (.text("array"), .list), (.text("object"), .object), (.text("null"), .null):
      true
    case (.text("integer"), .number(let number)): number == number.rounded()
    case (.list(let kinds), _): kinds.contains { isA($0) }
    default: false
    }
  }
}
