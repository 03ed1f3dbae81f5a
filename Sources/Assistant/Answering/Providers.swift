public import Core

/// Whether a provider can answer now, and if not, why and what would change that.
public struct Availability: Codable, Sendable, Equatable {
  public var provider: ProviderKind
  public var available: Bool
  public var reason: String
  public var remedy: String?

  public init(_ provider: ProviderKind, available: Bool, reason: String, remedy: String? = nil) {
    self.provider = provider
    self.available = available
    self.reason = reason
    self.remedy = remedy
  }
}

package enum ProviderChoice {
  /// The first available provider of the chain, or the pinned one if it can. What was passed over is said, never silent.
  package static func choose(_ chain: [Availability], pinned: ProviderKind?) -> (
    provider: ProviderKind, notes: [LimitNote]
  ) {
    var notes: [LimitNote] = []
    if let pinned {
      if let state = chain.first(where: { $0.provider == pinned }), state.available { return (pinned, []) }
      let reason = chain.first { $0.provider == pinned }?.reason ?? "it is not part of this build"
      notes.append(LimitNote(what: LimitNote.provider, value: "not \(pinned.rawValue)", reason: reason))
    }
    for state in chain {
      if state.available { return (state.provider, notes) }
      // The platform's model is absent on most systems; that alone is no limit anyone needs to read about.
      if state.provider != .platform, state.provider != pinned {
        notes.append(LimitNote(what: LimitNote.provider, value: "not \(state.provider.rawValue)", reason: state.reason))
      }
    }
    return (.templates, notes)
  }
}
