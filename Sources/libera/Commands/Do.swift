import Assistant
import Commands
import Core
import Foundation

enum DoCommand: Command {
  static let name = "do"
  static let summary = "carry out a command in plain words: events, reminders, alarms, timers, notes, mail"
  static let examples = [#"libera do "remind me to call Ann tomorrow at nine""#]
  static let usage = "\"WORDS\""
  static let options: [Arguments.Option] = [.flag("--yes", "do it without asking")]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    guard !arguments.words.isEmpty else { throw UsageError.missing("What to do") }
    let input = Perform.Input(text: arguments.words.joined(separator: " "), confirmed: arguments.has("--yes"))
    _ = try await carryOut(input, orAsk: false, try await context.door(), context)
  }

  /// Carries out a command and what was said after it; false where it is none, which `orAsk` leaves to be asked as a question.
  static func carryOut(
    _ input: Perform.Input, orAsk: Bool, _ door: Door, _ context: Context
  ) async throws -> Bool {
    let terminal = context.terminal
    var rest: String?
    for try await event in door.call(Perform.self, input) {
      if orAsk, !event.isCommand { return false }
      rest = event.rest
      let mayAsk =
        event.action == nil && event.alarms == nil && event.card.intent != .none && terminal.readsFromPerson
        && !context.json
      guard mayAsk else {
        try show(event, context)
        continue
      }
      guard let agreed = try await asked(event, input, door, terminal) else {
        terminal.line(say("Nothing was done."))
        continue
      }
      for try await done in door.call(Perform.self, agreed) { try show(done, context) }
    }
    if let rest {
      var next = Perform.Input(text: rest, confirmed: input.confirmed)
      next.conversation = input.conversation
      _ = try await carryOut(next, orAsk: orAsk, door, context)
    }
    return true
  }

  /// Shows the card until the answer is yes or no; nil for no. Another time changes it and asks again.
  private static func asked(
    _ event: Perform.Event, _ input: Perform.Input, _ door: Door, _ terminal: Terminal
  ) async throws -> Perform.Input? {
    var (event, input) = (event, input)
    while true {
      terminal.line(CardWords.words(event.card))
      for (number, card) in event.alternativeCards.enumerated() {
        terminal.note("  \(number + 1): \(CardWords.words(card))")
      }
      let isTimed = event.card.intent.form.isTimed
      let choices = [
        say("y, N"), isTimed ? say("another time") : nil, event.alternativeCards.isEmpty ? nil : say("a number"),
      ]
      terminal.note(say("Do this? [\(choices.compactMap(\.self).joined(separator: ", "))]"))
      let answer = try InputLine.next() ?? ""
      if let number = Int(answer), event.alternativeCards.indices.contains(number - 1) {
        input.edits = CardEdits()
        input.edits?.intent = event.alternativeCards[number - 1].intent
        input.confirmed = true
        return input
      }
      if Consent.isYes(answer) { input.confirmed = true }
      for try await said in door.call(AnswerCard.self, .init(text: answer, card: event.card)) {
        if said.reply == .yes { input.confirmed = true }
        guard said.reply == .change, let edits = said.edits else { continue }
        input.edits = input.edits?.merged(with: edits) ?? edits
        input.onlyShow = true
      }
      if input.confirmed { return input }
      guard input.onlyShow == true else { return nil }
      for try await changed in door.call(Perform.self, input) { event = changed }
      input.onlyShow = nil
    }
  }

  private static func show(_ event: Perform.Event, _ context: Context) throws {
    let terminal = context.terminal
    if context.json { return terminal.line(try JSON.line(event)) }
    if let alarms = event.alarms {
      if alarms.isEmpty {
        return terminal.line(
          event.card.alarm == .timer ? say("There is no such timer.") : say("There is no such alarm."))
      }
      if event.decision == .ask { terminal.line(say("Which of them?")) }
      for ring in alarms {
        terminal.line("  \(ring.left(at: Date()))")
        if event.decision == .ask { terminal.note("    libera reminders done \(ring.id)") }
      }
    } else if let action = event.action {
      terminal.line(action.stopped == nil ? CardWords.words(event.card) : CardWords.summary(action))
      for message in action.messages ?? [] {
        terminal.line("  \(Visible.line(message.from)): \(Visible.line(message.subject))")
      }
      if let file = action.file { terminal.note("  \(file)") }
      for notice in event.notices { terminal.note("  \(told(notice))") }
      if action.file != nil || action.stopped?.isEmpty == false { terminal.note("  libera actions undo \(action.id)") }
    } else if event.card.intent == .none {
      guard let items = event.agenda else { return terminal.line(say("That is no command. Nothing was done.")) }
      let when = event.span.map { " " + say("for \(CardWords.span($0))") } ?? ""
      terminal.line(items.isEmpty ? say("Nothing stands in your calendar\(when).") : say("In your calendar\(when):"))
      for item in items {
        terminal.line("  \(item.line)")
        guard event.topic == .change, item.kind != .note else { continue }
        terminal.note(
          "    "
            + (item.action.map { say("libera actions undo \($0)  takes it back") } ?? say("to change it: \(item.file)"))
        )
      }
      if event.topic == .change {
        terminal.note("  " + say("What stands there is not changed by words. Nothing was done."))
      }
    } else {
      terminal.line(say("Not sure enough to do it. Understood: \(CardWords.words(event.card))"))
      for card in event.alternativeCards { terminal.line("  " + say("or: \(CardWords.words(card))")) }
      terminal.note("  " + say("--yes does it as understood"))
    }
  }
}

enum ActionsCommand: Command {
  static let name = "actions"
  static let summary = "what was done, and taking it back: list, undo, history (what was heard and decided)"
  static let examples = ["libera actions list", "libera actions undo ID"]
  static let usage = "list | undo ID | history"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let terminal = context.terminal
    func show(_ action: ActionRecord) throws {
      try context.line(
        action, "\(action.id)  \(told(action.state.rawValue).padded(to: 7))  \(CardWords.summary(action))")
    }
    let door = try await context.door()
    switch (arguments.words.first ?? "list", arguments.words.count) {
    case ("list", 0...1):
      for try await action in door.call(ListActions.self, Nothing()) { try show(action) }
    case ("undo", 2):
      for try await action in door.call(UndoAction.self, .init(id: arguments.words[1])) { try show(action) }
    case ("undo", _): throw UsageError.missing("The action's id")
    case ("history", 1):
      for try await one in door.call(ListHistory.self, Nothing()) {
        try context.show(one) {
          terminal.line("\(one.at.ISO8601Format())  \(one.decision.rawValue.padded(to: 7))  \(one.text)")
          terminal.note("  \(one.frame)")
        }
      }
    default: throw UsageError.unknownCommand("actions \(arguments.words.joined(separator: " "))")
    }
  }
}
