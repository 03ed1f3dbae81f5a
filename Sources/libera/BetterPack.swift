import Assistant
import Core

/// Says after a turn that a better pack would fit: one line, once per data folder, from the catalogue alone.
struct BetterPack {
  let door: Door
  let terminal: Terminal
  private var isLookedFor = false

  init(_ door: Door, _ terminal: Terminal) { (self.door, self.terminal) = (door, terminal) }

  mutating func show() async throws {
    guard !isLookedFor else { return }
    isLookedFor = true
    for try await found in door.call(ProposePack.self, .init()) {
      terminal.note(terminal.styledNote(Self.words(found), .accent))
      try await door.finish(ProposePack.self, .init(seen: true))
    }
  }

  static func words(_ proposal: Proposal) -> String {
    let size = { (count: Int64) in
      count >= 1_000_000_000
        ? say("\(Words.decimal(Double(count / 100_000_000) / 10)) B") : say("\(count / 1_000_000) M")
    }
    let gain = proposal.insteadOfParameters.map {
      say("\(size(proposal.parameters)) parameters instead of \(size($0))")
    }
    return [
      say("\(proposal.name) would fit here: \(gain ?? say("\(size(proposal.parameters)) parameters"))"),
      say("about \(Int(proposal.tokensPerSecond)) tokens/s"),
      say("\(Words.bytes(proposal.bytes)), \(Words.timeLeft(seconds: Double(proposal.bytes) / 1e7)) at 10 MB/s"),
      "libera packs pull \(proposal.id)",
    ].joined(separator: " · ")
  }
}
