import Core
package import Foundation

/// Calendar, tasks, notes and mail out of a backup. They come back as things to look at: no mail goes, no missed reminder
/// rings, and nothing of them names a file outside their own folder.
package struct RestoredActions {
  private let folder: URL
  private let home: URL
  private let now: Date
  private static let mostBytes = 64 << 20
  private static let mostLines = 200_000

  /// `folder` is where they lie now, `home` where they will lie.
  package init(_ folder: URL, movingTo home: URL, now: Date = Date()) {
    (self.folder, self.home, self.now) = (folder, home, now)
  }

  /// Returns what the person should know, in sentences.
  package func settle() throws -> [String] {
    let drafts = try emptyOutbox()
    return try settleJournal(drafts) + settleRules() + settleHistory() + settleRings()
  }

  // MARK: Mail

  /// Whatever lies in the outbox becomes a draft. Returns where each file went, by where it was.
  private func emptyOutbox() throws -> [String: String] {
    var moved: [String: String] = [:]
    for part in Maildir.parts {
      let box = folder.appending(path: "mail/.Outbox/\(part)")
      guard FileManager.default.fileExists(atPath: box.path) else { continue }
      for name in try FileManager.default.contentsOfDirectory(atPath: box.path) {
        let old = "mail/.Outbox/\(part)/\(name)"
        var new = "mail/.Drafts/cur/\(name)"
        if exists(new) { new = "mail/.Drafts/cur/\(UUID().uuidString.lowercased()).restored" }
        for part in Maildir.parts { try Folders.make(folder.appending(path: "mail/.Drafts/\(part)")) }
        try FileManager.default.moveItem(at: folder.appending(path: old), to: folder.appending(path: new))
        moved[old] = new
      }
    }
    return moved
  }

  // MARK: Journal

  private func settleJournal(_ moved: [String: String]) throws -> [String] {
    var remarks: [String] = []
    let file = folder.appending(path: "journal.jsonl")
    guard let records: [ActionRecord] = try read(file, &remarks) else { return remarks }
    var latest = RecordLines<ActionRecord>.Latest()
    for record in records where Self.isSane(record) { latest.insert(record, for: record.id) }
    var waiting: [String] = []
    let settled = latest.ordered.map { record in
      var record = record
      record.restored = now
      record.messages = record.messages?.map { message in
        var message = message
        message.file = ""
        return message
      }
      let tail = record.file.flatMap(tail).map { moved[$0] ?? $0 }.flatMap { exists($0) ? $0 : nil }
      record.file = tail.map { home.appending(path: $0).path }
      if tail == nil { record.digest = nil }
      if record.sendAt != nil, [.waiting, .begun, .sending].contains(record.state) {
        waiting.append(record.summary)
        record.state = .done
        record.reason = "It came back from a backup as a draft, and was not sent."
      } else if record.state == .begun || record.state == .sending || record.state == .waiting {
        record.state = .failed
        record.reason = "It was not done when the backup was made."
      }
      record.sendAt = nil
      return record
    }
    try RecordLines<ActionRecord>(file).replace(with: settled)
    for summary in waiting.prefix(20) { remarks.append("A draft now, and not sent: \(Self.plain(summary)).") }
    if waiting.count > 20 { remarks.append("And \(waiting.count - 20) more drafts that are not sent.") }
    if settled.contains(where: { $0.intent.form.rings && $0.state == .done }) {
      remarks.append("Reminders ring from now on; what fell due before does not.")
    }
    return remarks
  }

  /// The part of a path below the folder of actions, wherever that lay.
  private func tail(_ path: String) -> String? {
    let parts = ForeignName.parts(path).filter { !$0.isEmpty }
    guard !parts.contains(".."), !parts.contains(".") else { return nil }
    let starts = parts.indices.filter { parts[$0] == "actions" }
    return starts.reversed().lazy.map { parts[($0 + 1)...].joined(separator: "/") }.first {
      !$0.isEmpty && exists($0) || $0.hasPrefix("mail/.Outbox/")
    }
  }

  private func exists(_ tail: String) -> Bool {
    var isFolder: ObjCBool = false
    let path = folder.appending(path: tail).path
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
  }

  private static func isSane(_ record: ActionRecord) -> Bool {
    ActionRunner.isName(record.id) && isSane(record.at) && record.sendAt.map(isSane) ?? true
  }

  /// A moment that can be calculated with.
  private static func isSane(_ date: Date) -> Bool { abs(date.timeIntervalSince1970) < 1e11 }

  // MARK: The rest

  private func settleRules() throws -> [String] {
    let file = folder.appending(path: "rules.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let rules = Rules(file)
    do {
      guard try size(file) <= 1 << 20 else { throw CommandError.incomplete("") }
      try rules.keepSane()
      return []
    } catch {
      try FileManager.default.removeItem(at: file)
      return ["The lengths that corrections had taught could not be read and stayed behind."]
    }
  }

  private func settleHistory() throws -> [String] {
    var remarks: [String] = []
    let file = folder.appending(path: "history.jsonl")
    guard let heard: [Heard] = try read(file, &remarks) else { return remarks }
    try RecordLines<Heard>(file).replace(with: Array(heard.filter { Self.isSane($0.at) }.suffix(History.most)))
    return remarks
  }

  /// Which reminders have rung is forgotten: none rings for a time before now.
  private func settleRings() throws -> [String] {
    let file = folder.appending(path: "rings.jsonl")
    try FileManager.default.removeIfThere(file)
    return []
  }

  /// nil where there is no such file, or none that can be read.
  private func read<Record: Codable & Sendable>(_ file: URL, _ remarks: inout [String]) throws -> [Record]? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let lines = RecordLines<Record>(file)
    guard try size(file) <= Self.mostBytes else {
      try FileManager.default.removeItem(at: file)
      remarks.append("\(file.lastPathComponent) is larger than any of ours and stayed behind.")
      return nil
    }
    let (records, unread) = try lines.readable()
    if unread > 0 {
      remarks.append("\(unread) lines of \(file.lastPathComponent) could not be read and stayed behind.")
    }
    return Array(records.suffix(Self.mostLines))
  }

  private func size(_ file: URL) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
  }

  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(120).filter { $0.value >= 32 && !(127..<160).contains($0.value) }))
  }
}
