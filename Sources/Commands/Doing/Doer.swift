import Core
package import Foundation

/// Does what a frame says, once, and takes it back.
///
/// Each action is written into the journal before it is done and after. The file's name comes from the action's id, so doing
/// it again after a crash writes the same file and never a second one.
package actor Doer {
  private let places: Places
  private let journal: any Journal
  private let connectors: [any Connector]
  private let zone: TimeZone
  private let clock: @Sendable () -> Date

  package init(
    places: Places, journal: any Journal, zone: TimeZone = .current,
    connectors: [any Connector] = [CalendarConnector(), NotesConnector(), MailConnector()],
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.places = places
    self.journal = journal
    self.connectors = connectors
    self.zone = zone
    self.clock = clock
  }

  /// `id` names the action; asking again for one that is done returns its record and does nothing.
  package func perform(
    _ frame: Frame, recurrence: String? = nil, emailFrom: String? = nil, id: String = UUID().uuidString.lowercased()
  ) throws -> ActionRecord {
    guard id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }), !id.isEmpty, id.count <= 64 else {
      throw CommandError.unknownAction(id)
    }
    if let known = try journal.records().first(where: { $0.id == id }), known.state == .done || known.state == .undone {
      return known
    }
    guard let connector = connectors.first(where: { $0.intents.contains(frame.intent) }) else {
      throw CommandError.incomplete("what to do")
    }
    guard places.allowed.contains(frame.intent) else { throw CommandError.notPermitted(frame.intent.rawValue) }
    let order = Order(id: id, frame: frame, recurrence: recurrence, emailFrom: emailFrom, zone: zone, now: clock())
    let deed = try connector.plan(order, in: places)
    var record = ActionRecord(
      id: id, intent: frame.intent, summary: deed.summary, state: .begun, at: order.now, file: deed.file?.path,
      digest: deed.file == nil ? nil : WholeFile.digest(deed.contents), messages: deed.messages)
    try journal.append(record)
    if let file = deed.file {
      do {
        for folder in deed.beside { try Folders.make(folder) }
        try WholeFile.write(deed.contents, to: file, staging: deed.staging)
      } catch {
        record.state = .failed
        record.reason = "\(error)"
        try journal.append(record)
        throw error
      }
    }
    record.state = .done
    try journal.append(record)
    return record
  }

  /// Takes an action back, unless its file was changed by something else meanwhile.
  package func undo(_ id: String) throws -> ActionRecord {
    guard var record = try journal.records().first(where: { $0.id == id }) else { throw CommandError.unknownAction(id) }
    guard record.state == .done, let path = record.file else { throw CommandError.nothingToUndo(id) }
    if FileManager.default.fileExists(atPath: path) {
      guard WholeFile.digest(try Data(contentsOf: URL(filePath: path))) == record.digest else {
        throw CommandError.changedSince(path)
      }
      try FileManager.default.removeItem(atPath: path)
    }
    record.state = .undone
    try journal.append(record)
    return record
  }

  /// After a crash: what was begun is done if its whole file is there, and otherwise never came about.
  package func recover() throws -> [ActionRecord] {
    var settled: [ActionRecord] = []
    for var record in try journal.records() where record.state == .begun {
      let url = record.file.map { URL(filePath: $0) }
      let isThere = url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
      let isWhole = try isThere && url.map { WholeFile.digest(try Data(contentsOf: $0)) } == record.digest
      record.state = isWhole ? .done : .failed
      if !isWhole { record.reason = "The program stopped before it was done." }
      try journal.append(record)
      settled.append(record)
    }
    return settled
  }

  package func actions() throws -> [ActionRecord] { try journal.records() }
}
