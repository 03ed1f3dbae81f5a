package import Foundation

/// A reminder that fell due, and what became of it.
package struct Ring: Codable, Sendable, Equatable {
  package enum State: String, Codable, Sendable {
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
  package var state: State
  package var again: Date?
}

/// Rings what falls due, each occurrence exactly once: it is written down before anybody is told, and stays on a card until
/// the person has dealt with it. What fell due while nothing ran is found at the next look.
package struct Bell: Sendable {
  private let lines: RecordLines<Ring>
  private let journal: any Journal
  private let zone: TimeZone
  /// Occurrences of a repeating reminder that are older than this are not rung any more.
  static let memory: TimeInterval = 31 * 86_400

  package init(_ file: URL, journal: any Journal, zone: TimeZone = .current) {
    lines = RecordLines(file)
    self.journal = journal
    self.zone = zone
  }

  /// Everything that asks for attention now; `fresh` is what nobody was told of yet.
  package func look(at now: Date) throws -> (fresh: [Ring], open: [Ring]) {
    var known = try lines.latest(by: \.id)
    var fresh: [Ring] = []
    for record in try reminders() {
      guard let entry = entry(record) else { continue }
      let alarm = Double(entry.alarm ?? 0)
      // What lay in the past when it was said is not rung for.
      let said = max(record.at, record.restored ?? record.at)
      let from = entry.repetition == nil ? said : max(said, now.addingTimeInterval(-Self.memory))
      let span = entry.occurrences(from: from.addingTimeInterval(-alarm), until: now.addingTimeInterval(1 - alarm))
      // Of a repeating reminder that was missed many times, the last time is enough.
      guard let moment = span.last else { continue }
      let ring = Ring(
        id: "\(record.id)@\(Int(moment.timeIntervalSince1970))", action: record.id, title: entry.title, due: moment,
        state: .due)
      if known.values[ring.id] == nil {
        try lines.append(ring)
        known.insert(ring, for: ring.id)
        fresh.append(ring)
      }
    }
    for var ring in known.ordered where ring.state == .snoozed && ring.again ?? .distantPast <= now {
      (ring.state, ring.again) = (.due, nil)
      try lines.append(ring)
      known.insert(ring, for: ring.id)
      fresh.append(ring)
    }
    // A reminder that was taken back, or done elsewhere, asks for nothing any more.
    let alive = Set(try reminders().filter { entry($0) != nil }.map(\.id))
    return (fresh, known.ordered.filter { $0.state == .due && alive.contains($0.action) })
  }

  /// When it is worth looking again.
  package func next(after now: Date) throws -> Date? {
    var moments = try lines.latest(by: \.id).ordered.compactMap { $0.state == .snoozed ? $0.again : nil }
    for record in try reminders() {
      guard let entry = entry(record) else { continue }
      let alarm = Double(entry.alarm ?? 0)
      let coming = entry.occurrences(
        from: now.addingTimeInterval(1 - alarm), until: now.addingTimeInterval(86_400 - alarm))
      if let first = coming.first { moments.append(first.addingTimeInterval(alarm)) }
    }
    return moments.filter { $0 > now }.min()
  }

  package func settle(_ id: String, snoozeUntil again: Date? = nil) throws -> Ring {
    guard var ring = try lines.latest(by: \.id).values[id] else { throw CommandError.unknownAction(id) }
    (ring.state, ring.again) = (again == nil ? .done : .snoozed, again)
    try lines.append(ring)
    return ring
  }

  private func reminders() throws -> [ActionRecord] {
    try journal.records().filter { $0.intent == .addReminder && $0.state == .done && $0.file != nil }
  }

  /// The reminder as its file says now: moved, done or deleted elsewhere counts.
  private func entry(_ record: ActionRecord) -> CalendarEntry? {
    guard let path = record.file, let data = FileManager.default.contents(atPath: path) else { return nil }
    return CalendarEntry.read(data, local: zone).first { $0.uid == record.id && !$0.isOver && $0.alarm != nil }
  }
}
