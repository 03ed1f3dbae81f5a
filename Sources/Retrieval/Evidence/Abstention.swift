import Foundation

/// Decides whether the documents hold an answer, from what was seen of the evidence, before any model is asked.
package enum Abstention {
  package enum Decision: Sendable, Equatable {
    case answer(confidence: Double)
    /// Nothing relevant is there; the nearest passages may be shown.
    case abstain(confidence: Double)
  }

  /// How sure it must be that an answer is there. Below a half, because silence costs more than nearest passages.
  package static let leastConfidence = 0.42

  /// Below this an answer is not quoted where a model, having read the passages, wrote nothing that rests on them.
  package static let sureWithoutWords = 0.6

  /// From this on what is nearest is worth reading, though it may not be an answer.
  package static let worthReading = 0.2

  /// The weights of a logistic curve over the signals.
  package struct Weights: Sendable, Equatable {
    package var bias, cosine, margin, coverage, union, sentence, context, sentenceCosine, facts, shape: Double
  }

  // Fitted on the development halves of Benchmarks/answers: ./libera bench answers --fit. How much the best cosine stands out
  // says something in a large library and nothing in one of a few pages, so it is left out of the fit.
  package static let withVectors = Weights(
    bias: -4.59, cosine: 0, margin: 0, coverage: 1.56, union: 0.05, sentence: 0.30, context: 0.32, sentenceCosine: 1.36,
    facts: 1.31, shape: 1.39)
  package static let wordsOnly = Weights(
    bias: -4.35, cosine: 0, margin: 0, coverage: 1.68, union: 0.06, sentence: 0.60, context: 0.42, sentenceCosine: 0,
    facts: 1.31, shape: 1.59)

  package static func confidence(_ signals: Signals, _ weights: Weights? = nil) -> Double {
    let weights = weights ?? (signals.cosine == nil ? wordsOnly : withVectors)
    let value = weights.bias + zip(signals.values, weights.values).reduce(0) { $0 + $1.0 * $1.1 }
    return 1 / (1 + exp(-value))
  }

  package static func decide(_ signals: Signals, leastConfidence: Double = leastConfidence) -> Decision {
    // Nothing found at all is no matter of degree.
    guard signals.cosine != nil || signals.bestLexical > 0 else { return .abstain(confidence: 0) }
    let confidence = confidence(signals)
    return confidence >= leastConfidence ? .answer(confidence: confidence) : .abstain(confidence: confidence)
  }
}

extension Signals {
  /// In the order of the weights.
  package static let names = [
    "cosine", "margin", "coverage", "union", "sentence", "context", "sentence_cosine", "facts", "shape",
  ]
  package var values: [Double] {
    [cosine ?? 0, margin, coverage, union, sentence, context, sentenceCosine, facts, shape]
  }
}

extension Abstention.Weights {
  var values: [Double] { [cosine, margin, coverage, union, sentence, context, sentenceCosine, facts, shape] }
}
