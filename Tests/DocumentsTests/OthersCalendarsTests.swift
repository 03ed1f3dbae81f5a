import Core
import Documents
import Foundation
import TestSupport
import Testing

private enum OthersCalendars {
  static let folder = Checkout.data.appending(path: "calendars")
  static let areAtHand = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path)
}

/// Calendar files of other projects' tests, and what recurring-ical-events reads from them; beside the checkout where they are at hand.
@Suite(
  "Calendars that others wrote", .enabled(if: OthersCalendars.areAtHand, "the calendars of others are not at hand"))
struct OthersCalendarsTests {
  private struct Expected: Decodable {
    struct One: Decodable {
      var type: String
      var start: String?
      var due: String?
    }
    var file: String
    var firstOccurrences: [One]?
    var truncatedAt40: Bool?
    enum CodingKeys: String, CodingKey {
      case file
      case firstOccurrences = "first_occurrences"
      case truncatedAt40 = "truncated_at_40"
    }
  }

  @Test("They come to the same times, but for those whose difference is explained")
  func same() throws {
    let lines = try String(
      contentsOf: OthersCalendars.folder.appending(path: "expected_occurrences.jsonl"), encoding: .utf8)
    var (same, different) = (0, [String]())
    for line in lines.split(separator: "\n") {
      let expected = try JSON.decode(Expected.self, from: Data(line.utf8))
      let events = (expected.firstOccurrences ?? []).filter { $0.type == "VEVENT" }.compactMap(\.start)
      guard let wanted = events.map(Self.seconds) as? [Int], let first = wanted.min(), let last = wanted.max() else {
        continue
      }
      // Where the list was cut, others may begin at the same time as its last.
      let isCut = expected.truncatedAt40 == true
      let until = isCut ? last - 1 : last + 400 * 86_400
      let sink = Collected()
      try InProcess().call(
        "calendar", CalendarRequest(from: first - 86_400, until: until + 1, zone: "UTC"),
        try Data(contentsOf: OthersCalendars.folder.appending(path: expected.file)), into: sink)
      let reading = try JSON.decode(CalendarReading.self, from: try #require(sink.other.first))
      let times = wanted.filter { $0 <= until }.sorted()
      let found = reading.occurrences.filter { $0.kind == .event }.compactMap(\.start).filter {
        $0 >= first && $0 <= until
      }
      if found.sorted() == times { same += 1 } else { different.append(expected.file) }
    }
    #expect(same + different.count >= 50)
    #expect(different.sorted() == Self.explained.keys.sorted())
  }

  private struct Rule: Decodable {
    var test: String
    var expected: [String]
    var text: String?
    var isExtension: Bool?
    enum CodingKeys: String, CodingKey {
      case test, expected
      case text = "rrule_text"
      case isExtension = "dateutil_extension"
    }
  }

  @Test("Rules of repetition come to dateutil's times")
  func rules() throws {
    let rules = try JSON.decode(
      [Rule].self, from: Data(contentsOf: OthersCalendars.folder.appending(path: "rrule_dateutil.json")))
    let usable = rules.filter { $0.isExtension == false && $0.text != nil && !$0.expected.isEmpty }
    #expect(usable.count >= 50)
    for rule in usable {
      let wanted = rule.expected.compactMap(Self.seconds)
      guard let first = wanted.min(), let last = wanted.max() else { continue }
      let lines = (rule.text ?? "").replacing("\n", with: "\r\n")
      let file = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n\(lines)\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
      let sink = Collected()
      try InProcess().call(
        "calendar", CalendarRequest(from: first, until: last + 1, zone: "UTC"), Data(file.utf8), into: sink)
      let reading = try JSON.decode(CalendarReading.self, from: try #require(sink.other.first))
      #expect(reading.occurrences.compactMap(\.start).sorted() == wanted.sorted(), "\(rule.test): \(lines)")
    }
  }

  /// Where the other library and the rules of iCalendar differ.
  private static let explained = [
    "ical4j-valid/friday13-NOT.ics":
      "it has a rule of exceptions (EXRULE), which we follow and the other library does not",
    "icalendar/calendars__issue_526_calendar_with_different_events.ics":
      "it names a zone that no table of ours has, and we say so",
    "icalendar/calendars__issue_526_calendar_with_shuffeled_events.ics": "the same",
  ]

  /// Without a zone the times are those of the request.
  private static func seconds(_ text: String) -> Int? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    for format in [
      "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ssxxx", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSxxx",
    ] {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return Int(date.timeIntervalSince1970) }
    }
    return nil
  }
}
