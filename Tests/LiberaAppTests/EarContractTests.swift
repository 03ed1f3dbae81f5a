import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import Synchronization
import Testing

@testable import Speech

/// Who hears a dictation: a model for speech of ours, or the system through Apple's adapter on our declarations of Speech.
enum HearingSide: String, CaseIterable, Sendable {
  case pack, system

  /// - Parameter hears: Whether it can.
  @MainActor func during(hears: Bool = true, _ work: @MainActor (VoiceScreen, Libera) async throws -> Void) async throws
  {
    try await KitHome(withPacks: self == .pack && hears).during { libera in
      guard self == .system else { return try await work(VoiceScreen(libera), libera) }
      HearingRoom.shared.state.withLock { state in
        state.isAvailable = hears
        state.lines = [
          .init(0.5, "remind me"), .init(1, "remind me tomorrow"), .init(1.5, "remind me tomorrow at"),
          .init(.infinity, "Remind me tomorrow at seven to call John.", isFinal: true),
        ]
      }
      try await work(VoiceScreen(libera, ear: AppleEar()), libera)
    }
  }
}

/// One table of cases for both. In the suite of the system's ear, as its room is one.
extension EarTests {
  @Test(
    "Whoever hears: words come while one talks, settle, and are told with how sure they are",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks),
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"), arguments: HearingSide.allCases)
  func heardThrough(side: HearingSide) async throws {
    try await side.during { voice, _ in
      let microphone = try RecordedMicrophone(KitHome.reminder)
      voice.listen(through: microphone, holds: true)
      #expect(voice.isListening)
      var live: Set<String> = []
      while voice.seconds < microphone.seconds - 0.01 {
        live.insert(voice.heard.text)
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(voice.isListening, "a held button outlasts every pause")
      while voice.heard.text.isEmpty, voice.isListening { try await Task.sleep(for: .milliseconds(5)) }
      live.insert(voice.heard.text)
      #expect(live.contains { !$0.isEmpty }, "words came before the end")
      await voice.finish()
      await voice.settled()
      #expect(voice.stage == .done, "\(voice.stage)")
      #expect(voice.heard.confirmed.isEmpty && voice.heard.tail.isEmpty, "\(voice.heard)")
      #expect(voice.heard.text.lowercased().contains("call john"), "\(voice.heard)")
      let numbers = voice.heard.settled.map(\.number)
      #expect(numbers == Set(numbers).sorted(), "each by its number, in their order")
      #expect(voice.heard.settled.allSatisfy { $0.language == "en" && (0...1).contains($0.allRight) })
      #expect(voice.isHeardBySystem == (side == .system))
    }
  }

  @Test(
    "Whoever hears: a silence ends it after the seconds that are set, and what was said stays",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks),
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"), arguments: HearingSide.allCases)
  func endedBySilence(side: HearingSide) async throws {
    try await side.during { voice, libera in
      _ = try await libera.settings.change { $0.automaticStopMs = 1000 }
      var microphone = try RecordedMicrophone(KitHome.reminder)
      microphone.sound += Data(count: microphone.rate * 2 * 6)
      // It goes on hearing silence for as long as anybody listens.
      voice.listen(through: microphone)
      await voice.settled()
      #expect(voice.stage == .done && voice.heard.text.lowercased().contains("call john"), "\(voice.heard)")
    }
  }

  @Test(
    "Whoever hears: an interruption keeps what was said, and leaving keeps nothing and can be followed by another",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks),
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"), arguments: HearingSide.allCases)
  func interruptedOrLeft(side: HearingSide) async throws {
    try await side.during { voice, _ in
      var microphone = try RecordedMicrophone(KitHome.reminder)
      voice.listen(through: microphone)
      while voice.seconds == 0 { try await Task.sleep(for: .milliseconds(5)) }
      voice.cancel()
      await voice.settled()
      #expect(voice.stage == .idle)
      HearingRoom.shared.state.withLock {
        $0.lines = [.init(.infinity, "Remind me tomorrow at seven to call John.", isFinal: true)]
      }
      microphone.isInterrupted = true
      voice.listen(through: microphone)
      await voice.settled()
      #expect(voice.stage == .interrupted && voice.heard.text.lowercased().contains("call john"), "\(voice.heard)")
    }
    #expect(HearingRoom.shared.state.withLock(\.running) == 0)
  }

  @Test("Whoever cannot hear says why and what to do, and lets the microphone go", arguments: HearingSide.allCases)
  func cannotHear(side: HearingSide) async throws {
    try await side.during(hears: false) { voice, _ in
      let (sound, feed) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
      feed.yield(.sound(Data(count: 3200)))
      voice.listen(through: HeldMicrophone(sound: sound))
      await voice.settled()
      guard case .failed(let error) = voice.stage else { return _ = Issue.record("\(voice.stage)") }
      #expect(!error.message.isEmpty && error.remedy?.isEmpty == false, "\(error)")
    }
  }
}

private struct HeldMicrophone: Microphone {
  let sound: AsyncStream<OpenMicrophone.Event>
  func open() async throws -> OpenMicrophone { OpenMicrophone(rate: 16_000, events: sound) }
}
