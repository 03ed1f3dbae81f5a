import Foundation
import Synchronization
import Testing

@testable import Commands

@Suite struct BellTests {
  private let landing: Landing
  private var folder: URL { landing.folder }
  private let now = Wednesday.moment

  init() throws { landing = try Landing() }

  private func doer(_ places: Places? = nil, at moment: Date = Wednesday.moment) -> ActionRunner {
    landing.doer(places, at: moment)
  }
  private var bell: Bell {
    Bell(
      folder.appending(path: "rings.jsonl"), journal: landing.journal, reader: landing.reader, zone: landing.zone)
  }
  private func look(at moment: Date) async throws -> (fresh: [Ring], open: [Ring]) {
    try bell.look(at: moment, try await bell.sight(at: moment))
  }
  private func next(after moment: Date) async throws -> Date? {
    try bell.next(after: moment, try await bell.sight(at: moment))
  }

  private func alarm(_ kind: AlarmKind, _ moment: String, _ rule: String? = nil, id: String) async throws {
    let frame = Frame(.setAlarm) { ($0.alarm, $0.datetimePoint) = (kind, moment) }
    _ = try await doer().perform(frame, recurrence: rule, id: id)
  }

  private func remind(_ title: String, _ moment: String, _ rule: String? = nil, id: String) async throws {
    let frame = Frame(.addReminder) { ($0.title, $0.datetimePoint) = (title, moment) }
    _ = try await doer().perform(frame, recurrence: rule, id: id)
  }

  @Test("What fell due while the person was still asked rings; what lay long in the past does not")
  func asked() async throws {
    try await remind("half an hour ago", "2026-06-10T09:00:00", id: "a")
    try await remind("this very second", "2026-06-10T09:30:00", id: "b")
    try await remind("yesterday", "2026-06-09T09:30:00", id: "c")
    try await remind("each morning", "2026-06-10T09:00:00", "FREQ=DAILY", id: "d")
    #expect(try await look(at: now).fresh.map(\.title) == ["half an hour ago", "this very second"])
  }

  @Test(
    "What is still to come is listed with what rings and what was put off, and may be put off or done before it rings")
  func standing() async throws {
    try await remind("stretch", "2026-06-10T10:00:00", id: "a")
    try await remind("in a month", "2026-07-10T10:00:00", id: "b")
    func standing(at moment: Date) async throws -> [Ring] {
      try bell.standing(at: moment, try await bell.sight(at: moment, ahead: 366 * 86_400))
    }
    let coming = try await standing(at: now)
    #expect(coming.map(\.title) == ["stretch", "in a month"] && coming.allSatisfy { $0.state == .coming })
    _ = try bell.settle(coming[0].id, snoozeUntil: now.addingTimeInterval(7200), among: coming)
    // Its own time does not ring any more; the one it was put off to does.
    #expect(try await look(at: now.addingTimeInterval(1801)).fresh.isEmpty)
    #expect(try await standing(at: now).map(\.state) == [.snoozed, .coming])
    #expect(try await look(at: now.addingTimeInterval(7201)).fresh.map(\.title) == ["stretch"])
    _ = try bell.settle(coming[1].id, among: coming)
    #expect(try await standing(at: now.addingTimeInterval(7201)).map(\.title) == ["stretch"])
    #expect(throws: CommandError.self) { try bell.settle("nothing@1") }
  }

  @Test("A reminder rings once when it is due, also for a program that was away, and stays until it is answered")
  func rings() async throws {
    try await remind("stretch", "2026-06-10T10:00:00", id: "a")
    #expect(try await look(at: now).fresh.isEmpty)
    #expect(try await next(after: now) == now.addingTimeInterval(1800))
    // Another process, hours later.
    let later = now.addingTimeInterval(5 * 3600)
    let first = try await look(at: later)
    #expect(first.fresh.map(\.title) == ["stretch"])
    let again = try await look(at: later)
    #expect(again.fresh.isEmpty)
    #expect(again.open.map(\.title) == ["stretch"])
    let ring = try #require(again.open.first)
    _ = try bell.settle(ring.id, snoozeUntil: later.addingTimeInterval(600))
    #expect(try await look(at: later.addingTimeInterval(60)).open.isEmpty)
    #expect(try await look(at: later.addingTimeInterval(601)).fresh.map(\.id) == [ring.id])
    _ = try bell.settle(ring.id)
    try await doer().complete("a")
    #expect(try await look(at: later.addingTimeInterval(9000)).open.isEmpty)
    let file = landing.places.tasks.appending(path: "a.ics")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("STATUS:COMPLETED"))
  }

  @Test("Each time of a repeating reminder rings by itself; what was missed many times rings for the last")
  func repeats() async throws {
    try await remind("pills", "2026-06-11T08:00:00", "FREQ=DAILY", id: "b")
    let first = try await look(at: now.addingTimeInterval(86_400))
    #expect(first.fresh.count == 1)
    _ = try bell.settle(try #require(first.fresh.first).id)
    let second = try await look(at: now.addingTimeInterval(5 * 86_400))
    #expect(second.fresh.count == 1)
    #expect(second.fresh.first?.id != first.fresh.first?.id)
  }

  @Test("A year of a daily reminder asks once, and leaves a file that does not grow with it")
  func daily() async throws {
    try await remind("pills", "2026-06-11T08:00:00", "FREQ=DAILY", id: "a")
    try await remind("stretch", "2026-06-11T08:00:00", id: "b")
    let rings = folder.appending(path: "rings.jsonl")
    let bell = bell
    for day in 1...400 {
      let moment = now.addingTimeInterval(Double(day) * 86_400)
      let look = try bell.look(at: moment, try await bell.sight(at: moment))
      #expect(look.open.filter { $0.action == "a" } == look.fresh.filter { $0.action == "a" } && look.open.count == 2)
      if day % 2 == 0 { _ = try bell.settle(try #require(look.fresh.first { $0.action == "a" }).id) }
    }
    #expect(try Data(contentsOf: rings).split(separator: 0x0A).count < 4 * 62 + 2 * 64)
    // What was told before it was shortened is not told again.
    let again = try await look(at: now.addingTimeInterval(400 * 86_400))
    #expect(again.fresh.isEmpty && again.open.map(\.action) == ["b"])
  }

  @Test("What fell due long ago, while nothing ran, is still told")
  func longAway() async throws {
    try await remind("renew the passport", "2026-06-10T10:00:00", id: "d")
    #expect(try await look(at: now.addingTimeInterval(400 * 86_400)).fresh.map(\.title) == ["renew the passport"])
  }

  @Test("A reminder that was taken back does not ring")
  func undone() async throws {
    try await remind("nothing", "2026-06-10T10:00:00", id: "c")
    _ = try await doer().undo("c")
    #expect(try await look(at: now.addingTimeInterval(7200)).open.isEmpty)
  }

  @Test("A reminder's file that no worker understands rings nothing and is named, and the others ring")
  func broken() async throws {
    try await remind("stretch", "2026-06-10T10:00:00", id: "a")
    try await remind("drink", "2026-06-10T10:00:00", id: "b")
    try Data("BEGIN:NOTHING".utf8).write(to: landing.places.tasks.appending(path: "a.ics"))
    let later = now.addingTimeInterval(3600)
    let sight = try await bell.sight(at: later)
    #expect(try bell.look(at: later, sight).fresh.map(\.title) == ["drink"])
    #expect(sight.problems.contains { $0.contains("a.ics") })
  }

  @Test("An alarm rings to the second, also at midnight, and says so where nothing ran at its time")
  func alarms() async throws {
    try await alarm(.timer, "2026-06-10T09:30:05", id: "a")
    try await alarm(.alarm, "2026-06-11T00:00:00", id: "b")
    #expect(try await look(at: now.addingTimeInterval(3)).fresh.isEmpty)
    let ring = try #require(try await look(at: now.addingTimeInterval(5)).fresh.first)
    #expect(ring.alarm == .timer && ring.name == "Timer" && ring.missed == nil)
    let midnight = now.addingTimeInterval(14.5 * 3600)
    #expect(try await next(after: now.addingTimeInterval(6)) == midnight)
    let late = try #require(try await look(at: midnight.addingTimeInterval(3600)).fresh.first)
    #expect(late.alarm == .alarm && late.missed == true)
    // A reminder asks whenever it is found.
    try await remind("stretch", "2026-06-10T10:00:00", id: "c")
    #expect(try await look(at: midnight.addingTimeInterval(3600)).fresh.first?.missed == nil)
  }

  @Test("A stopped alarm does not ring, with all its repetitions, until that is taken back")
  func stopped() async throws {
    try await alarm(.alarm, "2026-06-11T07:00:00", "FREQ=DAILY", id: "a")
    let morning = now.addingTimeInterval(21.5 * 3600)
    let record = try await doer().stop(
      ["a"], summary: "Stopped", heard: "stop the alarm", frame: Frame(.stopAlarm), id: "s")
    #expect(record.stopped == ["a"] && record.file == nil)
    #expect(try await look(at: morning).fresh.isEmpty)
    #expect(try await doer().undo("s").state == .undone)
    #expect(try await look(at: morning).fresh.map(\.action) == ["a"])
    await #expect(throws: CommandError.self) { try await doer().undo("s") }
    // The file is still as it was written, so that setting it can be taken back too.
    #expect(try await doer().undo("a").state == .undone)
  }

  @Test("Two looks at the same time ring once")
  func twoLooks() async throws {
    try await remind("stretch", "2026-06-10T10:00:00", id: "a")
    let later = now.addingTimeInterval(3600)
    let (first, second) = (try await bell.sight(at: later), try await bell.sight(at: later))
    #expect(try bell.look(at: later, first).fresh.count + bell.look(at: later, second).fresh.count == 1)
  }

  private func mail(_ to: String) -> Frame {
    Frame(.sendEmail) { ($0.emailTo, $0.emailBody) = ([to], "hello") }
  }

  @Test("Mail waits for its time, can be taken back until then, and goes once")
  func outbox() async throws {
    var places = landing.places
    places.sendsAfter = 15
    let waiting = try await doer(places).perform(mail("a@example.org"), id: "m")
    #expect(waiting.state == .waiting)
    #expect(try await doer(places).due().isEmpty)
    let back = try await doer(places).perform(mail("b@example.org"), id: "n")
    #expect(try await doer(places).undo(back.id).state == .undone)
    let late = doer(places, at: now.addingTimeInterval(16))
    let due = try await late.due()
    #expect(due.map(\.id) == ["m"])
    let sent = try await late.send(try #require(due.first)) { file in
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("To: a@example.org"))
    }
    #expect(sent.state == .done)
    #expect(try #require(sent.file).contains("/.Sent/cur/"))
    #expect(try await late.due().isEmpty)
    await #expect(throws: CommandError.nothingToUndo("m")) { try await late.undo("m") }
  }

  @Test("Mail that was being sent when the program died is not sent again")
  func interrupted() async throws {
    var places = landing.places
    places.sendsAfter = 0
    var record = try await doer(places).perform(mail("a@example.org"), id: "m")
    record.state = .sending
    try landing.journal.append(record)
    let settled = try await doer(places).recover()
    #expect(settled.map(\.state) == [.failed])
    #expect(try await doer(places).due().isEmpty)
    #expect(try #require(settled.first?.file).contains("/.Drafts/cur/"))
  }

  @Test("Mail that went is sent, filed or not; mail whose end nobody awaited is asked about; neither goes twice")
  func unfiled() async throws {
    var places = landing.places
    places.sendsAfter = 0
    for id in ["m", "n"] { _ = try await doer(places).perform(mail("a@example.org"), id: id) }
    let doer = doer(places)
    let due = try await doer.due()
    // A file where the folder of what was sent should be.
    try Data().write(to: places.mail.appending(path: ".Sent"))
    let sent = try await doer.send(try #require(due.first)) { _ in }
    #expect(sent.state == .done && sent.reason?.contains("outbox") == true)
    await #expect(throws: CancellationError.self) {
      try await doer.send(try #require(due.last)) { _ in throw CancellationError() }
    }
    #expect(try await doer.due().isEmpty)
    let settled = try await doer.recover()
    #expect(settled.map(\.id) == ["n"] && settled.first?.reason?.contains("whether it arrived") == true)
    #expect(try await doer.perform(mail("a@example.org"), id: "n").state == .failed)
  }

  @Test("A name without an address stays a draft, and it is said why")
  func nameless() async throws {
    var places = landing.places
    places.sendsAfter = 15
    let record = try await doer(places).perform(mail("john"), id: "m")
    #expect(record.state == .done)
    #expect(try #require(record.file).contains("/.Drafts/"))
    #expect(record.reason?.contains("john") == true)
  }

  @Test("Rules that are learned at one moment are all kept")
  func rulesAtOnce() throws {
    let rules = Rules(folder.appending(path: "rules.json"))
    let failed = Mutex<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: 40) { place in
      do { try rules.learn("word\(place)", minutes: place + 1) } catch { failed.withLock { $0.append(error) } }
    }
    #expect(failed.withLock { $0.isEmpty })
    #expect(try rules.list().count == 40)
  }

  @Test("A length written on the card becomes a rule, which can be seen and removed")
  func rules() throws {
    let rules = Rules(folder.appending(path: "rules.json"))
    let frame = Frame(.createEvent) { ($0.title, $0.datetimePoint) = ("lunch with Ann", "2026-06-11T12:00:00") }
    var edits = CardEdits()
    edits.durationMinutes = 60
    let corrected = try edits.applied(to: frame, alternatives: [])
    #expect(try rules.learn(from: frame, corrected: corrected, edits) == Rules.Rule(word: "lunch", minutes: 60))
    #expect(try rules.lengths() == ["lunch": 60])
    try rules.forget("Lunch")
    #expect(try rules.list().isEmpty)
  }

  @Test("Times on the card must be times")
  func badEdit() {
    var edits = CardEdits()
    edits.start = "tomorrow-ish"
    #expect(throws: CommandError.self) { try edits.applied(to: .nothing(confidence: 0), alternatives: []) }
  }
}
