import Core
import Documents
import Foundation
import TestSupport
import Testing

@testable import Commands

/// Thursday 11 June 2026 in Berlin; every test has a folder of its own.
@Suite struct CalendarTests {
  private let berlin: TimeZone
  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private let places: Places
  private let reader = ForeignFiles(ParseDesk())
  private let day = Date(timeIntervalSince1970: 1_781_128_800)

  init() throws {
    berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    scratch = try Scratch("agenda")
    let folder = scratch.folder
    places = Places(
      calendar: folder.appending(path: "c"), tasks: folder.appending(path: "t"), notes: folder, mail: folder)
    for place in [places.calendar, places.tasks] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
  }

  private func write(_ entry: String, to name: String) throws {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n\(entry)\nEND:VCALENDAR\n"
    try Data(text.replacing("\n", with: "\r\n").utf8).write(to: folder.appending(path: name))
  }

  private func agenda(days: Double = 1, openTasks: Bool = false) async throws -> [AgendaItem] {
    try await Agenda.read(
      places, from: day, until: day.addingTimeInterval(days * 86_400), zone: berlin, openTasks: openTasks, by: reader
    ).items
  }

  private func own(_ kind: ICalendar.Kind, _ title: String, _ start: String, rule: String? = nil) -> String {
    ICalendar(
      kind: kind, uid: title, title: title, start: Civil.parse(start), rrule: rule, zone: berlin,
      stamp: day
    ).written()
  }

  @Test("What is written is read back")
  func roundTrip() async throws {
    let title = "buy; \"milk\", and\\more " + String(repeating: "ü", count: 60)
    try Data(own(.task, title, "2026-06-11T07:00:00", rule: "FREQ=WEEKLY;BYDAY=TH").utf8)
      .write(to: places.tasks.appending(path: "x.ics"))
    let found = try await reader.calendars(
      ["x.ics"], below: places.tasks, from: day, until: day.addingTimeInterval(8 * 86_400), zone: berlin)
    let times = try #require(found.first).reading.occurrences
    #expect(times.map(\.title) == [title, title])
    #expect(times.map(\.alarm) == [0, 0])
    #expect(times.allSatisfy { $0.repeats })
  }

  @Test("The agenda holds what lies in its days, in order")
  func inOrder() async throws {
    for (name, kind, start) in [
      ("c/late.ics", ICalendar.Kind.event, "2026-06-11T18:00:00"), ("c/early.ics", .event, "2026-06-11T08:00:00"),
      ("t/task.ics", .task, "2026-06-11T12:00:00"), ("c/other.ics", .event, "2026-06-20T12:00:00"),
    ] { try Data(own(kind, name, start).utf8).write(to: folder.appending(path: name)) }
    let items = try await agenda()
    #expect(items.map(\.title) == ["c/early.ics", "t/task.ics", "c/late.ics"])
    #expect(items.first?.start == "2026-06-11T08:00:00")
  }

  @Test("Whole days keep their date, also over the change of the clocks, and what began before and goes on is there")
  func wholeDays() async throws {
    try write(
      "BEGIN:VEVENT\nUID:a\nSUMMARY:fair\nDTSTART;VALUE=DATE:20260610\nDTEND;VALUE=DATE:20260613\nEND:VEVENT",
      to: "c/a.ics")
    try write("BEGIN:VTODO\nUID:b\nSUMMARY:some day\nEND:VTODO", to: "t/b.ics")
    let items = try await agenda(openTasks: true)
    #expect(items.map(\.title) == ["fair", "some day"])
    #expect(items.first?.start == "2026-06-10" && items.first?.end == "2026-06-13")
  }

  @Test("A file that cannot be understood is named with the reason, and the others are shown")
  func named() async throws {
    try write("BEGIN:VEVENT\nUID:a\nSUMMARY:tea\nDTSTART:20260611T140000Z\nEND:VEVENT", to: "c/good.ics")
    try Data([0, 200, 3, 255]).write(to: folder.appending(path: "c/noise.ics"))
    try Data().write(to: folder.appending(path: "c/empty.ics"))
    try Data("BEGIN:VCARD\r\nEND:VCARD\r\n".utf8).write(to: folder.appending(path: "c/card.ics"))
    try write(
      "BEGIN:VEVENT\nUID:b\nSUMMARY:no rule\nDTSTART:20260611T150000Z\nRRULE:FREQ=NEVER\nEND:VEVENT", to: "c/rule.ics")
    #expect(mkfifo(folder.appending(path: "c/pipe.ics").path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "c/link.ics"), withDestinationURL: URL(filePath: "/etc/hostname"))
    let items = try await agenda()
    #expect(items.filter { $0.kind != .note }.map(\.title) == ["tea", "no rule"])
    let notes = items.filter { $0.kind == .note }
    #expect(notes.count == 6)
    for name in ["noise", "empty", "card", "rule", "pipe", "link"] {
      #expect(notes.contains { $0.title.contains("/\(name).ics") }, "\(name)")
    }
  }

  @Test("A file that ends the worker or takes it too long is named, and the others are shown")
  func hostile() async throws {
    try write(
      "BEGIN:VEVENT\nUID:a\nSUMMARY:flood\nDTSTART:19700101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=2000000000\nEND:VEVENT",
      to: "c/flood.ics")
    try write("BEGIN:VEVENT\nUID:b\nSUMMARY:tea\nDTSTART:20260611T140000Z\nEND:VEVENT", to: "c/good.ics")
    let items = try await agenda()
    #expect(items.filter { $0.kind != .note }.map(\.title) == ["tea"])
    #expect(items.contains { $0.kind == .note && $0.title.contains("flood.ics") })
  }

  @Test("What was learned of a file is kept until it changes")
  func kept() async throws {
    let later = ForeignFiles(ParseDesk(), clock: { Date().addingTimeInterval(60) })
    func titles() async throws -> [String] {
      try await Agenda.read(places, from: day, until: day.addingTimeInterval(86_400), zone: berlin, by: later).items
        .map(\.title)
    }
    try write("BEGIN:VEVENT\nUID:a\nSUMMARY:tea\nDTSTART:20260611T140000Z\nEND:VEVENT", to: "c/a.ics")
    #expect(try await titles() == ["tea"])
    #expect(try await titles() == ["tea"])
    #expect(await later.asked == 1)
    try write("BEGIN:VEVENT\nUID:a\nSUMMARY:cake\nDTSTART:20260611T140000Z\nEND:VEVENT", to: "c/a.ics")
    #expect(try await titles() == ["cake"])
    #expect(await later.asked == 2)
    try FileManager.default.removeItem(at: folder.appending(path: "c/a.ics"))
    #expect(try await titles().isEmpty)
  }

  @Test("Moments at the ends of what numbers can say ask for nothing that cannot be answered")
  func extremes() async throws {
    try write("BEGIN:VEVENT\nUID:a\nSUMMARY:tea\nDTSTART:20260611T140000Z\nEND:VEVENT", to: "c/a.ics")
    for (from, until) in [(-1e300, 1e300), (Double.infinity, -.infinity), (0, 1e18)] {
      let items = try await Agenda.read(
        places, from: Date(timeIntervalSince1970: from), until: Date(timeIntervalSince1970: until), zone: berlin,
        by: reader
      ).items
      #expect(items.count <= 1)
    }
  }
}
