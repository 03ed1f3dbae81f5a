import Foundation
import Testing

@testable import Commands

@Suite struct CalendarTests {
  private let berlin: TimeZone

  init() throws { berlin = try #require(TimeZone(identifier: "Europe/Berlin")) }

  private func local(_ text: String) throws -> Int { try #require(Civil.parse(text)) }

  private func moments(_ rule: String, from: String, within: (String, String)) throws -> [String] {
    let repetition = try #require(Repetition(rule))
    return repetition.moments(from: try local(from), within: try local(within.0)..<local(within.1)).map(Civil.iso)
  }

  @Test(
    "Rules repeat as RFC 5545 says",
    arguments: [
      (
        "FREQ=DAILY;COUNT=3", "2026-12-30T09:00:00",
        ["2026-12-30T09:00:00", "2026-12-31T09:00:00", "2027-01-01T09:00:00"]
      ),
      (
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-12-29T18:00:00",
        ["2026-12-29T18:00:00", "2027-01-12T18:00:00", "2027-01-26T18:00:00"]
      ),
      ("FREQ=MONTHLY", "2026-12-31T08:00:00", ["2026-12-31T08:00:00", "2027-01-31T08:00:00"]),
      ("FREQ=MONTHLY;BYDAY=-1FR", "2026-12-25T10:00:00", ["2026-12-25T10:00:00", "2027-01-29T10:00:00"]),
      (
        "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20270104T235959", "2026-12-30T07:00:00",
        ["2026-12-30T07:00:00", "2027-01-04T07:00:00"]
      ),
    ])
  func repetition(rule: String, start: String, expected: [String]) throws {
    #expect(try moments(rule, from: start, within: ("2026-12-01", "2027-01-31T23:00:00")) == expected)
  }

  @Test("A birthday on a leap day comes in leap years alone")
  func leapDay() throws {
    let found = try moments("FREQ=YEARLY", from: "2024-02-29", within: ("2024-01-01", "2033-01-01"))
    #expect(found == ["2024-02-29T00:00:00", "2028-02-29T00:00:00", "2032-02-29T00:00:00"])
  }

  @Test("Something at nine stays at nine when the clocks change")
  func clocksChange() throws {
    let file = """
      BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Standup\\, daily\r\nDTSTART;TZID=Europe/Berlin:20260327T090000\r
      DTEND;TZID=Europe/Berlin:20260327T091500\r\nRRULE:FREQ=DAILY\r\nEXDATE;TZID=Europe/Berlin:20260328T090000\r
      END:VEVENT\r\nEND:VCALENDAR\r\n
      """
    let entry = try #require(CalendarEntry.read(Data(file.utf8), local: berlin).first)
    #expect(entry.title == "Standup, daily")
    let start = Date(timeIntervalSince1970: 1_774_566_000)  // 27 March 2026, midnight in Berlin
    let found = entry.occurrences(from: start, until: start.addingTimeInterval(4 * 86_400))
    #expect(found.map { Int($0.timeIntervalSince1970) } == [1_774_598_400, 1_774_767_600, 1_774_854_000])
  }

  @Test("What is written is read back")
  func roundTrip() throws {
    let stamp = Date(timeIntervalSince1970: 1_781_076_600)
    let written = ICalendar(
      kind: .task, uid: "x-1", title: "buy; \"milk\", and\\more " + String(repeating: "ü", count: 60),
      start: try local("2026-06-11T07:00:00"), rrule: "FREQ=WEEKLY;BYDAY=TH", zone: berlin, stamp: stamp
    ).written()
    let entry = try #require(CalendarEntry.read(Data(written.utf8), local: berlin).first)
    #expect(entry.title == "buy; \"milk\", and\\more " + String(repeating: "ü", count: 60))
    #expect(entry.alarm == 0)
    #expect(entry.occurrences(from: stamp, until: stamp.addingTimeInterval(8 * 86_400)).count == 2)
  }

  @Test("Damaged and hostile files yield nothing and harm nothing")
  func hostile() {
    var random = SystemRandomNumberGenerator()
    for length in [0, 1, 100, 10_000] {
      let noise = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
      #expect(CalendarEntry.read(noise, local: berlin).isEmpty)
    }
    let deep = String(repeating: "BEGIN:VEVENT\r\n", count: 100_000)
    #expect(CalendarEntry.read(Data(deep.utf8), local: berlin).isEmpty)
    let endless = "BEGIN:VEVENT\nUID:a\nDTSTART:00010101T000000Z\nRRULE:FREQ=MINUTELY\nEND:VEVENT\n"
    let found = CalendarEntry.read(Data(endless.utf8), local: berlin).first?
      .occurrences(from: .distantPast, until: .distantFuture)
    #expect((found?.count ?? 0) <= 1000)
  }

  @Test("The agenda holds what lies in its days, in order")
  func agenda() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "libera-agenda-\(UUID().uuidString)")
    defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder.path) stays: \(error)") } }
    let places = Places(
      calendar: folder.appending(path: "c"), tasks: folder.appending(path: "t"), notes: folder, mail: folder)
    let stamp = Date(timeIntervalSince1970: 1_781_076_600)
    for (name, kind, start) in [
      ("c/late.ics", ICalendar.Kind.event, "2026-06-11T18:00:00"), ("c/early.ics", .event, "2026-06-11T08:00:00"),
      ("t/task.ics", .task, "2026-06-11T12:00:00"), ("c/other.ics", .event, "2026-06-20T12:00:00"),
    ] {
      let entry = ICalendar(
        kind: kind, uid: name, title: name, start: try local(start), zone: berlin, stamp: stamp)
      try WholeFile.write(entry.written(), to: folder.appending(path: name))
    }
    let day = Date(timeIntervalSince1970: 1_781_128_800)  // 11 June 2026, midnight in Berlin
    let agenda = Agenda(places, from: day, until: day.addingTimeInterval(86_400), zone: berlin)
    #expect(agenda.items.map(\.title) == ["c/early.ics", "t/task.ics", "c/late.ics"])
    #expect(agenda.items.first?.start == "2026-06-11T08:00:00")
  }
}
