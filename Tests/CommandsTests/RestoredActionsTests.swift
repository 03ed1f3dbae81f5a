import Core
import Documents
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Actions out of a backup")
struct RestoredActionsTests {
  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private let home = URL(filePath: "/home/somebody/libera/actions")
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private var journal: FileJournal { FileJournal(folder.appending(path: "journal.jsonl")) }

  init() throws { scratch = try Scratch("restored") }

  private func put(_ text: String, _ name: String) throws { _ = try scratch.file(name, Data(text.utf8)) }

  private func record(
    _ id: String, _ intent: Intent, _ state: ActionRecord.State, file: String?, sendAt: Date? = nil
  ) -> ActionRecord {
    ActionRecord(
      id: id, intent: intent, summary: "\(id)\u{1b}[2J", state: state, at: Date(timeIntervalSince1970: 1_700_000_000),
      file: file, digest: "d", sendAt: sendAt)
  }

  @Test("Mail that waits becomes a draft, nothing is due, and no record names a file outside the folder")
  func harmless() throws {
    try put("mail", "mail/.Outbox/cur/m.libera:2,S")
    try put("other", "mail/.Outbox/new/stray")
    try put("BEGIN:VCALENDAR", "tasks/r.ics")
    for record in [
      record("m", .sendEmail, .waiting, file: "/old/actions/mail/.Outbox/cur/m.libera:2,S", sendAt: .distantPast),
      record("key", .sendEmail, .waiting, file: "/home/somebody/.ssh/id_ed25519", sendAt: now),
      record("b", .sendEmail, .begun, file: "/old/actions/../../.bashrc", sendAt: now),
      record("s", .sendEmail, .sending, file: "/etc/passwd", sendAt: now),
      record("r", .addReminder, .done, file: "/old/libera/actions/tasks/r.ics"),
      record("n", .createNote, .done, file: "/old/actions/notes/gone.md"),
      record("e", .createEvent, .begun, file: "/old/actions/tasks/r.ics"),
      record("../x", .createNote, .done, file: nil),
    ] { try journal.append(record) }
    let remarks = try RestoredActions(folder, movingTo: home, now: now).settle()
    let records = Dictionary(uniqueKeysWithValues: try journal.records().map { ($0.id, $0) })
    #expect(records.keys.sorted() == ["b", "e", "key", "m", "n", "r", "s"])
    #expect(records.values.allSatisfy { $0.sendAt == nil && $0.restored == now })
    #expect(records.values.allSatisfy { [.done, .failed].contains($0.state) })
    #expect(records["m"]?.file == home.path + "/mail/.Drafts/cur/m.libera:2,S")
    #expect(records["r"]?.file == home.path + "/tasks/r.ics")
    for id in ["key", "b", "s", "n"] { #expect(records[id]?.file == nil && records[id]?.digest == nil) }
    #expect(records["e"]?.state == .failed)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.contains("mail/.Drafts/cur/stray") && names.contains("mail/.Drafts/cur/m.libera:2,S"))
    #expect(remarks.contains("A draft now, and not sent: m[2J."))
    #expect(remarks.contains { $0.hasPrefix("Reminders ring from now on") })
  }

  @Test("A reminder rings for what falls due after the restore, and not for what fell due before")
  func reminders() async throws {
    let zone = try #require(TimeZone(identifier: "UTC"))
    for (id, due) in [("past", -3600), ("coming", 3600)] {
      let entry = ICalendar(
        kind: .task, uid: id, title: id, start: Int(now.timeIntervalSince1970) + due, end: nil, isAllDay: false,
        rrule: nil, zone: zone, stamp: now)
      try put(entry.written(), "tasks/\(id).ics")
      try journal.append(record(id, .addReminder, .done, file: "/old/actions/tasks/\(id).ics"))
    }
    try put(#"{"id":"past@1","action":"past","title":"x","due":0,"state":"snoozed","again":0}"#, "rings.jsonl")
    _ = try RestoredActions(folder, movingTo: folder, now: now).settle()
    let bell = Bell(
      folder.appending(path: "rings.jsonl"), journal: journal, reader: ForeignFiles(ParseDesk()), zone: zone)
    #expect(try bell.look(at: now, try await bell.sight(at: now)).fresh == [])
    let later = now.addingTimeInterval(7200)
    #expect(try bell.look(at: later, try await bell.sight(at: later)).fresh.map(\.action) == ["coming"])
  }

  @Test("Rules and history are read as data: what is none of ours is not there")
  func rules() throws {
    try put(#"{"lunch": 60, "x": -1, "y": 999999999, "Big": 5, "": 5}"#, "rules.json")
    try put("{\n[[[[\n{\"at\": 1e308}\n", "history.jsonl")
    try put(String(repeating: "[", count: 100_000) + "\n", "journal.jsonl")
    #expect(try Rules(folder.appending(path: "rules.json")).lengths() == ["lunch": 60])
    #expect(try RestoredActions(folder, movingTo: home, now: now).settle().count == 2)
    #expect(try String(contentsOf: folder.appending(path: "rules.json"), encoding: .utf8) == #"{"lunch":60}"#)
    #expect(try History(folder.appending(path: "history.jsonl")).last().isEmpty)
    #expect(try journal.records().isEmpty)
    try put("no rules", "rules.json")
    #expect(try RestoredActions(folder, movingTo: home, now: now).settle().count == 1)
    #expect(try Rules(folder.appending(path: "rules.json")).list().isEmpty)
  }
}
