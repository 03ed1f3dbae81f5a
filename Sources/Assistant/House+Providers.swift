package import Core
import Foundation
import Models
import Resources
import Workers

/// Who can answer now. Computed from the platform, the packs, the device and the allowance at the moment it is asked.
extension House {
  /// The chat pack the person has set for a mode, where one is set for it alone.
  func packSet(for mode: Mode?) -> String? {
    let settings = settings
    return (mode ?? settings.mode) == .deep ? settings.deepPack : nil
  }

  /// The chat pack an answer would be written with: asked for, set, or the best of those installed (`PackChoice`).
  func chatPack(asked: String?, preference: PackPreference) throws -> PackStatus {
    if let id = asked ?? settings.pack {
      let status = try packs.status(of: id)
      guard status.installed != nil else { throw PackError.notInstalled(id) }
      return status
    }
    let chat = try packs.list().filter { $0.pack.kind == .chat && $0.installed != nil }
    guard let chosen = PackChoice.best(of: chat, preference) else { throw AssistantError.noChatPack }
    return chosen
  }

  func candidates(_ asked: String?, _ limits: Limits) async -> Candidates {
    let pack = Result { try chatPack(asked: asked, preference: limits.preference.value) }
    var candidates = Candidates(pack: nil, platform: system(limits), local: await local(pack, limits), system: platform)
    if case .success(let status) = pack { candidates.pack = status }
    return candidates
  }

  private func system(_ limits: Limits) -> Availability {
    guard let platform else {
      var none = Availability(
        .platform, available: false, reason: "this program has been given no language model of the system",
        remedy: "Install a pack: it does the same work.")
      none.isAbsent = true
      return none
    }
    if let absence = platform.absence {
      return Availability(.platform, available: false, reason: absence.reason, remedy: absence.remedy)
    }
    guard limits.heavyInference.value else { return .resting(.platform, limits) }
    return Availability(.platform, available: true, reason: "\(Author.platformName) is ready")
  }

  private func local(_ pack: Result<PackStatus, any Error>, _ limits: Limits) async -> Availability {
    func no(_ reason: String, _ remedy: String?, isPassing: Bool = true) -> Availability {
      var state = Availability(.local, available: false, reason: reason, remedy: remedy)
      state.isPassing = isPassing
      return state
    }
    do {
      if try await allowance.left(settings.tier) == 0 {
        let spent = AssistantError.allowanceSpent
        return no(spent.message, spent.remedy, isPassing: false)
      }
      let status = try pack.get()
      let isLoaded = await governor.isLoaded(status.pack.id)
      if !limits.heavyInference.value { return .resting(.local, limits) }
      if !isLoaded, !limits.loads.value {
        return no(
          "\(status.pack.name) is not loaded and may not be now: \(limits.loads.reason)",
          "Close other programs, or wait a little.")
      }
      if !isLoaded, !status.fit.fits {
        return no("\(status.pack.name) \(status.fit.reason)", "Close other programs, or choose a smaller pack.")
      }
      let state = isLoaded ? "is loaded" : "is ready"
      return Availability(.local, available: true, reason: "\(status.pack.name) \(state): \(status.fit.reason)")
    } catch {
      let remote = RemoteError(error)
      return no(remote.message, remote.remedy, isPassing: false)
    }
  }
}

extension Availability {
  /// The device bears no model for the moment.
  fileprivate static func resting(_ provider: ProviderKind, _ limits: Limits) -> Availability {
    var state = Availability(
      provider, available: false, reason: "no model may run now: \(limits.heavyInference.reason)",
      remedy: "Wait until the device has recovered.")
    state.isPassing = true
    return state
  }
}

extension House {
  func failing(_ id: String, _ error: any Error) async -> String? {
    switch error {
    case ResourcesError.loadRefused(_, let reason): return "the pack could not be loaded: \(reason)"
    case WorkerError.died, WorkerError.stopped, WorkerError.unresponsive, WorkerError.overdue:
      let why = await governor.departure(of: id)?.reason ?? RemoteError(error).message
      await errors.note(error, in: "inference")
      await models.unload(id)
      return "the pack left memory: \(why)"
    case let failure as PlatformFailure:
      if failure != .declined { await errors.note(error, in: "inference") }
      return failure.message
    default: return nil
    }
  }

  /// A run of a local pack that gave an answer.
  func counted() async {
    do { try await allowance.count(run: UUID().uuidString, tier: settings.tier) } catch {
      await errors.note(error, in: "allowance")
    }
  }

  /// Somebody would have had an answer from a pack if any preview run were left.
  func tellIfGated() async throws {
    if try await allowance.left(settings.tier) == 0 { try await allowance.gated() }
  }
}

/// Which of the installed chat packs answers where nobody has named one.
enum PackChoice {
  /// The preferred one of those that fit; where none does the smallest, so that its reason can be told.
  static func best(of packs: [PackStatus], _ preference: PackPreference) -> PackStatus? {
    let bySize = packs.sorted { $0.pack.parameters < $1.pack.parameters }
    let fitting = bySize.filter(\.fit.fits)
    return (preference == .fastest ? fitting.first : fitting.last) ?? bySize.first
  }
}

/// Who can answer now, and why not the others; one event per provider, in their order.
package enum ListProviders: Operation {
  package struct Input: Codable, Sendable {
    /// nil: the one that is set.
    package var mode: Mode?
    package init(mode: Mode? = nil) { self.mode = mode }
  }

  package struct Event: Codable, Sendable {
    package var provider: ProviderKind
    /// The pack it would answer with.
    package var pack: String?
    package var available: Bool
    package var reason: String
    package var remedy: String?
    /// The person has chosen this one.
    package var pinned: Bool
    /// It would answer a question now.
    package var answers: Bool
  }

  package static let name = "providers"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let settings = house.settings
    let mode = input.mode ?? settings.mode
    let limits = await house.governor.limits(mode)
    let candidates = await house.candidates(house.packSet(for: mode), limits)
    let chain = candidates.chain(quoting: .extractive(passages: nil))
    let chosen = ProviderChoice.choose(chain, pinned: settings.provider).provider
    for state in chain {
      emit(
        Event(
          provider: state.provider, pack: state.provider == .local ? candidates.pack?.pack.id : nil,
          available: state.available, reason: state.reason, remedy: state.remedy,
          pinned: state.provider == settings.provider, answers: state.provider == chosen))
    }
  }
}
