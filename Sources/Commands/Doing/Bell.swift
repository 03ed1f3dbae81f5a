package import Documents
package import Foundation

/// A reminder that fell due, and what became of it.
package struct Ring: Codable, Sendable, Equatable {
  package enum State: String, Codable, Sendable {
    /// Is still to come.
    case coming
    /// Fell due; a card asks what is to be done with it.
    case due
    /// Rings again at `again`.
    case snoozed
    case done
  }

  /// The action's id and the moment, so that each occurrence of a repeating reminder is its own.
  package var id: String
  package var action: String
  package var title: String
  package var due: Date
  /// When it is told, where that is another time: a whole day's rings in its morning.
  package var rings: Date?
  package var state: State
  package var again: Date?
  /// An alarm or timer, which rings aloud; nil for a reminder.
  package var alarm: AlarmKind?
  /// Nothing ran when it should have rung, so that it was told too late to ring.
  package var missed: Bool?

  package init(
    id: String, action: String, title: String, due: Date, rings: Date? = nil, state: State, again: Date? = nil,
    alarm: AlarmKind? = nil
  ) {
    (self.id, self.action, self.title, self.due, self.rings) = (id, action, title, due, rings)
    (self.state, self.again, self.alarm) = (state, again, alarm)
  }

  /// "Timer: pasta".
  package var name: String {
    guard let alarm else { return "Reminder: \(title)" }
    return title == alarm.name ? title : "\(alarm.name): \(title)"
  }
}

/// Rings what falls due, each occurrence exactly once: it is written down before anybody is told, and stays on a card until
/// the person has dealt with it. What fell due while nothing ran is found at the next look.
package struct Bell: Sendable {
  private let lines: RecordLines<Ring>
  private let journal: FileJournal
  private let zone: TimeZone
  /// Occurrences of a repeating reminder that are older than this are not rung any more.
  static let memory: TimeInterval = 31 * 86_400
  /// An alarm that is found later than this after its time is told of and does not ring.
  static let patience: TimeInterval = 120
  /// A reminder may be asked about for so long and still rings.
  static let asking: TimeInterval = 3600
  /// So many lines that say nothing any more are left where they are.
  static let fewLines = 64
  /// What lies so far ahead is looked at, to know when to ring.
  package static let ahead: TimeInterval = 2 * 86_400

  private let reader: ForeignFiles

  package init(_ file: URL, journal: FileJournal, reader: ForeignFiles, zone: TimeZone = .current) {
    lines = RecordLines(file)
    self.journal = journal
    self.reader = reader
    self.zone = zone
  }

  /// What the reminders' files say now: moved, done or deleted elsewhere counts.
  package struct Sight: Sendable {
    struct Reminder: Sendable {
      var record: ActionRecord
      var title: String
      var repeats: Bool
      /// When it is due and when it rings for that, in order.
      var times: [(due: Date, rings: Date)]
    }
    var reminders: [Reminder] = []
    /// Files that could not be understood, with the reason.
    package var problems: [String] = []
  }

  /// Asks for the files. Deciding what rings stands in `look`, which waits for nothing, so that two looks never ring twice.
  package func sight(at now: Date, ahead: TimeInterval = Self.ahead) async throws -> Sight {
    var sight = Sight()
    for record in try reminders() {
      guard let path = record.file else { continue }
      var found = try await occurrences(record, path, from: now.addingTimeInterval(-Self.memory), now + ahead, &sight)
      // What is not repeated may have fallen due long ago.
      if found.isEmpty { found = try await occurrences(record, path, from: record.at, now + ahead, &sight) }
      guard let first = found.first else { continue }
      let times = found.compactMap { one in
        one.start.map { start -> (due: Date, rings: Date) in
          let due = Date(timeIntervalSince1970: Double(start))
          return (due, due.addingTimeInterval(Double(one.alarm ?? 0)))
        }
      }
      sight.reminders.append(
        Sight.Reminder(
          record: record, title: first.title, repeats: first.repeats, times: times.sorted { $0.due < $1.due }))
    }
    return sight
  }

  private func occurrences(
    _ record: ActionRecord, _ path: String, from: Date, _ until: Date, _ sight: inout Sight
  ) async throws -> [CalendarOccurrence] {
    let file = URL(filePath: path)
    // A day for alarms that come before or after what they are for.
    let found = try await reader.calendars(
      [file.lastPathComponent], below: file.deletingLastPathComponent(), from: from.addingTimeInterval(-86_400),
      until: until, zone: zone)
    sight.problems += found.compactMap { one in one.failure.map { "\(one.path): \($0)" } }
    return found.flatMap(\.reading.occurrences).filter {
      $0.kind == .task && $0.uid == record.id && $0.status == .stands && $0.alarm != nil
    }
  }

  /// Everything that asks for attention now; `fresh` is what nobody was told of yet.
  package func look(at now: Date, _ sight: Sight) throws -> (fresh: [Ring], open: [Ring]) {
    let standing = try reminders()
    var known = try lines.latest(by: \.id)
    try shorten(&known, to: standing, at: now)
    var fresh: [Ring] = []
    for reminder in sight.reminders {
      let record = reminder.record
      // What lay long in the past when it was done is not rung for; what fell due while the person was still asked is.
      let done = record.at.addingTimeInterval(reminder.repeats ? -1 : -Self.asking)
      let said = max(done, record.restored ?? done)
      let from = reminder.repeats ? max(said, now.addingTimeInterval(-Self.memory)) : said
      // Of a repeating reminder that was missed many times, the last time is enough.
      guard let time = reminder.times.last(where: { $0.rings >= from && $0.rings < now.addingTimeInterval(1) })
      else { continue }
      var ring = Ring(reminder, time, .due)
      if ring.alarm != nil, now.timeIntervalSince(time.rings) > Self.patience { ring.missed = true }
      if known.values[ring.id] == nil {
        // What an earlier time of it still asked, this one asks.
        for var earlier in known.ordered where earlier.action == ring.action && earlier.state == .due {
          earlier.state = .done
          try lines.append(earlier)
          known.insert(earlier, for: earlier.id)
        }
        try lines.append(ring)
        known.insert(ring, for: ring.id)
        fresh.append(ring)
      }
    }
    for var ring in known.ordered where ring.state == .snoozed && ring.again ?? .distantPast <= now {
      let isLate = ring.alarm != nil && now.timeIntervalSince(ring.again ?? now) > Self.patience
      (ring.state, ring.again, ring.missed) = (.due, nil, isLate ? true : nil)
      try lines.append(ring)
      known.insert(ring, for: ring.id)
      fresh.append(ring)
    }
    // A reminder that was taken back, or done elsewhere, asks for nothing any more.
    let alive = Set(sight.reminders.map(\.record.id)).intersection(standing.map(\.id))
    return (fresh, known.ordered.filter { $0.state == .due && alive.contains($0.action) })
  }

  /// Forgets what can neither ring nor be asked about again, once it is most of what is written down.
  private func shorten(_ known: inout RecordLines<Ring>.Latest, to standing: [ActionRecord], at now: Date) throws {
    let repeats = Dictionary(standing.map { ($0.id, $0.recurrence?.isEmpty == false) }) { $1 }
    let kept = known.ordered.filter { ring in
      guard let repeats = repeats[ring.action] else { return false }
      return !repeats || ring.state != .done || ring.due > now.addingTimeInterval(-2 * Self.memory)
    }
    guard try lines.all().count > 2 * kept.count + Self.fewLines else { return }
    try lines.replace(with: kept)
    known = try lines.latest(by: \.id)
  }

  /// When it is worth looking again.
  package func next(after now: Date, _ sight: Sight) throws -> Date? {
    let snoozed = try lines.latest(by: \.id).ordered.compactMap { $0.state == .snoozed ? $0.again : nil }
    let coming = sight.reminders.flatMap { $0.times.map(\.rings) }.filter { $0 < now.addingTimeInterval(86_400) }
    return (snoozed + coming).filter { $0 > now }.min()
  }

  /// What rings, what was put off, and the next time of each reminder that is still to come, the soonest first.
  package func standing(at now: Date, _ sight: Sight) throws -> [Ring] {
    let known = try lines.latest(by: \.id)
    let alive = Set(sight.reminders.map(\.record.id)).intersection(try reminders().map(\.id))
    let told = known.ordered.filter { $0.state != .done && alive.contains($0.action) }
    let coming = sight.reminders.compactMap { reminder -> Ring? in
      guard alive.contains(reminder.record.id), !told.contains(where: { $0.action == reminder.record.id }),
        let time = reminder.times.first(where: { $0.rings > now && known.values[Ring.id(reminder, $0.due)] == nil })
      else { return nil }
      return Ring(reminder, time, .coming)
    }
    return (told + coming).sorted { ($0.again ?? $0.due) < ($1.again ?? $1.due) }
  }

  /// `coming`: those that may be done or put off before they were ever told.
  package func settle(_ id: String, snoozeUntil again: Date? = nil, among coming: [Ring] = []) throws -> Ring {
    guard var ring = try lines.latest(by: \.id).values[id] ?? coming.first(where: { $0.id == id }) else {
      throw CommandError.unknownAction(id)
    }
    (ring.state, ring.again) = (again == nil ? .done : .snoozed, again)
    try lines.append(ring)
    return ring
  }

  private func reminders() throws -> [ActionRecord] {
    try journal.records().filter { $0.intent.form.rings && $0.state == .done && $0.file != nil }
  }
}

extension Ring {
  fileprivate init(_ reminder: Bell.Sight.Reminder, _ time: (due: Date, rings: Date), _ state: State) {
    let record = reminder.record
    self.init(
      id: Self.id(reminder, time.due), action: record.id, title: reminder.title, due: time.due,
      rings: time.rings == time.due ? nil : time.rings, state: state, alarm: record.alarm)
  }

  fileprivate static func id(_ reminder: Bell.Sight.Reminder, _ moment: Date) -> String {
    "\(reminder.record.id)@\(Int(moment.timeIntervalSince1970))"
  }
}
