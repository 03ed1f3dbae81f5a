import Core
import Documents
import Foundation
import Testing

/// Calendars as other programs write them, read as the worker reads them. Times are those of Berlin unless they say otherwise.
@Suite("Calendars of others")
struct CalendarTests {
  private func read(
    _ body: String, from: String = "2026-06-01", until: String = "2026-08-01", wrap: Bool = true
  ) throws -> CalendarReading {
    let text = wrap ? "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n\(body)\nEND:VCALENDAR\n" : body
    func second(_ day: String) throws -> Int {
      Int(try Date("\(day)T00:00:00+02:00", strategy: .iso8601).timeIntervalSince1970)
    }
    let sink = Collected()
    let request = CalendarRequest(from: try second(from), until: try second(until), zone: "Europe/Berlin")
    try InProcess().call("calendar", request, Data(text.replacing("\n", with: "\r\n").utf8), into: sink)
    return try JSON.decode(CalendarReading.self, from: try #require(sink.other.first))
  }

  @Test(
    "A calendar is read as a document by its days in words, in its language, and what is damaged as the text that it is"
  )
  func document() throws {
    let entries = """
      BEGIN:VCALENDAR
      VERSION:2.0
      PRODID:x
      X-WR-CALNAME:Abfuhr
      BEGIN:VEVENT
      UID:2
      DTSTART;TZID=Europe/Berlin:20270123T093000
      DTEND;TZID=Europe/Berlin:20270123T113000
      SUMMARY:Schadstoffmobil
      LOCATION:Parkplatz am Haus\\, Ulm
      DESCRIPTION:Was nicht in die Tonne darf und was der Hof nicht nimmt.
      END:VEVENT
      BEGIN:VEVENT
      UID:1
      DTSTART;VALUE=DATE:20261207
      RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=2
      SUMMARY:Gelber Sack
      DESCRIPTION:Ab sechs Uhr.
      END:VEVENT
      END:VCALENDAR
      """.replacing("\\\\", with: "\\")
    let document = try InProcess().parse(entries)
    #expect(document.info.title == "Abfuhr" && document.info.language == "de")
    #expect(
      document.pages.flatMap(\.blocks).map(\.text) == [
        "Montag, 7. Dezember 2026: Gelber Sack. Ab sechs Uhr.", "Montag, 21. Dezember 2026: Gelber Sack.",
        "Samstag, 23. Januar 2027, 09:30–11:30: Schadstoffmobil. Parkplatz am Haus, Ulm. "
          + "Was nicht in die Tonne darf und was der Hof nicht nimmt.",
      ])
    let often =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261207T090000\nRRULE:FREQ=HOURLY\nSUMMARY:Bread\nEND:VEVENT\n"
    let sink = Collected()
    try InProcess().call(
      "parse", ParseRequest(name: "a.ics"), Data((often + "END:VCALENDAR\n").utf8), into: sink)
    #expect(sink.problems.map(\.error.code) == ["document_page_too_dense"])
    let old =
      often.replacing("20261207T090000", with: "20100104T090000").replacing("HOURLY", with: "WEEKLY")
      + "BEGIN:VEVENT\nUID:2\nDTSTART;VALUE=DATE:20261207\nSUMMARY:Now\nEND:VEVENT\nEND:VCALENDAR\n"
    let text = try InProcess().parse(old).text
    #expect(text.contains("December 1, 2025, 09:00: Bread.") && !text.contains("2015"))
    let short =
      "BEGIN:VCALENDAR\nPRODID:-//Works//Days//FR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261207\nSUMMARY:Verre\nEND:VEVENT\n"
    #expect(try InProcess().parse(short + "END:VCALENDAR\n").text == "lundi 7 décembre 2026: Verre.")
    #expect(try InProcess().parse("BEGIN:VCALENDAR broken, but somebody's text").text.hasSuffix("somebody's text"))
  }

  /// "06-01 09:00 title", as clocks in Berlin show it.
  private func times(_ body: String, from: String = "2026-06-01", until: String = "2026-08-01") throws -> [String] {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    return try read(body, from: from, until: until).occurrences.sorted { ($0.start ?? 0) < ($1.start ?? 0) }.map {
      one in
      let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().dateSeparator(.dash)
        .time(includingFractionalSeconds: false).timeSeparator(.colon)
      let text = Date(timeIntervalSince1970: Double(one.start ?? 0)).formatted(style)
      let status = one.status == .stands ? "" : " (\(one.status.rawValue))"
      return "\(text.dropFirst(5).prefix(5)) \(text.dropFirst(11).prefix(5)) \(one.title)\(status)"
    }
  }

  private static let ownZone = """
    BEGIN:VTIMEZONE
    TZID:Our Town
    BEGIN:STANDARD
    DTSTART:19701025T030000
    TZOFFSETFROM:+0430
    TZOFFSETTO:+0330
    RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
    END:STANDARD
    BEGIN:DAYLIGHT
    DTSTART:19700329T020000
    TZOFFSETFROM:+0330
    TZOFFSETTO:+0430
    RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
    END:DAYLIGHT
    END:VTIMEZONE

    """

  @Test("A weekly meeting in a zone that the file defines, of which one was moved and one cancelled")
  func movedAndCancelled() throws {
    let body =
      Self.ownZone + """
        BEGIN:VEVENT
        UID:m
        SUMMARY:Meeting
        DTSTART;TZID=Our Town:20260601T100000
        DTEND;TZID=Our Town:20260601T110000
        RRULE:FREQ=WEEKLY;COUNT=4
        END:VEVENT
        BEGIN:VEVENT
        UID:m
        SUMMARY:Meeting elsewhere
        RECURRENCE-ID;TZID=Our Town:20260608T100000
        DTSTART;TZID=Our Town:20260609T150000
        DTEND;TZID=Our Town:20260609T160000
        END:VEVENT
        BEGIN:VEVENT
        UID:m
        SUMMARY:Meeting
        RECURRENCE-ID;TZID=Our Town:20260615T100000
        DTSTART;TZID=Our Town:20260615T100000
        STATUS:CANCELLED
        END:VEVENT
        """
    #expect(
      try times(body) == [
        "06-01 07:30 Meeting", "06-09 12:30 Meeting elsewhere", "06-15 07:30 Meeting (cancelled)",
        "06-22 07:30 Meeting",
      ])
  }

  @Test(
    "Zones are found under the names that other programs give them",
    arguments: [
      ("Pacific Standard Time", "18:00"), ("/freeassociation.sourceforge.net/Europe/London", "10:00"),
      ("America/New_York", "15:00"), ("(UTC+05:30) Chennai", "05:30"), ("UTC", "11:00"), ("Our Town", "06:30"),
    ])
  func zones(name: String, time: String) throws {
    let body = Self.ownZone + "BEGIN:VEVENT\nUID:z\nSUMMARY:x\nDTSTART;TZID=\"\(name)\":20260610T090000\nEND:VEVENT"
    #expect(try times(body) == ["06-10 \(time) x"])
  }

  @Test("A zone that nobody knows is said")
  func unknownZone() throws {
    let reading = try read("BEGIN:VEVENT\nUID:z\nSUMMARY:x\nDTSTART;TZID=Nowhere:20260610T090000\nEND:VEVENT")
    #expect(reading.occurrences.count == 1)
    #expect(reading.problems.contains { $0.contains("Nowhere") })
  }

  private func weekly(_ lines: String) -> String {
    "BEGIN:VEVENT\nUID:w\nSUMMARY:w\nDTSTART;TZID=Europe/Berlin:20260603T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=4\n\(lines)\nEND:VEVENT"
  }

  @Test(
    "What is taken out is taken out, in whatever form it is written",
    arguments: [
      "EXDATE;TZID=Europe/Berlin:20260610T090000", "EXDATE:20260610T070000Z", "EXDATE;VALUE=DATE:20260610",
      "EXDATE:20260610T090000", "EXDATE;TZID=America/New_York:20260610T030000", "EXRULE:FREQ=MONTHLY;BYMONTHDAY=10",
    ])
  func exceptions(line: String) throws {
    #expect(try times(weekly(line)) == ["06-03 09:00 w", "06-17 09:00 w", "06-24 09:00 w"])
  }

  @Test(
    "Rules are read as they are written",
    arguments: [
      ("FREQ=YEARLY;BYMONTHDAY=1,15", ["06-03", "06-15", "07-01"]),
      ("FREQ=YEARLY;BYWEEKNO=24", ["06-03", "06-08", "06-09"]),
      ("FREQ=YEARLY;BYMONTH=6,7;BYYEARDAY=160,190", ["06-03", "06-09", "07-09"]),
      ("FREQ=MONTHLY;BYDAY=TU,-1FR", ["06-03", "06-09", "06-16"]),
      ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", ["06-03", "06-30", "07-31"]),
      ("freq=daily;interval=40000", ["06-03"]), ("FREQ=HOURLY;INTERVAL=100000", ["06-03"]),
      ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU", ["06-03", "06-14", "06-16"]),
      ("FREQ=MONTHLY;BYMONTHDAY=31", ["06-03", "07-31"]), ("FREQ=YEARLY;BYDAY=23MO", ["06-03", "06-08"]),
      ("FREQ=DAILY;UNTIL=20260605", ["06-03", "06-04", "06-05"]), ("FREQ=DAILY;UNTIL=20260604T065959Z", ["06-03"]),
    ])
  func rules(rule: String, days: [String]) throws {
    let body = "BEGIN:VEVENT\nUID:w\nSUMMARY:w\nDTSTART;TZID=Europe/Berlin:20260603T090000\nRRULE:\(rule)\nEND:VEVENT"
    #expect(try times(body).prefix(3).map { String($0.prefix(5)) } == days)
  }

  @Test(
    "What is no rule is said and shown once",
    arguments: [
      "FREQ=FORTNIGHTLY", "INTERVAL=2", "FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;INTERVAL=0",
      "FREQ=DAILY;COUNT=-9223372036854775808", "FREQ=YEARLY;BYDAY=-9223372036854775808MO", "FREQ=DAILY;UNTIL=soon",
      "RSCALE=CHINESE;FREQ=YEARLY", "FREQ", "=", ";;",
    ])
  func noRules(rule: String) throws {
    let reading = try read("BEGIN:VEVENT\nUID:w\nSUMMARY:w\nDTSTART:20260603T090000Z\nRRULE:\(rule)\nEND:VEVENT")
    #expect(reading.occurrences.count == 1)
    #expect(
      reading.problems.contains { $0.contains("repeats in a way that cannot be understood") }, "\(reading.problems)")
  }

  @Test("Added dates are added once, with their own length where they bring one")
  func addedDates() throws {
    let body = weekly(
      "RDATE;TZID=Europe/Berlin:20260610T090000,20260611T090000\nRDATE;VALUE=PERIOD:20260612T070000Z/PT3H")
    #expect(
      try times(body) == [
        "06-03 09:00 w", "06-10 09:00 w", "06-11 09:00 w", "06-12 09:00 w", "06-17 09:00 w", "06-24 09:00 w",
      ])
    let long = try #require(try read(body).occurrences.first { $0.start == 1_781_247_600 })
    #expect(long.end == 1_781_247_600 + 3 * 3600)
  }

  @Test("A change for all later ones moves these too")
  func thisAndFuture() throws {
    let body =
      weekly("") + """

        BEGIN:VEVENT
        UID:w
        SUMMARY:later
        RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260610T090000
        DTSTART;TZID=Europe/Berlin:20260610T113000
        DURATION:PT2H
        END:VEVENT
        """
    #expect(try times(body) == ["06-03 09:00 w", "06-10 11:30 later", "06-17 11:30 later", "06-24 11:30 later"])
  }

  @Test("Events without a name of their own are events, each for itself")
  func nameless() throws {
    let one = "BEGIN:VEVENT\nSUMMARY:a\nDTSTART:20260601T070000Z\nEND:VEVENT\n"
    #expect(try times(one + one.replacing(":a", with: ":b")) == ["06-01 09:00 a", "06-01 09:00 b"])
  }

  @Test("Something at nine stays at nine when the clocks change")
  func clocksChange() throws {
    let body =
      "BEGIN:VEVENT\nUID:a\nSUMMARY:s\nDTSTART;TZID=Europe/Berlin:20260327T090000\nRRULE:FREQ=DAILY;COUNT=4\nEND:VEVENT"
    let starts = try read(body, from: "2026-03-01", until: "2026-04-30").occurrences.map(\.start)
    #expect(starts == [1_774_598_400, 1_774_684_800, 1_774_767_600, 1_774_854_000])
  }

  @Test("A zone that a file defines holds for years beyond 2037, as its rules say")
  func farAway() throws {
    let body = Self.ownZone + "BEGIN:VEVENT\nUID:f\nSUMMARY:f\nDTSTART;TZID=Our Town:20560701T120000\nEND:VEVENT"
    #expect(try read(body, from: "2056-06-01", until: "2056-08-01").occurrences.first?.start == 2_729_662_200)
  }

  @Test("Ends before their beginning change places with it; a negative length counts back")
  func reversed() throws {
    let body =
      "BEGIN:VEVENT\nUID:a\nSUMMARY:a\nDTSTART:20260601T100000Z\nDTEND:20260601T080000Z\nEND:VEVENT\n"
      + "BEGIN:VEVENT\nUID:b\nSUMMARY:b\nDTSTART:20260602T100000Z\nDURATION:-PT2H\nEND:VEVENT"
    #expect(try times(body) == ["06-01 10:00 a", "06-02 10:00 b"])
    #expect(try read(body).occurrences.allSatisfy { ($0.end ?? 0) - ($0.start ?? 0) == 7200 })
  }

  @Test("A task is due when it says, rings when its alarm says, and is over when it is done")
  func tasks() throws {
    let alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;RELATED=END:-PT10M\nEND:VALARM\n"
    let body =
      "BEGIN:VTODO\nUID:a\nSUMMARY:a\nDTSTART:20260601T060000Z\nDUE:20260601T080000Z\n\(alarm)END:VTODO\n"
      + "BEGIN:VTODO\nUID:b\nSUMMARY:b\nDUE;VALUE=DATE:20260602\nSTATUS:COMPLETED\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:c\nEND:VTODO"
    let reading = try read(body)
    #expect(reading.occurrences.map(\.title) == ["a", "b", "c"])
    #expect(reading.occurrences.map(\.status) == [.stands, .done, .stands])
    #expect(reading.occurrences[0].start == 1_780_300_800 && reading.occurrences[0].alarm == -600)
    #expect(reading.occurrences[2].start == nil)
  }
}
