public import Core
import Models

/// Whether a provider can answer now, and if not, why and what would change that.
public struct Availability: Sendable, Equatable {
  public var provider: ProviderKind
  public var available: Bool
  public var reason: String
  public var remedy: String?
  /// What stands in the way may soon be over.
  package var isPassing = false
  /// There is none of its kind here, which nobody needs to read about who has not asked for it.
  package var isAbsent = false

  public init(_ provider: ProviderKind, available: Bool, reason: String, remedy: String? = nil) {
    self.provider = provider
    self.available = available
    self.reason = reason
    self.remedy = remedy
  }
}

package enum ProviderChoice {
  /// The first available provider of the chain; of one that is pinned, it or the first behind it, so that nobody who asked for
  /// quotations gets a model's words. What was passed over is said, never silent.
  package static func choose(_ chain: [Availability], pinned: ProviderKind?) -> (
    provider: ProviderKind, notes: [LimitNote]
  ) {
    var notes: [LimitNote] = []
    for state in chain.drop(while: { $0.provider != pinned && pinned != nil }) {
      if state.available { return (state.provider, notes) }
      if !state.isAbsent || state.provider == pinned {
        notes.append(LimitNote(what: LimitNote.provider, value: "not \(state.provider.rawValue)", reason: state.reason))
      }
    }
    return (.templates, notes)
  }
}

/// Who could answer, before it is known what can be quoted.
struct Candidates: Sendable {
  /// The pack that would write; nil where there is none.
  var pack: PackStatus?
  var platform: Availability
  var local: Availability
  /// The system's model; nil where there is none.
  var system: (any PlatformModel)?

  /// Best first.
  func chain(quoting: Availability) -> [Availability] { [platform, local, quoting, .templates] }

  /// Who would write as this provider; nil where no model does.
  func author(_ provider: ProviderKind) -> Author? {
    switch provider {
    case .platform: system.map(Author.platform)
    case .local: pack.map(Author.pack)
    case .extractive, .templates: nil
    }
  }

  /// Who could not after all, and why.
  mutating func lose(_ lost: [Availability]) {
    platform = lost.last { $0.provider == .platform } ?? platform
    local = lost.last { $0.provider == .local } ?? local
  }
}

extension Availability {
  static let templates = Availability(.templates, available: true, reason: "it says what can be done instead")

  /// `passages`: how many can be quoted; nil where no question has been asked yet.
  static func extractive(passages: Int?) -> Availability {
    switch passages {
    case nil: Availability(.extractive, available: true, reason: "it quotes what a question finds in your documents")
    case 0?:
      Availability(
        .extractive, available: false, reason: "nothing was found in your documents to quote",
        remedy: "Import what should hold the answer.")
    case let count?: Availability(.extractive, available: true, reason: "\(count) passages can be quoted")
    }
  }
}
