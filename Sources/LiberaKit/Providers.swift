import Assistant
public import Core

/// One who could answer, in the order they are asked.
public struct ProviderState: Sendable, Codable, Equatable, Identifiable {
  public var provider: ProviderKind
  /// The pack it would answer with.
  public var pack: String?
  public var isAvailable: Bool
  public var reason: String
  /// What would make it available.
  public var remedy: String?
  /// The person has chosen this one.
  public var isChosen: Bool
  /// It would answer a question now.
  public var answers: Bool
  public var id: ProviderKind { provider }

  init(_ event: ListProviders.Event) {
    (provider, pack, isAvailable) = (event.provider, event.pack, event.available)
    (reason, remedy, isChosen, answers) = (event.reason, event.remedy, event.pinned, event.answers)
  }
}

extension Libera {
  /// Who can answer now, and why the others cannot.
  /// - Parameter mode: nil: as set.
  public func providers(_ mode: Mode? = nil) async throws -> [ProviderState] {
    try await all(ListProviders.self, ListProviders.Input(mode: mode)).map(ProviderState.init)
  }
}
