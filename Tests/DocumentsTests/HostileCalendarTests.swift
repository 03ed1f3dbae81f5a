import Core
import Documents
import Foundation
import TestSupport
import Testing

/// What strangers may put into a calendar to hurt whoever opens it, read through a real worker.
@Suite("Hostile calendars")
struct HostileCalendarTests {
  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private let files: ForeignFiles
  private let desk = ParseDesk()

  init() throws {
    files = ForeignFiles(desk)
    scratch = try Scratch("hostile")
  }

  private func event(_ lines: String, start: String = "20260601T100000Z") -> String {
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:h\nSUMMARY:h\nDTSTART:\(start)\n\(lines)\nEND:VEVENT\nEND:VCALENDAR\n"
  }

  /// Each as a file of its own, beside one that anybody understands.
  private func read(_ bodies: [String]) async throws -> [ForeignFiles.Calendar] {
    var names: [String] = []
    for (index, body) in (bodies + [event("")]).enumerated() {
      names.append("\(index).ics")
      try Data(body.replacing("\n", with: "\r\n").utf8).write(to: folder.appending(path: names[index]))
    }
    let from = Date(timeIntervalSince1970: 1_780_000_000)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let found = try await files.calendars(
      names, below: folder, from: from, until: from.addingTimeInterval(60 * 86_400), zone: zone)
    #expect(found.count == names.count)
    #expect(found.last?.reading.occurrences.map(\.title) == ["h"])
    return found
  }

  private static let numbers = [
    "9223372036854775807", "-9223372036854775808", "99999999999999999999", "2147483647", "32768", "0", "-1",
  ]

  @Test("Numbers at the ends of what machines can count end nothing", arguments: numbers)
  func limits(number: String) async throws {
    let rules = ["INTERVAL", "COUNT", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "BYHOUR"].flatMap { part in
      ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"].map { event("RRULE:FREQ=\($0);\(part)=\(number)") }
    }
    let lengths = ["P%D", "PT%H", "-P%W", "PT%S"].flatMap { form in
      let length = form.replacing("%", with: number)
      return [event("DURATION:\(length)"), event("BEGIN:VALARM\nTRIGGER:\(length)\nEND:VALARM")]
    }
    let zone = """
      BEGIN:VCALENDAR
      BEGIN:VTIMEZONE
      TZID:X
      BEGIN:STANDARD
      DTSTART:19700101T000000
      TZOFFSETFROM:\(number)
      TZOFFSETTO:\(number)
      END:STANDARD
      END:VTIMEZONE
      BEGIN:VEVENT
      UID:z
      DTSTART;TZID=X:20260601T100000
      END:VEVENT
      END:VCALENDAR

      """
    let others = [
      event("SEQUENCE:\(number)"), event("", start: number), event("RRULE:FREQ=DAILY;UNTIL=\(number)"),
      event("RDATE;VALUE=PERIOD:20260601T000000Z/P\(number)D"), event("RRULE:FREQ=MONTHLY;BYDAY=\(number)MO"), zone,
    ]
    for one in try await read(rules + lengths + others) {
      for occurrence in one.reading.occurrences { #expect((occurrence.end ?? 0) < 253_402_300_800) }
    }
    #expect(await desk.endedWorkers == 0)
  }

  @Test("Floods of what a rule can list, and rules that never come about, cost their file alone")
  func floods() async throws {
    func list(_ range: ClosedRange<Int>) -> String { range.filter { $0 != 0 }.map(String.init).joined(separator: ",") }
    let everything =
      "BYSECOND=\(list(1...59));BYMINUTE=\(list(1...59));BYHOUR=\(list(1...23));BYMONTHDAY=\(list(-31...31));"
      + "BYYEARDAY=\(list(-366...366));BYMONTH=\(list(1...12));BYSETPOS=\(list(-366...366))"
    let found = try await read([
      event("RRULE:FREQ=SECONDLY;\(everything)", start: "00010101T000000Z"), event("RRULE:FREQ=YEARLY;\(everything)"),
      event("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"),
      event("RRULE:FREQ=DAILY;COUNT=2000000000", start: "19700101T000000Z"),
      event((1...3_000).map { "RRULE:FREQ=MINUTELY;INTERVAL=\($0)" }.joined(separator: "\n")),
    ])
    // Whatever is not shown is said.
    for one in found.dropLast() where one.failure == nil {
      #expect(one.reading.occurrences.count <= 20_000)
      #expect(!one.reading.problems.isEmpty || !one.reading.isCut)
    }
    #expect(found[2].failure == nil && !found[2].reading.isCut)
  }

  @Test("Many small files that repeat without end are read to a bound, and the rest is named")
  func together() async throws {
    let names = (0..<30).map { "\($0).ics" }
    for name in names {
      try Data(event("RRULE:FREQ=MINUTELY").replacing("\n", with: "\r\n").utf8).write(to: folder.appending(path: name))
    }
    let from = Date(timeIntervalSince1970: 1_780_000_000)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let found = try await files.calendars(
      names, below: folder, from: from, until: from.addingTimeInterval(60 * 86_400), zone: zone)
    #expect(found.count == names.count)
    #expect((100_000...105_000).contains(found.reduce(0) { $0 + $1.reading.occurrences.count }))
    #expect(found.first?.failure == nil && found.last?.failure?.hasPrefix("the files before it") == true)
  }

  @Test("Large, deep and broken files are bounded")
  func shapes() async throws {
    let lines = String(repeating: "\n y", count: 300_000)
    let found = try await read([
      String(repeating: "BEGIN:VEVENT\n", count: 100_000), event("ATTACH:x\(lines)"), event("SUMMARY:x\(lines)"),
      event("EXDATE:" + Array(repeating: "20260601T100000Z", count: 100_000).joined(separator: ",")),
      event("X" + String(repeating: ";A=B", count: 100_000) + ":1"), event(String(repeating: "\"", count: 200_001)),
      String(repeating: "BEGIN:VCALENDAR\nEND:VCALENDAR\n", count: 20),
    ])
    #expect(found[0].failure != nil)
    #expect(found[1].reading.occurrences.count == 1 && found[1].reading.problems.isEmpty)
    #expect(found[2].reading.occurrences.allSatisfy { $0.title.count <= 300 })
    #expect(found[3].reading.problems.count == 1)
    #expect(await desk.endedWorkers == 0)
  }
}
