import Foundation

/// What speaks for a frame being right as a whole, as numbers for the calibration.
package struct Evidence: Sendable {
  package static let names = [
    "constant", "log odds", "margin", "opening agrees", "opening differs", "no opening", "unexplained time words",
    "title", "time",
    "clarity of time", "length",
  ]
  package var values: [Double]

  init(
    _ candidate: Understander.Candidate, _ probabilities: [Intent: Double], _ utterance: Utterance,
    _ found: Extraction.Found
  ) {
    func logit(_ value: Double) -> Double {
      let bounded = min(0.9999, max(0.0001, value))
      return log(bounded / (1 - bounded))
    }
    let rival = probabilities.filter { $0.key != candidate.intent }.values.max() ?? 0
    let slots = found.slots
    let hasText = slots.title != nil || !slots.emailTo.isEmpty || candidate.intent == .readEmail
    let words = Double(utterance.phrasing.body.count)
    values = [
      1, logit(candidate.probability), log((candidate.probability + 0.001) / (rival + 0.001)), candidate.byRule ? 1 : 0,
      utterance.asked != nil && !candidate.byRule ? 1 : 0, utterance.asked == nil ? 1 : 0,
      utterance.times.unexplained.isEmpty ? 0 : 1, hasText ? 1 : 0,
      found.timing.isEmpty ? 0 : 1, found.timing.isEmpty ? 0 : found.timing.clarity, min(3, words / 10),
    ]
  }

  package func probability(_ coefficients: [Double]) -> Double {
    guard coefficients.count == values.count else { return 0 }
    let sum = zip(coefficients, values).reduce(0) { $0 + $1.0 * $1.1 }
    return 1 / (1 + exp(-sum))
  }
}

extension Understander {
  /// The evidence for the likeliest action, for training the calibration.
  package func evidence(_ text: String, with resolver: TimeResolver) -> (
    understanding: Understanding, evidence: Evidence, intent: Intent
  ) {
    let utterance = Utterance(text, resolver)
    let probabilities = model.probabilities(utterance.features)
    let chosen = rank(probabilities, utterance)[0]
    let found = utterance.extraction.slots(for: chosen.intent)
    return (understand(text, with: resolver), Evidence(chosen, probabilities, utterance, found), chosen.intent)
  }
}
