import Core
import Inference
import Models
import Safety
import Synchronization
import Workers

/// The graphics card of this device, as far as packs need to know: a sealed worker is asked once which it is, and one that has failed
/// is left alone until the program starts again.
final class GraphicsCards: Sendable {
  enum State: Sendable, Equatable {
    case used(GraphicsCardReport)
    /// Why none is.
    case absent(String)
    case failed(String)
  }

  private struct Known {
    var found: CardAnswer?
    var failure: String?
  }
  private let known = Mutex(Known())
  private let settings: CurrentSettings
  private let host: WorkerHost
  private let errors: ErrorLog
  /// A driver that has not answered by then counts as absent.
  private static let patience = Duration.seconds(20)
  /// No driver is asked where the system shows no card.
  private let isHere: Bool

  init(_ settings: CurrentSettings, on host: WorkerHost, _ errors: ErrorLog, isHere: Bool = GraphicsCard.isHere) {
    (self.settings, self.host, self.errors, self.isHere) = (settings, host, errors, isHere)
  }

  /// What a person is told when an answer goes on without it.
  static func words(left reason: String) -> String {
    "The graphics card failed, and the processor goes on; until the program starts again no card is used. \(reason)"
  }

  /// Whether a pack is to be loaded onto it, where there is one.
  var isWanted: Bool { settings.now.compute != .cpu && failure == nil }
  /// Nobody has measured whether a card within the processor is faster than the processor. On Apple's systems there are no others.
  var takesShared: Bool {
    #if os(Linux)
      settings.now.compute == .gpu
    #else
      true
    #endif
  }
  var failure: String? { known.withLock(\.failure) }

  /// The card that packs are judged by; nil until it was asked for.
  var used: GraphicsCardReport? {
    guard isWanted, case .found(let report)? = known.withLock(\.found) else { return nil }
    return report.sharesMemory && !takesShared ? nil : report
  }

  /// What it is, asked of its driver where nobody has yet.
  func look() async -> State {
    if let failure { return .failed(failure) }
    guard settings.now.compute != .cpu else { return .absent("the setting compute is cpu") }
    switch await ask() {
    case .found(let report): return used == nil ? .absent(report.notTaken) : .used(report)
    case .none(let reason): return .absent(reason)
    }
  }

  private func ask() async -> CardAnswer {
    if let found = known.withLock(\.found) { return found }
    var answer = CardAnswer.none("no graphics card is here")
    if isHere {
      do {
        let worker = try await host.start(.chat, seal: SealSpecification(.gpuEngine))
        do { answer = try await worker.ask("card", Nothing(), deadline: Self.patience, for: CardAnswer.self) } catch {
          answer = .none("its driver fails: \(RemoteError(error).message)")
        }
        await worker.stop()
      } catch { answer = .none(RemoteError(error).message) }
    }
    known.withLock { $0.found = answer }
    return answer
  }

  /// From a model that was on it.
  func fail(_ reason: String) async {
    known.withLock { $0.failure = $0.failure ?? reason }
    await errors.note(CardFailure(reason: reason), in: "graphics card")
  }
}

/// For the error log: what the person is told in the answer itself.
struct CardFailure: Explained {
  var reason: String
  var code: String { "card_failed" }
  var message: String { GraphicsCards.words(left: reason) }
  var remedy: String? { "libera settings set compute cpu leaves the card alone for good." }
}
