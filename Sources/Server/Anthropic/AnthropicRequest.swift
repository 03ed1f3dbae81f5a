import Core
import Foundation
import Inference

/// The body of `/v1/messages`, and of `/v1/messages/count_tokens`.
struct AnthropicRequest: Decodable, Sendable {
  /// A stretch of a message: words, a call, or what a call gave.
  struct Block: Decodable, Sendable {
    var type: String
    var text: String?
    // A call.
    var name: String?
    var input: JSONValue?
    // What it gave.
    var content: Content?
    var isError: Bool?
    enum CodingKeys: String, CodingKey {
      case type, text, name, input, content
      case isError = "is_error"
    }
  }

  typealias Content = TextOr<[Block]>

  struct Message: Decodable, Sendable {
    var role: String
    var content: Content
  }

  struct Tool: Decodable, Sendable {
    var name: String
    var description: String?
    var schema: JSONValue?
    var type: String?
    enum CodingKeys: String, CodingKey {
      case name, description, type
      case schema = "input_schema"
    }
  }

  struct Choice: Decodable, Sendable {
    var type: String
    var name: String?
    var isSingle: Bool?
    enum CodingKeys: String, CodingKey {
      case type, name
      case isSingle = "disable_parallel_tool_use"
    }
  }

  struct Thinking: Decodable, Sendable { var type: String }

  var model: String
  var messages: [Message]
  var system: Content?
  var maxTokens: Int?
  var stream: Bool?
  var stops: [String]?
  var temperature: Double?
  var topP: Double?
  var topK: Int?
  var tools: [Tool]?
  var choice: Choice?
  var thinking: Thinking?
  var libera: Asked.Grounding?

  enum CodingKeys: String, CodingKey {
    case model, messages, system, stream, temperature, tools, thinking, libera
    case maxTokens = "max_tokens"
    case stops = "stop_sequences"
    case topP = "top_p"
    case topK = "top_k"
    case choice = "tool_choice"
  }

  func asked(counts: Bool = false) throws -> Asked {
    guard counts || maxTokens != nil else { throw ServerError.unreadable("max_tokens is missing") }
    // A model may think where it can; none here does, so only what insists on it is refused.
    if let thinking, thinking.type == "enabled" { throw ServerError.unsupported("thinking") }
    let told = try conversation()
    if told.last?.calls != nil { throw ServerError.unreadable("what the last calls gave is missing") }
    var request = GenerateRequest(try Asked.conversation(told, tools: toolUse()))
    try request.take(
      most: maxTokens, called: "max_tokens", temperature: temperature, upTo: 1, topP: topP, stops: stops ?? [])
    if let most = try CompletionBounds.within(topK, 0...1_000_000, "top_k") { request.sampling.topK = Int32(most) }
    return Asked(model: model, request, grounding: libera)
  }

  private func conversation() throws -> [Inference.Message] {
    let opening = try system.map { try $0.words() }.flatMap { $0.isEmpty ? nil : $0 }
    return try (opening.map { [Inference.Message(.system, untrusted: $0)] } ?? []) + messages.flatMap(Self.told)
  }

  private static func told(_ message: Message) throws -> [Inference.Message] {
    switch (message.role, message.content) {
    case ("user", .text(let text)): [Inference.Message(.user, untrusted: text)]
    case ("user", .other(let blocks)): try user(blocks)
    case ("assistant", .text(let text)): [Inference.Message(.assistant, untrusted: text)]
    case ("assistant", .other(let blocks)): [try assistant(blocks)]
    default: throw ServerError.unsupported("the role \(message.role.prefix(40))")
    }
  }

  /// What calls gave comes first, and each by itself; the words are the person's.
  private static func user(_ blocks: [Block]) throws -> [Inference.Message] {
    var (results, words): ([Inference.Message], [String]) = ([], [])
    for block in blocks {
      switch block.type {
      case "text": words.append(block.text ?? "")
      case "tool_result":
        let given = try block.content?.words() ?? ""
        results.append(Inference.Message(.tool, untrusted: block.isError == true ? "Error: \(given)" : given))
      default: throw ServerError.unsupported("content of the type \(block.type.prefix(40))")
      }
    }
    return results + (words.isEmpty ? [] : [Inference.Message(.user, untrusted: words.joined(separator: "\n"))])
  }

  private static func assistant(_ blocks: [Block]) throws -> Inference.Message {
    var (calls, words): ([ToolCall], [String]) = ([], [])
    for block in blocks {
      switch block.type {
      case "text": words.append(block.text ?? "")
      case "tool_use": calls.append(try ToolCalls.call(block.name ?? "", block.input?.text ?? ""))
      default: throw ServerError.unsupported("content of the type \(block.type.prefix(40))")
      }
    }
    var message = Inference.Message(.assistant, untrusted: words.joined(separator: "\n"))
    message.calls = calls.isEmpty ? nil : calls
    return message
  }

  private func toolUse() throws -> ToolUse? {
    let offered = try tools?.map { tool in
      guard tool.type == nil || tool.type == "custom" else {
        throw ServerError.unsupported("tools of type \(tool.type?.prefix(40) ?? "")")
      }
      return try ToolCalls.Offered(name: tool.name, description: tool.description, parameters: tool.schema?.text)
    }
    let chosen: ToolCalls.Choice =
      switch choice?.type {
      case nil, "auto": .auto
      case "any": .required
      case "none": .none
      case "tool": .named(choice?.name ?? "")
      default: throw ServerError.unreadable("tool_choice is of the type auto, any, tool or none")
      }
    return try ToolCalls.use(offered, chosen, parallel: choice?.isSingle != true)
  }
}

extension TextOr<[AnthropicRequest.Block]> {
  /// Its words; other kinds of blocks are refused.
  func words() throws -> String {
    switch self {
    case .text(let text): text
    case .other(let blocks):
      try blocks.map { block in
        guard block.type == "text", let text = block.text else {
          throw ServerError.unsupported("content of the type \(block.type.prefix(40))")
        }
        return text
      }.joined(separator: "\n")
    }
  }
}
