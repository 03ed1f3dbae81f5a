import EventKit
import Foundation
import LiberaKit
public import LiberaScreens

/// The system's calendar and reminders, through EventKit.
public struct AppleCalendar: SystemCalendar {
  public init() {}

  public func leave(for kind: CalendarEntry.Kind) async -> Leave {
    switch EKEventStore.authorizationStatus(for: kind == .event ? .event : .reminder) {
    case .notDetermined: .notAsked
    case .fullAccess: .given
    // Taking back needs to read what was written.
    case .restricted, .denied, .writeOnly: .refused
    @unknown default: .refused
    }
  }

  public func ask(for kind: CalendarEntry.Kind) async throws -> Leave {
    let store = EKEventStore()
    let isGiven =
      kind == .event ? try await store.requestFullAccessToEvents() : try await store.requestFullAccessToReminders()
    return isGiven ? .given : .refused
  }

  public func add(_ entry: CalendarEntry) async throws -> String {
    guard try await ask(for: entry.kind) == .given else {
      throw LiberaError(
        code: "calendar_refused", message: "This app may not write into the system's calendar and reminders.",
        remedy: "Allow it in the system's settings, under privacy.")
    }
    let store = EKEventStore()
    return switch entry.kind {
    case .event: try addEvent(entry, to: store)
    case .reminder: try addReminder(entry, to: store)
    }
  }

  private func addEvent(_ entry: CalendarEntry, to store: EKEventStore) throws -> String {
    guard let calendar = store.defaultCalendarForNewEvents, let start = entry.start, let over = entry.over else {
      throw Self.notThere
    }
    let event = EKEvent(eventStore: store)
    (event.title, event.calendar, event.startDate) = (entry.title, calendar, start)
    event.isAllDay = entry.isAllDay
    // The system counts the day on which an entry of whole days ends.
    event.endDate = entry.isAllDay ? over.addingTimeInterval(-1) : over
    if let rule = Self.rule(entry) { event.addRecurrenceRule(rule) }
    try store.save(event, span: .futureEvents, commit: true)
    return event.calendarItemIdentifier
  }

  private func addReminder(_ entry: CalendarEntry, to store: EKEventStore) throws -> String {
    guard let list = store.defaultCalendarForNewReminders() else { throw Self.notThere }
    let reminder = EKReminder(eventStore: store)
    (reminder.title, reminder.calendar) = (entry.title, list)
    if let start = entry.start, let rings = entry.rings {
      reminder.dueDateComponents = Calendar.current.dateComponents(
        entry.isAllDay ? [.year, .month, .day] : [.year, .month, .day, .hour, .minute], from: start)
      reminder.addAlarm(EKAlarm(absoluteDate: rings))
    }
    if let rule = Self.rule(entry) { reminder.addRecurrenceRule(rule) }
    try store.save(reminder, commit: true)
    return reminder.calendarItemIdentifier
  }

  public func remove(_ id: String, of kind: CalendarEntry.Kind) async throws {
    let store = EKEventStore()
    switch store.calendarItem(withIdentifier: id) {
    case let event as EKEvent: try store.remove(event, span: .futureEvents, commit: true)
    case let reminder as EKReminder: try store.remove(reminder, commit: true)
    default: return
    }
  }

  private static func rule(_ entry: CalendarEntry) -> EKRecurrenceRule? {
    let frequency: EKRecurrenceFrequency? =
      switch entry.repetition {
      case .daily?: .daily
      case .weekly?: .weekly
      case .monthly?: .monthly
      case .yearly?: .yearly
      case nil: nil
      }
    return frequency.map { EKRecurrenceRule(recurrenceWith: $0, interval: 1, end: nil) }
  }

  private static let notThere = LiberaError(
    code: "calendar_not_there", message: "There is no calendar or list that new entries go to.",
    remedy: "Choose one in the system's settings.")
}
