import Commands
import Foundation
import LiberaDoors
import Synchronization
import Testing

@testable import Assistant
@testable import LiberaKit
@testable import LiberaScreens
@testable import UserNotifications

/// What rings, and when, for the same reminders: by the bell that rings on Linux, and by Apple's notifications as we declare them.
enum RingSide: String, CaseIterable, Sendable {
  case bell, notifications

  /// The first time that each reminder of a home rings within the next days, by its title.
  func rings(of libera: Libera, days: Int) async throws -> [String: Date] {
    switch self {
    case .bell: try await Self.bell(libera.house.actions, days: days)
    case .notifications: try await Self.notifications(libera, days: days)
    }
  }

  /// Looks whenever the bell says that it is worth it, as the program does, with time passing at once.
  private static func bell(_ files: ActionFiles, days: Int) async throws -> [String: Date] {
    // What was put off stands in the home's own file, which stays as it is.
    let own = files.folder.appending(path: "rings.jsonl")
    let copy = files.folder.appending(path: "rings-\(UUID().uuidString).jsonl")
    if FileManager.default.fileExists(atPath: own.path) { try FileManager.default.copyItem(at: own, to: copy) }
    let bell = Bell(copy, journal: files.journal, reader: files.reader)
    var (rung, now) = ([String: Date](), Date())
    let end = now.addingTimeInterval(Double(days) * 86_400)
    _ = try bell.look(at: now, try await bell.sight(at: now))
    while now < end {
      let sight = try await bell.sight(at: now)
      now = min(try bell.next(after: now, sight) ?? end, now.addingTimeInterval(43_200))
      for ring in try bell.look(at: now, try await bell.sight(at: now)).fresh where rung[ring.title] == nil {
        rung[ring.title] = now
      }
    }
    return rung
  }

  private static func notifications(_ libera: Libera, days: Int) async throws -> [String: Date] {
    NotificationRoom.shared.state.withLock { $0 = NotificationRoom.State() }
    let ringer = AppleRinger()
    _ = try await ringer.ask()
    try await ringer.ring(try await libera.comingReminders())
    let end = Date().addingTimeInterval(Double(days) * 86_400)
    let coming = NotificationRoom.shared.state.withLock(\.coming).values.compactMap { one in
      Calendar.current.date(from: one.at).map { (one.title, $0) }
    }
    return Dictionary(coming.filter { $0.1 <= end }) { min($0, $1) }
  }
}

extension DoorTests {
  @Test("Both sides ring the same reminders at the same second", arguments: RingSide.allCases)
  @MainActor func rings(side: RingSide) async throws {
    try await KitHome(withPacks: false).during { libera in
      let errands = Errands(AppScreen { libera })
      let today = Calendar.current.startOfDay(for: Date())
      func day(_ count: Int) throws -> Date {
        try #require(Calendar.current.date(byAdding: .day, value: count, to: today))
      }
      let morning = try day(1).addingTimeInterval(7.5 * 3_600)
      _ = try await errands.remind(of: "call John", at: morning)
      _ = try await errands.remind(of: "pay the rent", at: try day(2))
      _ = try await errands.remind(of: "much later", at: try day(30))
      let back = try await errands.remind(of: "taken back", at: morning)
      try await libera.undo(back.id)
      for what in ["put off", "done already"] { _ = try await errands.remind(of: what, at: morning) }
      for reminder in try await libera.comingReminders() {
        if reminder.title == "put off" { try await libera.settle(reminder: reminder.id, snoozingMinutes: 600) }
        if reminder.title == "done already" { try await libera.settle(reminder: reminder.id) }
      }
      let putOff = try #require(try await libera.comingReminders().first { $0.title == "put off" }).rings
      _ = try await libera.perform("set an alarm for 6 am tomorrow", confirmed: true)
      let rung = try await side.rings(of: libera, days: 5)
      #expect(rung["call John"] == morning)
      #expect(rung["pay the rent"] == (try day(2)).addingTimeInterval(9 * 3_600), "a whole day's rings in its morning")
      let late = try #require(rung["put off"])
      #expect(abs(late.timeIntervalSince(putOff)) < 1)
      #expect(rung.count == 4, "\(rung)")
      let alarm = try #require(rung.first { !["call John", "pay the rent", "put off"].contains($0.key) })
      #expect(alarm.value == (try day(1)).addingTimeInterval(6 * 3_600), "\(alarm)")
    }
  }

  @Test("Both sides ring a repeating reminder at its next time", arguments: RingSide.allCases)
  @MainActor func ringsAgain(side: RingSide) async throws {
    try await KitHome(withPacks: false).during { libera in
      let done = try await libera.perform("remind me every day at nine to water the plants", confirmed: true)
      #expect(done.action?.state == .done, "\(done)")
      let rung = try await side.rings(of: libera, days: 3)
      let nine = Calendar.current.startOfDay(for: Date()).addingTimeInterval(9 * 3_600)
      let tomorrow = try #require(Calendar.current.date(byAdding: .day, value: 1, to: nine))
      let next = nine > Date() ? nine : tomorrow
      #expect(rung.count == 1 && rung.values.first == next, "\(rung), \(next)")
    }
  }
}
