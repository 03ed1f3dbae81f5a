package import Core
import Foundation
import Models
import Resources
import Workers

/// Who can answer now. Computed from the platform, the packs, the device and the allowance at the moment it is asked.
extension House {
  func chatPackNow(_ asked: String?, _ limits: Limits) -> Result<PackStatus, any Error> {
    Result { try chatPack(asked: asked, preference: limits.preference.value) }
  }

  /// The chain, best first. `passages`: how many can be quoted; nil where no question has been asked yet.
  func chain(_ pack: Result<PackStatus, any Error>, _ limits: Limits, passages: Int?) async -> [Availability] {
    [platform, await local(pack, limits), extractive(passages), .templates]
  }

  private nonisolated var platform: Availability {
    #if canImport(FoundationModels)
      let reason = "the platform's model is not linked into this build"
    #else
      let reason = "this system has no language model of its own"
    #endif
    return Availability(.platform, available: false, reason: reason, remedy: "Install a pack: it does the same work.")
  }

  private func local(_ pack: Result<PackStatus, any Error>, _ limits: Limits) async -> Availability {
    func no(_ reason: String, _ remedy: String?) -> Availability {
      Availability(.local, available: false, reason: reason, remedy: remedy)
    }
    do {
      if try await allowance.left(settings.tier) == 0 {
        let spent = AssistantError.allowanceSpent
        return no(spent.message, spent.remedy)
      }
      let status = try pack.get()
      let isLoaded = await governor.isLoaded(status.pack.id)
      if !limits.heavyInference.value {
        return no("no model may run now: \(limits.heavyInference.reason)", "Wait until the device has recovered.")
      }
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
      return no(remote.message, remote.remedy)
    }
  }

  private nonisolated func extractive(_ passages: Int?) -> Availability {
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

extension House {
  /// Why a pack could not answer, where another provider can take its place; nil where the person has to hear the error.
  func failing(_ id: String, _ error: any Error) async -> String? {
    switch error {
    case ResourcesError.loadRefused(_, let reason): return "the pack could not be loaded: \(reason)"
    case WorkerError.died, WorkerError.stopped:
      let why = await governor.departure(of: id)?.reason ?? RemoteError(error).message
      await note(error, in: "inference")
      await unload(id)
      return "the pack left memory: \(why)"
    default: return nil
    }
  }

  /// A run of a local pack that gave an answer.
  func counted() async {
    do { try await allowance.count(run: UUID().uuidString, tier: settings.tier) } catch {
      await note(error, in: "allowance")
    }
  }

  /// Somebody would have had an answer from a pack if any preview run were left.
  func tellIfGated() async throws {
    if try await allowance.left(settings.tier) == 0 { try await allowance.gated() }
  }
}

extension Availability {
  static let templates = Availability(.templates, available: true, reason: "it says what can be done instead")
}

/// Who can answer now, and why not the others; one event per provider, in their order.
package enum ListProviders: Operation {
  package struct Event: Codable, Sendable {
    package var provider: ProviderKind
    package var available: Bool
    package var reason: String
    package var remedy: String?
    /// The person has chosen this one.
    package var pinned: Bool
    /// It would answer a question now.
    package var answers: Bool
  }

  package static let name = "providers"
  package static func run(_ input: Nothing, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
      let settings = await house.settings
      let limits = await house.governor.limits(settings.mode)
      let chain = await house.chain(house.chatPackNow(nil, limits), limits, passages: nil)
      let chosen = ProviderChoice.choose(chain, pinned: settings.provider).provider
      for state in chain {
        emit(
          Event(
            provider: state.provider, available: state.available, reason: state.reason, remedy: state.remedy,
            pinned: state.provider == settings.provider, answers: state.provider == chosen))
      }
    }
  }
}
