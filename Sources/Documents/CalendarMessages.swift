import Workers

// What the parse worker understands of calendars: the body and the answer of one operation.

/// Operation "calendar": what takes place in a span of time by the file handed over.
package struct CalendarRequest: Codable, Sendable {
  /// Seconds since 1970; what touches the span belongs to it.
  package var from: Int
  package var until: Int
  /// The zone of times that name none.
  package var zone: String
  package var limits = CalendarLimits()

  package init(from: Int, until: Int, zone: String) {
    self.from = from
    self.until = until
    self.zone = zone
  }
}

/// What one file may cost. Whatever is exceeded is said, with the number.
package struct CalendarLimits: Codable, Sendable, Equatable {
  package var fileBytes = 8 << 20
  /// Events, tasks and definitions of zones.
  package var components = 20_000
  package var depth = 16
  /// Of one entry within the span, and of all.
  package var occurrencesPerEntry = 5_000
  package var occurrences = 20_000
  /// Of titles, places and names in the answer.
  package var textBytes = 4 << 20
  /// Steps that rules of repetition take, of one entry and of all.
  package var stepsPerEntry = 300_000
  package var steps = 2_000_000
  package init() {}
}

/// What a calendar file holds for the span asked for: the one event of "calendar".
package struct CalendarReading: Codable, Sendable, Equatable {
  /// `CalendarLimits.occurrences` with their numbers, and its `textBytes` as JSON writes them.
  static let most = ReplyBound.bytes(16 << 20)

  package var occurrences: [CalendarOccurrence] = []
  /// What was not understood, or left out, in a sentence each.
  package var problems: [String] = []
  /// There was more in the span than is here.
  package var isCut = false
  package init() {}
}

/// One time that an event takes place or a task is due.
package struct CalendarOccurrence: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable { case event, task }
  package enum Status: String, Codable, Sendable { case stands, tentative, cancelled, done }

  package var kind: Kind
  package var uid: String?
  /// The time it was first planned for, as local ISO 8601, where it is one of several.
  package var recurrence: String?
  package var title: String
  package var location: String?
  /// Seconds since 1970; nil for a task without a time. A task's is when it is due.
  package var start: Int?
  package var end: Int?
  /// Whole days: `start` and `end` are midnights in the zone of the request.
  package var isAllDay = false
  /// The zone it is planned in; nil where it names none or a universal time.
  package var zone: String?
  package var status = Status.stands
  /// Seconds from `start` to the moment it rings.
  package var alarm: Int?
  /// It has a rule or dates of repetition.
  package var repeats = false

  package init(kind: Kind, uid: String? = nil, title: String, start: Int? = nil, end: Int? = nil) {
    self.kind = kind
    self.uid = uid
    self.title = title
    self.start = start
    self.end = end
  }
}
