import Foundation

/// Decides whether the documents hold an answer, from what the search saw, before any model is asked.
package enum Abstention {
  package enum Decision: Sendable, Equatable {
    case answer(confidence: Double)
    /// Nothing relevant is there; the nearest passages may be shown.
    case abstain(confidence: Double)
  }

  /// How sure it must be that an answer is there.
  package static let leastConfidence = 0.5

  /// The weights of a logistic curve over the signals.
  package struct Weights: Sendable, Equatable {
    package var bias: Double
    package var cosine: Double
    package var margin: Double
    package var coverage: Double
    package var union: Double

    package init(bias: Double, cosine: Double, margin: Double, coverage: Double, union: Double) {
      self.bias = bias
      self.cosine = cosine
      self.margin = margin
      self.coverage = coverage
      self.union = union
    }
  }

  package static let withVectors = Weights(bias: -6.0, cosine: 8.0, margin: 4.0, coverage: 2.5, union: 1.5)
  package static let wordsOnly = Weights(bias: -4.0, cosine: 0, margin: 0, coverage: 4.5, union: 2.0)

  package static func confidence(_ signals: Signals, _ weights: Weights? = nil) -> Double {
    let weights = weights ?? (signals.cosine == nil ? wordsOnly : withVectors)
    let value =
      weights.bias + weights.cosine * (signals.cosine ?? 0) + weights.margin * signals.margin
      + weights.coverage * signals.coverage + weights.union * signals.union
    return 1 / (1 + exp(-value))
  }

  package static func decide(_ signals: Signals, leastConfidence: Double = leastConfidence) -> Decision {
    // Nothing found at all is no matter of degree.
    guard signals.cosine != nil || signals.bestLexical > 0 else { return .abstain(confidence: 0) }
    let confidence = confidence(signals)
    return confidence >= leastConfidence ? .answer(confidence: confidence) : .abstain(confidence: confidence)
  }
}
