import Foundation
import Inference

/// The body of `/v1/chat/completions` and `/v1/completions`, as far as it has a meaning here. What would change the result
/// and cannot be done is refused, never ignored.
struct CompletionRequest: Decodable, Sendable {
  struct Message: Decodable, Sendable {
    var role: String
    var text: String
    var calls: [ToolCalls.Made]?

    enum CodingKeys: String, CodingKey {
      case role, content
      case calls = "tool_calls"
    }
    private struct Part: Decodable {
      var type: String
      var text: String?
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      role = try container.decode(String.self, forKey: .role)
      calls = try container.decodeIfPresent([ToolCalls.Made].self, forKey: .calls)
      if let whole = try? container.decode(String.self, forKey: .content) {
        text = whole
        return
      }
      let parts = try container.decodeIfPresent([Part].self, forKey: .content) ?? []
      guard parts.allSatisfy({ $0.type == "text" }) else { throw ServerError.unsupported("content other than text") }
      text = parts.compactMap(\.text).joined()
    }
  }

  struct Format: Decodable, Sendable {
    var type: String
    var schema: Schema?

    struct Schema: Decodable, Sendable {
      var schema: JSONValue
    }
    enum CodingKeys: String, CodingKey {
      case type
      case schema = "json_schema"
    }
  }

  /// One string or several.
  enum Words: Decodable, Sendable {
    case one(String)
    case many([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .one(text)
      } else {
        self = .many(try container.decode([String].self))
      }
    }
    var all: [String] {
      switch self {
      case .one(let text): [text]
      case .many(let texts): texts
      }
    }
  }

  /// Chat asks for log probabilities with a flag, completion with a number.
  enum Logprobs: Decodable, Sendable {
    case flag(Bool)
    case count(Int)
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else {
        self = .count(try container.decode(Int.self))
      }
    }
  }

  struct StreamOptions: Decodable, Sendable {
    var includeUsage: Bool?
    enum CodingKeys: String, CodingKey { case includeUsage = "include_usage" }
  }

  /// Ours: answer from the documents instead of from the model alone.
  struct Grounding: Decodable, Sendable {
    var collection: String?
    var mode: String?
    var conversation: String?
  }

  var model: String
  var messages: [Message]?
  var prompt: Words?
  var stream: Bool?
  var streamOptions: StreamOptions?
  var stop: Words?
  var seed: Int64?
  // Doubles, because a number too small for a Float is no mistake of the client's.
  var temperature: Double?
  var topP: Double?
  var maxTokens: Int?
  var maxCompletionTokens: Int?
  var frequencyPenalty: Double?
  var presencePenalty: Double?
  var logprobs: Logprobs?
  var topLogprobs: Int?
  var responseFormat: Format?
  var n: Int?
  var echo: Bool?
  var suffix: String?
  var tools: [ToolCalls.Offered]?
  var toolChoice: ToolCalls.Choice?
  var parallelToolCalls: Bool?
  var functions: [JSONValue]?
  var logitBias: [String: Double]?
  var libera: Grounding?

  enum CodingKeys: String, CodingKey {
    case model, messages, prompt, stream, stop, seed, temperature, logprobs, n, echo, suffix, tools, functions, libera
    case streamOptions = "stream_options"
    case topP = "top_p"
    case maxTokens = "max_tokens"
    case maxCompletionTokens = "max_completion_tokens"
    case frequencyPenalty = "frequency_penalty"
    case presencePenalty = "presence_penalty"
    case topLogprobs = "top_logprobs"
    case responseFormat = "response_format"
    case logitBias = "logit_bias"
    case toolChoice = "tool_choice"
    case parallelToolCalls = "parallel_tool_calls"
  }

  /// The request as the model's worker understands it. Nothing a client sends is tokenised as a special token.
  func generation(chat: Bool) throws -> GenerateRequest {
    if n ?? 1 != 1 { throw ServerError.unsupported("n other than 1") }
    if echo == true { throw ServerError.unsupported("echo") }
    if suffix != nil { throw ServerError.unsupported("suffix") }
    if !chat, tools?.isEmpty == false { throw ServerError.unsupported("tools in a plain completion") }
    if functions?.isEmpty == false { throw ServerError.unsupported("functions, which are called tools now") }
    if logitBias?.isEmpty == false { throw ServerError.unsupported("logit_bias") }
    var request = GenerateRequest(try input(chat: chat))
    request.sampling.temperature =
      try within(temperature, 0...2, "temperature").map(Float.init) ?? request.sampling.temperature
    request.sampling.topP = try within(topP, 0...1, "top_p").map(Float.init) ?? request.sampling.topP
    request.sampling.frequencyPenalty = Float(try within(frequencyPenalty, -2...2, "frequency_penalty") ?? 0)
    request.sampling.presencePenalty = Float(try within(presencePenalty, -2...2, "presence_penalty") ?? 0)
    request.sampling.seed = seed.map { UInt32(truncatingIfNeeded: $0) }
    let older = try within(maxTokens, 1...1_000_000, "max_tokens")
    request.maximumTokens =
      try within(maxCompletionTokens, 1...1_000_000, "max_completion_tokens") ?? older ?? request.maximumTokens
    request.stop = (stop?.all ?? []).filter { !$0.isEmpty }
    try CompletionBounds.check(stops: request.stop)
    switch logprobs {
    case .flag(true): request.logprobs = max(1, try within(topLogprobs, 0...20, "top_logprobs") ?? 0)
    case .count(let count): request.logprobs = try within(count, 0...20, "logprobs") ?? 0
    case .flag(false), nil: break
    }
    switch responseFormat?.type {
    case nil, "text": break
    case "json_object": request.schema = #"{"type":"object"}"#
    case "json_schema":
      guard let schema = responseFormat?.schema?.schema else {
        throw ServerError.unreadable("json_schema.schema is missing")
      }
      try CompletionBounds.check(schemas: [schema.text])
      request.schema = schema.text
    case let other?: throw ServerError.unsupported("response_format \(other)")
    }
    return request
  }

  private func input(chat: Bool) throws -> GenerateRequest.Input {
    guard chat else {
      guard let texts = prompt?.all, texts.count == 1 else {
        throw ServerError.unsupported("more or fewer than one prompt")
      }
      try CompletionBounds.check(bytes: texts[0].utf8.count)
      return .raw([.untrusted(texts[0])])
    }
    guard let messages, !messages.isEmpty else { throw ServerError.unreadable("messages are missing") }
    try CompletionBounds.check(
      messages: messages.count, bytes: messages.reduce(0) { $0 + $1.text.utf8.count + ($1.calls?.bytes ?? 0) })
    let told = try messages.map { message in
      switch message.role {
      case "system", "developer": return Inference.Message(.system, untrusted: message.text)
      case "user": return Inference.Message(.user, untrusted: message.text)
      case "tool": return Inference.Message(.tool, untrusted: message.text)
      case "assistant":
        var answer = Inference.Message(.assistant, untrusted: message.text)
        answer.calls = try message.calls.flatMap { $0.isEmpty ? nil : try $0.map { try $0.call() } }
        return answer
      default: throw ServerError.unsupported("the role \(message.role)")
      }
    }
    for (place, message) in told.enumerated() where message.role == .tool {
      guard told[..<place].last(where: { $0.role != .tool })?.calls != nil else {
        throw ServerError.unreadable("a message of the role tool must follow the calls that it answers")
      }
    }
    return .chat(told, tools: try toolUse())
  }

  /// What may be called; nil where nothing is, and then the model is not told of it either.
  private func toolUse() throws -> ToolUse? {
    guard let tools, !tools.isEmpty else {
      guard toolChoice == nil || toolChoice == .auto || toolChoice == ToolCalls.Choice.none else {
        throw ServerError.unreadable("tool_choice needs tools")
      }
      return nil
    }
    guard let use = try ToolCalls.use(tools, toolChoice ?? .auto, parallel: parallelToolCalls ?? true) else {
      return nil
    }
    if responseFormat.map({ $0.type != "text" }) == true {
      throw ServerError.unsupported("response_format together with tools")
    }
    switch logprobs {
    case .flag(true), .count: throw ServerError.unsupported("logprobs together with tools")
    case .flag(false), nil: return use
    }
  }

  private func within<Value: Comparable>(_ value: Value?, _ range: ClosedRange<Value>, _ name: String) throws -> Value?
  {
    guard let value else { return nil }
    guard range.contains(value) else {
      throw ServerError.unreadable("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
