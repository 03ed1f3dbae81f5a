import Foundation
import LiberaDoors
import LiberaKit
import SwiftUI
import Synchronization
import Testing

@testable import EventKit
@testable import LiberaApp
@testable import LiberaScreens
@testable import UserNotifications

extension DoorTests {
  private func card(_ json: String) throws -> CommandCard {
    try JSONDecoder().decode(CommandCard.self, from: Data(json.utf8))
  }

  @Test("A card becomes an entry of the system's calendar, or it is said why it cannot")
  func entries() throws {
    let event = try card(
      #"{"kind": "create_event", "words": "w", "title": "Dinner", "start": "2033-05-18T19:00:00", "minutes": 90, "recipients": []}"#
    )
    let entry = try #require(try CalendarEntry(.createEvent, event))
    #expect(entry.kind == .event && entry.title == "Dinner" && entry.repetition == nil)
    let start = try #require(entry.start)
    #expect(Calendar.current.dateComponents([.year, .hour], from: start) == DateComponents(year: 2033, hour: 19))
    #expect(entry.end == start + 5400)
    for (rule, repetition) in [("FREQ=WEEKLY", CalendarEntry.Repetition.weekly), ("FREQ=DAILY", .daily)] {
      let repeated = try card(
        #"{"kind": "add_reminder", "words": "w", "start": "2033-05-18T19:00:00", "recurrence": "\#(rule)", "recipients": []}"#
      )
      let entry = try CalendarEntry(.addReminder, repeated)
      #expect(entry?.repetition == repetition && entry?.kind == .reminder && entry?.title == "w")
    }
    let strange = try card(
      #"{"kind": "add_reminder", "words": "w", "recurrence": "FREQ=WEEKLY;INTERVAL=3", "recipients": []}"#)
    let error = #expect(throws: LiberaError.self) { _ = try CalendarEntry(.addReminder, strange) }
    #expect(error?.code == "calendar_repetition")
    #expect(try CalendarEntry(.createNote, event) == nil)
  }

  @Test(
    "Turned on in the settings, a reminder done by command stands in the system's list and rings; undo takes it out of both",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  @MainActor func mirror() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let notes = home.base.appending(path: "calendar.plist")
      let doors = Doors(calendar: AppleCalendar(), ringer: AppleRinger(), notes: notes)
      let visit = try await Visit.entered(libera, doors: doors)
      let stage = visit.stage
      try stage.tap("tab.more")
      try stage.tap("more.settings")
      try await visit.until("settings.calendar")
      visit.check("the system's calendar and notifications")
      try stage.tap("settings.ring")
      try stage.tap("settings.calendar")
      try await visit.until { stage.has("settings.rings") && (try? stage.find("settings.calendar").value) == "on" }
      visit.check("both allowed")
      try stage.tap("tab.voice")
      try stage.write("remind me tomorrow at nine to call John", into: "command.text")
      try stage.tap("command.hear")
      try await visit.until { stage.has("command.undo") || stage.has("card.confirm") }
      if stage.has("card.confirm") { try stage.tap("card.confirm") }
      try await visit.until { CalendarRoom.shared.state.withLock { !$0.entries.isEmpty } }
      let entry = try #require(CalendarRoom.shared.state.withLock { $0.entries.values.first })
      #expect(entry.title == "call John" && entry.due?.hour == 9 && entry.alarms == 1)
      try await visit.until { NotificationRoom.shared.state.withLock { $0.coming.count == 1 } }
      #expect(NotificationRoom.shared.state.withLock { $0.coming.values.first?.title } == "call John")

      // Another start of the app knows what it copied.
      let later = SystemMirror(libera, doors)
      await later.open()
      #expect(later.isCopying)
      try await visit.until("command.undo")
      try stage.tap("command.undo")
      try await visit.until("command.undone")
      try await visit.until { CalendarRoom.shared.state.withLock { $0.entries.isEmpty } }
      try await visit.until { NotificationRoom.shared.state.withLock { $0.coming.isEmpty } }
      #expect(visit.rooms?.mirror.problem == nil)
      stage.leave()
    }
  }

  @Test(
    "A memory warning of the system gives the memory of all models back",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  @MainActor func memoryWarning() async throws {
    try await KitHome().during { libera in
      // By its name: no test file can import a module that is called UIKit, since Swift Testing has an overlay for Apple's.
      let warning = NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
      let visit = try await Visit.entered(libera, doors: Doors(signals: AppleSignals()))
      _ = try await libera.answer("What is the capital of France?", AskOptions(task: .talk))
      try await visit.until { visit.rooms?.device.state?.loaded.isEmpty == false }
      try await visit.until {
        NotificationCenter.default.post(name: warning, object: nil)
        return visit.rooms?.device.state?.loaded.isEmpty == true
      }
      visit.stage.leave()
    }
  }

  @Test("Where the system refuses, copying stays off and the settings say so")
  @MainActor func mirrorRefused() async throws {
    CalendarRoom.shared.state.withLock { $0.answer = false }
    try await KitHome(withPacks: false).during { libera in
      let mirror = SystemMirror(libera, Doors(calendar: AppleCalendar()))
      await mirror.open()
      await mirror.copy(true)
      #expect(!mirror.isCopying && mirror.problem?.code == "calendar_refused")
      let stage = Stage(SystemSettings(mirror: mirror)) { $0.words = Words("de") }
      #expect(complaints(of: stage.tree).isEmpty && stage.has("problem"))
      try stage.tap("problem.dismiss")
      #expect(!stage.has("problem") && !stage.has("settings.ring"))
    }
  }
}
