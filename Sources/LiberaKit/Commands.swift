import Assistant
import Commands
public import Foundation

/// What a command does.
public enum CommandKind: String, Sendable, Codable, CaseIterable {
  case createEvent = "create_event"
  case addReminder = "add_reminder"
  case createNote = "create_note"
  case readMail = "read_email"
  case sendMail = "send_email"
  /// An alarm or a timer: it is kept as a reminder that rings.
  case setAlarm = "set_alarm"
  case stopAlarm = "stop_alarm"
  case showAlarms = "show_alarms"
  case none
}

/// A command in plain language, as a card shows it.
public struct CommandCard: Sendable, Codable, Equatable {
  public var kind: CommandKind
  /// "Reminder: call John, Thu 11 June 07:00".
  public var words: String
  public var title: String?
  /// Local time as `2026-06-11T07:00:00`.
  public var start: String?
  public var end: String?
  public var minutes: Int?
  /// As iCalendar writes it: `FREQ=WEEKLY`.
  public var recurrence: String?
  public var recipients: [String]
  public var subject: String?
  public var body: String?

  init(_ card: Card) {
    kind = CommandKind(rawValue: card.intent.rawValue) ?? .none
    (words, title, start, end) = (card.words, card.title, card.start, card.end)
    (minutes, recurrence, recipients) = (card.durationMinutes, card.recurrence, card.to)
    (subject, body) = (card.subject, card.body)
  }
}

/// What a person wrote on a card; what is nil stays as it was understood.
public struct CommandEdits: Sendable, Codable, Equatable {
  /// One of the alternatives instead of what was understood first.
  public var kind: CommandKind?
  public var title: String?
  /// Local time as `2026-06-11T07:00:00`; an empty text takes the time away.
  public var start: String?
  public var end: String?
  public var minutes: Int?
  public var recipients: [String]?
  public var subject: String?
  public var body: String?

  public init() {}

  var edits: CardEdits {
    var edits = CardEdits()
    edits.intent = kind.flatMap { Intent(rawValue: $0.rawValue) }
    (edits.title, edits.start, edits.end) = (title, start, end)
    (edits.durationMinutes, edits.to, edits.subject, edits.body) = (minutes, recipients, subject, body)
    return edits
  }
}

/// What words ask for.
public struct Understood: Sendable, Codable, Equatable {
  public var decision: Decision
  public var card: CommandCard
  public var alternatives: [CommandCard]
  /// Why it was understood so.
  public var explanation: [String]
  /// What was said after this command, to be understood next.
  public var rest: String?
}

/// What was done.
public struct Action: Sendable, Codable, Equatable, Identifiable {
  public enum State: String, Sendable, Codable {
    case begun
    /// Mail that can still be taken back.
    case waiting
    case sending, done, undone, failed
  }
  public var id: String
  public var kind: CommandKind
  public var summary: String
  public var state: State
  public var at: Date
  /// What was heard.
  public var heard: String?
  /// What the person should know about it.
  public var reason: String?

  init(_ record: ActionRecord) {
    id = record.id
    kind = CommandKind(rawValue: record.intent.rawValue) ?? .none
    summary = record.summary
    state = State(rawValue: record.state.rawValue) ?? .failed
    at = record.at
    heard = record.heard
    reason = record.reason
  }
}

/// What stands in calendar and task list.
public struct AgendaEntry: Sendable, Codable, Equatable {
  public var title: String
  /// Local time; a date alone for whole days and nothing for tasks without a time.
  public var start: String?
  public var end: String?
  /// What could not be understood or is not shown, in words.
  public var isNote: Bool
}

/// What came of a command.
public struct Performed: Sendable, Codable, Equatable {
  public var decision: Decision
  public var card: CommandCard
  public var alternatives: [CommandCard]
  /// What was done; nil while nothing was.
  public var action: Action?
  /// What the person should know: that nothing will ring, that a rule was learned.
  public var notices: [String]
  /// For questions about the calendar, and wishes to change it.
  public var agenda: [AgendaEntry]?
  /// The alarms and timers that were asked about; empty where there is none.
  public var alarms: [DueReminder]?
  /// What was said after this command, to be understood next.
  public var rest: String?
}

/// A reminder, alarm or timer: when it is due, or was.
public struct DueReminder: Sendable, Codable, Equatable, Identifiable {
  public var id: String
  public var title: String
  public var due: Date
  /// When it is to be told: a whole day's in its morning, what was put off when it is due again, and all others at their time.
  public var rings: Date
  /// nil for a reminder.
  public var alarm: AlarmKind?
  /// Nothing ran when it should have rung.
  public var missed: Bool

  init(_ ring: Ring) {
    (id, title, due) = (ring.id, ring.title, ring.again ?? ring.due)
    rings = ring.again ?? ring.rings ?? ring.due
    alarm = ring.alarm
    missed = ring.missed == true
  }
}

extension Libera {
  /// What words ask for, without doing anything.
  /// - Parameters:
  ///   - words: As they were written or heard.
  ///   - recognition: For spoken words, how sure recognition was (`Transcript.allRight`).
  public func understand(_ words: String, recognition: Double? = nil) async throws -> Understood {
    let event = try await one(Understand.self, Understand.Input(text: words, recognition: recognition))
    return Understood(
      decision: event.decision, card: CommandCard(event.card),
      alternatives: event.alternativeCards.map(CommandCard.init), explanation: event.explanation, rest: event.rest)
  }

  /// Does what words ask for where that is sure enough or was confirmed, and says what it came to.
  ///
  /// ```swift
  /// let shown = try await libera.perform("remind me tomorrow at nine to call John")
  /// if shown.action == nil, person.agrees(to: shown.card.words) {
  ///   try await libera.perform("remind me tomorrow at nine to call John", confirmed: true)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - words: As they were written or heard.
  ///   - confirmed: The person has seen the card and said yes.
  ///   - onlyShow: Shows the card and does nothing, however sure it is.
  ///   - recognition: For spoken words, how sure recognition was (`Transcript.allRight`).
  ///   - edits: What the person wrote on the card.
  ///   - id: Names the action, so that asking again does nothing twice.
  public func perform(
    _ words: String, confirmed: Bool = false, onlyShow: Bool = false, recognition: Double? = nil,
    edits: CommandEdits? = nil, id: UUID = UUID()
  ) async throws -> Performed {
    var input = Perform.Input(
      text: words, confirmed: confirmed, recognition: recognition, id: id.uuidString.lowercased(), edits: edits?.edits)
    if onlyShow { input.onlyShow = true }
    let event = try await one(Perform.self, input)
    return Performed(
      decision: event.decision, card: CommandCard(event.card),
      alternatives: event.alternativeCards.map(CommandCard.init), action: event.action.map(Action.init),
      notices: event.notices,
      agenda: event.agenda?.map {
        AgendaEntry(title: $0.title, start: $0.start, end: $0.end, isNote: $0.kind == .note)
      }, alarms: event.alarms?.map(DueReminder.init), rest: event.rest)
  }

  /// Takes an action back.
  @discardableResult
  public func undo(_ action: Action.ID) async throws -> Action {
    Action(try await one(UndoAction.self, ItemInput(id: action)))
  }

  /// What was done so far, the latest last.
  public func actions() async throws -> [Action] { try await all(ListActions.self, Nothing()).map(Action.init) }

  /// Reminders that fell due and were not settled. Nothing rings by itself: the program asks, and shows them.
  public func dueReminders() async throws -> [DueReminder] {
    try await all(ListReminders.self, Nothing()).map(DueReminder.init)
  }

  /// Reminders, alarms and timers that are still to come, for whoever rings them.
  public func comingReminders() async throws -> [DueReminder] {
    try await all(ListStandingReminders.self, Nothing()).filter { $0.state == .coming || $0.state == .snoozed }
      .map(DueReminder.init)
  }

  /// Settles a reminder, or lets it fall due again after so many minutes.
  public func settle(reminder id: DueReminder.ID, snoozingMinutes minutes: Double? = nil) async throws {
    _ = try await one(SettleReminder.self, SettleReminder.Input(id: id, snoozeMinutes: minutes))
  }
}
