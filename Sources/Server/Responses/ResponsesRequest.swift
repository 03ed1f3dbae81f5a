import Core
import Foundation
import Inference

/// The body of `/v1/responses`.
struct ResponsesRequest: Decodable, Sendable {
  /// A stretch of a message.
  struct Part: Decodable, Sendable {
    var type: String
    var text: String?
  }

  typealias Content = TextOr<[Part]>

  /// A message, a call, or what a call gave.
  struct Item: Decodable, Sendable {
    var type: String?
    var role: String?
    var content: Content?
    var name: String?
    var arguments: String?
    var output: Content?
  }

  struct Tool: Decodable, Sendable {
    var type: String
    var name: String?
    var description: String?
    var parameters: JSONValue?
    /// As it came, to be said again in the answer.
    var whole: JSONValue

    enum CodingKeys: CodingKey { case type, name, description, parameters }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      type = try container.decode(String.self, forKey: .type)
      name = try container.decodeIfPresent(String.self, forKey: .name)
      description = try container.decodeIfPresent(String.self, forKey: .description)
      parameters = try container.decodeIfPresent(JSONValue.self, forKey: .parameters)
      whole = try JSONValue(from: decoder)
    }
  }

  struct Named: Decodable, Sendable {
    var type: String
    var name: String
  }

  struct Wording: Decodable, Sendable {
    struct Format: Decodable, Sendable {
      var type: String
      var schema: JSONValue?
    }
    var format: Format?
  }

  var model: String
  var input: TextOr<[Item]>?
  var instructions: String?
  var stream: Bool?
  var maxTokens: Int?
  var temperature: Double?
  var topP: Double?
  var tools: [Tool]?
  var choice: TextOr<Named>?
  var parallel: Bool?
  var text: Wording?
  /// The answer that is gone on with.
  var previous: String?
  var store: Bool?
  var conversation: JSONValue?
  var background: Bool?
  var truncation: String?
  var libera: Asked.Grounding?

  enum CodingKeys: String, CodingKey {
    case model, input, instructions, stream, temperature, tools, text, store, conversation, background, truncation,
      libera
    case maxTokens = "max_output_tokens"
    case topP = "top_p"
    case choice = "tool_choice"
    case parallel = "parallel_tool_calls"
    case previous = "previous_response_id"
  }

  /// Unless it is said otherwise an answer can be gone on with.
  var isKept: Bool { store != false }

  /// `messages`: what an earlier answer left, and what was told now.
  func asked(_ messages: [Inference.Message]) throws -> Asked {
    if let conversation, conversation.text != "null" {
      throw ServerError.unsupported("conversation; previous_response_id goes on with an answer")
    }
    if background == true { throw ServerError.unsupported("background") }
    var request = GenerateRequest(
      try Asked.conversation(opening + messages, tools: toolUse()))
    try request.take(most: maxTokens, called: "max_output_tokens", temperature: temperature, topP: topP)
    switch truncation {
    case nil, "disabled": break
    case "auto": request.overflow = .dropOldest
    default: throw ServerError.unreadable("truncation is auto or disabled")
    }
    request.schema = try schema()
    return Asked(model: model, request, grounding: libera)
  }

  private func schema() throws -> String? {
    let format = text?.format
    if let type = format?.type, type != "text", tools?.isEmpty == false {
      throw ServerError.unsupported("text.format together with tools")
    }
    return try CompletionBounds.schema(format?.type, format?.schema, "text.format", field: "text.format.schema")
  }

  /// Of this answer alone: what an earlier one was told so is not said again.
  private var opening: [Inference.Message] {
    instructions.flatMap { $0.isEmpty ? nil : [Inference.Message(.system, untrusted: $0)] } ?? []
  }

  func told() throws -> [Inference.Message] {
    var told: [Inference.Message] = []
    switch input {
    case nil: throw ServerError.unreadable("input is missing")
    case .text(let text): told.append(Inference.Message(.user, untrusted: text))
    case .other(let items): for item in items { try Self.add(item, to: &told) }
    }
    guard !told.isEmpty else { throw ServerError.unreadable("input is empty") }
    return told
  }

  private static func add(_ item: Item, to told: inout [Inference.Message]) throws {
    switch item.type ?? "message" {
    case "message":
      guard let text = try item.content?.words() else { throw ServerError.unreadable("a message has no content") }
      let role = item.role == "developer" ? "system" : item.role ?? ""
      guard role != "tool", let message = Inference.Message(role: role, text) else {
        throw ServerError.unsupported("the role \(role.prefix(40))")
      }
      told.append(message)
    case "function_call":
      let call = try ToolCalls.call(item.name ?? "", item.arguments ?? "")
      // Calls of one answer belong to one message, also where words came before them.
      if told.last?.role != .assistant { told.append(Inference.Message(.assistant, untrusted: "")) }
      // Never copied for each: there may be thousands.
      if told[told.count - 1].calls == nil { told[told.count - 1].calls = [] }
      told[told.count - 1].calls?.append(call)
    case "function_call_output": told.append(Inference.Message(.tool, untrusted: try item.output?.words() ?? ""))
    case "reasoning": break  // what a model thought is not told to it again
    case let type: throw ServerError.unsupported("an input of the type \(type.prefix(40))")
    }
  }

  private func toolUse() throws -> ToolUse? {
    let offered = try tools?.map { tool in
      guard tool.type == "function", let name = tool.name else {
        throw ServerError.unsupported("tools of type \(tool.type.prefix(40))")
      }
      return try ToolCalls.Offered(
        name: name, description: tool.description,
        parameters: tool.parameters.flatMap { $0.text == "null" ? nil : $0.text })
    }
    let chosen: ToolCalls.Choice =
      switch choice {
      case nil: .auto
      case .text(let word): try ToolCalls.Choice(word: word)
      case .other(let named) where named.type == "function": .named(named.name)
      case .other(let named): throw ServerError.unsupported("tool_choice of the type \(named.type)")
      }
    return try ToolCalls.use(offered, chosen, parallel: parallel ?? true)
  }
}

extension TextOr<[ResponsesRequest.Part]> {
  /// Its words; other kinds of parts are refused.
  func words() throws -> String {
    switch self {
    case .text(let text): text
    case .other(let parts):
      try parts.map { part in
        guard ["input_text", "output_text", "text"].contains(part.type), let text = part.text else {
          throw ServerError.unsupported("content of the type \(part.type.prefix(40))")
        }
        return text
      }.joined()
    }
  }
}
