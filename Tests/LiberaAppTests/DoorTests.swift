import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import AVFAudio
@testable import EventKit
@testable import LiberaApp
@testable import UserNotifications

/// The Apple adapters, held to what their doors promise. Behind them stand our declarations of Apple's frameworks, which keep what was
/// saved; what a device does is not seen here.
@Suite("Doors of an Apple device", .serialized, .timeLimit(.minutes(5)))
struct DoorTests {
  init() {
    SoundRoom.shared.state.withLock { $0 = SoundRoom.State() }
    SpeakingRoom.shared.state.withLock { $0 = SpeakingRoom.State() }
    CalendarRoom.shared.state.withLock { $0 = CalendarRoom.State() }
    NotificationRoom.shared.state.withLock { $0 = NotificationRoom.State() }
  }

  @Test("Sound comes as 16-bit samples at the microphone's rate, and ending the loop closes it")
  func sound() async throws {
    let heard: [Float] = (0..<10_000).map { Float(sin(Double($0) / 10)) } + [1, -1, 2, -2]
    SoundRoom.shared.state.withLock { ($0.sound, $0.rate) = (heard, 44_100) }
    let sound = try await hear(bytes: heard.count * 2)
    let samples = stride(from: 0, to: sound.count, by: 2).map {
      Int16(truncatingIfNeeded: Int(sound[$0]) | Int(sound[$0 + 1]) << 8)
    }
    #expect(samples == heard.map { Int16((max(-1, min(1, $0)) * 32_767).rounded()) })
    #expect(SoundLevel.of(sound) > 0.6 && SoundLevel.of(Data(count: 100)) == 0 && SoundLevel.of(Data()) == 0)
    while SoundRoom.shared.state.withLock(\.running) > 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// So many bytes from the microphone, which is let go afterwards.
  private func hear(bytes: Int) async throws -> Data {
    let open = try await AppleMicrophone().open()
    #expect(open.rate == 44_100 && SoundRoom.shared.state.withLock(\.running) == 1)
    var sound = Data()
    for await event in open.events {
      guard case .sound(let more) = event else { continue }
      sound += more
      if sound.count == bytes { break }
    }
    return sound
  }

  @Test("A microphone that may not be heard is refused with a reason")
  func refused() async throws {
    SoundRoom.shared.state.withLock { $0.mayRecord = false }
    let error = await #expect(throws: LiberaError.self) { _ = try await AppleMicrophone().open() }
    #expect(error?.code == "microphone_refused" && error?.remedy != nil)
    #expect(SoundRoom.shared.state.withLock(\.running) == 0)
  }

  @Test(
    "A call and headphones that are pulled out end the sound; other changes of the route do not",
    arguments: [
      (AVAudioSession.interruptionNotification, AVAudioSessionInterruptionTypeKey, UInt(1), true),
      (AVAudioSession.interruptionNotification, AVAudioSessionInterruptionTypeKey, UInt(0), false),
      (AVAudioSession.routeChangeNotification, AVAudioSessionRouteChangeReasonKey, UInt(2), true),
      (AVAudioSession.routeChangeNotification, AVAudioSessionRouteChangeReasonKey, UInt(1), false),
    ])
  func interrupted(name: NSNotification.Name, key: String, value: UInt, ends: Bool) async throws {
    let open = try await AppleMicrophone().open()
    NotificationCenter.default.post(name: name, object: nil, userInfo: [key: value])
    // What certainly ends it, should the first not have done so.
    if !ends {
      NotificationCenter.default.post(
        name: AVAudioSession.interruptionNotification, object: nil,
        userInfo: [AVAudioSessionInterruptionTypeKey: UInt(1)])
    }
    var events: [OpenMicrophone.Event] = []
    for await event in open.events { events.append(event) }
    #expect(events == [.interrupted])
    while SoundRoom.shared.state.withLock(\.running) > 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("An entry is written with all it has, and removed; what is gone already is no error")
  func calendar() async throws {
    let calendar = AppleCalendar()
    #expect(await calendar.leave(for: .event) == .notAsked)
    let start = Date(timeIntervalSince1970: 2_000_000_000)
    let event = try await calendar.add(
      CalendarEntry(kind: .event, title: "Dinner", start: start, end: start + 5400, repetition: .weekly))
    let short = try await calendar.add(CalendarEntry(kind: .event, title: "Call", start: start))
    let reminder = try await calendar.add(CalendarEntry(kind: .reminder, title: "Milk", start: start))
    let some = try await calendar.add(CalendarEntry(kind: .reminder, title: "Some day"))
    #expect(await calendar.leave(for: .reminder) == .given)
    let entries = CalendarRoom.shared.state.withLock(\.entries)
    #expect(entries[event]?.title == "Dinner" && entries[event]?.end == start + 5400)
    #expect(entries[event]?.frequency == .weekly && entries[short]?.end == start + 3600)
    #expect(entries[reminder]?.alarms == 1 && entries[reminder]?.due?.year == 2033 && entries[some]?.due == nil)
    for (id, kind) in [(event, CalendarEntry.Kind.event), (reminder, .reminder), (event, .event)] {
      try await calendar.remove(id, of: kind)
    }
    #expect(CalendarRoom.shared.state.withLock { Set($0.entries.keys) } == [short, some])
  }

  @Test("Without leave, without a calendar, and without a time for an event nothing is written, and it is said why")
  func noCalendar() async throws {
    CalendarRoom.shared.state.withLock { $0.answer = false }
    let entry = CalendarEntry(kind: .event, title: "Dinner", start: Date())
    var error = await #expect(throws: LiberaError.self) { _ = try await AppleCalendar().add(entry) }
    #expect(error?.code == "calendar_refused")
    #expect(await AppleCalendar().leave(for: .event) == .refused)
    CalendarRoom.shared.state.withLock { $0 = CalendarRoom.State(status: .fullAccess, hasCalendar: false) }
    error = await #expect(throws: LiberaError.self) { _ = try await AppleCalendar().add(entry) }
    #expect(error?.code == "calendar_not_there")
    CalendarRoom.shared.state.withLock { $0.hasCalendar = true }
    await #expect(throws: LiberaError.self) {
      _ = try await AppleCalendar().add(CalendarEntry(kind: .event, title: "Some day"))
    }
    #expect(CalendarRoom.shared.state.withLock(\.entries).isEmpty)
  }

  @Test(
    "What the system says about leave is told in our words",
    arguments: [
      (EKAuthorizationStatus.notDetermined, Leave.notAsked), (.restricted, .refused), (.denied, .refused),
      (.writeOnly, .refused), (.fullAccess, .given),
    ])
  func calendarLeave(status: EKAuthorizationStatus, leave: Leave) async {
    CalendarRoom.shared.state.withLock { $0.status = status }
    #expect(await AppleCalendar().leave(for: .event) == leave)
  }

  @Test("Exactly the reminders that are to come ring, alarms among them; other notifications are left alone")
  func ringer() async throws {
    let ringer = AppleRinger()
    #expect(await ringer.leave() == .notAsked)
    try #expect(await ringer.ask() == .given)
    NotificationRoom.shared.state.withLock {
      $0.coming["other"] = .init(title: "x", body: "", at: DateComponents(), isLoud: false)
    }
    func reminder(_ id: String, in seconds: TimeInterval) throws -> DueReminder {
      let due = Date().addingTimeInterval(seconds).timeIntervalSinceReferenceDate
      let json = #"{"id": "\#(id)", "title": "T \#(id)", "due": \#(due), "rings": \#(due), "missed": false}"#
      return try JSONDecoder().decode(DueReminder.self, from: Data(json.utf8))
    }
    try await ringer.ring([reminder("a", in: 3600), reminder("b", in: 7200), reminder("gone", in: -60)])
    #expect(NotificationRoom.shared.state.withLock { Set($0.coming.keys) } == ["other", "reminder.a", "reminder.b"])
    let first = NotificationRoom.shared.state.withLock { $0.coming["reminder.a"] }
    #expect(first?.title == "T a" && first?.isLoud == true && first?.at.second != nil)
    try await ringer.ring([reminder("b", in: 9000)])
    #expect(NotificationRoom.shared.state.withLock { Set($0.coming.keys) } == ["other", "reminder.b"])
    NotificationRoom.shared.state.withLock { $0.status = .denied }
    #expect(await ringer.leave() == .refused)
    try #expect(await ringer.ask() == .refused)
  }
}
