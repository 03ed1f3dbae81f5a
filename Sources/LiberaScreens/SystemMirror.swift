import Foundation
public import LiberaKit
public import Observation

/// Copies what was done by command into the system's calendar, reminders and notifications, and takes it out again on undo.
@MainActor @Observable
public final class SystemMirror: Fallible {
  private struct Kept: Codable {
    var isOn = false
    /// The system's names of entries, by the action they came of.
    var entries: [String: Entry] = [:]
  }
  private struct Entry: Codable {
    var name: String
    var isEvent: Bool
    var kind: CalendarEntry.Kind { isEvent ? .event : .reminder }
  }

  private let libera: Libera
  private let doors: Doors
  private var kept = Kept()
  public private(set) var ringing = Leave.notThere

  public init(_ libera: Libera, _ doors: Doors) { (self.libera, self.doors) = (libera, doors) }

  public var hasCalendar: Bool { doors.calendar != nil }
  public var hasRinger: Bool { doors.ringer != nil }
  /// Whether entries are copied into the system's calendar and reminders. Off until the person turns it on.
  public var isCopying: Bool { kept.isOn }

  /// Reads what was kept, and says to the system what is to ring.
  public func open() async {
    await trying {
      if let file = self.doors.notes, FileManager.default.fileExists(atPath: file.path) {
        self.kept = try PropertyListDecoder().decode(Kept.self, from: Data(contentsOf: file))
      }
    }
    await ring()
  }

  /// Turned on it asks for leave; without leave it stays off and says so.
  public func copy(_ isOn: Bool) async {
    await trying {
      if isOn {
        for kind in CalendarEntry.Kind.allCases {
          guard try await self.doors.calendar?.ask(for: kind) == .given else {
            throw LiberaError(
              code: "calendar_refused", message: "The system does not let this app into calendar and reminders.",
              remedy: "Allow it in the system's settings, under privacy.")
          }
        }
      }
      self.kept.isOn = isOn
      try self.keep()
    }
  }

  /// Asks whether reminders may ring by the system's notifications.
  public func askToRing() async {
    await trying { self.ringing = try await self.doors.ringer?.ask() ?? .notThere }
    await ring()
  }

  /// A command was done.
  public func done(_ action: Action, _ card: CommandCard) async {
    await ring()
    guard isCopying, let calendar = doors.calendar else { return }
    await trying {
      guard let entry = try CalendarEntry(action.kind, card) else { return }
      self.kept.entries[action.id] = Entry(name: try await calendar.add(entry), isEvent: entry.kind == .event)
      try self.keep()
    }
  }

  /// An action was taken back.
  public func undone(_ action: Action.ID) async {
    await ring()
    guard let entry = kept.entries[action], let calendar = doors.calendar else { return }
    await trying {
      try await calendar.remove(entry.name, of: entry.kind)
      self.kept.entries[action] = nil
      try self.keep()
    }
  }

  private func ring() async {
    guard let ringer = doors.ringer else { return }
    ringing = await ringer.leave()
    guard ringing == .given else { return }
    await trying { try await ringer.ring(try await self.libera.comingReminders()) }
  }

  private func keep() throws {
    if let file = doors.notes { try PropertyListEncoder().encode(kept).write(to: file, options: .atomic) }
  }
}

extension CalendarEntry {
  /// What a card says, for the system; nil for what is no entry of a calendar.
  /// - Throws: `LiberaError` where the system cannot hold it as it is.
  public init?(_ kind: CommandKind, _ card: CommandCard) throws {
    guard kind == .createEvent || kind == .addReminder || kind == .setAlarm else { return nil }
    var repetition: Repetition?
    if let rule = card.recurrence {
      repetition = Repetition.allCases.first { rule.uppercased() == "FREQ=\($0.rawValue.uppercased())" }
      guard repetition != nil else {
        throw LiberaError(
          code: "calendar_repetition", message: "This repetition cannot be copied into the system's calendar: \(rule)",
          remedy: "It stands in the calendar of this app.")
      }
    }
    let start = card.start.flatMap(Self.moment)
    let end = card.end.flatMap(Self.moment) ?? card.minutes.flatMap { start?.addingTimeInterval(Double($0) * 60) }
    // As the app's own calendar has it.
    let isAllDay =
      kind != .setAlarm && card.minutes == nil && start.map(Self.isMidnight) == true
      && end.map(Self.isMidnight) != false
    self.init(
      kind: kind == .createEvent ? .event : .reminder, title: card.title ?? card.words, start: start, end: end,
      isAllDay: isAllDay, repetition: repetition)
  }

  private static func isMidnight(_ moment: Date) -> Bool { Calendar.current.startOfDay(for: moment) == moment }

  /// Local time as `2026-06-11T07:00:00`.
  private static func moment(_ text: String) -> Date? {
    let numbers = text.split { "-T:".contains($0) }.compactMap { Int($0) }
    guard numbers.count >= 3 else { return nil }
    var parts = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
    if numbers.count >= 5 { (parts.hour, parts.minute) = (numbers[3], numbers[4]) }
    if numbers.count >= 6 { parts.second = numbers[5] }
    return Calendar.current.date(from: parts)
  }
}
