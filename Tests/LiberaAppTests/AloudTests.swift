import Foundation
import LiberaDoors
import LiberaKit
import SwiftUI
import Synchronization
import Testing

@testable import AVFAudio
@testable import LiberaApp
@testable import LiberaScreens

/// A voice that cannot speak.
private struct BrokenVoice: Voice {
  func say(_ text: String, in language: String) async throws {
    throw LiberaError(code: "voice_failed", message: "No voice.", remedy: "Ask again.")
  }
}

// In the suite of the doors, as the device's sound is one.
extension DoorTests {
  private var said: [SpeakingRoom.Said] { SpeakingRoom.shared.state.withLock(\.said) }
  private var isSpeaking: Bool { SpeakingRoom.shared.state.withLock(\.isSpeaking) }
  private var stopped: Int { SpeakingRoom.shared.state.withLock(\.stopped) }
  private var sound: SoundRoom.State { SoundRoom.shared.state.withLock(\.self) }

  private func speaks() async throws { while !isSpeaking { try await Task.sleep(for: .milliseconds(5)) } }

  @Test("The voice speaks in the language it is given, ends with its last word, and gives the sound of the device back")
  func voice() async throws {
    async let saying: Void = AppleVoice().say("Guten Tag.", in: "de")
    try await speaks()
    #expect(said == [SpeakingRoom.Said(text: "Guten Tag.", language: "de")])
    #expect(sound.isActive && sound.category == .playback)
    SpeakingRoom.shared.finish()
    try await saying
    #expect(!sound.isActive && stopped == 0)
  }

  @Test("A voice nobody waits for any more is silent")
  func voiceCancelled() async throws {
    let saying = Task { try await AppleVoice().say("A long text.", in: "en") }
    try await speaks()
    saying.cancel()
    _ = await saying.result
    #expect(!isSpeaking && stopped == 1 && !sound.isActive)
  }

  @Test(
    "An answer is read by its button, stopped by it, and silent when its screen is left", arguments: Words.languages)
  @MainActor func readAloud(language: String) async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = try await Visit.entered(libera, language: language, doors: Doors(voice: AppleVoice()))
      let stage = visit.stage
      try stage.write("How long is the notice period?", into: "chat.draft")
      try stage.tap("chat.send")
      try await visit.until("turn.aloud")
      visit.check("an answer that can be read aloud")
      try stage.tap("turn.aloud")
      try await visit.until { isSpeaking }
      #expect(said.last?.text.contains("notice period is three months") == true && said.last?.language == "en")
      #expect(try stage.find("turn.aloud").spoken.contains(stage.words(.stopReading)))
      visit.check("an answer that is read aloud")
      try stage.tap("turn.aloud")
      try await visit.until { !isSpeaking }
      #expect(try stage.find("turn.aloud").spoken.contains(stage.words(.readAloud)) && stopped == 1)
      try stage.tap("turn.aloud")
      try await visit.until { isSpeaking }
      SpeakingRoom.shared.finish()
      try await visit.until { (try? stage.find("turn.aloud").spoken.contains(stage.words(.readAloud))) == true }
      try stage.tap("turn.aloud")
      try await visit.until { isSpeaking }
      try stage.tap("tab.library")
      try await visit.until { !stage.has("chat.draft") && !isSpeaking }
      #expect(said.count == 3 && stopped == 2)
      stage.leave()
    }
  }

  @Test("Listening, the background and a new conversation end it; the microphone opens only when it is quiet")
  @MainActor func silences() async throws {
    try await KitHome(withPacks: false).during { libera in
      let rooms = Rooms(libera, doors: Doors(microphone: AppleMicrophone(), voice: AppleVoice()))
      let turn = Self.turn("It is three months.")
      rooms.aloud.read(turn, unsupported: "")
      try await speaks()
      // Nothing can hear in this home, so the microphone is let go again at once.
      let (openings, opening) = AsyncStream.makeStream(of: Bool.self)
      rooms.voice.listen(through: WatchedMicrophone(opening: opening))
      var spoke = openings.makeAsyncIterator()
      #expect(await spoke.next() == false)
      #expect(stopped == 1 && !isSpeaking && rooms.aloud.speaking == nil)
      rooms.voice.cancel()
      await rooms.voice.settled()
      rooms.aloud.read(turn, unsupported: "")
      try await speaks()
      await rooms.life.moved(to: .background)
      await rooms.aloud.settled()
      #expect(stopped == 2 && !isSpeaking)
      rooms.aloud.read(turn, unsupported: "")
      try await speaks()
      rooms.newConversation()
      await rooms.aloud.settled()
      #expect(stopped == 3 && !isSpeaking)
    }
  }

  @Test("Two answers are never read at once")
  @MainActor func onlyOne() async throws {
    let aloud = ReadingAloud(AppleVoice())
    let (first, second) = (Self.turn("The first."), Self.turn("The second."))
    aloud.read(first, unsupported: "")
    try await speaks()
    aloud.read(second, unsupported: "")
    while said.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(aloud.speaking == second.id && stopped == 1)
    SpeakingRoom.shared.finish()
    await aloud.settled()
    #expect(aloud.speaking == nil)
  }

  @Test("A voice that fails says why on the screen; without one there is no button")
  @MainActor func noVoice() async throws {
    let aloud = ReadingAloud(BrokenVoice())
    aloud.read(Self.turn("It is."), unsupported: "")
    await aloud.settled()
    #expect(aloud.problem?.code == "voice_failed" && aloud.speaking == nil)
    try await KitHome(withPacks: false).during { libera in
      let stage = Stage(TurnView(turn: Self.turn("It is.")).environment(Rooms(libera))) { $0.words = Words("en") }
      #expect(stage.has("turn.retry") && !stage.has("turn.aloud"))
    }
  }

  @Test("Marks for the eye are not read, and a sentence that no document carries is said to be one")
  @MainActor func words() throws {
    var answer = Answer(task: .documents, question: "Q", provider: "local", pack: nil, mode: .fast)
    answer.answer = "## So\n\n- It is **three** months.\n> * The sky is [blue]."
    answer.retrievalUsed = true
    let sentences = #"[{"text": "It is **three** months.", "support": [], "supported": false}]"#
    answer.sentences = try JSONDecoder().decode([AnswerSentence].self, from: Data(sentences.utf8))
    var turn = ChatTurn("Q")
    turn.take(.done(answer))
    #expect(
      ReadingAloud.words(of: turn, unsupported: "not in your documents")
        == "So\nIt is three months. (not in your documents)\nThe sky is blue.")
    #expect(Libera.language(of: "Die Frist ist drei Monate und nicht mehr.") == "de")
    #expect(Libera.language(of: "Le délai est de trois mois pour les locataires.") == "fr")
  }

  private static func turn(_ text: String) -> ChatTurn {
    var turn = ChatTurn("Q")
    turn.take(.piece(text))
    turn.end(with: nil)
    return turn
  }
}

/// Tells at its opening whether something is being read aloud.
private struct WatchedMicrophone: Microphone {
  let opening: AsyncStream<Bool>.Continuation
  func open() async throws -> OpenMicrophone {
    opening.yield(SpeakingRoom.shared.state.withLock(\.isSpeaking))
    return try await AppleMicrophone().open()
  }
}
