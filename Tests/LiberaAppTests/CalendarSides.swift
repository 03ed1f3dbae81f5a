import Assistant
import Documents
import Foundation
import LiberaDoors
import Synchronization
import Testing
import Workers

@testable import Commands
@testable import EventKit
@testable import LiberaKit
@testable import LiberaScreens

/// An entry as somebody finds it afterwards, wherever it was written.
struct SeenEntry: Equatable, Sendable {
  var kind: CalendarEntry.Kind
  var title: String
  /// nil: without a time.
  var start: Date?
  /// Of events: when it is over.
  var over: Date?
  var isAllDay = false
  /// When it is told; events are not told here.
  var rings: Date?
  /// When it takes place once more; nil where it does not.
  var next: Date?
}

/// One side of the door to a calendar, and what stands there now.
struct CalendarSide: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var calendar: any SystemCalendar
  /// The person says no from now on.
  var refuse: @Sendable () -> Void
  var seen: @Sendable () async throws -> [SeenEntry]
  /// Takes away what the side has made for itself.
  var leave: @Sendable () async throws -> Void = {}

  enum Name: String, CaseIterable, Sendable { case folders, eventKit }

  init(_ name: Name) throws {
    switch name {
    case .folders: self = try Self.folders()
    case .eventKit: self = Self.eventKit
    }
  }

  private init(
    _ name: String, _ calendar: any SystemCalendar, refuse: @escaping @Sendable () -> Void,
    seen: @escaping @Sendable () async throws -> [SeenEntry]
  ) { (testDescription, self.calendar, self.refuse, self.seen) = (name, calendar, refuse, seen) }

  /// Apple's adapter, over our declarations.
  private static var eventKit: CalendarSide {
    CalendarRoom.shared.state.withLock { $0 = CalendarRoom.State() }
    return CalendarSide("EventKit", AppleCalendar()) {
      CalendarRoom.shared.state.withLock { $0.status = .denied }
    } seen: {
      CalendarRoom.shared.state.withLock(\.entries).values.map(SeenEntry.init)
    }
  }

  /// What the program writes on Linux: by its own runner of actions, read back by the reader of foreign calendars.
  private static func folders() throws -> CalendarSide {
    let calendar = FolderCalendar()
    var side = CalendarSide("folders of .ics files", calendar) {
      calendar.refuse()
    } seen: {
      try await calendar.seen()
    }
    side.leave = { try await calendar.close() }
    return side
  }
}

extension SeenEntry {
  init(_ entry: CalendarRoom.Entry) {
    let due = entry.due.flatMap { Calendar.current.date(from: $0) }
    self.init(
      kind: entry.start == nil ? .reminder : .event, title: entry.title, start: entry.start ?? due, over: entry.end,
      isAllDay: entry.isAllDay || (entry.due.map { $0.hour == nil } ?? false), rings: entry.rings.first)
    // Apple counts the last day of whole days.
    if entry.isAllDay { over = entry.end?.addingTimeInterval(1) }
    let step: Calendar.Component? =
      switch entry.frequency {
      case .daily?: .day
      case .weekly?: .weekOfYear
      case .monthly?: .month
      case .yearly?: .year
      case nil: nil
      }
    if let step, let start { next = Calendar.current.date(byAdding: step, value: 1, to: start) }
  }
}

/// The door over what does commands on Linux: `ActionRunner`, with the connectors that the program itself uses.
final class FolderCalendar: SystemCalendar {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "libera-sides-\(UUID().uuidString)")
  private let desk = ParseDesk(on: Engines.inProgram.host())
  private let isAllowed = Mutex(true)
  private let journal: FileJournal

  init() { journal = FileJournal(folder.appending(path: "journal.jsonl")) }

  private var places: Places {
    Places(
      calendar: folder.appending(path: "calendar"), tasks: folder.appending(path: "tasks"),
      notes: folder.appending(path: "notes"), mail: folder.appending(path: "mail"),
      allowed: isAllowed.withLock { $0 } ? Set(Intent.allCases) : [])
  }
  private var runner: ActionRunner {
    ActionRunner(places: places, journal: journal, reader: ForeignFiles(desk))
  }

  func refuse() { isAllowed.withLock { $0 = false } }

  func close() async throws {
    await desk.stop()
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
  }

  func leave(for kind: CalendarEntry.Kind) async -> Leave { isAllowed.withLock { $0 } ? .given : .refused }
  func ask(for kind: CalendarEntry.Kind) async throws -> Leave { await leave(for: kind) }

  func add(_ entry: CalendarEntry) async throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var slots = Frame.Slots()
    slots.title = entry.title
    if let start = entry.start {
      if let end = entry.end {
        slots.datetimeRange = LocalMoment.text(start) + "/" + LocalMoment.text(end)
      } else {
        slots.datetimePoint = LocalMoment.text(start)
      }
    }
    let frame = Frame(
      intent: entry.kind == .event ? .createEvent : .addReminder, slots: slots,
      policy: .init(needsConfirmation: false, confidence: 1))
    let rule = entry.repetition.map { "FREQ=\($0.rawValue.uppercased())" }
    return try await runner.perform(frame, recurrence: rule).id
  }

  func remove(_ id: String, of kind: CalendarEntry.Kind) async throws {
    do { _ = try await runner.undo(id) } catch CommandError.nothingToUndo { return }
  }

  func seen() async throws -> [SeenEntry] {
    let reader = ForeignFiles(desk)
    var all: [SeenEntry] = []
    for place in [places.calendar, places.tasks] where FileManager.default.fileExists(atPath: place.path) {
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".ics") }
      let found = try await reader.calendars(
        names, below: place, from: Date(timeIntervalSince1970: 1_999_000_000),
        until: Date(timeIntervalSince1970: 2_040_000_000), zone: .current)
      for file in found {
        #expect(file.failure == nil)
        let times = file.reading.occurrences.filter { $0.status == .stands }
        if let first = times.first { all.append(SeenEntry(first, then: times.dropFirst().first)) }
      }
    }
    return all
  }
}

extension SeenEntry {
  init(_ one: CalendarOccurrence, then next: CalendarOccurrence?) {
    func moment(_ seconds: Int?) -> Date? { seconds.map { Date(timeIntervalSince1970: Double($0)) } }
    self.init(
      kind: one.kind == .event ? .event : .reminder, title: one.title, start: moment(one.start),
      over: one.kind == .event ? moment(one.end) : nil, isAllDay: one.isAllDay, next: moment(next?.start))
    if one.kind == .task, let start, let alarm = one.alarm { rings = start.addingTimeInterval(Double(alarm)) }
  }
}
