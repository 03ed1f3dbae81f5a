import Core
import Foundation
import Inference

/// The body of `/completion`. What would change the answer and cannot be done is refused; what only tunes the machine is read past.
struct LlamaRequest: Decodable, Sendable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case model, prompt, stream, grammar
    case most = "n_predict"
    case probabilities = "n_probs"
    case schema = "json_schema"
  }

  /// A name that is none of these.
  private struct Other: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Tokens, where nobody says how many: a chat has as many.
  private static let usual = 512
  private static let ofTheMachine: Set = [
    "cache_prompt", "id_slot", "n_keep", "n_cache_reuse", "t_max_prompt_ms", "timings_per_token", "return_progress",
    "return_tokens", "response_fields", "min_keep",
  ]

  /// nil: whichever model writes where none is named.
  var model: String?
  var stream: Bool?
  private var prompt: CompletionRequest.Inputs
  private var most: Int?
  private var probabilities: Int?
  private var grammar: String?
  private var schema: JSONValue?
  private var options: OllamaOptions

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    model = try container.decodeIfPresent(String.self, forKey: .model)
    stream = try container.decodeIfPresent(Bool.self, forKey: .stream)
    prompt = try container.decode(CompletionRequest.Inputs.self, forKey: .prompt)
    most = try container.decodeIfPresent(Int.self, forKey: .most)
    probabilities = try container.decodeIfPresent(Int.self, forKey: .probabilities)
    grammar = try container.decodeIfPresent(String.self, forKey: .grammar)
    schema = try container.decodeIfPresent(JSONValue.self, forKey: .schema)
    let own = Set(CodingKeys.allCases.map(\.rawValue)).union(Self.ofTheMachine)
    let others = try decoder.container(keyedBy: Other.self)
    var values: [String: JSONNode] = [:]
    for key in others.allKeys where !own.contains(key.stringValue) {
      values[key.stringValue] = try others.decode(JSONNode.self, forKey: key)
    }
    options = OllamaOptions(values, in: "")
  }

  func asked() throws -> GenerateRequest {
    guard prompt.embedded.count == 1 else {
      throw ServerError.unsupported("several prompts here; /v1/completions takes them")
    }
    try CompletionBounds.check(prompt.embedded)
    var request: GenerateRequest
    switch prompt.embedded {
    case .texts(let texts): request = GenerateRequest(.raw([.untrusted(texts[0])]))
    case .tokens(let lists): request = GenerateRequest(.raw([.tokens(lists[0])]))
    }
    // Below nothing: for as long as the context has room.
    let most = try CompletionBounds.within(most, -1...1_000_000, "n_predict") ?? Self.usual
    (request.maximumTokens, request.reservedTokens) = (
      most < 0 ? OllamaOptions.endless : max(1, most), CompletionBounds.reserved
    )
    try options.apply(to: &request)
    request.logprobs = try CompletionBounds.within(probabilities, 0...20, "n_probs") ?? 0
    if let schema {
      try CompletionBounds.check(schemas: [schema.text])
      request.schema = schema.text
    }
    try request.take(grammar: grammar)
    return request
  }
}
