import Foundation

/// What is seen of the ranked sentences, for deciding whether they answer. Kept with the answer, so that a decision can be
/// understood afterwards.
package struct Signals: Sendable, Equatable {
  /// The score of the best sentence, and how far it stands out from the mean of the first.
  package var best = 0.0
  package var gap = 0.0
  /// How near the nearest sentence by itself is to the question.
  package var plain = 0.0
  /// How much likelier the judge finds it that a passage answers than that it does not, as a logarithm; nil where none was asked.
  package var answers: Double?
  /// Whether meaning was compared.
  package var hasMeaning = false

  package init() {}

  package init(_ ranked: [KeySentences.Ranked], hasMeaning: Bool) {
    let first = ranked.prefix(Self.compared).map(\.score)
    best = first.first ?? 0
    gap = first.isEmpty ? 0 : best - first.reduce(0, +) / Double(first.count)
    plain = ranked.map(\.features.plain).max() ?? 0
    self.hasMeaning = hasMeaning
  }

  private static let compared = 8

  package var named: [String: Double] {
    ["best": best, "gap": gap, "plain": plain, "answers": answers].compactMapValues(\.self)
  }
}

/// How probable it is that the documents hold an answer: one logistic curve over few signals, and where its limits lie.
package enum Confidence {
  package struct Curve: Sendable, Equatable {
    package var bias, best, gap, plain: Double
    package var answers = 0.0
    /// Below this there is no answer: all that was found is far from what was asked, or the judge finds none in it.
    package var near: Double
    /// From this on the best sentences are taken for an answer; below it they may be one.
    package var sure: Double
  }

  /// Below this, before any judge, what was found is so far that none is asked (Benchmarks/answers.md).
  package static let far = 0.02

  // Fitted over several sources, each time judged on the one that was left out: Benchmarks/answers.md. Only the judge tells near misses, so
  // only with it are they among what a curve was fitted on; what the ranking says beside it gained nothing anywhere.
  // Where its limit for `near` lies was chosen on two authors that it had not learned from.
  package static let withJudge = Curve(bias: 0.64, best: 0, gap: 0, plain: 0, answers: 0.6, near: 0.38, sure: 0.76)
  package static let withVectors = Curve(bias: -8.78, best: 0.83, gap: 0.27, plain: 7.16, near: 0.35, sure: 0.98)
  package static let wordsOnly = Curve(bias: -8.11, best: 1.46, gap: 0.09, plain: 0, near: 0.35, sure: 0.99)

  package static func curve(for signals: Signals) -> Curve {
    !signals.hasMeaning ? wordsOnly : signals.answers == nil ? withVectors : withJudge
  }

  package static func of(_ signals: Signals) -> Double {
    let curve = curve(for: signals)
    let value =
      curve.bias + curve.best * signals.best + curve.gap * signals.gap + curve.plain * signals.plain
      + curve.answers * (signals.answers ?? 0)
    return 1 / (1 + exp(-value))
  }
}
