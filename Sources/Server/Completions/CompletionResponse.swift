import Core
import Foundation
import Inference

/// What `/v1/chat/completions` and `/v1/completions` answer, whole or in chunks.
struct CompletionResponse: Encodable, Sendable {
  struct Message: Encodable, Sendable {
    var role: String?
    var content: OrNull<String>?
    /// As DeepSeek named it, and most clients read it.
    var thoughts: String?
    var calls: [ToolCallPart]?

    enum CodingKeys: String, CodingKey {
      case role, content
      case thoughts = "reasoning_content"
      case calls = "tool_calls"
    }
  }

  struct Logprobs: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
      /// Of no meaning to OpenAI's clients; those of llama.cpp read it.
      var id: Int32?
      var token: String
      var logprob: Float
      var bytes: [UInt8]
      var alternatives: [Entry]?

      init(_ entry: TokenLogprobs.Entry, alternatives: [Entry]? = nil) {
        id = entry.id
        token = entry.token
        logprob = entry.logprob
        bytes = Array(entry.token.utf8)
        self.alternatives = alternatives
      }
      enum CodingKeys: String, CodingKey {
        case id, token, logprob, bytes
        case alternatives = "top_logprobs"
      }
    }
    /// The chat form.
    var content: [Entry]?
    /// The completion form.
    var tokens: [String]?
    var tokenLogprobs: [Float]?
    var topLogprobs: [[String: Float]]?

    enum CodingKeys: String, CodingKey {
      case content, tokens
      case tokenLogprobs = "token_logprobs"
      case topLogprobs = "top_logprobs"
    }

    init?(_ all: [TokenLogprobs], byToken: Bool) {
      guard !all.isEmpty else { return nil }
      if byToken {
        content = all.map { one in Entry(one.chosen, alternatives: one.top.map { Entry($0) }) }
      } else {
        tokens = all.map(\.chosen.token)
        tokenLogprobs = all.map(\.chosen.logprob)
        topLogprobs = all.map { one in Dictionary(one.top.map { ($0.token, $0.logprob) }) { first, _ in first } }
      }
    }
  }

  struct Choice: Encodable, Sendable {
    var index = 0
    var message: Message?
    var delta: Message?
    var text: String?
    // Clients expect these two to be there, as null while there is nothing to say.
    @OrNull var logprobs: Logprobs?
    @OrNull var finish: String?

    enum CodingKeys: String, CodingKey {
      case index, message, delta, text, logprobs
      case finish = "finish_reason"
    }
  }

  struct Usage: Encodable, Sendable {
    struct Details: Encodable, Sendable {
      var cached: Int
      enum CodingKeys: String, CodingKey { case cached = "cached_tokens" }
    }
    var prompt = 0
    var completion = 0
    var total = 0
    var details = Details(cached: 0)

    /// A prompt counts once, however many answers it had.
    mutating func add(_ end: AnswerEnd, isFirst: Bool) {
      if isFirst {
        prompt += end.prompt.promptTokens
        details.cached += end.prompt.reusedTokens
      }
      completion += end.report.generatedTokens
      total = prompt + completion
    }
    enum CodingKeys: String, CodingKey {
      case prompt = "prompt_tokens"
      case completion = "completion_tokens"
      case total = "total_tokens"
      case details = "prompt_tokens_details"
    }
  }

  var id: String
  var object: String
  var created: Int
  var model: String
  var choices: [Choice]
  var usage: Usage?
  /// Ours: the whole record of a grounded answer, with its citations.
  var libera: Grounded?
}

/// An answer record as it came from the operation.
struct Grounded: Codable, Sendable {
  struct Citation: Codable, Sendable {
    var id: String
    var document: String
    var title: String
    var page: Int?
    var text: String
    var score: Double
  }
  struct Sentence: Codable, Sendable {
    var text: String
    var support: [Int]
    var supported: Bool
  }
  struct Limit: Codable, Sendable {
    var what: String
    var value: String
    var reason: String
  }
  struct Timings: Codable, Sendable {
    var prompt: Int?
    var generated: Int?
    var reused: Int?
    enum CodingKeys: String, CodingKey {
      case prompt = "prompt_tokens"
      case generated = "generated_tokens"
      case reused = "reused_tokens"
    }
  }
  var answer: String
  var finding: String?
  var abstained: Bool
  var sentences: [Sentence]
  var citations: [Citation]
  var provider: String
  var pack: String?
  var mode: String
  var limits: [Limit]
  var timings: Timings?
}
