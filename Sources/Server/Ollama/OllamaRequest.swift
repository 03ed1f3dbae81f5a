import Core
import Foundation
import Inference

/// The bodies of `/api/chat` and `/api/generate`.
struct OllamaRequest: Decodable, Sendable {
  struct Message: Decodable, Sendable {
    var role: String
    var content: String?
    var images: [String]?
    var calls: [Call]?
    enum CodingKeys: String, CodingKey {
      case role, content, images
      case calls = "tool_calls"
    }
  }

  /// Its arguments are an object, unlike OpenAI's.
  struct Call: Decodable, Sendable {
    struct Function: Decodable, Sendable {
      var name: String
      var arguments: JSONValue?
    }
    var function: Function
  }

  /// `"json"`, or a schema.
  struct Format: Decodable, Sendable {
    var schema: String?

    init(from decoder: any Decoder) throws {
      switch try TextOr<JSONValue>(from: decoder) {
      case .text(""): schema = nil
      case .text("json"): schema = CompletionBounds.anyObject
      case .text(let word): throw ServerError.unsupported("the format \(word.prefix(40))")
      case .other(let given): schema = given.text
      }
    }
  }

  /// Whether a model is to think first. One that does so by itself does, and what it thinks is told apart; none is made to.
  struct Thinking: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // True, and how hard to think, come to the same.
      if let flag = try? container.decode(Bool.self), !flag { return }
      throw ServerError.unsupported("thinking")
    }
  }

  var model: String
  var stream: Bool?
  var format: Format?
  var options: OllamaOptions?
  var stay: OllamaStay?
  var think: Thinking?
  /// False: what does not fit is an error. Otherwise the oldest messages go, and the answer says how many.
  var truncate: Bool?
  var logprobs: Bool?
  // Of a chat.
  var messages: [Message]?
  var tools: [ToolCalls.Offered]?
  // Of a single prompt.
  var prompt: String?
  var system: String?
  var suffix: String?
  var template: String?
  var raw: Bool?
  var images: [String]?
  var context: [Int]?
  var libera: Asked.Grounding?

  enum CodingKeys: String, CodingKey {
    case model, stream, format, options, think, truncate, logprobs, messages, tools, prompt, system, suffix, template,
      raw,
      images, context, libera
    case stay = "keep_alive"
  }

  /// Unless it is said how long an answer may be.
  private static let longest = 2048

  /// nil: nothing is asked but that the model is there.
  func asked(chat: Bool) throws -> Asked? {
    if suffix?.isEmpty == false { throw ServerError.unsupported("a suffix") }
    if template?.isEmpty == false { throw ServerError.unsupported("a template other than the model's own") }
    if context?.isEmpty == false { throw ServerError.unsupported("context; /api/chat takes the conversation so far") }
    if images?.isEmpty == false { throw ServerError.unsupported("images") }
    if logprobs == true { throw ServerError.unsupported("logprobs here; /v1/chat/completions has them") }
    guard let input = chat ? try conversation() : try single() else { return nil }
    var request = GenerateRequest(input)
    (request.maximumTokens, request.reservedTokens) = (Self.longest, CompletionBounds.reserved)
    if truncate != false { request.overflow = .dropOldest }
    request.schema = format?.schema
    if let schema = format?.schema { try CompletionBounds.check(schemas: [schema]) }
    if request.schema != nil, chat, tools?.isEmpty == false {
      throw ServerError.unsupported("format together with tools")
    }
    try options?.apply(to: &request)
    return Asked(model: model, request, grounding: libera)
  }

  private func conversation() throws -> GenerateRequest.Input? {
    guard let messages, !messages.isEmpty else { return nil }
    let told = try messages.map { message in
      if message.images?.isEmpty == false { throw ServerError.unsupported("images") }
      let text = message.content ?? ""
      let calls = try (message.calls ?? []).map {
        try ToolCalls.call($0.function.name, $0.function.arguments?.text ?? "")
      }
      guard let told = Inference.Message(role: message.role, text, calls: calls) else {
        throw ServerError.unsupported("the role \(message.role.prefix(40))")
      }
      return told
    }
    return try Asked.conversation(told, tools: try ToolCalls.use(tools, .auto, parallel: true))
  }

  private func single() throws -> GenerateRequest.Input? {
    guard let prompt, !prompt.isEmpty else { return nil }
    try CompletionBounds.check(bytes: prompt.utf8.count + (system?.utf8.count ?? 0))
    if raw == true { return .raw([.untrusted(prompt)]) }
    let opening = system.flatMap { $0.isEmpty ? nil : [Inference.Message(.system, untrusted: $0)] } ?? []
    return .chat(opening + [Inference.Message(.user, untrusted: prompt)])
  }
}
