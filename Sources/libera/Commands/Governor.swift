import Assistant
import Core
import Foundation
import Resources

enum GovernorCommand: Command {
  static let name = "governor"
  static let summary = "what the device can bear: watch it live, or simulate a script of readings"
  static let examples = ["libera governor watch", "libera governor simulate readings.jsonl"]
  static let usage = "watch | simulate FILE"
  static let options: [Arguments.Option] = [.value("--mode", "fast|deep", "the mode whose limits are shown")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let mode = try arguments.choice("--mode", of: Mode.self)
    switch (arguments.words.first, arguments.words.count) {
    case ("watch", 1): try await watch(mode, context)
    case ("simulate", 2): try await simulate(arguments.words[1], mode, context)
    case ("simulate", 1): throw UsageError.missing("The script's file")
    case (nil, _): throw UsageError.missing("watch or simulate")
    default: throw UsageError.unknownCommand("governor \(arguments.words.joined(separator: " "))")
    }
  }

  private static func watch(_ mode: Mode?, _ context: Context) async throws {
    let (terminal, door) = (context.terminal, try await context.door())
    do {
      try await Interrupt.cancelling {
        for try await event in door.call(WatchGovernor.self, .init(mode: mode)) {
          try context.show(event) {
            if let change = event.change { terminal.line(terminal.styled(told(change), .accent)) }
            terminal.line(words(of: event.state.tiers) + "  " + words(of: event.limits))
            for one in event.state.residents { terminal.line("  \(words(of: one))") }
            if event.state.breakSuggested {
              terminal.line("  " + say("a break would let the device cool"))
            }
          }
        }
      }
    } catch is CancellationError {}  // Ctrl-C is how one stops watching
  }

  private static func simulate(_ path: String, _ mode: Mode?, _ context: Context) async throws {
    let (terminal, door) = (context.terminal, try await context.door())
    let script = try Script(
      String(decoding: RegularFile.whole(path, limit: 16 << 20), as: UTF8.self), total: Device.current.totalMemory)
    let settings = try await door.all(ShowSettings.self, Nothing()).last ?? Settings()
    for step in Simulation.play(script, mode: mode ?? settings.mode, settings: settings, device: .current) {
      try context.show(step) {
        let seconds = String(format: "%7.1f s", Double(step.milliseconds) / 1000).replacing(".", with: say("."))
        terminal.line("\(seconds)  \(words(of: step.tiers))")
        for change in step.changes { terminal.line("           \(told(change))") }
      }
    }
  }

  private static func words(of tiers: Tiers) -> String {
    func word<Scale>(_ name: String, _ tier: Tier<Scale>) -> String {
      "\(name) \(tier.known ? told(tier.level.rawValue) : say("unknown"))"
    }
    return [word(say("heat"), tiers.heat), word(say("memory"), tiers.memory), word(say("battery"), tiers.battery)]
      .joined(separator: " · ")
  }

  private static func words(of one: Resident) -> String {
    let state = one.loading ? say("loading") : one.users > 0 ? say("in use") : say("loaded")
    let measured = one.measuredBytes.map { say("holds \(Words.bytes($0))") } ?? say("not measured")
    return say("\(one.id) \(state), \(measured), \(Words.bytes(one.declaredBytes)) declared")
  }

  private static func words(of limits: [LimitEntry]) -> String {
    let inForce = limits.filter(\.inForce)
    return inForce.isEmpty
      ? say("no limit in force")
      : inForce.map { say("\(told($0.what)) \($0.words), because \(told($0.reason))") }.joined(separator: "; ")
  }
}
