import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

/// A microphone in front of which a recording is played.
struct RecordedMicrophone: Microphone {
  var rate: Int
  var sound: Data
  /// What happens after the sound: nothing more comes, or the system takes the microphone.
  var isInterrupted = false

  init(_ file: URL) throws {
    let bytes = try Data(contentsOf: file)
    rate = bytes[24..<28].enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    sound = Data(bytes.dropFirst(44))
  }

  var seconds: Double { Double(sound.count / 2) / Double(rate) }

  func open() async throws -> OpenMicrophone {
    let (events, continuation) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
    for start in stride(from: 0, to: sound.count, by: rate / 5) {
      continuation.yield(.sound(Data(sound.dropFirst(start).prefix(rate / 5))))
    }
    if isInterrupted {
      continuation.yield(.interrupted)
      continuation.finish()
    }
    return OpenMicrophone(rate: rate, events: events)
  }
}

struct RefusedMicrophone: Microphone {
  func open() async throws -> OpenMicrophone {
    throw LiberaError(code: "microphone_refused", message: "No.", remedy: "Allow it.")
  }
}

@Suite(
  "Speaking, walked", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks),
  .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"))
@MainActor
struct VoiceWalkTests {
  @Test("Held, it listens until it is let go; the words become a command, which is taken back")
  func hold() async throws {
    try await KitHome().during { libera in
      let microphone = try RecordedMicrophone(KitHome.reminder)
      let visit = try await Visit.entered(libera, doors: Doors(microphone: microphone))
      let stage = visit.stage
      try stage.tap("tab.voice")
      visit.check("before speaking")
      try stage.act("press", on: "voice.talk")
      visit.check("a microphone that opens")
      try await visit.until { (visit.rooms?.voice.seconds ?? 0) > microphone.seconds - 0.01 }
      visit.check("listening")
      #expect(visit.rooms?.voice.levels.contains { $0 > 0 } == true)
      try stage.act("release", on: "voice.talk")
      try await visit.until("voice.do")
      visit.check("what was heard")
      #expect(try stage.find("voice.words").spoken.lowercased().contains("john"), "\(stage.text)")
      try stage.tap("voice.do")
      try await visit.until { stage.has("command.undo") || stage.has("card.confirm") }
      visit.check("what came of it")
      if stage.has("card.confirm") {
        try stage.tap("card.confirm")
        try await visit.until("command.undo")
      }
      try stage.tap("command.undo")
      try await visit.until("command.undone")
    }
  }

  @Test("What was said can be asked instead")
  func ask() async throws {
    try await KitHome().during { libera in
      let microphone = try RecordedMicrophone(KitHome.reminder)
      let visit = try await Visit.entered(libera, doors: Doors(microphone: microphone))
      let stage = visit.stage
      try stage.tap("tab.voice")
      try stage.tap("voice.talk")
      try await visit.until { (visit.rooms?.voice.seconds ?? 0) > microphone.seconds - 0.01 }
      try stage.tap("voice.talk")
      try await visit.until("voice.ask")
      try stage.tap("voice.ask")
      #expect(try stage.find("chat.draft").value?.lowercased().contains("john") == true)
    }
  }

  @Test("An interruption keeps what was said; a microphone that may not be heard says so")
  func interruption() async throws {
    try await KitHome().during { libera in
      var microphone = try RecordedMicrophone(KitHome.reminder)
      microphone.isInterrupted = true
      let visit = try await Visit.entered(libera, doors: Doors(microphone: microphone))
      try visit.stage.tap("tab.voice")
      try visit.stage.tap("voice.talk")
      try await visit.until {
        visit.rooms?.voice.stage == .interrupted && visit.rooms?.voice.heard.text.isEmpty == false
      }
      visit.check("an interruption")
      #expect(try visit.stage.find("voice.state").words == visit.stage.words(.voiceInterrupted))
      visit.stage.leave()

      let refused = Visit(libera, doors: Doors(microphone: RefusedMicrophone()))
      try await refused.enter()
      try refused.stage.tap("tab.voice")
      try refused.stage.tap("voice.talk")
      try await refused.until { refused.stage.text.contains("No. Allow it.") }
      refused.check("a microphone that is refused")
    }
  }

  @Test("Where nothing can hear, the microphone is let go although it is silent")
  func deaf() async throws {
    try await KitHome(withPacks: false).during { libera in
      let (closed, close) = AsyncStream.makeStream(of: Void.self)
      let voice = VoiceScreen(libera)
      voice.listen(through: SilentMicrophone(closed: close))
      await voice.settled()
      for await _ in closed {}
      #expect({ if case .failed = voice.stage { true } else { false } }(), "\(voice.stage)")
    }
  }
}

/// Hears nothing, and tells when it is let go.
private struct SilentMicrophone: Microphone {
  let closed: AsyncStream<Void>.Continuation
  func open() async throws -> OpenMicrophone {
    OpenMicrophone(
      rate: 16_000, events: AsyncStream { events in events.onTermination = { _ in closed.finish() } })
  }
}
