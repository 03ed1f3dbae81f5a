import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite struct DoingTests {
  private let landing: Landing
  private var places: Places { landing.places }
  private var journal: FileJournal { landing.journal }
  private var doer: ActionRunner { landing.doer() }

  init() throws { landing = try Landing() }

  private func text(_ record: ActionRecord) throws -> String {
    try String(contentsOfFile: try #require(record.file), encoding: .utf8)
  }

  @Test("A reminder becomes a task with an alarm, and undo takes it away")
  func reminder() async throws {
    let doer = doer
    let record = try await doer.perform(
      Frame(.addReminder) {
        ($0.title, $0.datetimePoint) = ("call John; bring \"keys\", and more", "2026-06-11T07:00:00")
      })
    let written = try text(record)
    #expect(written.contains("DUE;TZID=Europe/Berlin:20260611T070000\r\n"))
    #expect(written.contains("SUMMARY:call John\\; bring \"keys\"\\, and more\r\n"))
    #expect(written.contains("BEGIN:VALARM"))
    #expect(written.contains("TZOFFSETTO:+0200"))
    #expect(record.state == .done)
    let undone = try await doer.undo(record.id)
    #expect(undone.state == .undone)
    #expect(!FileManager.default.fileExists(atPath: try #require(record.file)))
    await #expect(throws: CommandError.nothingToUndo(record.id)) { try await doer.undo(record.id) }
  }

  @Test("A reminder in the place of another silences that one, and taking it back lets it ring again")
  func replaced() async throws {
    let doer = doer
    func bins(_ title: String, _ rule: String?, _ id: String, replacing: String? = nil) async throws -> ActionRecord {
      let frame = Frame(.addReminder) { ($0.title, $0.datetimePoint) = (title, "2026-06-15T08:00:00") }
      return try await doer.perform(frame, recurrence: rule, replacing: replacing, id: id)
    }
    let first = try await bins("bins", "FREQ=WEEKLY;BYDAY=MO", "first")
    let second = try await bins("paper", "FREQ=DAILY", "second", replacing: "first")
    #expect(
      second.replaces == "first" && second.recurrence == "FREQ=DAILY" && first.recurrence == "FREQ=WEEKLY;BYDAY=MO")
    #expect(try text(first).contains("STATUS:CANCELLED\r\n") && text(second).contains("RRULE:FREQ=DAILY\r\n"))
    _ = try await doer.undo("second")
    #expect(try text(first).contains("STATUS:NEEDS-ACTION\r\n"))
    #expect(!FileManager.default.fileExists(atPath: second.file ?? ""))
    // What another program has written is not replaced, and then nothing is done.
    try Data(text(first).replacing("bins", with: "boxes").utf8).write(to: URL(filePath: first.file ?? ""))
    await #expect(throws: CommandError.changedSince(first.file ?? "")) {
      try await bins("glass", nil, "third", replacing: "first")
    }
    #expect(try !journal.records().contains { $0.id == "third" })
  }

  @Test("What repeats is changed by what is chosen; another day than its days has to be chosen anew")
  func repeats() throws {
    // The fifteenth of June 2026 is a Monday.
    let monday = Frame(.addReminder) { ($0.title, $0.datetimePoint) = ("bins", "2026-06-15T08:00:00") }
    let tuesday = Frame(.addReminder) { ($0.title, $0.datetimePoint) = ("bins", "2026-06-16T08:00:00") }
    var edits = CardEdits()
    #expect(try edits.recurrence("FREQ=WEEKLY;BYDAY=MO", of: monday) == "FREQ=WEEKLY;BYDAY=MO")
    #expect(try edits.recurrence("FREQ=MONTHLY;BYDAY=3MO", of: monday) == "FREQ=MONTHLY;BYDAY=3MO")
    #expect(try edits.recurrence("", of: tuesday) == nil && edits.recurrence(nil, of: tuesday) == nil)
    for rule in [
      "FREQ=WEEKLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=3MO", "FREQ=MONTHLY;BYMONTHDAY=15",
      "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15",
      "FREQ=DAILY\r\nATTENDEE:x", "FREQ=NEVER",
    ] {
      #expect(throws: CommandError.otherDay, "\(rule)") { try edits.recurrence(rule, of: tuesday) }
    }
    let chosen: [(Repeats, String?)] = [
      (.never, nil), (.daily, "FREQ=DAILY"), (.weekly, "FREQ=WEEKLY;BYDAY=TU"),
      (.monthly, "FREQ=MONTHLY;BYMONTHDAY=16"),
      (.yearly, "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=16"),
    ]
    for (repeats, rule) in chosen {
      edits.repeats = repeats
      #expect(try edits.recurrence("FREQ=WEEKLY;BYDAY=MO", of: tuesday) == rule)
    }
    #expect(chosen.count == Repeats.allCases.count)
  }

  @Test("What ends beyond the years that a calendar can write down is refused", arguments: [nil, 525_600])
  func lastYear(minutes: Int?) async throws {
    let entry = Frame(.createEvent) {
      ($0.title, $0.datetimePoint) = ("the end", minutes == nil ? "9999-12-31T00:00:00" : "9999-06-10T12:00:00")
      $0.durationMinutes = minutes
    }
    await #expect(throws: CommandError.incomplete("a time that a calendar can hold")) {
      try await doer.perform(entry)
    }
  }

  @Test("Asking twice for the same action does it once")
  func once() async throws {
    let doer = doer
    let note = Frame(.createNote) { $0.title = "paint colour: sea mist" }
    let first = try await doer.perform(note, id: "a-1")
    let second = try await doer.perform(note, id: "a-1")
    #expect(first == second)
    #expect(try FileManager.default.contentsOfDirectory(atPath: places.notes.path).count == 1)
  }

  @Test("A crash before, while or after writing leaves one action or none, and the journal says which")
  func crash() async throws {
    let reminder = Frame(.addReminder) { ($0.title, $0.datetimePoint) = ("stretch", "2026-06-10T18:00:00") }
    let done = try await doer.perform(reminder, id: "done")
    var begun = done
    begun.state = .begun
    // Stopped after the file was written and before the journal said so.
    try journal.append(begun)
    // Stopped before the file was written.
    var lost = begun
    lost.id = "lost"
    lost.file = places.tasks.appending(path: "lost.ics").path
    try journal.append(lost)
    // Stopped while a line was being written.
    let log = landing.folder.appending(path: "actions.jsonl")
    try (try Data(contentsOf: log) + Data("{\"id\":\"to".utf8)).write(to: log)
    let settled = try await doer.recover()
    #expect(settled.map(\.state) == [.done, .failed])
    // What failed can be asked for again under its name.
    #expect(try await doer.perform(reminder, id: "lost").state == .done)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: places.tasks.path).sorted() == ["done.ics", "lost.ics"])
    #expect(try await doer.actions().map(\.state) == [.done, .done])
  }

  private func alarms(_ ids: [String], _ doer: ActionRunner) async throws -> [ActionRecord] {
    let alarm = Frame(.setAlarm) { ($0.alarm, $0.datetimePoint) = (.alarm, "2026-06-11T07:00:00") }
    var records: [ActionRecord] = []
    for id in ids { records.append(try await doer.perform(alarm, id: id)) }
    return records
  }

  @Test("A crash while alarms are being stopped leaves none silent that nobody knows of")
  func stopped() async throws {
    let doer = doer
    let alarms = try await alarms(["a", "b"], doer)
    var begun = try await doer.stop(["a"], summary: "Stopped", heard: "stop", frame: Frame(.stopAlarm), id: "s")
    #expect(try text(alarms[0]).contains("STATUS:CANCELLED") && text(alarms[1]).contains("STATUS:NEEDS-ACTION"))
    // Stopped between the first and the second.
    (begun.stopped, begun.state) = (["a", "b"], .begun)
    try journal.append(begun)
    #expect(try await doer.recover().map(\.state) == [.done])
    #expect(try alarms.allSatisfy { try text($0).contains("STATUS:CANCELLED") })
    _ = try await doer.undo("s")
    #expect(try alarms.allSatisfy { try text($0).contains("STATUS:NEEDS-ACTION") })
  }

  @Test("Where one of several alarms cannot be stopped all of them go on ringing, and the journal says so")
  func unstoppable() async throws {
    let doer = doer
    let alarms = try await alarms(["a", "b"], doer)
    let second = try #require(alarms[1].file)
    try FileManager.default.removeItem(atPath: second)
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
    await #expect(throws: (any Error).self) {
      try await doer.stop(["a", "b"], summary: "Stopped", heard: "stop", frame: Frame(.stopAlarm), id: "s")
    }
    #expect(try text(alarms[0]).contains("STATUS:NEEDS-ACTION"))
    #expect(try await doer.actions().last?.state == .failed)
  }

  @Test("A change of our own that a crash broke off is not taken for somebody else's")
  func brokenOff() async throws {
    let doer = doer
    let alarm = try await alarms(["a"], doer)[0]
    var written = alarm
    // Written down, and stopped before the file was changed.
    written.digest = "f00"
    try journal.append(written)
    #expect(try await doer.standing("a").digest == "f00")
    #expect(try await doer.undo("a").state == .undone)
    #expect(!FileManager.default.fileExists(atPath: try #require(alarm.file)))
  }

  @Test("What somebody changed meanwhile is not taken back")
  func changed() async throws {
    let doer = doer
    let record = try await doer.perform(Frame(.createNote) { $0.title = "hello" })
    let file = URL(filePath: try #require(record.file))
    try "mine now".write(to: file, atomically: true, encoding: .utf8)
    await #expect(throws: CommandError.changedSince(file.path)) { try await doer.undo(record.id) }
  }

  @Test("Words never become paths or headers")
  func hostile() async throws {
    let doer = doer
    let note = try await doer.perform(Frame(.createNote) { $0.title = "../../etc/passwd\n---\nid: x" })
    #expect(try #require(note.file).hasPrefix(places.notes.path + "/2026-06-10 etc-passwd"))
    let page = try await text(doer.perform(Frame(.createNote) { $0.title = "a\r\nid: forged\r\n---\r\nb" }))
    #expect(!page.components(separatedBy: "\n---\n")[0].contains("forged"))
    let mail = try await doer.perform(
      Frame(.sendEmail) {
        $0.emailTo = ["eve@example.com\r\nBcc: all@example.com"]
        $0.emailSubject = "x\r\nBcc: all@example.com"
        $0.emailBody = "From here\n.\nend"
      })
    #expect(!(try text(mail)).contains("\r\nBcc:"))
    await #expect(throws: CommandError.unknownAction("../x")) {
      try await doer.perform(Frame(.createNote) { $0.title = "x" }, id: "../x")
    }
  }

  @Test("A connector that is not allowed does nothing")
  func permission() async throws {
    var places = places
    places.allowed = [.createNote]
    let doer = landing.doer(places)
    await #expect(throws: CommandError.notPermitted("send_email")) {
      try await doer.perform(Frame(.sendEmail) { $0.emailTo = ["a@b.org"] })
    }
  }

  @Test("Mail is read from a Maildir, by sender, unread first")
  func reading() async throws {
    let new = places.mail.appending(path: "new")
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
    for (index, from) in ["Priya <priya@example.org>", "=?utf-8?Q?J=C3=BCrgen?= <j@example.org>"].enumerated() {
      let message =
        "From: \(from)\r\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\r\n no \(index)\r\nDate: Wed, 10 Jun 2026 0\(index + 7):00:00 +0200\r\n\r\nHello there\r\n"
      try message.write(to: new.appending(path: "17810\(index).x"), atomically: true, encoding: .utf8)
    }
    let doer = doer
    let all = try await doer.perform(Frame(.readEmail))
    #expect(all.messages?.map(\.from) == ["Jürgen <j@example.org>", "Priya <priya@example.org>"])
    #expect(all.messages?.first?.subject == "Grüße no 1")
    let one = try await doer.perform(Frame(.readEmail), emailFrom: "priya")
    #expect(one.messages?.count == 1)
    #expect(one.messages?.first?.excerpt == "Hello there")
  }

  @Test("A message that cannot be read is named, and the others are shown; what is no file is not opened")
  func unreadable() async throws {
    let new = places.mail.appending(path: "new")
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
    let message = "From: Ann <ann@example.org>\nSubject: \u{1B}]52;c;eA==\u{7}Tea\u{202E}\n\nAt four?\n"
    try message.write(to: new.appending(path: "1.good"), atomically: true, encoding: .utf8)
    try Data([0, 1, 2, 3]).write(to: new.appending(path: "2.noise"))
    try FileManager.default.createSymbolicLink(
      at: new.appending(path: "3.link"), withDestinationURL: URL(filePath: "/etc/hostname"))
    #expect(mkfifo(new.appending(path: "4.pipe").path, 0o600) == 0)
    let record = try await doer.perform(Frame(.readEmail))
    #expect(record.messages?.map(\.subject) == ["]52;c;eA== Tea"])
    for name in ["2.noise", "3.link", "4.pipe"] { #expect(record.reason?.contains(name) == true) }
  }

  /// What other programs make of what was written, a line each.
  private static let readers = #"""
    import icalendar, mailbox, sys, email.policy, email.header, datetime
    root = sys.argv[1]
    calendar = icalendar.Calendar.from_ical(open(root + '/calendar/event.ics', 'rb').read())
    event = calendar.walk('VEVENT')[0]
    print(str(event['SUMMARY']).strip() == sys.argv[2].strip())
    utc = datetime.timezone.utc
    print(event['DTSTART'].dt.astimezone(utc).isoformat(), event['DTEND'].dt.astimezone(utc).isoformat())
    print(event['RRULE'].to_ical().decode())
    drafts = mailbox.Maildir(root + '/mail').get_folder('Drafts')
    message = drafts[drafts.keys()[0]]
    print(str(email.header.make_header(email.header.decode_header(message['Subject']))).replace('\r\n', ''))
    print(message.get_payload(decode=True).decode().strip())
    print(message.get_flags())
    import os, subprocess
    tools = os.path.dirname(sys.executable)
    if os.path.exists(tools + '/khal'):
        open(root + '/khal.conf', 'w').write('[calendars]\n[[own]]\npath = ' + root + '/calendar\n[sqlite]\npath = ' + root + '/khal.db\n[locale]\nlocal_timezone = Europe/Berlin\ndefault_timezone = Europe/Berlin\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n')
        listed = subprocess.run([tools + '/khal', '-c', root + '/khal.conf', 'list', '2026-10-31', '1d', '--format', '{start-time} {title}'], capture_output=True, text=True)
        print('khal', '23:00' in listed.stdout)
    else: print('khal True')
    if os.path.exists(tools + '/todo'):
        open(root + '/todo.py', 'w').write('path = "' + root + '/tasks"\ndate_format = "%Y-%m-%d"\ntime_format = "%H:%M"\ndefault_list = "tasks"\n')
        listed = subprocess.run([tools + '/todo', '--config', root + '/todo.py', 'list'], capture_output=True, text=True, env=dict(os.environ, TZ='Europe/Berlin'))
        print('todo', 'call John' in listed.stdout and '2026-06-11 07:00' in listed.stdout)
    else: print('todo True')
    """#

  private static let python = ProcessInfo.processInfo.environment["LIBERA_TEST_PYTHON"]

  @Test(
    "icalendar and mailbox of Python read what was written",
    .enabled(if: python != nil, "LIBERA_TEST_PYTHON names no Python with icalendar, khal and todoman"))
  func read() async throws {
    let interpreter = URL(filePath: try #require(Self.python))
    let doer = doer
    let long = "Büro 日本 " + String(repeating: "long title ", count: 20)
    _ = try await doer.perform(
      Frame(.createEvent) { ($0.title, $0.datetimeRange) = (long, "2026-10-24T23:00:00/2026-10-25T04:00:00") },
      recurrence: "FREQ=WEEKLY;BYDAY=SA;UNTIL=20261231T235959", id: "event")
    _ = try await doer.perform(
      Frame(.addReminder) { ($0.title, $0.datetimePoint) = ("call John", "2026-06-11T07:00:00") },
      recurrence: "FREQ=DAILY", id: "task")
    _ = try await doer.perform(
      Frame(.sendEmail) {
        $0.emailTo = ["kate@example.org", "Jürgen"]
        $0.emailSubject = "Grüße " + String(repeating: "ü", count: 80)
        $0.emailBody = "Schöne Grüße\nFrom me = you "
      }, id: "mail")
    let output = try Tool.run([interpreter.path, "-c", Self.readers, landing.folder.path, long]).output
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "True", "2026-10-24T21:00:00+00:00 2026-10-25T03:00:00+00:00", "FREQ=WEEKLY;UNTIL=20261231T225959Z;BYDAY=SA",
        "Grüße " + String(repeating: "ü", count: 80), "Schöne Grüße", "From me = you", "DS", "khal True", "todo True",
      ])
  }
}
