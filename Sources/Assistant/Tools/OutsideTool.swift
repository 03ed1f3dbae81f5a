package import Core
import Foundation

/// One tool of a tool server, as the server describes it. All of its words are a stranger's.
package struct OutsideTool: Codable, Sendable, Equatable {
  package static let most = 256
  package static let longestDescription = 4000

  package var name: String
  package var title: String?
  package var description: String
  /// What it can be told.
  package var fields: [ToolField]
  /// The schema of its arguments, for a model that writes them.
  package var schema: JSONNode

  /// What it is called before a person.
  package var label: String { title ?? name }

  /// All that its server says of it, in short: another hash, another tool.
  package var hash: String {
    get throws { SHA256.of(try JSON.encode(self)) }
  }
}

/// One argument of a tool, as far as a person fills it in.
package struct ToolField: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable {
    case text, whole, number, flag
    /// Anything else, written as JSON.
    case other
  }
  package var name: String
  package var kind: Kind
  package var about: String?
  package var choices: [String]?
  package var isRequired: Bool

  enum CodingKeys: String, CodingKey {
    case name, kind, about, choices
    case isRequired = "required"
  }
}

extension ToolField {
  /// The fields of a schema, those that are needed first, then in the order of their names.
  static func all(in schema: JSONNode) -> [ToolField] {
    guard case .object(let properties)? = schema["properties"] else { return [] }
    let required = Set(schema["required"]?.texts ?? [])
    let fields = properties.map { ToolField($0.key, $0.value, isRequired: required.contains($0.key)) }
    return fields.sorted { ($0.isRequired ? 0 : 1, $0.name) < ($1.isRequired ? 0 : 1, $1.name) }
  }

  private init(_ name: String, _ schema: JSONNode, isRequired: Bool) {
    let choices = schema["enum"]?.texts
    kind =
      switch schema["type"]?.text {
      case "string": .text
      case "integer": .whole
      case "number": .number
      case "boolean": .flag
      case nil where choices != nil: .text
      default: .other
      }
    self.name = name
    about = schema["description"]?.text
    self.choices = choices.flatMap { $0.isEmpty ? nil : $0 }
    self.isRequired = isRequired
  }

  /// A value for it from what a person wrote; nil where it cannot be one.
  package func value(of text: String) -> JSONNode? {
    let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch kind {
    case .text: return choices.map { $0.contains(text) } ?? true ? .text(text) : nil
    case .whole: return Int(words).map { .whole($0) }
    case .number: return Double(words).flatMap { $0.isFinite ? .number($0) : nil }
    case .flag: return Bool(words.lowercased()).map { .flag($0) }
    case .other: do { return try JSONNode(json: words) } catch { return nil }  // no JSON, and so no value
    }
  }

  /// Whether a value is one that it takes.
  func takes(_ value: JSONNode) -> Bool {
    switch (kind, value) {
    case (.text, .text(let text)): choices.map { $0.contains(text) } ?? true
    case (.whole, .whole), (.number, .whole), (.number, .number), (.flag, .flag), (.other, _): true
    default: false
    }
  }
}

/// What a tool is to be told, and what is still missing.
package enum ToolArguments {
  /// What can be told without a model: where a tool takes nothing, or one text and nothing else is needed, the words themselves.
  package static func plain(_ said: String, for tool: OutsideTool) -> [String: JSONNode]? {
    let needed = tool.fields.filter(\.isRequired)
    let only = needed.isEmpty && tool.fields.count == 1 ? tool.fields : needed
    guard let field = only.first else { return [:] }
    guard only.count == 1, field.kind == .text, field.choices == nil else { return nil }
    return said.isEmpty ? [:] : [field.name: .text(said)]
  }

  /// Of what a model wrote only what the tool takes and, where it is a text, what it could have from the person's words: a small model
  /// fills in what nobody said.
  static func kept(_ written: [String: JSONNode], of said: String, for tool: OutsideTool) -> [String: JSONNode] {
    let heard = said.lowercased()
    return written.filter { name, value in
      guard let field = tool.fields.first(where: { $0.name == name }), field.takes(value) else { return false }
      switch value {
      case .text(let text): return field.choices != nil || heard.holds(text.lowercased()) && !text.isEmpty
      case .whole(let number): return heard.contains("\(number)")
      case .number(let number): return heard.contains("\(number)") || heard.contains("\(Int(exactly: number) ?? .min)")
      case .flag: return true
      default: return field.isRequired
      }
    }
  }

  /// The fields that are needed and not there, or hold what they do not take.
  package static func missing(in arguments: [String: JSONNode], for tool: OutsideTool) -> [String] {
    tool.fields.filter { field in
      guard let value = arguments[field.name] else { return field.isRequired }
      return !field.takes(value)
    }.map(\.name)
  }
}
