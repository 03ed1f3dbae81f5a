import Core
import Foundation
import Inference

/// What one request of a client may hold, beyond what its body may weigh: everything here is work for a worker that others wait
/// for. Far more than the models of one device can use.
enum CompletionBounds {
  static let messages = 4096
  /// Of all texts together: more than a context of a million tokens.
  static let textBytes = 4 << 20
  /// To make vectors of.
  static let texts = 2048
  static let stops = 16
  static let stopBytes = 256
  static let schemaBytes = 256 << 10
  static let schemaValues = 8192
  static let schemaDepth = 64
  /// The most times that a schema may ask for a repetition, as the engine's grammars know it.
  static let repetitions = 2000
  static let patternBytes = 1024
  /// Tokens that a prompt leaves free for an answer, however long that may become.
  static let reserved = 512
  /// Answers to one request.
  static let choices = 64

  /// The schema of `json_object`.
  static let anyObject = #"{"type":"object"}"#

  static func within<Value: Comparable>(_ value: Value?, _ range: ClosedRange<Value>, _ name: String) throws -> Value? {
    guard let value else { return nil }
    guard range.contains(value) else {
      throw ServerError.unreadable("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  static func check(messages count: Int, bytes: Int) throws {
    guard count <= messages else {
      throw ServerError.contextLength("a conversation of \(count) messages; \(messages) are taken")
    }
    try check(bytes: bytes)
  }

  static func check(bytes: Int) throws {
    guard bytes <= textBytes else {
      throw ServerError.contextLength("texts of \(bytes >> 20) MB; no model here takes more than \(textBytes >> 20) MB")
    }
  }

  static func check(_ input: EmbedInput) throws {
    switch input {
    case .texts(let texts): try check(bytes: texts.reduce(0) { $0 + $1.utf8.count })
    case .tokens(let lists):
      guard lists.allSatisfy({ !$0.isEmpty }) else { throw ServerError.unreadable("a list of tokens is empty") }
      try check(bytes: 4 * lists.reduce(0) { $0 + $1.count })
    }
  }

  /// A grammar holds an answer from its first word.
  static func check(begun request: GenerateRequest) throws {
    guard case .chat(let messages, let tools) = request.input, !Inference.Message.begun(messages).begun.isEmpty else {
      return
    }
    if request.schema != nil { throw ServerError.unsupported("a schema for an answer that the client began") }
    if request.grammar != nil { throw ServerError.unsupported("a grammar for an answer that the client began") }
    if let tools, tools.choice != .auto {
      throw ServerError.unsupported("a call that must be, in an answer that the client began")
    }
  }

  static func check(stops words: [String]) throws {
    guard words.count <= stops, words.allSatisfy({ $0.utf8.count <= stopBytes }) else {
      throw ServerError.unreadable("stop may be \(stops) texts of \(stopBytes) bytes each")
    }
  }

  /// All schemas of one request, which become one grammar.
  static func check(schemas: [String]) throws {
    guard schemas.reduce(0, { $0 + $1.utf8.count }) <= schemaBytes else {
      throw ServerError.unreadable("the schemas are longer than \(schemaBytes >> 10) kB")
    }
    var values = 0
    for schema in schemas {
      try check(JSON.untyped(Data(schema.utf8)), depth: 0, &values)
    }
  }

  private static func check(_ value: Any, key: String = "", depth: Int, _ values: inout Int) throws {
    values += 1
    guard values <= schemaValues else {
      throw ServerError.unreadable("the schemas hold more than \(schemaValues) values")
    }
    guard depth <= schemaDepth else {
      throw ServerError.unreadable("a schema is nested deeper than \(schemaDepth) levels")
    }
    switch value {
    case let object as [String: Any]:
      for (key, value) in object { try check(value, key: key, depth: depth + 1, &values) }
    case let list as [Any]:
      for value in list { try check(value, depth: depth + 1, &values) }
    case let text as String where key == "pattern" && text.utf8.count > patternBytes:
      throw ServerError.unreadable("a pattern of a schema is longer than \(patternBytes) bytes")
    case let number as NSNumber where ["minItems", "maxItems", "minLength", "maxLength"].contains(key):
      guard number.doubleValue <= Double(repetitions) else {
        throw ServerError.unreadable("\(key) of a schema may be at most \(repetitions)")
      }
    default: break
    }
  }

  /// What the worker found too long or could not follow is the client's to change.
  static func explained(_ error: any Error) -> any Error {
    guard let told = error as? RemoteError else { return error }
    switch told.code {
    case "context_overflow", "text_too_long": return ServerError.contextLength(told.message)
    case "grammar_refused", "request_unreadable", "token_refused": return ServerError.refused(told.message)
    default: return error
    }
  }
}
