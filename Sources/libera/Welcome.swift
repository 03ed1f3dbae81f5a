import Assistant
import Core
import Foundation
import Models

/// The first conversation on a terminal: where no pack is there to talk with, it is asked which one to get. Nothing is fetched
/// unless the person says so.
struct Welcome {
  let door: Door
  let context: Context
  private var terminal: Terminal { context.terminal }

  /// A way to get one, and its words.
  private enum Way {
    case pull([String])
    case bundle
  }

  /// Until there is one, or the person goes on without.
  func offer() async throws {
    while true {
      let packs = try await door.all(ListPacks.self, .init(language: Tongue.current.language))
      if packs.contains(where: { $0.pack.kind == .chat && $0.installed != nil }) { return }
      let ways = try await ways(packs)
      terminal.note(
        say(
          "LiberaGPT works on this device alone. It needs a model to talk with; nothing is fetched unless you say so.")
          + "\n")
      for (place, way) in ways.enumerated() { terminal.note("  \(place + 1)      \(way.words)") }
      terminal.note("  \(say("Enter  none now: your documents are quoted"))\n\n\(say("Which?"))")
      guard let line = try InputLine.next(), let number = Int(line.trimmingCharacters(in: .whitespaces)),
        ways.indices.contains(number - 1)
      else { return }
      // What fails is said, and another way can be taken.
      do { try await take(ways[number - 1].way) } catch { Libera.report(error, json: false) }
    }
  }

  private func ways(_ packs: [PackStatus]) async throws -> [(words: String, way: Way)] {
    let defaults = packs.filter { $0.pack.isDefault && $0.installed == nil }
    var ways: [(String, Way)] = []
    if let small = defaults.first(where: { $0.pack.kind == .chat }) {
      let all = Words.bytes(defaults.reduce(0) { $0 + $1.fetchBytes })
      ways.append(
        (
          say("fetch the small one, \(small.pack.name), and what finds passages by meaning: \(all)"),
          .pull(defaults.map(\.pack.id))
        ))
    }
    for try await larger in door.call(ProposePack.self, .init()) {
      let ids = [larger.id] + defaults.filter { $0.pack.kind != .chat }.map(\.pack.id)
      let speed = Int(larger.tokensPerSecond)
      ways.append(
        (
          say(
            "fetch a larger one that fits here, \(larger.name): \(Words.bytes(larger.bytes)), about \(speed) tokens/s"),
          .pull(ids)
        ))
    }
    return ways + [(say("install the file of models that you have (libera-models-….tar)"), .bundle)]
  }

  private func take(_ way: Way) async throws {
    let view = PackView(door: door, context: context)
    switch way {
    case .pull(let ids): try await view.pull(ids)
    case .bundle:
      terminal.note(say("Where is it?"))
      guard let path = try InputLine.next()?.trimmingCharacters(in: .whitespaces), !path.isEmpty else { return }
      try await view.install((path as NSString).expandingTildeInPath)
    }
  }
}
