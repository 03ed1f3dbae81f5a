public import Foundation
public import LiberaKit

/// One question with its answer as a screen shows it: what is being done, what was found, what is written, and how it ended.
public struct ChatTurn: Sendable, Equatable, Identifiable {
  public enum Stage: Sendable, Equatable {
    /// Waits for its turn, or looks for evidence.
    case finding
    /// A model is being loaded: 0 to 1.
    case loading(Double)
    case writing
    case done
    /// Ended before it was whole; what was written stays.
    case stopped
    case failed(LiberaError)

    public var isOver: Bool {
      switch self {
      case .finding, .loading, .writing: false
      case .done, .stopped, .failed: true
      }
    }
  }

  public let id: UUID
  /// The answer's id in its conversation, once it is kept: what a branch is made from.
  public private(set) var answerID: String?
  public let question: String
  public private(set) var stage = Stage.finding
  /// What a follow-up was understood as.
  public private(set) var understoodAs: String?
  /// The words so far.
  public private(set) var text = ""
  /// Each sentence with what carries it.
  public private(set) var sentences: [AnswerSentence] = []
  public private(set) var evidence: [Citation] = []
  public private(set) var limits: [LimitNote] = []
  public private(set) var changes: [LimitChange] = []
  public private(set) var notices: [String] = []
  public private(set) var answer: Answer?

  public init(_ question: String, id: UUID = UUID()) {
    self.id = id
    self.question = question
  }

  /// A turn that was kept.
  public init(_ kept: ConversationTurn) {
    id = UUID(uuidString: kept.id) ?? UUID()
    answerID = kept.id
    question = kept.question
    if let answer = kept.answer { take(.done(answer)) }
    text = kept.text ?? text
    if kept.text == nil { stage = .stopped }
  }

  /// One that was stopped or has failed has told no id; in its conversation it was found with this one.
  mutating func isKept(as id: String?) { answerID = answerID ?? id }

  /// What an event changes. An answer that is over is not changed any more.
  public mutating func take(_ event: AnswerEvent) {
    guard !stage.isOver else { return }
    switch event {
    case .loading(let share): stage = share < 1 ? .loading(share) : .finding
    case .understoodAs(let words): understoodAs = words
    case .evidence(let found): evidence = found
    case .limits(let notes): limits = notes
    case .changes(let notes): changes += notes
    case .notice(let words): notices.append(words)
    case .piece(let words):
      stage = .writing
      text += words
    case .sentence(let sentence): sentences.append(sentence)
    case .replaced(let whole): (text, sentences) = (whole, [])
    case .done(let whole): finish(whole)
    }
  }

  /// The stream ended without an answer.
  public mutating func end(with error: (any Error)?) {
    guard !stage.isOver else { return }
    switch error {
    case nil, is CancellationError: stage = .stopped
    case let error?: stage = .failed(LiberaError(telling: error))
    }
  }

  private mutating func finish(_ whole: Answer) {
    answer = whole
    answerID = whole.id ?? answerID
    (text, sentences, evidence, limits) = (whole.answer, whole.sentences, whole.citations, whole.limits)
    changes = whole.changes ?? changes
    stage = whole.stopped ? .stopped : .done
  }

  /// What the screen says about the documents, in the words of the answer's record.
  public var finding: Finding? { answer?.finding }

  /// Sentences that nothing in the documents carries.
  public var unsupported: [AnswerSentence] {
    guard let answer, answer.retrievalUsed, !answer.abstained else { return [] }
    return answer.sentences.filter { !$0.supported }
  }

  /// Question and answer with their evidence, to be handed to another program.
  /// - Parameters:
  ///   - evidence: The heading of the evidence, in the person's language.
  ///   - unsupported: What is said of a sentence that nothing carries.
  ///   - name: What a citation is called.
  public func asText(evidence heading: String, unsupported note: String, _ name: (Citation) -> String) -> String {
    let doubted = unsupported
    let body =
      sentences.isEmpty
      ? text
      : sentences.map { sentence in
        let marks = sentence.support.filter(evidence.indices.contains).map { "[\($0 + 1)]" }.joined()
        return [sentence.text, marks, doubted.contains(sentence) ? "(\(note))" : ""]
          .filter { !$0.isEmpty }.joined(separator: " ")
      }.joined(separator: "\n")
    let sources = evidence.enumerated().map { "[\($0.offset + 1)] \(name($0.element)): “\($0.element.text)”" }
    let parts = [question, body] + (sources.isEmpty ? [] : ["\(heading)\n" + sources.joined(separator: "\n")])
    return parts.joined(separator: "\n\n")
  }
}
