import Core
import Foundation
import Inference

// What the dialects have in common: how their clients write a request, and how an answer is put on the wire.

/// One text, or something else in its place.
enum TextOr<Other: Decodable & Sendable>: Decodable, Sendable {
  case text(String)
  case other(Other)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // What is no text must be the other, which says what is wrong where it is neither.
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .other(try container.decode(Other.self))
    }
  }
}

extension TextOr<[String]> {
  var all: [String] {
    switch self {
    case .text(let text): [text]
    case .other(let texts): texts
    }
  }
}

/// An event of a stream, with its kind where the dialect names it.
enum ServerEvent {
  static func frame(_ json: Data, kind: String? = nil) -> Data {
    Data((kind.map { "event: \($0)\n" } ?? "").utf8) + Data("data: ".utf8) + json + Data("\n\n".utf8)
  }
}

/// Ids as clients know them: "call_" and 24 digits.
enum ClientID {
  static func make(_ kind: String) -> String {
    "\(kind)_" + UUID().uuidString.replacing("-", with: "").lowercased().prefix(24)
  }
}

extension GenerateRequest {
  /// How long an answer may be and how it is chosen, as every dialect lets one say it.
  mutating func take(
    most: Int?, called name: String, temperature: Double?, upTo hottest: Double = 2, topP: Double?, stops: [String] = []
  ) throws {
    maximumTokens = try CompletionBounds.within(most, 1...1_000_000, name) ?? maximumTokens
    reservedTokens = CompletionBounds.reserved
    stop = stops.filter { !$0.isEmpty }
    try CompletionBounds.check(stops: stop)
    if let heat = try CompletionBounds.within(temperature, 0...hottest, "temperature") {
      sampling.temperature = Float(heat)
    }
    if let share = try CompletionBounds.within(topP, 0...1, "top_p") { sampling.topP = Float(share) }
  }

  /// A grammar of the client's own; an empty one is none.
  mutating func take(grammar source: String?) throws {
    guard let source, !source.isEmpty else { return }
    if schema != nil { throw ServerError.unsupported("a grammar together with a schema") }
    try GrammarBounds.check(source)
    grammar = source
  }
}

extension Inference.Message {
  /// A message of a client's; nil where its role is none that a client may speak in.
  init?(role: String, _ text: String, calls: [ToolCall] = []) {
    switch role {
    case "system": self.init(.system, untrusted: text)
    case "user": self.init(.user, untrusted: text)
    case "tool": self.init(.tool, untrusted: text)
    case "assistant":
      self.init(.assistant, untrusted: text)
      self.calls = calls.isEmpty ? nil : calls
    default: return nil
    }
  }
}

extension CompletionBounds {
  /// What an answer has to conform to; nil where nothing is asked. `name` and `field` are what the dialect calls the form and its schema.
  static func schema(_ type: String?, _ schema: JSONValue?, _ name: String, field: String) throws -> String? {
    switch type {
    case nil, "text": return nil
    case "json_object": return anyObject
    case "json_schema":
      guard let schema else { throw ServerError.unreadable("\(field) is missing") }
      try check(schemas: [schema.text])
      return schema.text
    case let type?: throw ServerError.unsupported("\(name) \(type.prefix(40))")
    }
  }
}

extension Route {
  /// An address that takes JSON and needs one right.
  static func post(
    _ path: String, _ right: Right, _ bounds: Bounds = .usual,
    _ answer: @escaping @Sendable (Request) async throws -> Response
  ) -> Route { Route("POST", path, needs: .right(right), body: .json(within: bounds), .later(answer)) }
}
