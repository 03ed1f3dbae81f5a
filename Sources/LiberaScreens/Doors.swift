public import Foundation
public import LiberaKit

/// Whether the person lets this program reach something of theirs.
public enum Leave: String, Sendable, Codable, CaseIterable {
  case notAsked, given, refused
  /// The device has nothing of the kind.
  case notThere
}

/// An entry as the system's calendar or reminders take it.
public struct CalendarEntry: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable { case event, reminder }
  public enum Repetition: String, Sendable, CaseIterable { case daily, weekly, monthly, yearly }
  public var kind: Kind
  public var title: String
  /// nil: a reminder without a time.
  public var start: Date?
  public var end: Date?
  public var repetition: Repetition?

  public init(kind: Kind, title: String, start: Date? = nil, end: Date? = nil, repetition: Repetition? = nil) {
    (self.kind, self.title, self.start, self.end, self.repetition) = (kind, title, start, end, repetition)
  }
}

/// The calendar and the reminders of the system.
public protocol SystemCalendar: Sendable {
  func leave(for kind: CalendarEntry.Kind) async -> Leave
  /// Asks the person, where that was not done yet.
  func ask(for kind: CalendarEntry.Kind) async throws -> Leave
  /// - Returns: The name by which it can be removed.
  /// - Throws: `LiberaError` with the code `calendar_refused` where the person does not allow it, `calendar_not_there` where there is
  ///   none to write to.
  func add(_ entry: CalendarEntry) async throws -> String
  /// What is gone already is no error.
  func remove(_ id: String, of kind: CalendarEntry.Kind) async throws
}

/// The notifications of the system: what rings while the app is not on the screen.
public protocol ReminderRinger: Sendable {
  func leave() async -> Leave
  func ask() async throws -> Leave
  /// From now on these ring and nothing else of ours does.
  func ring(_ reminders: [DueReminder]) async throws
}

/// What the system says of its own accord.
public protocol SystemSignals: Sendable {
  /// Once for each time that memory is short. Ending the loop ends listening.
  func memoryWarnings() -> AsyncStream<Void>
}

/// What an app reaches beyond this library; what is nil is not there.
public struct Doors: Sendable {
  public var microphone: (any Microphone)?
  public var calendar: (any SystemCalendar)?
  public var ringer: (any ReminderRinger)?
  public var signals: (any SystemSignals)?
  /// The file that keeps the system's names of entries, so that undo finds them after a restart; nil: they are not kept.
  public var notes: URL?

  public init(
    microphone: (any Microphone)? = nil, calendar: (any SystemCalendar)? = nil, ringer: (any ReminderRinger)? = nil,
    signals: (any SystemSignals)? = nil, notes: URL? = nil
  ) {
    (self.microphone, self.calendar, self.ringer) = (microphone, calendar, ringer)
    (self.signals, self.notes) = (signals, notes)
  }
}
