import Foundation

/// What speaks for a frame being right as a whole, as numbers for the calibration.
package struct IntentEvidence: Sendable {
  package static let names = [
    "constant", "prior", "encoder", "margin", "opening agrees", "opening differs", "encoder agrees",
    "unexplained time words", "text", "time", "clarity of time", "two times", "length", "event", "reminder", "note",
    "reading", "slots agree", "weakest word",
  ]
  package var values: [Double]
  /// The encoder was heard: which of the two calibrations applies.
  package var isSeconded: Bool

  init(
    _ candidate: Understander.Candidate, _ opinions: Opinions, _ utterance: ParsedUtterance, _ found: Extraction.Found
  ) {
    func logit(_ value: Double) -> Double {
      let bounded = min(0.999, max(0.001, value))
      return log(bounded / (1 - bounded))
    }
    let intent = candidate.intent
    let rival = opinions.fused.filter { $0.key != intent }.values.max() ?? 0
    let slots = found.slots
    let hasText = slots.title != nil || !slots.emailTo.isEmpty || intent == .readEmail
    let words = Double(utterance.phrasing.body.count)
    isSeconded = opinions.encoder != nil
    values = [
      1, logit(opinions.prior[intent] ?? 0), logit(opinions.encoder?[intent] ?? 0.5),
      log((candidate.probability + 0.001) / (rival + 0.001)), candidate.byRule ? 1 : 0,
      utterance.asked != nil && !candidate.byRule ? 1 : 0, opinions.encoderAgrees(with: intent) ? 1 : 0,
      utterance.times.unexplained.isEmpty ? 0 : 1, hasText ? 1 : 0, found.timing.isEmpty ? 0 : 1,
      found.timing.isEmpty ? 0 : found.timing.clarity, found.timing.hasRivals ? 1 : 0, min(3, words / 10),
      intent == .createEvent ? 1 : 0, intent == .addReminder ? 1 : 0, intent == .createNote ? 1 : 0,
      intent == .readEmail ? 1 : 0, found.agreement.map { max(-3, log(max(0.01, $0.mean))) } ?? 0,
      found.agreement.map { logit($0.weakest) / 3 } ?? 0,
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
  package func evidence(_ text: String, with resolver: TimeResolver, reading: EncoderReading? = nil) -> (
    understanding: Understanding, evidence: IntentEvidence, intent: Intent
  ) {
    let utterance = ParsedUtterance(text, resolver, reading: reading)
    let opinions = opinions(utterance)
    let chosen = rank(opinions.fused, utterance)[0]
    let found = utterance.extraction.slots(for: chosen.intent)
    return (
      understand(text, with: resolver, reading: reading), IntentEvidence(chosen, opinions, utterance, found),
      chosen.intent
    )
  }
}
