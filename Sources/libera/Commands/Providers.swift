import Assistant
import Core

enum ProvidersCommand: Command {
  static let name = "providers"
  static let summary = "who can answer now, why not the others, and what would change that"
  static let examples = ["libera providers"]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let terminal = context.terminal
    let door = try await context.door()
    for try await one in door.call(ListProviders.self, .init()) {
      try context.show(one) {
        let mark = one.answers ? say("answers") : one.available ? say("can") : say("cannot")
        let name = one.provider.rawValue + (one.pinned ? " (\(say("chosen")))" : "")
        terminal.line("\(mark.padded(to: max(8, say("answers").count + 1)))\(name.padded(to: 20))\(told(one.reason))")
        if let remedy = one.remedy { terminal.line(terminal.styled("        → \(told(remedy))", .quiet)) }
      }
    }
  }
}
