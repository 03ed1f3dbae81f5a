import Workers

/// Operation "judge": which of a passage's sentences answers a question, or none of them, as the adapter reads it that a text model was
/// loaded with for this, and in which words. One event `[Judgement]`, one for each passage.
package struct JudgeRequest: Codable, Sendable, Equatable {
  package struct Passage: Codable, Sendable, Equatable {
    /// What its document is called.
    package var title: String
    /// At most `JudgeRequest.mostSentences`.
    package var sentences: [String]
    package init(title: String, sentences: [String]) {
      self.title = title
      self.sentences = sentences
    }
  }

  package var question: String
  package var passages: [Passage]
  /// nil: as many as it writes with.
  package var threads: Int?
  package init(_ question: String, of passages: [Passage], threads: Int? = nil) {
    self.question = question
    self.passages = passages
    self.threads = threads
  }

  /// So many sentences of one passage have a letter each.
  package static let mostSentences = 16
}

package struct Judgement: Codable, Sendable, Equatable {
  /// Log probabilities that none of the sentences answers, and that each does.
  package var none: Float
  package var sentences: [Float]
  /// The words that answer, in the one passage that answers likeliest: read out of its likeliest sentence, but by a model, so that
  /// they need not stand there.
  package var words: String?
  /// How much was read for it.
  package var tokens: Int
  package init(none: Float, sentences: [Float], tokens: Int) {
    self.none = none
    self.sentences = sentences
    self.tokens = tokens
  }
}

extension TextModel {
  /// Which sentence of each passage answers the question, or that none does.
  package func judge(_ request: JudgeRequest) async throws -> [Judgement] {
    let judgements = try await asking { try await $0.worker.ask("judge", request, for: [Judgement].self) }
    guard judgements.map(\.sentences.count) == request.passages.map(\.sentences.count) else {
      throw WorkerError.malformed("judgements of a wrong number")
    }
    return judgements
  }
}
