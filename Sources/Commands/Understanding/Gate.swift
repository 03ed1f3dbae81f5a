/// What is to be done with what was understood.
public enum Decision: String, Sendable, Codable {
  /// Sure enough to be done at once.
  case act
  /// One tap confirms it.
  case confirm
  /// Not sure: what was understood is shown, with alternatives.
  case ask
  /// No command.
  case none
}

/// The rule by which confidence becomes a decision. Pure, so that a table can test it.
package struct Gate: Sendable, Equatable {
  package var actFrom = 0.91
  package var confirmFrom = 0.81
  /// Below this the recogniser may have heard other words: always asked.
  package var heardFrom = 0.5
  /// The share of understanding in the whole; the rest is recognition.
  package var understandingShare = 0.6

  package init() {}

  /// Typed text has understanding alone.
  package func confidence(understanding: Double, recognition: Double?) -> Double {
    guard let recognition else { return understanding }
    return understandingShare * understanding + (1 - understandingShare) * recognition
  }

  package func decide(_ frame: Frame, recognition: Double?) -> Decision {
    guard frame.intent != .none else { return .none }
    if let recognition, recognition < heardFrom { return .ask }
    let confidence = frame.policy.confidence
    if confidence >= actFrom, !frame.policy.needsConfirmation { return .act }
    return confidence >= confirmFrom ? .confirm : .ask
  }
}
