/// One way to understand some words of an utterance as time.
package struct TimeReading: Sendable, Equatable {
  package enum Kind: String, Sendable, Codable {
    case point, range, duration, recurrence
  }

  /// "from 2 pm" has no end, "before 11" no beginning; `value` is then the bound.
  package enum Open: String, Sendable, Codable {
    case after, before
  }

  /// The words, and their UTF-8 byte offsets in the utterance.
  package var text: String
  package var start: Int
  package var end: Int

  package var kind: Kind
  /// Local ISO 8601; `start/end` with an exclusive end for ranges; an ISO 8601 duration.
  package var value: String
  /// Seconds east of Greenwich at the (first) moment.
  package var utcOffset: Int?
  package var grain: Grain
  /// The repetition as RFC 5545 writes it, without "RRULE:".
  package var rrule: String?
  package var open: Open?
  package var confidence: Double

  /// The first moment in local seconds since 1970 (nil for durations).
  package var moment: Int?
  /// The end a speaker means: "3 to 4 pm" ends at four. `value` counts the named hour in, as its grain says.
  package var until: Int?
  /// "By six": the range ends when the thing is due.
  package var isDeadline = false
  /// The length of a duration, or of a range said with one ("4 pm for half an hour").
  package var minutes: Int?
  /// Only about when was said, or a number may have been misheard.
  package var isRough = false
  /// Whether a day was said: "at eight" leaves it open.
  package var hasDate = false
  /// So many times and no more: "on Monday and Wednesday".
  package var isCounted: Bool { rrule?.contains("COUNT=") ?? false }
  /// Whether a time of day was said, so that a date alone can be told from midnight.
  package var hasClock = false
}

/// All readings, best first, and the time words that none of them explains.
package struct TimeResult: Sendable, Equatable, Encodable {
  package var readings: [TimeReading]
  package var unexplained: [String]
  /// Where the words stand, as bytes, that say a time which there is none of: "February 30th", "minus five minutes".
  var impossible: [Range<Int>] = []

  private enum CodingKeys: CodingKey { case readings, unexplained }
}
