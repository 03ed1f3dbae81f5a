// Functions that a client offers to a model, and the calls that come of it.

/// One call of a function: by the model when it answers, or as it stands in the conversation so far.
public struct ToolCall: Codable, Sendable, Equatable {
  public var name: String
  /// A JSON object, as text.
  public var arguments: String
  public init(name: String, arguments: String) {
    self.name = name
    self.arguments = arguments
  }
}

/// The functions that an answer may call.
public struct ToolUse: Codable, Sendable, Equatable {
  public struct Tool: Codable, Sendable, Equatable {
    public var name: String
    /// The whole definition as the client wrote it: `{"type": "function", "function": {…}}`.
    public var definition: String
    /// The JSON schema of the arguments.
    public var schema: String
    public init(name: String, definition: String, schema: String) {
      self.name = name
      self.definition = definition
      self.schema = schema
    }
  }

  public enum Choice: Codable, Sendable, Equatable {
    /// Words or calls, as the model chooses.
    case auto
    case required
    case named(String)
  }

  public var tools: [Tool]
  public var choice: Choice
  /// Several calls in one answer.
  public var parallel: Bool

  public init(_ tools: [Tool], choice: Choice = .auto, parallel: Bool = true) {
    self.tools = tools
    self.choice = choice
    self.parallel = parallel
  }

  /// Those that may be called now.
  package var callable: [Tool] {
    if case .named(let name) = choice { tools.filter { $0.name == name } } else { tools }
  }
}

/// How a family of models writes a call.
public enum ToolForm: String, Codable, Sendable {
  /// Between marks, with words before it if it likes: Qwen, Hermes, and every template that knows no functions.
  case tagged
  /// The whole answer is the call: Llama 3.
  case bare

  package static let mark = "<tool_call>"
  package var opening: String { self == .tagged ? "\(Self.mark)\n" : "" }
  package var beforeName: String { #"{"name": ""# }
  package var afterName: String { self == .tagged ? #"", "arguments": "# : #"", "parameters": "# }
  package var closing: String { self == .tagged ? "}\n</tool_call>" : "}" }

  /// A call as this family writes it.
  package func text(_ call: ToolCall) -> String {
    opening + beforeName + call.name + afterName + call.arguments + closing
  }
}
