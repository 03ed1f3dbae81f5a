package import Commands
import Core
import Foundation
import Workers

/// Reminders ring and mail leaves the outbox while a server runs.
extension House {
  var rings: Bool { bellTask != nil }

  /// Settles what a crash left, and hands over mail whose time is over. Called once when the house opens.
  func takeUpActions() async {
    guard FileManager.default.fileExists(atPath: folders.actions.path) else { return }
    do {
      _ = try await doer().recover()
      try await sendDue()
    } catch { await note(error, in: "actions") }
  }

  /// Rings from now on: a desktop notification where there is one, and a card.
  package func startRinging() async {
    guard bellTask == nil else { return }
    bellTask = Task { [weak self, bellNap] in
      while !Task.isCancelled {
        guard let wait = await self?.ringOnce() else { return }
        await bellNap.sleep(wait)
      }
    }
  }

  func stopRinging() {
    bellTask?.cancel()
    bellTask = nil
  }

  /// What asks for an answer now; what is new is told on the desktop too.
  package func ring() async throws -> [Ring] {
    guard FileManager.default.fileExists(atPath: folders.actions.path) else { return [] }
    let look = try bell.look(at: Date(), try await sight())
    for ring in look.fresh { await tell(ring) }
    return look.open
  }

  /// What the reminders' files say; one that cannot be understood is noted once.
  private func sight() async throws -> Bell.Sight {
    let sight = try await bell.sight(at: Date())
    for problem in sight.problems where toldOfFiles.insert(problem).inserted {
      await note(CommandError.reminderUnreadable(problem), in: "reminders")
    }
    return sight
  }

  private func tell(_ ring: Ring) async {
    guard rings, let launcher else { return }
    // Where the desktop shows no notifications the card on the page remains.
    do { try await launcher.notify(title: "Reminder", text: ring.title) } catch { await note(error, in: "reminders") }
  }

  /// How long nothing will happen.
  private func ringOnce() async -> Duration {
    do {
      _ = try await ring()
      try await sendDue()
      let now = Date()
      var next =
        FileManager.default.fileExists(atPath: folders.actions.path)
        ? try bell.next(after: now, try await sight()) : nil
      for record in try await doer().actions() where record.state == .waiting {
        next = min(next ?? .distantFuture, record.sendAt ?? now)
      }
      // Another program may have moved a reminder meanwhile.
      let seconds = min(60, max(0.2, next.map { $0.timeIntervalSince(now) } ?? 60))
      return .milliseconds(Int(seconds * 1000))
    } catch {
      await note(error, in: "reminders")
      return .seconds(60)
    }
  }

  func settle(_ id: String, snoozeMinutes: Double?) async throws -> Ring {
    let again = snoozeMinutes.map { Date().addingTimeInterval(max(0.1, min($0, 10_080)) * 60) }
    let ring = try bell.settle(id, snoozeUntil: again)
    if again == nil { try await doer().complete(ring.action) }
    bellNap.wake()
    return ring
  }

  private func sendDue() async throws {
    let doer = doer()
    let due = try await doer.due()
    guard !due.isEmpty, settings.sendmail != nil, let launcher else { return }
    for record in due {
      let sent = try await doer.send(record) { file in
        let opened = try RegularFile(file.path)
        defer { withExtendedLifetime(opened) {} }
        try await launcher.send(message: opened.descriptor)
      }
      if sent.state == .failed { await note(CommandError.sendingFailed(sent.reason ?? ""), in: "mail") }
    }
  }
}
