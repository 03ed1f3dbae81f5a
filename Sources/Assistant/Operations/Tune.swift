import Core
package import Inference
import Models
import Resources

/// Measures how a chat pack computes fastest on this device, and keeps the answer for every later load.
package enum Tune: Operation {
  package struct Input: Codable, Sendable {
    package var pack: String?
    package init(pack: String? = nil) { self.pack = pack }
  }

  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    package var pack: String?
    package var row: TuneRow?
    package var chosen: TuneRow?
    /// Why what was measured is doubtful.
    package var doubt: String?
  }

  package static let name = "tune"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let limits = await house.governor.limits(.fast)
    guard limits.heavyInference.value else {
      throw AssistantError.heavyInferenceRefused(limits.heavyInference.reason)
    }
    let status = try house.chatPack(asked: input.pack, preference: limits.preference.value)
    guard status.pack.kind == .chat else { throw AssistantError.smokeNeedsChat(status.pack.id) }
    emit(Event(pack: status.pack.id))
    let found = try await house.models.retune(status, limits: limits) { emit(Event(row: $0)) }
    emit(Event(chosen: found.best))
    if let doubt = found.doubt { emit(Event(doubt: doubt)) }
  }
}
