package import Core
package import Models

// What the chat and embed workers understand: the operations' bodies and events. The same types on both sides of the socket.

/// A stretch of prompt text. Untrusted text (documents, tool output) is tokenised without special tokens, so that nothing in
/// it can pose as a chat role; trusted text is the house's own.
public enum Span: Codable, Sendable, Equatable {
  case trusted(String)
  case untrusted(String)
  /// Tokens by their numbers in the model's own vocabulary, none of them special; alone in a prompt that is continued.
  case tokens([Int32])

  package var text: String {
    switch self {
    case .trusted(let text), .untrusted(let text): text
    case .tokens: ""
    }
  }
}

public enum Role: String, Codable, Sendable {
  case system, user, assistant
  /// What a function that the assistant called gave.
  case tool
}

public struct Message: Codable, Sendable, Equatable {
  public var role: Role
  public var spans: [Span]
  /// What the assistant called; written by others, as untrusted text is.
  public var calls: [ToolCall]?
  public init(_ role: Role, _ spans: [Span]) {
    self.role = role
    self.spans = spans
  }
  public init(_ role: Role, untrusted text: String) { self.init(role, [.untrusted(text)]) }
  public init(_ role: Role, trusted text: String) { self.init(role, [.trusted(text)]) }

  /// Of a conversation that ends with the assistant's words: what comes before them, and the beginning of its next answer, which is
  /// to go on after them.
  package static func begun(_ conversation: [Message]) -> (before: [Message], begun: [Span]) {
    guard let last = conversation.last, last.role == .assistant, last.calls == nil else { return (conversation, []) }
    return (conversation.dropLast(), last.spans.filter { !$0.text.isEmpty })
  }
}

public struct Sampling: Codable, Sendable, Equatable {
  /// 0 is greedy.
  public var temperature: Float = 0
  public var topP: Float = 1
  public var topK: Int32 = 0
  public var minP: Float = 0
  public var repeatPenalty: Float = 1
  public var frequencyPenalty: Float = 0
  public var presencePenalty: Float = 0
  public var seed: UInt32?
  /// Added to the outcome of these tokens, by their numbers in the model's vocabulary.
  public var bias: [Int32: Float]?
  public init() {}
}

/// What a LoRA adapter is for. It has a context of its own in the engine, or the whole of one, and changes nothing else.
package enum AdapterUse: String, Codable, Sendable {
  /// What "read" makes of words, by an embedding model.
  case words
  /// What "embed" makes of questions.
  case questions
  /// What "judge" says, by a text model.
  case judging
  /// All that a text model writes.
  case writing
}

/// Operation "load": the pack file is the call's first descriptor, then come its adapters.
package struct LoadRequest: Codable, Sendable, Equatable {
  package var contextTokens: Int
  package var threads: Int?
  package var batch = 512
  package var microBatch = 512
  package var kvType = KVType.f16
  package var flashAttention: Bool?  // nil: the engine decides
  /// A graphics card is used where there is one.
  package var gpu = false
  /// The most to be used of a card's memory; nil: what is free.
  package var cardBytes: Int64?
  /// Why none is used although one was wanted.
  package var cardRefusal: String?
  package var embeddings = false
  package var adapters: [AdapterUse] = []
  package init(contextTokens: Int, threads: Int? = nil) {
    self.contextTokens = contextTokens
    self.threads = threads
  }
}

/// Operation "card", which needs no pack: one event, the graphics card that would be used or why there is none.
package enum CardAnswer: Codable, Sendable, Equatable {
  case found(GraphicsCardReport)
  case none(String)
}

/// Events of "load": any number of progress, then loaded.
package enum LoadEvent: Codable, Sendable {
  case progress(Double)
  case loaded(ModelInfo)
}

package struct ModelInfo: Codable, Sendable, Equatable {
  package var description: String
  package var contextTokens: Int
  package var trainedContextTokens: Int
  package var dimensions: Int
  package var threads: Int
  package var backend: String
  package var loadMs: Double
  /// What of it lies on a graphics card; nil: nothing.
  package var card: CardShare?
  package init(
    description: String, contextTokens: Int, trainedContextTokens: Int, dimensions: Int, threads: Int, backend: String,
    loadMs: Double, card: CardShare? = nil
  ) {
    self.description = description
    self.contextTokens = contextTokens
    self.trainedContextTokens = trainedContextTokens
    self.dimensions = dimensions
    self.threads = threads
    self.backend = backend
    self.loadMs = loadMs
    self.card = card
  }
}

/// Operation "generate". Replies: the events `.reading` and `.prompt`, pieces of UTF-8 text as bytes (whole characters only), one event `.done`.
/// Operation "readAhead", of a conversation up to an answer: evaluates what every next question begins with; one event `Int`, the
/// tokens that were new.
public struct GenerateRequest: Codable, Sendable, Equatable {
  public var input: Input
  public var sampling = Sampling()
  public var maximumTokens = 512
  /// What a prompt must leave free for the answer, where that is less than the most it may have; such an answer ends where the
  /// context does.
  public var reservedTokens: Int?
  public var stop: [String] = []
  /// GBNF; wins over `schema`.
  public var grammar: String?
  /// A JSON schema, as text.
  public var schema: String?
  /// Draft tokens by looking them up in the prompt and verify them in one batch.
  public var speculate = true
  public var overflow = Overflow.fail
  /// A pause between tokens, for a warm device; `adjust` changes it while the answer runs.
  public var pauseMs = 0
  /// Less of the context than is loaded, where the device asks for it.
  public var contextTokens: Int?
  /// The top-n log probabilities wanted per token; 0 none.
  public var logprobs = 0
  /// What is chosen is told, so that the answer can go on where it was cut short.
  package var tellsTokens = false
  /// The beginning of this very answer, from where it could not go on.
  package var begun: Begun?
  /// Which program it is for; nil: the person.
  package var party: String?
  public init(_ input: Input) { self.input = input }

  /// What was chosen of an answer, and how much of its text was told: it goes on after that.
  package struct Begun: Codable, Sendable, Equatable {
    package var tokens: [Int32] = []
    package var answerBytes = 0
    package var thoughtBytes = 0
    package init() {}
  }

  package var answerRoom: Int { min(maximumTokens, reservedTokens ?? maximumTokens) }

  public enum Input: Codable, Sendable, Equatable {
    /// Rendered through the model's own chat template.
    case chat([Message], tools: ToolUse? = nil)
    /// Continued as it stands.
    case raw([Span])
  }

  /// What happens when prompt and answer do not fit the context. Never a silent cut.
  public enum Overflow: String, Codable, Sendable {
    /// An error with the numbers.
    case fail
    /// The oldest messages after the system message go first; `.prompt` reports how many.
    case dropOldest
  }
}

/// Operations "keep" and "takeUp": the file is the call's first descriptor. "keep" writes into it what has been read of the conversation, and
/// "takeUp" goes on from there; one event `Int`, the tokens, 0 for nothing.
package struct KeptPromptRequest: Codable, Sendable {
  /// What the file belongs to: what was written by another pack, or in another form, is not taken up.
  package var stamp: String
  /// What is larger is not written.
  package var mostBytes: Int
  package init(stamp: String, mostBytes: Int) { (self.stamp, self.mostBytes) = (stamp, mostBytes) }
}

/// Sent to a running "generate" through `adjust`.
package struct GenerateAdjustment: Codable, Sendable, Equatable {
  package var pauseMs: Int?
  package var maximumTokens: Int?
  /// The most threads from now on, in later answers too, until it is said otherwise; 0: as many as were found best.
  package var threads: Int?
  package init(pauseMs: Int? = nil, maximumTokens: Int? = nil, threads: Int? = nil) {
    self.pauseMs = pauseMs
    self.maximumTokens = maximumTokens
    self.threads = threads
  }
}

package enum GenerateEvent: Codable, Sendable {
  /// So many tokens of the prompt are about to be read: those whose state is not there already.
  case reading(Int)
  case prompt(PromptReport)
  case logprobs(TokenLogprobs)
  case thought(String)
  /// What was chosen, before its text, for whoever has asked for that.
  case token(Int32)
  case done(GenerateReport)
}

public struct PromptReport: Codable, Sendable, Equatable {
  public var promptTokens = 0
  /// Tokens whose state was already there and was not computed again.
  public var reusedTokens = 0
  public var droppedMessages = 0
  /// How the answer writes calls of functions, where it may.
  public var toolForm: ToolForm?
  public init() {}
}

public struct TokenLogprobs: Codable, Sendable, Equatable {
  public struct Entry: Codable, Sendable, Equatable {
    public var token: String
    public var logprob: Float
    /// Its number in the model's vocabulary.
    public var id: Int32?
    public init(token: String, logprob: Float, id: Int32? = nil) {
      self.token = token
      self.logprob = logprob
      self.id = id
    }
  }
  public var chosen: Entry
  public var top: [Entry]
  public init(chosen: Entry, top: [Entry]) {
    self.chosen = chosen
    self.top = top
  }
}

public struct GenerateReport: Codable, Sendable, Equatable {
  public enum Finish: String, Codable, Sendable { case end, stop, length, context, cancelled }
  public var finish = Finish.end
  /// The text that ended it.
  public var stop: String?
  public var generatedTokens = 0
  /// Of these, so many before the answer began: what the model thought.
  public var thoughtTokens = 0
  public var promptMs = 0.0
  public var firstTokenMs = 0.0
  public var generateMs = 0.0
  public var draftedTokens = 0
  public var acceptedTokens = 0
  public init() {}
  public var tokensPerSecond: Double { generateMs > 0 ? Double(generatedTokens) / generateMs * 1000 : 0 }
}

/// Operation "tokens": exact counts, one event `[Int]`.
package struct TokensRequest: Codable, Sendable {
  package var texts: [String]; package init(_ texts: [String]) { self.texts = texts }
}

/// Operation "read": texts as words. One reply of bytes, little-endian float32: per text the mean of its tokens' vectors, then
/// for each word as far as the window reaches the vector of its first token; then one event `[Int]`, the words read of each.
package struct ReadRequest: Codable, Sendable {
  package var texts: [[String]]
  package init(_ texts: [[String]]) { self.texts = texts }
}

/// Operation "score": log probability of each candidate continuation of one shared prefix, the prefix evaluated once.
/// One event `[Score]`.
package struct ScoreRequest: Codable, Sendable {
  package var prefix: GenerateRequest.Input
  package var candidates: [String]
  /// Which program it is for; nil: the person.
  package var party: String?
  package init(prefix: GenerateRequest.Input, candidates: [String]) {
    self.prefix = prefix
    self.candidates = candidates
  }
}

package struct Score: Codable, Sendable, Equatable {
  package var logprob: Float
  package var tokens: Int
  package init(logprob: Float, tokens: Int) {
    self.logprob = logprob
    self.tokens = tokens
  }
}
