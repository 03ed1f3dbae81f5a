import Assistant
import Commands
import Core
import Foundation

enum RemindersCommand: Command {
  static let name = "reminders"
  static let summary = "reminders, alarms and timers: list (what asks for an answer), all, done ID, snooze ID MINUTES"
  static let examples = ["libera reminders list", "libera reminders snooze ID 15"]
  static let usage = "list | all | done ID | snooze ID MINUTES"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let terminal = context.terminal
    func show(_ ring: Ring) throws {
      if context.json { return terminal.line(try JSON.line(ring)) }
      let state = told(ring.missed == true ? "missed" : ring.state.rawValue)
      terminal.line("\(ring.id)  \(state.padded(to: 7))  \(ring.due.ISO8601Format())  \(ring.name)")
    }
    let words = arguments.words
    let door = try await context.door()
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1): for try await ring in door.call(ListReminders.self, Nothing()) { try show(ring) }
    case ("all", 1): for try await ring in door.call(ListStandingReminders.self, Nothing()) { try show(ring) }
    case ("done", 2): for try await ring in door.call(SettleReminder.self, .init(id: words[1])) { try show(ring) }
    case ("snooze", 3):
      guard let minutes = Double(words[2]), minutes > 0 else { throw UsageError.badValue("MINUTES", words[2]) }
      for try await ring in door.call(SettleReminder.self, .init(id: words[1], snoozeMinutes: minutes)) {
        try show(ring)
      }
    default: throw UsageError.unknownCommand("reminders \(words.joined(separator: " "))")
    }
  }
}

extension Ring {
  /// "Timer: pasta, 4 min 10 s left, on 27 Nov 2026 at 10:05"; seconds only within the last hour.
  func left(at now: Date) -> String {
    let moment = again ?? due
    let clock = CardWords.moment(moment)
    let seconds = Int(moment.timeIntervalSince(now).rounded())
    if missed == true { return say("\(name), missed: it was for \(clock), and Libera was not running then") }
    if seconds <= 0 { return say("\(name), rings now") }
    let span = Card.span(seconds < 3600 ? seconds : seconds - seconds % 60)
    return seconds < 86_400 ? say("\(name), \(span) left, on \(clock)") : "\(name), \(clock)"
  }
}

enum AgendaCommand: Command {
  static let name = "agenda"
  static let summary = "what stands in the calendar and the task list in the coming days, seven where no number is said"
  static let examples = ["libera agenda", "libera agenda 30"]
  static let usage = "[DAYS]"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let days = try arguments.words.first.map { word in
      guard let days = Double(word), days > 0 else { throw UsageError.badValue("DAYS", word) }
      return days
    }
    let terminal = context.terminal
    let door = try await context.door()
    var isEmpty = true
    for try await item in door.call(ShowAgenda.self, .init(days: days)) {
      isEmpty = false
      try context.line(item, item.line)
    }
    if isEmpty, !context.json { terminal.line(say("Nothing.")) }
  }
}

extension AgendaItem {
  var line: String {
    if kind == .note { return "!                 \(told(title))" }
    return "\((start ?? "").replacing("T", with: " ").prefix(16).description.padded(to: 16))  \(title)"
      + (location.map { "  (\($0))" } ?? "") + (kind == .task ? "  (\(say("task")))" : "")
  }
}

enum RulesCommand: Command {
  static let name = "rules"
  static let summary = "what your corrections taught, such as how long lunch takes: list, set WORD MINUTES, remove WORD"
  static let examples = ["libera rules list", "libera rules set lunch 45"]
  static let usage = "list | set WORD MINUTES | remove WORD"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let words = arguments.words
    func show(_ rule: Rules.Rule) throws {
      try context.line(rule, say("\(rule.word): \(rule.minutes) minutes"))
    }
    let door = try await context.door()
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1): for try await rule in door.call(ListRules.self, Nothing()) { try show(rule) }
    case ("set", 3):
      guard let minutes = Int(words[2]) else { throw UsageError.badValue("MINUTES", words[2]) }
      for try await rule in door.call(SetRule.self, .init(word: words[1], minutes: minutes)) { try show(rule) }
    case ("remove", 2):
      for try await rule in door.call(SetRule.self, .init(word: words[1], minutes: nil)) { try show(rule) }
    default: throw UsageError.unknownCommand("rules \(words.joined(separator: " "))")
    }
  }
}

enum ConnectorsCommand: Command {
  static let name = "connectors"
  static let summary = "where actions land, which are allowed, and what was found on this device"
  static let examples = ["libera connectors"]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let terminal = context.terminal
    let door = try await context.door()
    for try await place in door.call(ListConnectors.self, Nothing()) {
      try context.show(place) {
        terminal.line(
          "\(place.name.padded(to: 9)) \((place.allowed ? say("on") : say("off")).padded(to: 3))  \(place.folder)")
        for found in place.found {
          terminal.note("  " + say("found: \(found)") + "  (libera settings set \(place.setting) '\(found)')")
        }
        for line in place.unlisted { terminal.note("  " + say("could not be looked into: \(told(line))")) }
      }
    }
  }
}
