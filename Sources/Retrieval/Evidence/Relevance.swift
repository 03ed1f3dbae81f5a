import Foundation
package import Storage

/// How probable it is that a chunk bears on a question, for people and thresholds. Not what orders results.
package enum Relevance {
  /// A logistic curve over the cosine and the part of the question's words that occur.
  package static func of(cosine: Double?, coverage: Double) -> Double {
    let value = cosine.map { -4.0 + 7.0 * $0 + 3.0 * coverage } ?? -3.0 + 4.5 * coverage
    return 1 / (1 + exp(-value))
  }

  /// The part of the words that occur, or a word with the same beginning.
  package static func coverage(of words: [String], in chunk: ChunkText) -> Double {
    guard !words.isEmpty else { return 0 }
    let present = Set(Question.words(in: chunk.heading + " " + chunk.text).map(stem))
    return Double(words.count { present.contains(stem($0)) }) / Double(words.count)
  }

  /// A word without its usual endings: rough, and enough to see that two words are forms of one.
  package static func stem(_ word: String) -> String {
    guard word.count > 3, !word.contains(where: \.isNumber) else { return word }
    for ending in [
      "ations", "ation", "ungen", "ments", "ment", "ings", "ing", "ung", "ies", "ed", "es", "en", "er", "s", "e", "n",
      "y",
    ]
    where word.hasSuffix(ending) && word.count - ending.count >= (ending == "s" ? 3 : 4) {
      return String(word.dropLast(ending.count))
    }
    return word
  }
}

/// What a search saw, for deciding whether the documents hold an answer.
package struct Signals: Sendable, Equatable {
  /// The best cosine, nil when there are no vectors.
  package var cosine: Double?
  /// The best cosine less the mean of the first candidates: how much the best stands out.
  package var margin = 0.0
  /// The part of the question's words that the best chunk holds.
  package var coverage = 0.0
  /// The part of the words that occur anywhere among the first chunks.
  package var union = 0.0
  package var bestLexical = 0.0

  package init() {}

  init(_ question: Question, _ ranked: Ranking, lexical: Ranking, dense: Ranking, chunks: [Chunk]) {
    cosine = dense.entries.first?.score
    if let cosine {
      let others = dense.entries.dropFirst().prefix(20).map(\.score)
      margin = others.isEmpty ? 0 : cosine - others.reduce(0, +) / Double(others.count)
    }
    bestLexical = lexical.entries.first?.score ?? 0
    let words = question.words + question.phrases.flatMap { Question.words(in: $0) }
    coverage = chunks.prefix(5).map { Relevance.coverage(of: words, in: $0.content) }.max() ?? 0
    if let first = chunks.first, !words.isEmpty {
      var all = first.content
      all.text = chunks.prefix(5).map { $0.content.heading + " " + $0.content.text }.joined(separator: " ")
      union = Relevance.coverage(of: words, in: all)
    }
  }
}
