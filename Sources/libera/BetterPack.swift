import Assistant
import Core
import Synchronization

/// Looks for a better pack while the person types, and says so between two turns: one line, once per data folder.
final class BetterPack: Sendable {
  private struct State {
    var found: Proposal?
    var search: Task<Void, Never>?
  }
  private let state = Mutex(State())
  private let door: Door
  private let terminal: Terminal

  init(_ door: Door, _ terminal: Terminal) { (self.door, self.terminal) = (door, terminal) }

  func seek() {
    let search = Task { [weak self, door] in
      do {
        for try await proposal in door.call(ProposePack.self, .init()) {
          self?.state.withLock { $0.found = proposal }
        }
      } catch {
        // Nothing to propose is no trouble for a conversation; the reason stands in the error log.
      }
    }
    state.withLock { $0.search = search }
  }

  func end() { state.withLock { $0.search?.cancel() } }

  func show() async throws {
    let found = state.withLock { state in
      defer { state.found = nil }
      return state.found
    }
    guard let found else { return }
    terminal.note(terminal.styledNote(Self.words(found), .accent))
    for try await _ in door.call(ProposePack.self, .init(seen: true)) {}
  }

  static func words(_ proposal: Proposal) -> String {
    let size = { (count: Int64) in
      count >= 1_000_000_000 ? "\(Double(count / 100_000_000) / 10) B" : "\(count / 1_000_000) M"
    }
    let gain = proposal.insteadOfParameters.map { "\(size(proposal.parameters)) parameters instead of \(size($0))" }
    return [
      "\(proposal.name) would fit here: \(gain ?? "\(size(proposal.parameters)) parameters")",
      "about \(Int(proposal.tokensPerSecond)) tokens/s",
      "\(Words.bytes(proposal.bytes)), \(Words.timeLeft(seconds: Double(proposal.bytes) / 1e7)) at 10 MB/s",
      "libera packs pull \(proposal.id)",
    ].joined(separator: " · ")
  }
}
