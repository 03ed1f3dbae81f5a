// Where in passages a question is answered, if it is: the embed worker's locator (Training/README.md).

/// Operation "locate": question and passages are read together. One event `[Located]`, in the order of the passages; a passage longer
/// than the encoder's window is read in several pieces of whole sentences.
package struct LocateRequest: Codable, Sendable {
  package struct Passage: Codable, Sendable {
    /// What it belongs to, read before it: a title or a heading.
    package var title: String
    /// Sentences as words.
    package var sentences: [[String]]
    package init(title: String, sentences: [[String]]) {
      self.title = title
      self.sentences = sentences
    }
  }

  package var question: String
  package var passages: [Passage]
  /// No further piece is begun after so long; those that were not read are not told of.
  package var milliseconds = 60_000
  package init(_ question: String, in passages: [Passage]) {
    self.question = question
    self.passages = passages
  }
}

/// What was seen of some sentences of a passage that were read in one piece.
package struct Located: Codable, Sendable, Equatable {
  /// The words that answer, as far as any do.
  package struct Words: Codable, Sendable, Equatable {
    package var sentence: Int
    package var first: Int
    package var last: Int
    package init(sentence: Int, first: Int, last: Int) {
      self.sentence = sentence
      self.first = first
      self.last = last
    }
  }

  package var passage: Int
  /// The first of its sentences.
  package var start: Int
  /// For each sentence, how far its words belong to one that answers: log odds.
  package var evidence: [Double]
  /// For each sentence, how probable it is that the words that answer begin in it, if they stand here.
  package var begins: [Double]
  /// Whether this answers the question at all: log odds.
  package var answers: Double
  /// By how much the best words are preferred to "nowhere".
  package var margin: Double
  package var words: Words?

  package init(
    passage: Int, start: Int, evidence: [Double], begins: [Double], answers: Double, margin: Double, words: Words?
  ) {
    self.passage = passage
    self.start = start
    self.evidence = evidence
    self.begins = begins
    self.answers = answers
    self.margin = margin
    self.words = words
  }
}
