import Foundation

/// Ties a sentence of an answer to the passage it rests on.
package enum Support {
  package struct Candidate: Sendable {
    package var id: Int
    package var text: String
    /// One vector for each piece of the text (`KeySentences.pieces`), empty where it is not known.
    package var vectors: [[Float]]

    package init(id: Int, text: String, vectors: [[Float]] = []) {
      self.id = id
      self.text = text
      self.vectors = vectors
    }
  }

  package struct Verdict: Sendable, Equatable {
    package var candidate: Int
    /// UTF-8 bytes within the candidate's text: the sentence, or two, that say it.
    package var range: Range<Int>
    /// 0 to 1.
    package var score: Double

    package init(candidate: Int, range: Range<Int>, score: Double) {
      self.candidate = candidate
      self.range = range
      self.score = score
    }
  }

  package enum Reason: Sendable, Equatable, Codable {
    /// No passage says it.
    case nothingSimilar
    /// A passage is near, but these numbers, names or dates are not in it.
    case notInPassage([String])
    /// Passage and sentence contradict each other by a negation.
    case negated
  }

  package enum Result: Sendable, Equatable {
    case supported(Verdict)
    case unsupported(Reason, nearest: Verdict?)
    /// Says nothing that needs evidence ("Here is what I found:").
    case nothingToSupport
  }

  /// What a sentence and a passage must share. Chosen on constructed cases in the tests; measured with answers in Benchmarks.
  package struct Limits: Sendable {
    /// The part of the sentence's weight that its words in the passage must make up when no vectors help.
    package var coverage = 0.6
    /// With vectors less is enough: this much cosine, and at least some of the words.
    package var cosine: Float = 0.6
    package var coverageWithCosine = 0.35
    package init() {}
  }

  package static func check(
    _ sentence: String, vector: [Float]? = nil, against candidates: [Candidate], limits: Limits = Limits()
  ) -> Result {
    let words = Facts.telling(sentence)
    let facts = Facts(sentence)
    guard words.count > 1 || !facts.required.isEmpty else { return .nothingToSupport }
    var best: (verdict: Verdict, missing: [String], negated: Bool)?
    for candidate in candidates {
      guard let found = nearest(words, vector, candidate, limits) else { continue }
      let window = String(decoding: Array(candidate.text.utf8)[found.range], as: UTF8.self)
      // A fact may stand in the passage beside the sentence that says the rest.
      let missing = facts.missing(in: candidate.text)
      // Of two sentences the one that does not bear on this may say "not".
      let negated = Sentences.split(window).allSatisfy { Facts.isNegated($0) != Facts.isNegated(sentence) }
      let better =
        best.map {
          (missing.count, negated ? 1 : 0, -found.score) < ($0.missing.count, $0.negated ? 1 : 0, -$0.verdict.score)
        }
        ?? true
      if better { best = (found, missing, negated) }
    }
    guard let best else { return .unsupported(.nothingSimilar, nearest: nil) }
    if !best.missing.isEmpty { return .unsupported(.notInPassage(best.missing), nearest: best.verdict) }
    if best.negated { return .unsupported(.negated, nearest: best.verdict) }
    return .supported(best.verdict)
  }

  /// The sentence of the candidate, alone or with the next, that shares most; nil if that is too little.
  private static func nearest(
    _ words: [String], _ vector: [Float]?, _ candidate: Candidate, _ limits: Limits
  ) -> Verdict? {
    let bytes = Array(candidate.text.utf8)
    let ranges = KeySentences.pieces(of: candidate.text)
    let stems = ranges.map { Relevance.stems(in: String(decoding: bytes[$0], as: UTF8.self)) }
    var best: Verdict?
    for first in ranges.indices {
      for last in first...min(first + 1, ranges.count - 1) {
        let present = stems[first...last].reduce(into: Set()) { $0.formUnion($1) }
        let coverage = coverage(of: words, in: present)
        var score = coverage
        var enough = coverage >= limits.coverage
        if let vector, candidate.vectors.count == ranges.count {
          let cosine = candidate.vectors[first...last].map { KeySentences.dot($0, vector) }.max() ?? 0
          enough = enough || cosine >= limits.cosine && coverage >= limits.coverageWithCosine
          score = (coverage + Double(max(0, cosine))) / 2
        }
        // Two sentences must earn it: the shorter place is the better citation.
        if last > first { score -= 0.05 }
        if enough, score > best?.score ?? -1 {
          best = Verdict(
            candidate: candidate.id, range: ranges[first].lowerBound..<ranges[last].upperBound,
            score: min(1, max(0, score)))
        }
      }
    }
    return best
  }

  /// Longer words say more.
  private static func coverage(of words: [String], in present: Set<String>) -> Double {
    var (shared, all) = (0.0, 0.0)
    for word in words {
      let weight = min(3, 1 + Double(max(0, word.count - 3)) / 4)
      all += weight
      if present.contains(Relevance.stem(word)) { shared += weight }
    }
    return all > 0 ? shared / all : 0
  }
}
