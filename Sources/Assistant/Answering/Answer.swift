public import Core

/// What one turn of a conversation is. Recognised from the words, visible, and overridable.
public enum TurnKind: String, Codable, Sendable, CaseIterable {
  case documents
  case wholeDocument = "whole_document"
  case transform
  case talk
}

/// Whether the documents hold an answer, as a person is told it.
public enum Finding: String, Codable, Sendable, CaseIterable {
  case found
  /// What is quoted is near and may be it, or may be about something else.
  case probably
  case notThere = "not_there"
}

/// A passage an answer rests on. `id` and `boxes` are those of the words that carry a sentence; `text`, from `start` to `end`, holds
/// them with what stands around them.
public struct Citation: Codable, Sendable, Equatable, Identifiable {
  public var id: String
  public var document: String
  public var title: String
  @OrNull public var page: Int?
  public var text: String
  public var score: Double
  /// UTF-8 byte offsets into the document's text.
  public var start: Int
  public var end: Int
  /// PDF points, origin top left: x0, y0, x1, y1.
  public var boxes: [[Double]]
}

/// One sentence of an answer and the citations (by index) that carry it.
public struct AnswerSentence: Codable, Sendable, Equatable {
  public var text: String
  public var support: [Int]
  public var supported: Bool
  /// Of sentences quoted together: this is the one that answers. It stands out where the answer is shown.
  public var answers: Bool?
}

/// A constraint in force and why.
public struct LimitNote: Codable, Sendable, Equatable {
  /// What a note is about that says why another provider answers than the one asked for.
  public static let provider = "provider"

  public var what: String
  public var value: String
  public var reason: String
}

/// What the device changed while an answer was written, also back again when it had recovered.
public struct LimitChange: Codable, Sendable, Equatable {
  /// Milliseconds since the question came.
  public var atMs: Double
  public var what: String
  public var from: String
  public var to: String
  public var reason: String

  enum CodingKeys: String, CodingKey {
    case what, from, to, reason
    case atMs = "at_ms"
  }
}

/// Something left out of an answer and why.
public struct DropNote: Codable, Sendable, Equatable {
  /// What a person must be told at once, because the answer looks whole without it.
  static package let rest = "the rest of the answer"
  public var what: String
  public var reason: String
}

/// The whole record of one answer, as `ask --json` prints it and as the vault keeps it: every field is there.
public struct AnswerRecord: Codable, Sendable, Equatable {
  public struct Timings: Codable, Sendable, Equatable {
    public var retrieveMs = 0.0
    @OrNull public var firstEvidenceMs: Double? = nil
    @OrNull public var firstTokenMs: Double? = nil
    @OrNull public var tokensPerSecond: Double? = nil
    public var totalMs = 0.0
    public var promptTokens = 0
    public var reusedTokens = 0
    public var generatedTokens = 0
    /// The wait for a pack that was not in memory.
    @OrNull public var loadMs: Double? = nil
    /// Where the device counts energy: what this answer got out of a joule.
    @OrNull public var tokensPerJoule: Double? = nil

    enum CodingKeys: String, CodingKey {
      case retrieveMs = "retrieve_ms"
      case firstEvidenceMs = "first_evidence_ms"
      case firstTokenMs = "first_token_ms"
      case tokensPerSecond = "tokens_per_s"
      case totalMs = "total_ms"
      case promptTokens = "prompt_tokens"
      case reusedTokens = "reused_tokens"
      case generatedTokens = "generated_tokens"
      case loadMs = "load_ms"
      case tokensPerJoule = "tokens_per_joule"
    }
  }

  /// Its place in a conversation; nil where it belongs to none.
  @OrNull public var id: String? = nil
  public var answer = ""
  /// The words of the documents that answer, by themselves; the answer begins with them. Null where none were sure.
  @OrNull public var short: String? = nil
  public var task: TurnKind
  public var completedQuestion: String
  /// Null where nothing was looked for.
  @OrNull public var finding: Finding? = nil {
    didSet { abstained = finding == .notThere }
  }
  public private(set) var abstained = false
  public var stopped = false
  public var sentences: [AnswerSentence] = []
  public var citations: [Citation] = []
  public var provider: String
  @OrNull public var pack: String?
  public var mode: Mode
  public var retrievalUsed = false
  public var passagesConsulted = 0
  public var timings = Timings()
  public var limits: [LimitNote] = []
  /// Null where the device left the answer alone.
  @OrNull public var changes: [LimitChange]? = nil
  public var dropped: [DropNote] = []
  /// What was looked up, where it is not the completed question itself.
  @OrNull public var searched: [String]? = nil
  /// How probable it seemed that the documents hold an answer, and what that was judged by.
  @OrNull public var confidence: Double? = nil
  @OrNull public var signals: [String: Double]? = nil
  /// The programs of others whose words the answer was made of; they are no evidence. Null in every other answer.
  @OrNull public var told: [String]? = nil
  /// Of a whole document: how many sections it was read in.
  @OrNull public var sectionsRead: Int? = nil

  public init(task: TurnKind, question: String, provider: String, pack: String?, mode: Mode) {
    self.task = task
    completedQuestion = LongQuestion.asked(question)
    self.provider = provider
    self.pack = pack
    self.mode = mode
  }

  enum CodingKeys: String, CodingKey {
    case id, answer, short, task, finding, abstained, stopped, sentences, citations, provider, pack, mode, timings
    case limits, changes, dropped, searched, confidence, signals, told
    case sectionsRead = "sections_read"
    case completedQuestion = "completed_question"
    case retrievalUsed = "retrieval_used"
    case passagesConsulted = "passages_consulted"
  }
}
