import Foundation
import LiberaScreens
import Testing

/// One table of cases for both sides of the door to calendar and reminders: what the program writes on Linux, and Apple's adapter on
/// our declarations of EventKit.
// In the suite of the doors, as EventKit's room is one.
extension DoorTests {
  private static let start = Calendar.current.date(from: DateComponents(year: 2033, month: 5, day: 18, hour: 19))!
  private static let midnight = Calendar.current.startOfDay(for: start)
  private static func after(_ count: Int, _ step: Calendar.Component, _ from: Date) -> Date {
    Calendar.current.date(byAdding: step, value: count, to: from)!
  }

  /// What is asked for, and what somebody finds afterwards.
  static var entryCases: [(CalendarEntry, SeenEntry)] {
    [
      (
        CalendarEntry(kind: .event, title: "Dinner", start: start, end: start + 5400),
        SeenEntry(kind: .event, title: "Dinner", start: start, over: start + 5400)
      ),
      (
        CalendarEntry(kind: .event, title: "Call", start: start),
        SeenEntry(kind: .event, title: "Call", start: start, over: start + 3600)
      ),
      (
        CalendarEntry(kind: .event, title: "Choir", start: start, end: start + 7200, repetition: .weekly),
        SeenEntry(
          kind: .event, title: "Choir", start: start, over: start + 7200, next: after(1, .weekOfYear, start))
      ),
      (
        CalendarEntry(kind: .event, title: "Fair", start: midnight, isAllDay: true),
        SeenEntry(kind: .event, title: "Fair", start: midnight, over: after(1, .day, midnight), isAllDay: true)
      ),
      (
        CalendarEntry(kind: .event, title: "Trip", start: midnight, end: after(3, .day, midnight), isAllDay: true),
        SeenEntry(kind: .event, title: "Trip", start: midnight, over: after(3, .day, midnight), isAllDay: true)
      ),
      (
        CalendarEntry(kind: .reminder, title: "Milk", start: start),
        SeenEntry(kind: .reminder, title: "Milk", start: start, rings: start)
      ),
      (
        CalendarEntry(kind: .reminder, title: "Rent", start: midnight, isAllDay: true),
        SeenEntry(
          kind: .reminder, title: "Rent", start: midnight, isAllDay: true, rings: midnight + 9 * 3600)
      ),
      (CalendarEntry(kind: .reminder, title: "Some day"), SeenEntry(kind: .reminder, title: "Some day")),
      (
        CalendarEntry(kind: .reminder, title: "Pills", start: start, repetition: .daily),
        SeenEntry(kind: .reminder, title: "Pills", start: start, rings: start, next: after(1, .day, start))
      ),
      (
        CalendarEntry(kind: .reminder, title: "Meter", start: start, repetition: .monthly),
        SeenEntry(kind: .reminder, title: "Meter", start: start, rings: start, next: after(1, .month, start))
      ),
      (
        CalendarEntry(kind: .event, title: "Birthday", start: start, end: start + 60, repetition: .yearly),
        SeenEntry(kind: .event, title: "Birthday", start: start, over: start + 60, next: after(1, .year, start))
      ),
      (
        CalendarEntry(kind: .reminder, title: #"a, b; c\d "e" Prüfung 🦊"#, start: start),
        SeenEntry(kind: .reminder, title: #"a, b; c\d "e" Prüfung 🦊"#, start: start, rings: start)
      ),
    ]
  }

  @Test("Both sides write an entry with all it has", arguments: CalendarSide.Name.allCases, entryCases.indices)
  func written(side name: CalendarSide.Name, place: Int) async throws {
    let (side, (entry, wanted)) = (try CalendarSide(name), Self.entryCases[place])
    let id = try await side.calendar.add(entry)
    #expect(!id.isEmpty)
    try await #expect(side.seen() == [wanted])
    try await side.leave()
  }

  @Test(
    "Both sides remove an entry by its name and leave the others; what is gone already is no error",
    arguments: CalendarSide.Name.allCases)
  func removed(side name: CalendarSide.Name) async throws {
    let side = try CalendarSide(name)
    var ids: [String] = []
    for (entry, _) in Self.entryCases { ids.append(try await side.calendar.add(entry)) }
    #expect(Set(ids).count == ids.count)
    try await #expect(side.seen().count == ids.count)
    for (id, (entry, _)) in zip(ids, Self.entryCases).dropLast() {
      try await side.calendar.remove(id, of: entry.kind)
      try await side.calendar.remove(id, of: entry.kind)
    }
    let last = try #require(Self.entryCases.last).1
    try await #expect(side.seen() == [last])
    try await side.leave()
  }

  @Test(
    "Both sides write nothing without leave, nor an event without a time, and say why",
    arguments: CalendarSide.Name.allCases)
  func notWritten(side name: CalendarSide.Name) async throws {
    let side = try CalendarSide(name)
    let timeless = await #expect(throws: (any Error).self) {
      _ = try await side.calendar.add(CalendarEntry(kind: .event, title: "Some day"))
    }
    let reason = try #require(timeless)
    #expect("\(reason)".count > 20)
    side.refuse()
    for kind in CalendarEntry.Kind.allCases {
      #expect(await side.calendar.leave(for: kind) == .refused)
      try await #expect(side.calendar.ask(for: kind) == .refused)
      await #expect(throws: (any Error).self) {
        _ = try await side.calendar.add(CalendarEntry(kind: kind, title: "Dinner", start: Self.start))
      }
    }
    try await #expect(side.seen().isEmpty)
    try await side.leave()
  }
}
