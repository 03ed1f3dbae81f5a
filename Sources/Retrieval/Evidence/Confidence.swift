import Foundation

/// What is seen of the ranked sentences, for deciding whether they answer. Kept with the answer, so that a decision can be
/// understood afterwards.
package struct Signals: Sendable, Equatable {
  /// The score of the best sentence, and how far it stands out from the mean of the first.
  package var best = 0.0
  package var gap = 0.0
  /// How near the nearest sentence by itself is to the question.
  package var plain = 0.0
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
    ["best": best, "gap": gap, "plain": plain]
  }
}

/// How probable it is that the documents hold an answer, before any model is asked: one logistic curve over few signals.
package enum Confidence {
  /// Below this all that was found is far from what was asked.
  package static let near = 0.35

  package struct Weights: Sendable, Equatable {
    package var bias, best, gap, plain: Double
  }

  /// From this on the best sentences are taken for an answer; below it they may be one.
  package static let sure = 0.9

  // Fitted over several sources, each time judged on the one that was left out: Benchmarks/answers.md.
  package static let withVectors = Weights(bias: -8.78, best: 0.83, gap: 0.27, plain: 7.16)
  package static let wordsOnly = Weights(bias: -8.11, best: 1.46, gap: 0.09, plain: 0)

  package static func weights(for signals: Signals) -> Weights {
    signals.hasMeaning ? withVectors : wordsOnly
  }

  package static func of(_ signals: Signals, _ weights: Weights? = nil) -> Double {
    let weights = weights ?? Self.weights(for: signals)
    let value =
      weights.bias + weights.best * signals.best + weights.gap * signals.gap + weights.plain * signals.plain
    return 1 / (1 + exp(-value))
  }
}
