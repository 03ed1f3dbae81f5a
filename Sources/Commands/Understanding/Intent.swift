/// What a person can have done by saying it.
package enum Intent: String, Sendable, Codable, CaseIterable {
  case createEvent = "create_event"
  case addReminder = "add_reminder"
  case createNote = "create_note"
  case readEmail = "read_email"
  case sendEmail = "send_email"
  case setAlarm = "set_alarm"
  case stopAlarm = "stop_alarm"
  case showAlarms = "show_alarms"
  case none

  /// What is known of an intent, written down once: the frame, the card, the gate, the bell and the settings follow from it.
  package struct Form: Sendable {
    /// How a card and a record begin: "Reminder: call John".
    var name: String
    /// What its frame may hold, in the order of `docs/frame.gbnf`.
    var slots: [Frame.Slot]
    /// Without one of these it is asked about.
    var needs: [Frame.Slot] = []
    /// It happens at a moment that the person may correct.
    package var isTimed = false
    /// It rings when its moment comes, so it has no end.
    package var rings = false
    /// The name among the setting `connectors` that allows it; nil where nothing is touched.
    var permission: String?
  }

  /// What is about alarms and timers; `AlarmReading` tells which of these an utterance asks for.
  package var isAlarm: Bool { [.setAlarm, .stopAlarm, .showAlarms].contains(self) }

  package var form: Form {
    switch self {
    case .createEvent:
      Form(
        name: "Event", slots: [.title, .time, .minutes], needs: [.title, .time], isTimed: true, permission: "calendar")
    case .addReminder:
      Form(
        name: "Reminder", slots: [.title, .time, .minutes], needs: [.title, .time], isTimed: true, rings: true,
        permission: "tasks")
    case .createNote: Form(name: "Note", slots: [.title], needs: [.title], permission: "notes")
    case .readEmail: Form(name: "Read mail", slots: [.time], permission: "inbox")
    case .sendEmail: Form(name: "Mail", slots: [.to, .subject, .body], needs: [.to, .body], permission: "mail")
    case .setAlarm:
      Form(
        name: "Alarm", slots: [.alarm, .title, .time, .seconds], needs: [.time], isTimed: true, rings: true,
        permission: "tasks")
    case .stopAlarm:
      Form(name: "Stop", slots: [.alarm, .title, .time, .minutes, .all], permission: "tasks")
    case .showAlarms: Form(name: "Alarms and timers", slots: [.alarm])
    case .none: Form(name: "No command", slots: [])
    }
  }
}

/// What rings aloud by itself: at a time of day, or when a length of time is over.
public enum AlarmKind: String, Sendable, Codable, CaseIterable {
  case alarm, timer

  /// As it is called where the person gave it no name.
  package var name: String { self == .alarm ? "Alarm" : "Timer" }
}
