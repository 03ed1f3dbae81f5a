import Commands
import Core
import Foundation
import Workers

/// Reminders ring and mail leaves the outbox while a server runs.
package actor Ringing {
  private let files: ActionFiles
  private let bell: Bell
  private let settings: CurrentSettings
  private let launcher: Launcher?
  private let notify: Notify?
  private let errors: ErrorLog
  private var ringing: Task<Void, Never>?
  private let nap = Nap()
  /// Reminders' files that could not be understood, each noted once.
  private var toldOf: Set<String> = []
  /// What the desktop is still to be told, one after another: one that does not answer holds up nothing else.
  private var untold: [(title: String, text: String)] = []
  private var telling: Task<Void, Never>?

  /// Shows a title and a text on the person's desktop.
  typealias Notify = @Sendable (String, String) async throws -> Void
  static let mostUntold = 20

  init(
    _ files: ActionFiles, _ settings: CurrentSettings, _ launcher: Launcher?, _ errors: ErrorLog, notify: Notify? = nil
  ) {
    (self.files, self.settings, self.launcher, self.errors) = (files, settings, launcher, errors)
    if notify == nil, let launcher {
      self.notify = { try await launcher.notify(title: $0, text: $1) }
    } else {
      self.notify = notify
    }
    bell = Bell(files.folder.appending(path: "rings.jsonl"), journal: files.journal, reader: files.reader)
  }

  var isOn: Bool { ringing != nil }

  /// Settles what a crash left, and hands over mail whose time is over. Called once when the house opens.
  func takeUp() async {
    guard files.isThere else { return }
    do {
      _ = try await files.doer.recover()
      try await sendDue()
    } catch { await errors.note(error, in: "actions") }
  }

  /// Rings from now on: a desktop notification where there is one, and a card.
  package func start() {
    guard ringing == nil else { return }
    ringing = Task { [weak self, nap] in
      while !Task.isCancelled {
        guard let wait = await self?.ringOnce() else { return }
        await nap.sleep(wait)
      }
    }
  }

  func stop() {
    ringing?.cancel()
    ringing = nil
    telling?.cancel()
    untold = []
  }

  /// There may be something new to ring.
  nonisolated func wake() { nap.wake() }

  /// What asks for an answer now; what is new is told on the desktop too.
  func ring() async throws -> [Ring] {
    guard files.isThere else { return [] }
    let look = try bell.look(at: Date(), try await sight())
    for ring in look.fresh { await tell(ring) }
    return look.open
  }

  /// How far ahead reminders are listed.
  private static let listed: TimeInterval = 366 * 86_400

  func standing() async throws -> [Ring] {
    guard files.isThere else { return [] }
    return try bell.standing(at: Date(), try await sight(ahead: Self.listed))
  }

  /// What the reminders' files say; one that cannot be understood is noted once.
  private func sight(ahead: TimeInterval = Bell.ahead) async throws -> Bell.Sight {
    let sight = try await bell.sight(at: Date(), ahead: ahead)
    for problem in sight.problems where toldOf.insert(problem).inserted {
      await errors.note(CommandError.reminderUnreadable(problem), in: "reminders")
    }
    return sight
  }

  private func tell(_ ring: Ring) async {
    guard isOn, let notify else { return }
    // Where the desktop shows no notifications the card on the page remains.
    let clock = ring.due.formatted(date: .omitted, time: .shortened)
    let title = ring.missed == true ? "Missed: \(ring.name)" : ring.alarm?.name ?? "Reminder"
    let text = ring.missed == true ? "It was for \(clock); Libera was not running then." : ring.title
    guard untold.count < Self.mostUntold else {
      let reason = WorkerError.notStarted(program: "the desktop's notification", reason: "too many wait for it")
      return await errors.note(reason, in: "reminders")
    }
    untold.append((title, text))
    telling = telling ?? Task { await tellAll(notify) }
  }

  private func tellAll(_ notify: Notify) async {
    while isOn, !untold.isEmpty {
      let (title, text) = untold.removeFirst()
      do { try await notify(title, text) } catch { await errors.note(error, in: "reminders") }
    }
    telling = nil
  }

  /// How long nothing will happen.
  private func ringOnce() async -> Duration {
    do {
      _ = try await ring()
      try await sendDue()
      let now = Date()
      var next =
        files.isThere
        ? try bell.next(after: now, try await sight()) : nil
      for record in try await files.doer.actions() where record.state == .waiting {
        next = min(next ?? .distantFuture, record.sendAt ?? now)
      }
      // Another program may have moved a reminder meanwhile.
      let seconds = min(60, max(0.2, next.map { $0.timeIntervalSince(now) } ?? 60))
      return .milliseconds(Int(seconds * 1000))
    } catch is CancellationError { return .seconds(60) } catch {
      await errors.note(error, in: "reminders")
      return .seconds(60)
    }
  }

  func settle(_ id: String, snoozeMinutes: Double?) async throws -> Ring {
    let again = snoozeMinutes.map { Date().addingTimeInterval(max(0.1, min($0, 10_080)) * 60) }
    let ring = try bell.settle(id, snoozeUntil: again, among: try await standing())
    if again == nil { try await files.doer.complete(ring.action) }
    nap.wake()
    return ring
  }

  private func sendDue() async throws {
    let doer = files.doer
    let due = try await doer.due()
    guard !due.isEmpty, settings.now.sendmail != nil, let launcher else { return }
    for record in due {
      let sent = try await doer.send(record) { file in
        let opened = try RegularFile(file.path)
        defer { withExtendedLifetime(opened) {} }
        try await launcher.send(message: opened.descriptor)
      }
      if sent.state == .failed { await errors.note(CommandError.sendingFailed(sent.reason ?? ""), in: "mail") }
    }
  }
}
