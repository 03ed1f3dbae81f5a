import Assistant
import Commands
import Core

enum DoCommand: Command {
  static let name = "do"
  static let summary = "carry out a command in plain words: events, reminders, notes, mail drafts"
  static let usage = "\"WORDS\""
  static let options: [Arguments.Option] = [.flag("--yes", "do it without asking")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    guard !arguments.words.isEmpty else { throw UsageError.missing("What to do") }
    let (terminal, door) = (context.terminal, try await context.door())
    var input = Perform.Input(text: arguments.words.joined(separator: " "), confirmed: arguments.has("--yes"))
    for try await event in door.call(Perform.self, input) {
      if event.action == nil, event.decision == .confirm || event.decision == .ask, terminal.readsFromPerson,
        !context.json
      {
        terminal.line(event.frame)
        terminal.note("Do this? [y/N]")
        if readLine()?.lowercased().hasPrefix("y") == true {
          input.confirmed = true
          for try await done in door.call(Perform.self, input) { try show(done, context) }
          continue
        }
      }
      try show(event, context)
    }
    await door.close()
  }

  private static func show(_ event: Perform.Event, _ context: Context) throws {
    let terminal = context.terminal
    if context.json { return terminal.line(try JSON.line(event)) }
    if let action = event.action {
      terminal.line(action.summary)
      for message in action.messages ?? [] { terminal.line("  \(message.from): \(message.subject)") }
      terminal.note("  libera actions undo \(action.id)")
    } else if event.decision == .none {
      terminal.line("That is no command. Nothing was done.")
    } else {
      terminal.line("Not sure enough to do it. Understood: \(event.frame)")
      for alternative in event.alternatives { terminal.line("  or: \(alternative)") }
      terminal.note("  --yes does it as understood")
    }
  }
}

enum ActionsCommand: Command {
  static let name = "actions"
  static let summary = "what was done, and taking it back: list, undo"
  static let usage = "list | undo ID"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (terminal, door) = (context.terminal, try await context.door())
    func show(_ action: ActionRecord) throws {
      terminal.line(
        context.json
          ? try JSON.line(action)
          : "\(action.id)  \(action.state.rawValue.padded(to: 7))  \(action.summary)")
    }
    switch (arguments.words.first ?? "list", arguments.words.count) {
    case ("list", 0...1):
      for try await action in door.call(ListActions.self, Nothing()) { try show(action) }
    case ("undo", 2):
      for try await action in door.call(UndoAction.self, .init(id: arguments.words[1])) { try show(action) }
    case ("undo", _): throw UsageError.missing("The action's id")
    default: throw UsageError.unknownCommand("actions \(arguments.words.joined(separator: " "))")
    }
    await door.close()
  }
}
