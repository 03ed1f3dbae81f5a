import Foundation

/// What the two say of an utterance, each for itself and taken together: the prior goes by its n-grams, the encoder by its
/// meaning. Without an embedding pack the prior stands alone.
struct Opinions: Sendable {
  var prior: [Intent: Double]
  var encoder: [Intent: Double]?
  var fused: [Intent: Double]

  /// Their logarithms are added with these shares; chosen on sources that neither was trained on.
  static let priorShare = 0.3
  static let encoderShare = 1.0

  init(prior: [Intent: Double], encoder: [Intent: Double]?) {
    self.prior = prior
    self.encoder = encoder
    guard let encoder else {
      fused = prior
      return
    }
    var sum = 0.0
    var powers: [Intent: Double] = [:]
    for intent in Intent.allCases {
      let power =
        pow(max(1e-6, prior[intent] ?? 0), Self.priorShare) * pow(max(1e-6, encoder[intent] ?? 0), Self.encoderShare)
      powers[intent] = power
      sum += power
    }
    fused = powers.mapValues { $0 / sum }
  }

  /// The encoder, where it was heard, thinks this likeliest of all.
  func encoderAgrees(with intent: Intent) -> Bool {
    guard let encoder else { return true }
    let best = Intent.allCases.max { (encoder[$0] ?? 0) < (encoder[$1] ?? 0) }
    return best == intent
  }
}
