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
  package var agreement: Double?
  package init(agreement: Double? = nil) { self.agreement = agreement }
}
