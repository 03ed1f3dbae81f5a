package import Foundation

/// Requantises a pack's weights to the layout that computes fastest here. The engine lives above this room, so the upper
/// floor supplies it (through the chat worker's "quantize").
package protocol Deriving: Sendable {
  /// Name and version of the engine, and the processor's features: derived weights made by or for others are made again.
  var engine: String { get }
  var processor: String { get }
  func derive(
    _ source: URL, to target: URL, layout: String, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Derivation
}

package struct Derivation: Sendable, Equatable {
  /// Below this a layout is not used by itself: speed is no reason to answer otherwise than the published weights do.
  package static let leastAgreement = 0.97

  /// Share of next tokens on which published and derived weights agree; nil where it was not measured.
  package var agreement: Double?
  package init(agreement: Double? = nil) { self.agreement = agreement }
}
