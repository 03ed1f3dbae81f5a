public import Core

/// What one turn of a conversation is. Recognised from the words, visible, and overridable.
public enum TurnKind: String, Codable, Sendable, CaseIterable {
  case documents
  case wholeDocument = "whole_document"
  case transform
  case talk
}

/// A passage an answer rests on, found again later by `id`.
public struct Citation: Codable, Sendable, Equatable, Identifiable {
  public var id: String
  public var document: String
  public var title: String
  public var page: Int?
  public var text: String
  public var score: Double
  /// UTF-8 byte offsets into the document's text.
  public var start: Int
  public var end: Int
  /// PDF points, origin top left: x0, y0, x1, y1.
  public var boxes: [[Double]]

  public init(
    id: String, document: String, title: String, page: Int?, text: String, score: Double, start: Int, end: Int,
    boxes: [[Double]]
  ) {
    self.id = id
    self.document = document
    self.title = title
    self.page = page
    self.text = text
    self.score = score
    self.start = start
    self.end = end
    self.boxes = boxes
  }

  /// `page` is written as null where a document has none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(document, forKey: .document)
    try container.encode(title, forKey: .title)
    try container.encode(page, forKey: .page)
    try container.encode(text, forKey: .text)
    try container.encode(score, forKey: .score)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encode(boxes, forKey: .boxes)
  }

  enum CodingKeys: CodingKey { case id, document, title, page, text, score, start, end, boxes }
}

/// One sentence of an answer and the citations (by index) that carry it.
public struct AnswerSentence: Codable, Sendable, Equatable {
  public var text: String
  public var support: [Int]
  public var supported: Bool
  public init(text: String, support: [Int], supported: Bool) {
    self.text = text
    self.support = support
    self.supported = supported
  }
}

/// A constraint in force and why.
public struct LimitNote: Codable, Sendable, Equatable {
  /// What a note is about that says why another provider answers than the one asked for.
  public static let provider = "provider"

  public var what: String
  public var value: String
  public var reason: String
  public init(what: String, value: String, reason: String) {
    self.what = what
    self.value = value
    self.reason = reason
  }
}

/// What the device changed while an answer was written, also back again when it had recovered.
public struct LimitChange: Codable, Sendable, Equatable {
  /// Milliseconds since the question came.
  public var atMs: Double
  public var what: String
  public var from: String
  public var to: String
  public var reason: String
  public init(atMs: Double, what: String, from: String, to: String, reason: String) {
    self.atMs = atMs
    self.what = what
    self.from = from
    self.to = to
    self.reason = reason
  }

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
  public init(what: String, reason: String) {
    self.what = what
    self.reason = reason
  }
}

/// The whole record of one answer, as `ask --json` prints it and as the vault keeps it.
public struct AnswerRecord: Codable, Sendable, Equatable {
  public struct Timings: Codable, Sendable, Equatable {
    public var retrieveMs = 0.0
    public var firstEvidenceMs: Double?
    public var firstTokenMs: Double?
    public var tokensPerSecond: Double?
    public var totalMs = 0.0
    public var promptTokens = 0
    public var reusedTokens = 0
    public var generatedTokens = 0
    /// The wait for a pack that was not in memory.
    public var loadMs: Double?
    /// Where the device counts energy: what this answer got out of a joule.
    public var tokensPerJoule: Double?
    public init() {}

    /// What was not measured is written as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(retrieveMs, forKey: .retrieveMs)
      try container.encode(firstEvidenceMs, forKey: .firstEvidenceMs)
      try container.encode(firstTokenMs, forKey: .firstTokenMs)
      try container.encode(tokensPerSecond, forKey: .tokensPerSecond)
      try container.encode(totalMs, forKey: .totalMs)
      try container.encode(promptTokens, forKey: .promptTokens)
      try container.encode(reusedTokens, forKey: .reusedTokens)
      try container.encode(generatedTokens, forKey: .generatedTokens)
      try container.encode(loadMs, forKey: .loadMs)
      try container.encode(tokensPerJoule, forKey: .tokensPerJoule)
    }

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
  public var id: String?
  public var answer = ""
  public var task: TurnKind
  public var completedQuestion: String
  public var abstained = false
  public var stopped = false
  public var sentences: [AnswerSentence] = []
  public var citations: [Citation] = []
  public var provider: String
  public var pack: String?
  public var mode: Mode
  public var retrievalUsed = false
  public var passagesConsulted = 0
  public var timings = Timings()
  public var limits: [LimitNote] = []
  /// Null where the device left the answer alone.
  public var changes: [LimitChange]?
  public var dropped: [DropNote] = []
  /// What was looked up, where it is not the completed question itself.
  public var searched: [String]?
  /// How probable it seemed that the documents hold an answer, and what that was judged by.
  public var confidence: Double?
  public var signals: [String: Double]?
  /// Of a whole document: how many sections it was read in.
  public var sectionsRead: Int?

  public init(task: TurnKind, question: String, provider: String, pack: String?, mode: Mode) {
    self.task = task
    completedQuestion = question
    self.provider = provider
    self.pack = pack
    self.mode = mode
  }

  enum CodingKeys: String, CodingKey {
    case id, answer, task, abstained, stopped, sentences, citations, provider, pack, mode, timings
    case limits, changes, dropped, searched, confidence, signals
    case sectionsRead = "sections_read"
    case completedQuestion = "completed_question"
    case retrievalUsed = "retrieval_used"
    case passagesConsulted = "passages_consulted"
  }

  /// Every field is there; what has no value is written as null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(answer, forKey: .answer)
    try container.encode(task, forKey: .task)
    try container.encode(completedQuestion, forKey: .completedQuestion)
    try container.encode(abstained, forKey: .abstained)
    try container.encode(stopped, forKey: .stopped)
    try container.encode(sentences, forKey: .sentences)
    try container.encode(citations, forKey: .citations)
    try container.encode(provider, forKey: .provider)
    try container.encode(pack, forKey: .pack)
    try container.encode(mode, forKey: .mode)
    try container.encode(retrievalUsed, forKey: .retrievalUsed)
    try container.encode(passagesConsulted, forKey: .passagesConsulted)
    try container.encode(timings, forKey: .timings)
    try container.encode(limits, forKey: .limits)
    try container.encode(changes, forKey: .changes)
    try container.encode(dropped, forKey: .dropped)
    try container.encode(searched, forKey: .searched)
    try container.encode(confidence, forKey: .confidence)
    try container.encode(signals, forKey: .signals)
    try container.encode(sectionsRead, forKey: .sectionsRead)
  }
}
