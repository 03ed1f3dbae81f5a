import Core
import Foundation
import Inference

/// Functions as OpenAI's clients offer them, choose among them, and repeat the calls that were made.
enum ToolCalls {
  private static let most = 128

  struct Offered: Decodable, Sendable {
    var name: String
    /// The schema of the arguments.
    var parameters: String?
    /// `{"type": "function", "function": {…}}`, as it came or as it would have come.
    var definition: String

    private struct Function: Decodable {
      var name: String
      var parameters: JSONValue?
    }
    private enum CodingKeys: CodingKey { case type, function }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let type = try container.decode(String.self, forKey: .type)
      guard type == "function" else { throw ServerError.unsupported("tools of type \(type)") }
      let function = try container.decode(Function.self, forKey: .function)
      (name, parameters) = (function.name, function.parameters?.text)
      definition = try JSONValue(from: decoder).text
    }

    /// From a dialect that writes it otherwise.
    init(name: String, description: String?, parameters: String?) throws {
      (self.name, self.parameters) = (name, parameters)
      func text(_ words: String) throws -> String { String(decoding: try JSON.encode(words), as: UTF8.self) }
      let told = try description.map { #","description":\#(try text($0))"# } ?? ""
      let schema = parameters.map { #","parameters":\#($0)"# } ?? ""
      definition = #"{"type":"function","function":{"name":\#(try text(name))\#(told)\#(schema)}}"#
    }
  }

  enum Choice: Decodable, Sendable, Equatable {
    case auto, none, required
    case named(String)

    private struct Named: Decodable {
      struct Function: Decodable { var name: String }
      var function: Function
    }

    init(from decoder: any Decoder) throws {
      switch try TextOr<Named>(from: decoder) {
      case .text(let word): try self.init(word: word)
      case .other(let named): self = .named(named.function.name)
      }
    }

    init(word: String) throws {
      switch word {
      case "auto": self = .auto
      case "none": self = .none
      case "required": self = .required
      default: throw ServerError.unreadable("tool_choice is auto, none, required or a function")
      }
    }
  }

  /// A call as it stands in the conversation.
  struct Made: Decodable, Sendable {
    struct Function: Decodable, Sendable {
      var name: String
      var arguments: String
    }
    var function: Function

    func call() throws -> ToolCall { try ToolCalls.call(function.name, function.arguments) }
  }

  static func call(_ name: String, _ arguments: String) throws -> ToolCall {
    try check(name: name)
    let arguments = arguments.isEmpty ? "{}" : arguments
    let parsed: Any
    do { parsed = try JSON.untyped(Data(arguments.utf8)) } catch {
      throw ServerError.unreadable("the arguments of a call of \(name) are no JSON")
    }
    guard parsed is [String: Any] else {
      throw ServerError.unreadable("the arguments of a call of \(name) are no object")
    }
    return ToolCall(name: name, arguments: arguments)
  }

  /// What may be called; nil where nothing is.
  static func use(_ offered: [Offered]?, _ choice: Choice?, parallel: Bool) throws -> ToolUse? {
    let choice = choice ?? .auto
    guard let offered, !offered.isEmpty else {
      guard choice == .auto || choice == .none else { throw ServerError.unreadable("tool_choice needs tools") }
      return nil
    }
    guard offered.count <= most else { throw ServerError.unreadable("there may be \(most) tools") }
    let tools = try offered.map { tool in
      try check(name: tool.name)
      return ToolUse.Tool(name: tool.name, definition: tool.definition, schema: try schema(of: tool))
    }
    try CompletionBounds.check(schemas: tools.flatMap { [$0.definition, $0.schema] })
    guard Set(tools.map(\.name)).count == tools.count else { throw ServerError.unreadable("two tools share a name") }
    switch choice {
    case .none: return nil
    case .auto: return ToolUse(tools, choice: .auto, parallel: parallel)
    case .required: return ToolUse(tools, choice: .required, parallel: parallel)
    case .named(let name):
      guard tools.contains(where: { $0.name == name }) else {
        throw ServerError.unreadable("tool_choice names \(name), which is not among the tools")
      }
      return ToolUse(tools, choice: .named(name), parallel: false)
    }
  }

  private static func schema(of function: Offered) throws -> String {
    let empty = #"{"type":"object","properties":{}}"#
    guard let text = function.parameters, text != "null", text != "{}" else { return empty }
    let parsed = try JSON.untyped(Data(text.utf8))
    guard let object = parsed as? [String: Any], object["type"] == nil || object["type"] as? String == "object" else {
      throw ServerError.unreadable("the parameters of \(function.name) are not the schema of an object")
    }
    // Without properties any object would do, and the model would make some up.
    return object["properties"] == nil && object["type"] != nil && object["additionalProperties"] == nil ? empty : text
  }

  private static func check(name: String) throws {
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    guard isPlain, (1...64).contains(name.count) else {
      throw ServerError.unreadable("a function's name is 1 to 64 letters, digits, _ and -")
    }
  }
}

/// A call in an answer: whole, or the next part of it where the answer is streamed.
struct ToolCallPart: Encodable, Sendable {
  struct Function: Encodable, Sendable {
    var name: String?
    var arguments: String
  }
  var index: Int?
  var id: String?
  var type: String?
  var function: Function
}

/// Collects the calls of one answer and gives each its id.
struct CalledTools: Sendable {
  private(set) var calls: [ToolCallPart] = []

  /// The part as a stream tells it.
  mutating func begin(_ name: String) -> ToolCallPart {
    let call = ToolCallPart(id: ClientID.make("call"), type: "function", function: .init(name: name, arguments: ""))
    calls.append(call)
    var part = call
    part.index = calls.count - 1
    return part
  }

  mutating func add(_ arguments: String) -> ToolCallPart? {
    guard !calls.isEmpty else { return nil }
    calls[calls.count - 1].function.arguments += arguments
    return ToolCallPart(index: calls.count - 1, function: .init(arguments: arguments))
  }
}
