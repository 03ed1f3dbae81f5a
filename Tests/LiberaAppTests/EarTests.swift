import AVFAudio
import Foundation
import LiberaDoors
import LiberaKit
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp
@testable import LiberaScreens
@testable import Speech

/// The system's recognition of speech through our declarations of it, which tell the lines that a test hands them.
@Suite("The system hears", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct EarTests {
  init() { HearingRoom.shared.state.withLock { $0 = HearingRoom.State() } }

  private func set(_ change: @Sendable (inout HearingRoom.State) -> Void) {
    HearingRoom.shared.state.withLock { change(&$0) }
  }
  private var room: HearingRoom.State { HearingRoom.shared.state.withLock { $0 } }

  @Test("Only what the system has already is heard, in the person's own region where that is there")
  func languages() async throws {
    let ear = AppleEar()
    #expect(await ear.hears("en"))
    #expect(await !ear.hears("de"))
    await #expect { try await ear.open("de") } throws: { ($0 as? LiberaError)?.code == "system_ear_missing" }
    set { $0.installed = [Locale(identifier: "fr_CA"), Locale(identifier: "de_AT")] }
    #expect(await ear.hears("de"))
    _ = try await ear.open("de")
    #expect(room.locale?.identifier == "de_AT")
    set { $0.isAvailable = false }
    #expect(await !ear.hears("de"))
  }

  @Test("Samples arrive as they are, in either form; words come, settle and end", arguments: [false, true])
  func adapter(isFloat: Bool) async throws {
    set {
      $0.isFloat = isFloat
      $0.lines = [.init(0.01, "good"), .init(0.02, "good day"), .init(.infinity, "Good day.", isFinal: true)]
    }
    let open = try await AppleEar().open("en")
    #expect(open.rate == 16_000)
    let samples = (0..<320).map { Float(sin(Double($0) / 5)) }
    open.hear(Array(samples.prefix(160)))
    open.hear([])
    open.hear(Array(samples.dropFirst(160)) + [2])
    try await open.finish()
    let heard = try await collected(open.heard)
    #expect(heard.map(\.text) == ["good", "good day", "Good day."] && heard.map(\.isSettled) == [false, false, true])
    let given = room.sound
    #expect(given.count == 321 && zip(given, samples).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(isFloat || abs(given[320] - 1) < 1e-3, "what is too loud is cut and does not wrap around")
    #expect(room.running == 0)
  }

  @Test("Whoever stops listening ends it in the system too, and its failure is told")
  func ends() async throws {
    var open: OpenEar? = try await AppleEar().open("en")
    let heard = try #require(open).heard
    #expect(room.running == 1)
    let task = Task { for try await _ in heard {} }
    open = nil
    task.cancel()
    while room.running > 0 { try await Task.sleep(for: .milliseconds(5)) }
    set { $0.error = CocoaError(.fileReadUnknown) }
    let failing = try await AppleEar().open("en")
    try await failing.finish()
    await #expect(throws: CocoaError.self) { _ = try await collected(failing.heard) }
  }

  @Test("Words come and go until they settle, each utterance by its number, and count as unsure")
  func settling() {
    var words = Settling(language: "en")
    #expect(words.take(.init(" ", isSettled: false)) == nil)
    #expect(
      words.take(.init("remind me", isSettled: false)) == .partial(utterance: 0, confirmed: "", tail: "remind me"))
    #expect(
      words.take(.init("remind me to", isSettled: false)) == .partial(utterance: 0, confirmed: "remind me", tail: "to"))
    guard case .final(let said)? = words.take(.init("Remind me to call. ", isSettled: true)) else {
      return _ = Issue.record("nothing settled")
    }
    #expect(said.text == "Remind me to call." && said.number == 0 && said.allRight == 0 && said.language == "en")
    #expect(words.take(.init("And", isSettled: false)) == .partial(utterance: 1, confirmed: "", tail: "And"))
  }

  @Test("Silence ends it after its seconds, later before the first word, and noise that stays is silence")
  func silence() {
    func seconds(_ levels: [(Double, Int)], after ms: Int?) -> Double? {
      var watch = SilenceWatch(stopsAfterMs: ms)
      var now = 0.0
      for (level, tenths) in levels {
        for _ in 0..<tenths {
          now += 0.1
          if watch.take(level, seconds: 0.1) { return (now * 10).rounded() / 10 }
        }
      }
      return nil
    }
    func near(_ found: Double?, _ wanted: Double) -> Bool { abs((found ?? 0) - wanted) < 0.15 }
    #expect(near(seconds([(0.001, 5), (0.1, 20), (0.001, 100)], after: 2000), 4.5))
    #expect(near(seconds([(0.001, 100)], after: 2000), 6), "somebody who thinks has more time")
    #expect(near(seconds([(0.02, 10), (0.2, 10), (0.02, 100)], after: 1000), 3), "a fan is no speech")
    let talk = Array(repeating: [(0.1, 8), (0.004, 2)], count: 120).flatMap(\.self)
    #expect(seconds([(0.001, 5)] + talk, after: 1000) == nil, "two minutes of talking")
    #expect(seconds([(0.001, 1000)], after: nil) == nil)
  }

  @Test(
    "Recorded sentences are heard to their ends, and the silence after them is waited out",
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"))
  func recordings() throws {
    for number in 1...20 {
      let file = KitHome.recordings.appending(path: String(format: "%02d.wav", number))
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      let microphone = try RecordedMicrophone(file)
      let piece = microphone.rate / 10 * 2
      var watch = SilenceWatch(stopsAfterMs: 1500)
      let pieces = stride(from: 0, to: microphone.sound.count, by: piece).map {
        microphone.sound.dropFirst($0).prefix(piece)
      }
      for (place, sound) in pieces.enumerated() {
        let isOver = watch.take(SoundLevel.of(Data(sound)), seconds: 0.1)
        #expect(!isOver, "\(number) ended after \(place) tenths")
      }
      let after = (1...30).first { _ in watch.take(0.0005, seconds: 0.1) }
      #expect(after.map { (5...16).contains($0) } == true, "\(number): \(after ?? 0) tenths")
    }
  }

  @Test(
    "Without a model for speech the system hears: it is said so, the words are a command, and the command is shown first",
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"))
  func walk() async throws {
    try await KitHome(withPacks: false).during { libera in
      let microphone = try RecordedMicrophone(KitHome.reminder)
      let spoken = "Remind me tomorrow at seven to call John."
      set {
        $0.lines = [.init(0.5, "remind me"), .init(1, "remind me tomorrow"), .init(.infinity, spoken, isFinal: true)]
      }
      let visit = try await Visit.entered(libera, doors: Doors(microphone: microphone, ear: AppleEar()))
      let stage = visit.stage
      try stage.tap("tab.voice")
      try stage.tap("voice.talk")
      try await visit.until { (visit.rooms?.voice.seconds ?? 0) > microphone.seconds - 0.01 }
      visit.check("the system listens")
      #expect(stage.has("voice.system") && stage.text.contains("remind me"))
      try stage.tap("voice.talk")
      try await visit.until("voice.do")
      #expect(try stage.find("voice.words").spoken == spoken)
      let seconds = Double(room.sound.count) / 16_000
      #expect(abs(seconds - microphone.seconds) < 0.01, "at its own rate nothing is longer or shorter")
      #expect(room.sound.contains { abs($0) > 0.05 } && room.running == 0)
      try stage.tap("voice.do")
      try await visit.until("card.confirm")
      visit.check("a command that the system heard")
      #expect(stage.text.contains("John"))
      stage.leave()
    }
  }

  @Test("A silence ends it by itself, a held button outlasts it, and an interruption keeps what was said")
  func endings() async throws {
    try await KitHome(withPacks: false).during { libera in
      let ear = AppleEar()
      set { $0.lines = [.init(.infinity, "Hello.", isFinal: true)] }
      let quiet = Data(count: 16_000 * 2 / 10)
      let dictation = SystemDictation(try await ear.open("en"), rate: 16_000, language: "en", stopsAfterMs: 500)
      for _ in 0..<15 { try await dictation.hear(quiet) }
      await #expect { try await dictation.hear(quiet) } throws: { ($0 as? LiberaError)?.code == "dictation_over" }
      let events = try await collected(dictation.events)
      #expect(events.first == .opened && events.contains(.stopped) && events.last == .done)

      set { $0.lines = [.init(.infinity, "Hello.", isFinal: true)] }
      let held = SystemDictation(try await ear.open("en"), rate: 48_000, language: "en", stopsAfterMs: nil)
      set { $0.sound = [] }
      for _ in 0..<100 { try await held.hear(Data(count: 48_000 * 2 / 10)) }
      try await held.finish()
      #expect(try await collected(held.events).contains(.stopped) == false)
      #expect(room.sound.count == 160_000, "ten seconds at the system's rate, whatever the microphone's is")

      set { $0.lines = [.init(.infinity, "Until then.", isFinal: true)] }
      let (sound, feed) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
      feed.yield(.sound(quiet))
      feed.yield(.interrupted)
      let voice = VoiceScreen(libera, ear: ear)
      voice.listen(through: OneMicrophone(sound: sound))
      await voice.settled()
      #expect(voice.stage == .interrupted && voice.heard.text == "Until then." && voice.heard.recognition == 0)
    }
  }

  @Test(
    "Where a model for speech is here it hears, and the system is not asked", .enabled(if: KitHome.preparedPacks != nil)
  )
  func packs() async throws {
    try await KitHome().during { libera in
      let (sound, feed) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
      feed.yield(.sound(Data(count: 3200)))
      feed.finish()
      let voice = VoiceScreen(libera, ear: AppleEar())
      voice.listen(through: OneMicrophone(sound: sound))
      await voice.settled()
      #expect(!voice.isHeardBySystem && voice.stage == .done && room.sound.isEmpty)
    }
  }
}

private struct OneMicrophone: Microphone {
  let sound: AsyncStream<OpenMicrophone.Event>
  func open() async throws -> OpenMicrophone { OpenMicrophone(rate: 16_000, events: sound) }
}
