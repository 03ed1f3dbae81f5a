import Core
package import Foundation

/// A frame in plain language, as a card or a line shows it: "Reminder: call John, Thu 11 June 07:00".
package struct Card: Codable, Sendable, Equatable {
  /// A stretch of the utterance that decided something, as UTF-8 byte offsets.
  package struct Mark: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable { case asking, text, time }
    package var start: Int
    package var end: Int
    package var kind: Kind
  }

  package var intent: Intent
  package var words: String
  package var marks: [Mark]
  /// The slots one by one, for editing in place.
  package var title: String?
  package var start: String?
  package var end: String?
  package var durationMinutes: Int?
  package var recurrence: String?
  package var to: [String]
  package var subject: String?
  package var body: String?
  package var alarm: AlarmKind?
  package var seconds: Int?

  enum CodingKeys: String, CodingKey {
    case intent, words, marks, title, start, end, recurrence, to, subject, body, alarm
    case durationMinutes = "duration_min"
    case seconds = "duration_s"
  }

  package init(_ frame: Frame, recurrence: String? = nil, emailFrom: String? = nil, marks: [Mark] = []) {
    let slots = frame.slots
    intent = frame.intent
    self.marks = marks
    title = slots.title
    let landing = slots.landing
    start = landing.map { Civil.iso($0.start) }
    // What rings does so once, at the beginning.
    end = frame.intent.form.rings ? nil : landing?.end.map(Civil.iso)
    durationMinutes = slots.durationMinutes
    self.recurrence = recurrence
    to = slots.emailTo
    subject = slots.emailSubject
    body = slots.emailBody
    alarm = slots.alarm
    seconds = slots.seconds
    words = ""
    words = Self.words(self, emailFrom: emailFrom, all: slots.all)
  }

  /// A time on the wall clock, from one moment to another, to be said in whichever language.
  package struct Span: Codable, Sendable, Equatable {
    package var start: String
    package var end: String

    package init(_ span: Range<Date>, zone: TimeZone) {
      let walls = Walls(zone: zone)
      start = Civil.iso(walls.local(Int(span.lowerBound.timeIntervalSince1970)))
      end = Civil.iso(walls.local(Int(span.upperBound.timeIntervalSince1970)))
    }

    /// In English, as cards have it: "Thu 11 June 2026".
    package var words: String {
      Civil.parse(start).map { Card.moment($0, until: Civil.parse(end)) } ?? "\(start) – \(end)"
    }
  }

  /// "1 h 30 min", "90 s" is "1 min 30 s".
  package static func span(_ seconds: Int) -> String {
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")].filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  private static func words(_ card: Card, emailFrom: String?, all: Bool) -> String {
    var parts: [String] = []
    let name = card.intent.form.name
    switch card.intent {
    case .none, .showAlarms: return name
    case .createEvent, .addReminder, .createNote: parts.append("\(name): \(card.title ?? "…")")
    case .setAlarm:
      parts.append((card.alarm ?? .alarm).name + (card.title.map { ": \($0)" } ?? ""))
      if let seconds = card.seconds { parts.append(span(seconds)) } else if card.start == nil { parts.append("…") }
    case .stopAlarm:
      let kind = (card.alarm ?? .alarm).name.lowercased()
      parts.append(
        (card.durationMinutes == nil ? name : "Put off") + (all ? " every \(kind)" : " the \(kind)")
          + (card.title.map { ": \($0)" } ?? ""))
    case .readEmail: parts.append(name + (emailFrom.map { " from \($0)" } ?? ""))
    case .sendEmail:
      parts.append("Mail to \(card.to.isEmpty ? "…" : card.to.joined(separator: ", "))")
      if let subject = card.subject { parts.append("about \(subject)") }
      if let body = card.body { parts.append("“\(body)”") }
    }
    if let start = card.start.flatMap(Civil.parse) {
      parts.append(moment(start, until: card.end.flatMap(Civil.parse)))
    }
    if card.end == nil, let minutes = card.durationMinutes {
      parts.append(minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes) min")
    }
    if let rule = card.recurrence { parts.append(repetition(rule)) }
    return parts.joined(separator: ", ")
  }

  /// "Thu 11 June 07:00", "Sat 8 August", "Fri 19 June 14:00 to 15:30".
  static func moment(_ local: Int, until: Int?) -> String {
    func day(_ local: Int) -> String {
      let number = Civil.floorDiv(local, Civil.secondsPerDay)
      let date = Civil.date(number)
      return "\(weekdays[Civil.weekday(number)]) \(date.day) \(months[date.month - 1]) \(date.year)"
    }
    func clock(_ local: Int) -> String { String(Civil.iso(local).suffix(8).prefix(5)) }
    let isDay = Civil.modulo(local, Civil.secondsPerDay) == 0
    guard let until, until > local else { return isDay ? day(local) : "\(day(local)) \(clock(local))" }
    if isDay, Civil.modulo(until, Civil.secondsPerDay) == 0 {
      let last = until - Civil.secondsPerDay
      return last > local ? "\(day(local)) to \(day(last))" : day(local)
    }
    let isSameDay = Civil.floorDiv(local, Civil.secondsPerDay) == Civil.floorDiv(until, Civil.secondsPerDay)
    return "\(day(local)) \(clock(local)) to \(isSameDay ? clock(until) : "\(day(until)) \(clock(until))")"
  }

  static func repetition(_ rule: String) -> String {
    guard let repetition = Recurrence(rule) else { return rule }
    let (one, many) =
      switch repetition.frequency {
      case .minutely: ("minute", "minutes")
      case .hourly: ("hour", "hours")
      case .daily: ("day", "days")
      case .weekly: ("week", "weeks")
      case .monthly: ("month", "months")
      case .yearly: ("year", "years")
      }
    // "On Monday and Wednesday", once each.
    if repetition.isOnceEach { return "on " + repetition.weekdays.map { weekdays[$0] }.joined(separator: " and ") }
    var words = repetition.interval == 1 ? "every \(one)" : "every \(repetition.interval) \(many)"
    if !repetition.weekdays.isEmpty {
      let days = repetition.days.map { day in
        let which = [
          1: "the first ", 2: "the second ", 3: "the third ", 4: "the fourth ", 5: "the fifth ", -1: "the last ",
        ]
        return (which[day.ordinal] ?? "") + weekdays[day.weekday]
      }
      words += " on " + days.joined(separator: ", ")
    }
    if !repetition.monthDays.isEmpty, repetition.frequency == .monthly {
      words += " on the " + repetition.monthDays.map { $0 == -1 ? "last day" : ordinal($0) }.joined(separator: " and ")
    }
    if let count = repetition.count { words += ", \(count) times" }
    if let day = repetition.untilDay { words += " until \(moment(day * Civil.secondsPerDay, until: nil))" }
    return words
  }

  private static func ordinal(_ day: Int) -> String {
    let ending = day / 10 == 1 ? "th" : [1: "st", 2: "nd", 3: "rd"][day % 10] ?? "th"
    return "\(day)\(ending)"
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
}

/// What the person wrote on the card; fields left out stay as they were understood.
package struct CardEdits: Codable, Sendable, Equatable {
  /// One of the alternatives instead of what was understood first.
  package var intent: Intent?
  package var title: String?
  /// Local ISO 8601; an empty text takes the time away.
  package var start: String?
  package var end: String?
  package var durationMinutes: Int?
  package var to: [String]?
  package var subject: String?
  package var body: String?
  package var repeats: Repeats?

  enum CodingKeys: String, CodingKey {
    case intent, title, start, end, to, subject, body, repeats
    case durationMinutes = "duration_min"
  }

  package init() {}

  package var changesTime: Bool { start != nil || end != nil }

  /// How much is written in it.
  package var bytes: Int {
    let texts = [title, start, end, subject, body].compactMap(\.self) + (to ?? [])
    return texts.reduce(8 * texts.count) { $0 + $1.utf8.count }
  }

  /// What is said later counts.
  package func merged(with later: CardEdits) -> CardEdits {
    var edits = self
    edits.intent = later.intent ?? intent
    edits.title = later.title ?? title
    edits.start = later.start ?? start
    edits.end = later.end ?? end
    edits.durationMinutes = later.durationMinutes ?? durationMinutes
    edits.to = later.to ?? to
    edits.subject = later.subject ?? subject
    edits.body = later.body ?? body
    edits.repeats = later.repeats ?? repeats
    return edits
  }

  /// Texts may be anything; times must be times.
  package func applied(to frame: Frame, alternatives: [Frame]) throws -> Frame {
    var frame = frame
    if let intent, intent != frame.intent {
      frame =
        alternatives.first { $0.intent == intent } ?? Frame(intent: intent, slots: Frame.Slots(), policy: frame.policy)
    }
    func text(_ edited: String?, _ old: String?) -> String? {
      guard let edited else { return old }
      let trimmed = edited.trimmingCharacters(in: .whitespacesAndNewlines)
      return trimmed.isEmpty ? nil : String(trimmed.prefix(10_000))
    }
    frame.slots.title = text(title, frame.slots.title)
    frame.slots.emailSubject = text(subject, frame.slots.emailSubject)
    frame.slots.emailBody = text(body, frame.slots.emailBody)
    if let to {
      frame.slots.emailTo = to.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    if let durationMinutes { frame.slots.durationMinutes = durationMinutes > 0 ? durationMinutes : nil }
    if frame.intent == .setAlarm, frame.slots.alarm == nil { frame.slots.alarm = .alarm }
    if changesTime {
      frame.slots.seconds = nil
      let old = Card(frame)
      func moment(_ edited: String?, _ old: String?) throws -> Int? {
        let written = edited ?? old ?? ""
        if written.isEmpty { return nil }
        guard let moment = Civil.parse(written) else { throw CommandError.incomplete("when: \(written) is no time") }
        return moment
      }
      let (first, last) = (try moment(start, old.start), try moment(end, old.end))
      frame.slots.datetimePoint = nil
      frame.slots.datetimeRange = nil
      if let first, let last, last > first {
        frame.slots.datetimeRange = Civil.iso(first) + "/" + Civil.iso(last)
      } else if let first {
        frame.slots.datetimePoint = Civil.iso(first)
      }
    }
    return frame
  }
}
