import Foundation
import Inference

/// The body of `/v1/chat/completions` and `/v1/completions`, as far as it has a meaning here. What would change the result
/// and cannot be done is refused, never ignored.
struct CompletionRequest: Decodable, Sendable {
  struct Message: Decodable, Sendable {
    struct Part: Decodable, Sendable {
      var type: String
      var text: String?
    }
    var role: String
    var content: TextOr<[Part]>?
    var calls: [ToolCalls.Made]?

    enum CodingKeys: String, CodingKey {
      case role, content
      case calls = "tool_calls"
    }

    func words() throws -> String {
      switch content {
      case nil: return ""
      case .text(let text): return text
      case .other(let parts):
        guard parts.allSatisfy({ $0.type == "text" }) else { throw ServerError.unsupported("content other than text") }
        return parts.compactMap(\.text).joined()
      }
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

  /// One text or several, or tokens by their numbers in the model's own vocabulary, in one list or several.
  struct Inputs: Decodable, Sendable {
    var embedded: EmbedInput

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Each form excludes the others, so that which one it is shows by which can be read.
      if let text = try? container.decode(String.self) {
        embedded = .texts([text])
      } else if let texts = try? container.decode([String].self) {
        embedded = .texts(texts)
      } else if let tokens = try? container.decode([Int32].self) {
        embedded = .tokens([tokens])
      } else {
        embedded = .tokens(try container.decode([[Int32]].self))
      }
    }
  }

  /// Chat asks for log probabilities with a flag, completion with a number.
  enum Logprobs: Decodable, Sendable {
    case flag(Bool)
    case count(Int)
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {  // else it is a number
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

  var model: String
  var messages: [Message]?
  var prompt: Inputs?
  var stream: Bool?
  var streamOptions: StreamOptions?
  var stop: TextOr<[String]>?
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
  // As llama.cpp's clients write it.
  var grammar: String?
  var probabilities: Int?
  var libera: Asked.Grounding?

  enum CodingKeys: String, CodingKey {
    case model, messages, prompt, stream, stop, seed, temperature, logprobs, n, echo, suffix, tools, functions, grammar,
      libera
    case streamOptions = "stream_options"
    case topP = "top_p"
    case maxTokens = "max_tokens"
    case maxCompletionTokens = "max_completion_tokens"
    case frequencyPenalty = "frequency_penalty"
    case presencePenalty = "presence_penalty"
    case topLogprobs = "top_logprobs"
    case responseFormat = "response_format"
    case logitBias = "logit_bias"
    case probabilities = "n_probs"
    case toolChoice = "tool_choice"
    case parallelToolCalls = "parallel_tool_calls"
  }

  /// Nothing a client sends is tokenised as a special token.
  func asked(chat: Bool) throws -> Asked {
    if echo == true { throw ServerError.unsupported("echo") }
    if suffix != nil { throw ServerError.unsupported("suffix") }
    if !chat, tools?.isEmpty == false { throw ServerError.unsupported("tools in a plain completion") }
    if functions?.isEmpty == false { throw ServerError.unsupported("functions, which are called tools now") }
    let inputs = chat ? [try conversation()] : try prompts()
    var asked = Asked(model: model, GenerateRequest(inputs[0]), grounding: libera)
    asked.requests = try inputs.map(request)
    asked.choices = try CompletionBounds.within(n, 1...CompletionBounds.choices, "n") ?? 1
    guard asked.choices * inputs.count <= CompletionBounds.choices else {
      throw ServerError.unreadable("one request may have \(CompletionBounds.choices) answers")
    }
    return asked
  }

  /// What OpenAI writes behind a prompt where nobody says how much.
  private static let usualContinuation = 16

  private func request(_ input: GenerateRequest.Input) throws -> GenerateRequest {
    var request = GenerateRequest(input)
    let isContinued = if case .raw = input { true } else { false }
    if isContinued { request.maximumTokens = Self.usualContinuation }
    let older = try CompletionBounds.within(maxTokens, 1...1_000_000, "max_tokens")
    try request.take(
      most: maxCompletionTokens ?? older, called: "max_completion_tokens", temperature: temperature, topP: topP,
      stops: stop?.all ?? [])
    request.sampling.frequencyPenalty = Float(
      try CompletionBounds.within(frequencyPenalty, -2...2, "frequency_penalty") ?? 0)
    request.sampling.presencePenalty = Float(
      try CompletionBounds.within(presencePenalty, -2...2, "presence_penalty") ?? 0)
    request.sampling.seed = seed.map { UInt32(truncatingIfNeeded: $0) }
    request.sampling.bias = try bias()
    let probabilities = try CompletionBounds.within(probabilities, 0...20, "n_probs")
    switch logprobs {
    case .flag(true): request.logprobs = max(1, try CompletionBounds.within(topLogprobs, 0...20, "top_logprobs") ?? 0)
    case .count(let count): request.logprobs = try CompletionBounds.within(count, 0...20, "logprobs") ?? 0
    case .flag(false), nil: request.logprobs = probabilities ?? 0
    }
    request.schema = try CompletionBounds.schema(
      responseFormat?.type, responseFormat?.schema?.schema, "response_format", field: "json_schema.schema")
    try request.take(grammar: grammar)
    return request
  }

  private func bias() throws -> [Int32: Float]? {
    guard let logitBias, !logitBias.isEmpty else { return nil }
    guard logitBias.count <= 1024 else { throw ServerError.unreadable("logit_bias may name 1024 tokens") }
    var bias: [Int32: Float] = [:]
    for (token, value) in logitBias {
      guard let token = Int32(token), let value = try CompletionBounds.within(value, -100...100, "logit_bias") else {
        throw ServerError.unreadable("logit_bias names tokens by their numbers")
      }
      // At the ends of the range a token is forbidden, or nothing else is chosen.
      bias[token] = abs(value) == 100 ? Float(value) * 1e6 : Float(value)
    }
    return bias
  }

  private func prompts() throws -> [GenerateRequest.Input] {
    guard let input = prompt?.embedded, (1...CompletionBounds.choices).contains(input.count) else {
      throw ServerError.unreadable("prompt must be 1 to \(CompletionBounds.choices) texts or lists of tokens")
    }
    try CompletionBounds.check(input)
    return switch input {
    case .texts(let texts): texts.map { .raw([.untrusted($0)]) }
    case .tokens(let lists): lists.map { .raw([.tokens($0)]) }
    }
  }

  private func conversation() throws -> GenerateRequest.Input {
    let told = try (messages ?? []).map { message in
      let role = message.role == "developer" ? "system" : message.role
      let calls = try (message.calls ?? []).map { try $0.call() }
      guard let told = Inference.Message(role: role, try message.words(), calls: calls) else {
        throw ServerError.unsupported("the role \(role)")
      }
      return told
    }
    return try Asked.conversation(told, tools: try toolUse())
  }

  /// What may be called; nil where nothing is, and then the model is not told of it either.
  private func toolUse() throws -> ToolUse? {
    guard let use = try ToolCalls.use(tools, toolChoice, parallel: parallelToolCalls ?? true) else { return nil }
    if responseFormat.map({ $0.type != "text" }) == true {
      throw ServerError.unsupported("response_format together with tools")
    }
    if grammar?.isEmpty == false { throw ServerError.unsupported("a grammar together with tools") }
    if (probabilities ?? 0) > 0 { throw ServerError.unsupported("n_probs together with tools") }
    switch logprobs {
    case .flag(true), .count: throw ServerError.unsupported("logprobs together with tools")
    case .flag(false), nil: return use
    }
  }
}
