public import Foundation
package import Synchronization

/// What stands here for the person's calendars: what they allow, and what was saved.
package final class CalendarRoom: Sendable {
  package struct Entry: Sendable, Equatable {
    package var title: String
    package var start: Date?
    package var end: Date?
    package var due: DateComponents?
    package var isAllDay = false
    package var frequency: EKRecurrenceFrequency?
    package var rings: [Date] = []
    package var alarms: Int { rings.count }
  }
  package struct State: Sendable {
    package var status = EKAuthorizationStatus.notDetermined
    /// What the person answers when asked.
    package var answer = true
    package var hasCalendar = true
    package var entries: [String: Entry] = [:]
  }
  package static let shared = CalendarRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/eventkit/ekauthorizationstatus
public enum EKAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, fullAccess, writeOnly }
/// https://developer.apple.com/documentation/eventkit/ekentitytype
public enum EKEntityType: UInt, Sendable { case event, reminder }
/// https://developer.apple.com/documentation/eventkit/ekspan
public enum EKSpan: Int, Sendable { case thisEvent, futureEvents }
/// https://developer.apple.com/documentation/eventkit/ekrecurrencefrequency
public enum EKRecurrenceFrequency: Int, Sendable { case daily, weekly, monthly, yearly }
/// https://developer.apple.com/documentation/eventkit/ekcalendar
open class EKCalendar: NSObject {}

/// https://developer.apple.com/documentation/eventkit/ekrecurrencerule
open class EKRecurrenceRule: NSObject {
  let frequency: EKRecurrenceFrequency
  public init(recurrenceWith type: EKRecurrenceFrequency, interval: Int, end: EKRecurrenceEnd?) { frequency = type }
}
/// https://developer.apple.com/documentation/eventkit/ekrecurrenceend
open class EKRecurrenceEnd: NSObject {}
/// https://developer.apple.com/documentation/eventkit/ekalarm
open class EKAlarm: NSObject {
  let date: Date
  public init(absoluteDate date: Date) { self.date = date }
}

/// https://developer.apple.com/documentation/eventkit/ekcalendaritem
open class EKCalendarItem: NSObject {
  fileprivate(set) public var calendarItemIdentifier = UUID().uuidString
  open var title: String!
  open var calendar: EKCalendar!
  fileprivate var rule: EKRecurrenceRule?
  fileprivate var rings: [Date] = []
  open func addRecurrenceRule(_ rule: EKRecurrenceRule) { self.rule = rule }
  open func addAlarm(_ alarm: EKAlarm) { rings.append(alarm.date) }
}

/// https://developer.apple.com/documentation/eventkit/ekevent
open class EKEvent: EKCalendarItem {
  open var startDate: Date!
  open var endDate: Date!
  open var isAllDay = false
  public init(eventStore: EKEventStore) {}
}

/// https://developer.apple.com/documentation/eventkit/ekreminder
open class EKReminder: EKCalendarItem {
  open var dueDateComponents: DateComponents?
  public init(eventStore: EKEventStore) {}
}

/// https://developer.apple.com/documentation/eventkit/ekeventstore
open class EKEventStore: NSObject {
  private var room: CalendarRoom { CalendarRoom.shared }

  open class func authorizationStatus(for entityType: EKEntityType) -> EKAuthorizationStatus {
    CalendarRoom.shared.state.withLock(\.status)
  }
  open func requestFullAccessToEvents() async throws -> Bool { ask() }
  open func requestFullAccessToReminders() async throws -> Bool { ask() }
  private func ask() -> Bool {
    room.state.withLock { state in
      if state.status == .notDetermined { state.status = state.answer ? .fullAccess : .denied }
      return state.status == .fullAccess
    }
  }

  open var defaultCalendarForNewEvents: EKCalendar? { room.state.withLock(\.hasCalendar) ? EKCalendar() : nil }
  open func defaultCalendarForNewReminders() -> EKCalendar? {
    room.state.withLock(\.hasCalendar) ? EKCalendar() : nil
  }

  open func save(_ event: EKEvent, span: EKSpan, commit: Bool) throws {
    keep(event, start: event.startDate, end: event.endDate, due: nil)
  }
  open func save(_ reminder: EKReminder, commit: Bool) throws {
    keep(reminder, start: nil, end: nil, due: reminder.dueDateComponents)
  }
  private func keep(_ item: EKCalendarItem, start: Date?, end: Date?, due: DateComponents?) {
    let entry = CalendarRoom.Entry(
      title: item.title, start: start, end: end, due: due, isAllDay: (item as? EKEvent)?.isAllDay ?? false,
      frequency: item.rule?.frequency, rings: item.rings)
    let name = item.calendarItemIdentifier
    room.state.withLock { $0.entries[name] = entry }
  }

  open func calendarItem(withIdentifier identifier: String) -> EKCalendarItem? {
    guard let entry = room.state.withLock({ $0.entries[identifier] }) else { return nil }
    let item = entry.start == nil ? EKReminder(eventStore: self) : EKEvent(eventStore: self)
    (item.calendarItemIdentifier, item.title) = (identifier, entry.title)
    return item
  }
  open func remove(_ event: EKEvent, span: EKSpan, commit: Bool) throws { forget(event) }
  open func remove(_ reminder: EKReminder, commit: Bool) throws { forget(reminder) }
  private func forget(_ item: EKCalendarItem) {
    let name = item.calendarItemIdentifier
    room.state.withLock { $0.entries[name] = nil }
  }
}
