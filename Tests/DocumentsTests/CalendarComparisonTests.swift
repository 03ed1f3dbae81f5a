import Core
import Documents
import Foundation
import Testing

/// Calendars made at random of what calendars have, and what recurring-ical-events and dateutil make of them in sixty days.
@Suite("Calendars beside another reader")
struct CalendarComparisonTests {
  private struct Stored: Decodable {
    struct One: Decodable {
      var file: String
      var starts: [Int]
      /// Each length with how often it follows.
      var lengths: [[Int]]
    }
    var from: Int
    var until: Int
    var zone: String
    var calendars: [One]
  }

  @Test("Every stored calendar comes to the same times")
  func same() throws {
    let place = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "calendars.json")
    let stored = try JSON.decode(Stored.self, from: try Data(contentsOf: place))
    #expect(stored.calendars.count >= 100)
    let engine = InProcess()
    for one in stored.calendars {
      let sink = Collected()
      let request = CalendarRequest(from: stored.from, until: stored.until, zone: stored.zone)
      try engine.call("calendar", request, Data(one.file.replacing("\n", with: "\r\n").utf8), into: sink)
      let reading = try JSON.decode(CalendarReading.self, from: try #require(sink.other.first))
      let found = reading.occurrences.compactMap { occurrence in
        occurrence.start.map { [$0, (occurrence.end ?? $0) - $0] }
      }.sorted { $0.lexicographicallyPrecedes($1) }
      let lengths = one.lengths.flatMap { Array(repeating: $0[0], count: $0[1]) }
      let wanted = zip(one.starts, lengths).map { [$0, $1] }.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(found == wanted, "\(one.file)")
    }
  }
}
