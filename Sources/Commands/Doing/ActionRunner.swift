import Core
package import Documents
package import Foundation

/// Does what a frame says, once, and takes it back.
///
/// Each action is written into the journal before it is done and after. The file's name comes from the action's id, so doing
/// it again after a crash writes the same file and never a second one.
package actor ActionRunner {
  private let places: Places
  private let journal: FileJournal
  private let connectors: [any Connector]
  private let zone: TimeZone
  private let clock: @Sendable () -> Date

  package init(
    places: Places, journal: FileJournal, zone: TimeZone = .current,
    reader: ForeignFiles,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.places = places
    self.journal = journal
    connectors = [CalendarConnector(), NotesConnector(), MailConnector(reader)]
    self.zone = zone
    self.clock = clock
  }

  /// `id` names the action; asking again for one that is done returns its record and does nothing. `replacing`: a reminder that
  /// does not ring any more once this is done.
  package func perform(
    _ frame: Frame, recurrence: String? = nil, emailFrom: String? = nil, emailAbout: String? = nil,
    heard: String? = nil, replacing: String? = nil, id: String = UUID().uuidString.lowercased()
  ) async throws -> ActionRecord {
    guard Self.isName(id) else { throw CommandError.unknownAction(id) }
    if let known = try known(id) { return known }
    guard let connector = connectors.first(where: { $0.intents.contains(frame.intent) }) else {
      throw CommandError.incomplete("what to do")
    }
    guard places.allowed.contains(frame.intent) else { throw CommandError.notPermitted(frame.intent.rawValue) }
    let order = Order(
      id: id, frame: frame, recurrence: recurrence, emailFrom: emailFrom, emailAbout: emailAbout, zone: zone,
      now: clock())
    let planned = try await connector.plan(order, in: places)
    // Planning may have waited; from here on nothing does, so that an action is done once.
    if let known = try known(id) { return known }
    var record = ActionRecord(
      id: id, intent: frame.intent, summary: planned.summary, state: .begun, at: order.now, file: planned.file?.path,
      digest: planned.file == nil ? nil : WholeFile.digest(planned.contents), messages: planned.messages,
      reason: planned.remark, sendAt: planned.sendAt, heard: heard, frame: frame.json)
    record.alarm = frame.intent == .setAlarm ? frame.slots.alarm ?? .alarm : nil
    if frame.intent.form.rings { record.recurrence = recurrence ?? "" }
    record.replaces = replacing
    if let replacing { _ = try standing(replacing) }
    // Whoever asks names the action, and so the file: what others keep beside ours stays.
    if let file = planned.file?.path, FileManager.default.fileExists(atPath: file), try !isOurs(file, of: id) {
      throw CommandError.placeUnusable(file, "something else lies there already")
    }
    try journal.append(record)
    if let file = planned.file {
      do {
        for folder in planned.beside { try Folders.make(folder) }
        try WholeFile.write(planned.contents, to: file, staging: planned.staging)
      } catch {
        record.state = .failed
        record.reason = "\(error)"
        try journal.append(record)
        throw error
      }
    }
    if let replacing { try mark(replacing, "NEEDS-ACTION", as: "CANCELLED") }
    record.state = planned.sendAt == nil ? .done : .waiting
    try journal.append(record)
    return record
  }

  /// A reminder that rings and that nothing else has changed: something may take its place.
  package func standing(_ id: String) throws -> ActionRecord {
    guard let record = try journal.records().first(where: { $0.id == id }), record.intent.form.rings,
      record.state == .done,
      let path = record.file
    else { throw CommandError.unknownAction(id) }
    guard try FileManager.default.fileExists(atPath: path) && isOurs(path, of: id)
    else { throw CommandError.changedSince(path) }
    return record
  }

  private func isOurs(_ path: String, of id: String) throws -> Bool {
    try journal.digests(of: id).contains(WholeFile.digest(RegularFile.whole(path, limit: 16 << 20)))
  }

  /// Files are named after it.
  static func isName(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 64
      && id.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 }
  }

  private func known(_ id: String) throws -> ActionRecord? {
    try journal.records().first {
      $0.id == id && ($0.handedOver == true || $0.state != .begun && $0.state != .failed)
    }
  }

  /// Takes an action back, unless its file was changed by something else meanwhile.
  package func undo(_ id: String) throws -> ActionRecord {
    guard var record = try journal.records().first(where: { $0.id == id }) else { throw CommandError.unknownAction(id) }
    if let stopped = record.stopped, !stopped.isEmpty, record.state == .done {
      for alarm in stopped { try mark(alarm, "CANCELLED", as: "NEEDS-ACTION") }
      record.state = .undone
      try journal.append(record)
      return record
    }
    guard record.state == .done || record.state == .waiting, let path = record.file,
      record.sendAt == nil || record.state == .waiting
    else { throw CommandError.nothingToUndo(id) }
    if FileManager.default.fileExists(atPath: path) {
      guard try isOurs(path, of: id) else {
        throw CommandError.changedSince(path)
      }
      try FileManager.default.removeItem(atPath: path)
    }
    if let replaced = record.replaces { try mark(replaced, "CANCELLED", as: "NEEDS-ACTION") }
    record.state = .undone
    try journal.append(record)
    return record
  }

  /// Mail whose time in the outbox is over.
  package func due() throws -> [ActionRecord] {
    try journal.records().filter { $0.state == .waiting && $0.sendAt ?? .distantPast <= clock() }
  }

  /// Hands one message over: written down first, so that a crash never sends it a second time. Where it was sent it stays sent, also
  /// where it cannot be filed among what was; where nobody waited for the end, what became of it is told by `recover`.
  package func send(_ record: ActionRecord, with sender: @Sendable (URL) async throws -> Void) async throws
    -> ActionRecord
  {
    var record = record
    guard let path = record.file else { throw CommandError.nothingToUndo(record.id) }
    record.state = .sending
    record.handedOver = true
    try journal.append(record)
    var box = ".Sent"
    do {
      try await sender(URL(filePath: path))
      record.state = .done
    } catch let error as CancellationError { throw error } catch {
      (record.state, record.handedOver, record.reason, box) = (.failed, nil, "\(error)", ".Drafts")
    }
    do { record.file = try WholeFile.move(path, to: places.mail.appending(path: box)).path } catch {
      record.reason = [record.reason, "It still lies in the outbox: \(error)"].compactMap(\.self).joined(separator: " ")
    }
    try journal.append(record)
    return record
  }

  /// The task behind a reminder is done: its file says so, as other programs write it. A repeating one goes on.
  package func complete(_ id: String) throws {
    try mark(
      id, "NEEDS-ACTION", as: "COMPLETED\r\nCOMPLETED:\(ICalendar.universal(clock()))", unlessRepeated: true)
  }

  /// What became of alarms, as an action of its own. Those that are still to come do not ring, with all their repetitions; taking
  /// the action back lets them ring again.
  package func stop(
    _ alarms: [String], summary: String, heard: String, frame: Frame, id: String
  ) throws -> ActionRecord {
    guard Self.isName(id) else { throw CommandError.unknownAction(id) }
    if let known = try known(id) { return known }
    guard places.allowed.contains(frame.intent) else { throw CommandError.notPermitted(frame.intent.rawValue) }
    var record = ActionRecord(
      id: id, intent: frame.intent, summary: summary, state: .begun, at: clock(), heard: heard, frame: frame.json)
    record.stopped = alarms
    // Recorded before the first of them is silenced, so that a crash in between leaves none that is not known.
    try journal.append(record)
    return try stopped(record)
  }

  /// All of them stop, or none.
  private func stopped(_ begun: ActionRecord) throws -> ActionRecord {
    var record = begun
    do {
      for alarm in record.stopped ?? [] { try mark(alarm, "NEEDS-ACTION", as: "CANCELLED") }
    } catch {
      for alarm in record.stopped ?? [] {
        // The one that could not be stopped cannot be set going either.
        do { try mark(alarm, "CANCELLED", as: "NEEDS-ACTION") } catch { continue }
      }
      record.state = .failed
      record.reason = "\(error)"
      try journal.append(record)
      throw error
    }
    record.state = .done
    try journal.append(record)
    return record
  }

  /// Changed only where it still stands as it was written; another program's form of it is left to that program.
  private func mark(_ id: String, _ old: String, as new: String, unlessRepeated: Bool = false) throws {
    guard var record = try journal.records().first(where: { $0.id == id }), let path = record.file,
      FileManager.default.fileExists(atPath: path)
    else { return }
    let text = String(decoding: try RegularFile.whole(path, limit: 1 << 20), as: UTF8.self)
    guard text.contains("STATUS:\(old)\r\n"),
      let task = text.range(of: "BEGIN:VTODO").map({ text[$0.upperBound...] }),
      !unlessRepeated || !["RRULE", "RDATE"].contains(where: { task.contains("\r\n\($0)") })
    else { return }
    let data = Data(text.replacing("STATUS:\(old)\r\n", with: "STATUS:\(new)\r\n").utf8)
    record.digest = WholeFile.digest(data)
    try journal.append(record)
    try WholeFile.write(data, to: URL(filePath: path))
  }

  /// After a crash: what was begun is done if its whole file is there, and otherwise never came about. A message that was
  /// being sent may have gone, so it is not sent again.
  package func recover() throws -> [ActionRecord] {
    var settled: [ActionRecord] = []
    for var record in try journal.records() where record.state == .sending {
      record.state = .failed
      record.reason = "The program stopped while it was being sent: look whether it arrived. The text is a draft now."
      if let path = record.file, FileManager.default.fileExists(atPath: path) {
        record.file = try WholeFile.move(path, to: places.mail.appending(path: ".Drafts")).path
      }
      try journal.append(record)
      settled.append(record)
    }
    for record in try journal.records() where record.state == .begun && record.stopped != nil {
      // Why it failed then stands in the journal.
      do { settled.append(try stopped(record)) } catch { continue }
    }
    for var record in try journal.records() where record.state == .begun && record.stopped == nil {
      let url = record.file.map { URL(filePath: $0) }
      let isThere = url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
      let isWhole =
        try isThere && url.map { WholeFile.digest(try RegularFile.whole($0.path, limit: 16 << 20)) } == record.digest
      record.state = !isWhole ? .failed : record.sendAt == nil ? .done : .waiting
      if !isWhole { record.reason = "The program stopped before it was done." }
      if isWhole, let replaced = record.replaces { try mark(replaced, "NEEDS-ACTION", as: "CANCELLED") }
      try journal.append(record)
      settled.append(record)
    }
    return settled
  }

  package func actions() throws -> [ActionRecord] { try journal.records() }
}
