import Workers

/// Operation "judge": which of a passage's sentences answers a question, or none of them, as the adapter reads it that a text model was
/// loaded with for this, and in which words. One event `[Judgement]`, one for each passage, or for the first of them that there was
/// time for.
package struct JudgeRequest: Codable, Sendable, Equatable {
  package struct Passage: Codable, Sendable, Equatable {
    /// What its document is called.
    package var title: String
    /// At most `JudgeRequest.mostSentences`.
    package var sentences: [String]
    /// The question in other words, where it can be asked so of this passage: what is said to both is taken together.
    package var otherwise: String?
    package init(title: String, sentences: [String], otherwise: String? = nil) {
      self.title = title
      self.sentences = sentences
      self.otherwise = otherwise
    }
  }

  package var question: String
  package var passages: [Passage]
  /// nil: as many as it writes with.
  package var threads: Int?
  /// After which no further passage is begun that is not likely to be done by then; the first is always read. nil: all are.
  package var seconds: Double?
  package init(_ question: String, of passages: [Passage], threads: Int? = nil, seconds: Double? = nil) {
    self.question = question
    self.passages = passages
    self.threads = threads
    self.seconds = seconds
  }

  /// So many sentences of one passage have a letter each.
  package static let mostSentences = 16
}

package struct Judgement: Codable, Sendable, Equatable {
  package struct Words: Codable, Sendable, Equatable {
    package var text: String
    /// How likely it finds these words, once their sentence answers, as a logarithm.
    package var chance: Float
    package init(text: String, chance: Float) { (self.text, self.chance) = (text, chance) }
  }

  /// Log probabilities that none of the sentences answers, and that each does.
  package var none: Float
  package var sentences: [Float]
  /// The words that answer, in the one passage that answers likeliest: read out of its likeliest sentence, but by a model, so that
  /// they need not stand there. nil where none is likelier than that sentence.
  package var words: Words?
  package init(none: Float, sentences: [Float]) {
    self.none = none
    self.sentences = sentences
  }

  /// The sentence that answers likeliest, where that is no less likely than that none does.
  package var likeliest: Int? {
    sentences.indices.max { sentences[$0] < sentences[$1] }.flatMap { sentences[$0] >= none ? $0 : nil }
  }
}

extension TextModel {
  /// Which sentence of each passage answers the question, or that none does; of the first passages, where there is no time for all.
  package func judge(_ request: JudgeRequest) async throws -> [Judgement] {
    let judgements = try await asking { try await $0.worker.ask("judge", request, for: [Judgement].self) }
    guard judgements.isEmpty == request.passages.isEmpty,
      request.passages.map(\.sentences.count).starts(with: judgements.map(\.sentences.count))
    else {
      throw WorkerError.malformed("judgements of a wrong number")
    }
    return judgements
  }
}
