import Foundation
import LiberaKit
import LiberaScreens
import Observation
import Synchronization
import Testing

/// Screens with the library behind them, real packs and all: nothing stands in for anything.
@Suite(
  "Screens of an app", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
@MainActor
struct ScreenTests {
  /// Waits for what a screen is to show; the test's own limit ends a wait that is in vain.
  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test(
    "A document is taken in, asked in the chat, its page opened, the conversation read again, and the document removed")
  func chat() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let library = LibraryScreen(libera)
      library.take([try home.lease(), try home.write(Data("%PDF-1.4 cut off".utf8), to: "broken.pdf")])
      #expect(library.isImporting)
      await library.settled()
      #expect(!library.isImporting && library.documents.map(\.name) == ["lease.pdf"])
      #expect(library.imports.summary?.imported == 1 && library.imports.summary?.failed == 1)

      let chat = ChatScreen(libera)
      #expect(!chat.canSend)
      chat.draft = "  How long is the notice period? "
      let changes = Mutex(0)
      withObservationTracking {
        _ = chat.turns
      } onChange: {
        changes.withLock { $0 += 1 }
      }
      chat.send()
      #expect(changes.withLock { $0 } == 1, "a view is told of the new turn")
      #expect(chat.isAnswering && !chat.canSend && chat.draft.isEmpty)
      chat.send()
      #expect(chat.turns.count == 1)
      await chat.settled()
      let turn = try #require(chat.turns.first)
      #expect(turn.stage == .done && turn.text.contains("three months") && turn.unsupported.isEmpty, "\(turn)")
      let evidence = try #require(turn.evidence.first { $0.text.contains("three months") })
      await chat.open(evidence)
      #expect(try chat.page?.get().citation.page == 2)
      chat.closePage()

      let again = ChatScreen(libera, conversation: chat.conversation)
      await again.open()
      #expect(again.turns.map(\.text) == [turn.text] && again.turns.first?.stage == .done)

      await library.remove(library.documents.map(\.id))
      #expect(library.documents.isEmpty && library.problem == nil)
      await chat.open(evidence)
      #expect(throws: LiberaError.self) { try chat.page?.get() }
    }
  }

  @Test("An answer is stopped where it stands, kept so, and its question can be asked again")
  func stop() async throws {
    try await KitHome().during { libera in
      let chat = ChatScreen(libera)
      chat.mode = .deep
      chat.draft = "Tell me a very long story about the sea."
      chat.send()
      try await until { chat.turns[0].stage == .writing }
      chat.stop()
      #expect(!chat.isAnswering && chat.turns[0].stage == .stopped)
      let written = chat.turns[0].text
      #expect(!written.isEmpty)
      await chat.settled()
      #expect(chat.turns[0].text == written, "nothing is added afterwards")
      chat.retry(chat.turns[0].id)
      try await until { chat.turns[0].stage == .writing }
      chat.stop()
      await chat.settled()
      #expect(chat.turns.count == 1 && chat.problem == nil)
      let versions = try #require(chat.versions(of: chat.turns[0]), "the answer that was stopped before is there")
      #expect(versions.number == 2 && versions.count == 2 && versions.later == nil)
      await chat.show(version: try #require(versions.earlier))
      // Words that were under way to the screen when it stopped are kept too, and on a busy machine that may be all of them.
      #expect(chat.turns.count == 1 && chat.turns[0].text.hasPrefix(written) && chat.turns[0].stage.isOver)
    }
  }

  @Test(
    "A command is asked on a card, changed, confirmed, done and taken back; no command and a question are told from it")
  func command() async throws {
    try await KitHome().during { libera in
      let screen = CommandScreen(libera)
      await screen.hear("remind me tomorrow at nine to call John", recognition: 0.3)
      guard case .asking(let shown) = screen.stage else { return _ = Issue.record("\(screen.stage)") }
      #expect(shown.card.title == "call John")
      screen.edits.title = "call Joan"
      await screen.confirm()
      guard case .done(let action, _) = screen.stage else { return _ = Issue.record("\(screen.stage)") }
      #expect(action.summary.contains("call Joan"))
      // A second tap finds nothing to confirm.
      await screen.confirm()
      let done = try await libera.actions()
      #expect(done.count == 1)
      await screen.undo()
      guard case .undone = screen.stage else { return _ = Issue.record("\(screen.stage)") }
      await screen.hear("the weather was nice")
      #expect(screen.stage == .nothing)
      await screen.hear("what do I have on tomorrow?")
      guard case .agenda = screen.stage else { return _ = Issue.record("\(screen.stage)") }
    }
  }

  @Test(
    "Words appear while somebody talks; an interruption keeps what was said",
    .enabled(if: KitHome.hasRecordings, "no recordings beside the checkout"))
  func voice() async throws {
    try await KitHome().during { libera in
      let sound = try SoundFile(KitHome.reminder)
      let voice = VoiceScreen(libera)
      voice.begin(rate: sound.rate, holds: true)
      #expect(voice.stage == .opening && voice.isListening)
      await voice.hear(sound.samples)
      await voice.finish()
      #expect(voice.stage == .settling || voice.stage == .done)
      await voice.settled()
      #expect(voice.stage == .done && voice.heard.text.lowercased().contains("call john"), "\(voice.heard)")

      let life = AppLife(libera)
      life.voice = voice
      voice.begin(rate: sound.rate, holds: true)
      await voice.hear(sound.samples)
      await life.soundWasInterrupted()
      #expect(!voice.isListening)
      await voice.settled()
      #expect(voice.stage == .interrupted && voice.heard.text.lowercased().contains("call john"), "\(voice.heard)")
    }
  }

  @Test("In the background models leave memory after the seconds that are set; a memory warning does it at once")
  func life() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let device = DeviceScreen(libera)
      await device.change { $0.backgroundUnloadSeconds = 0 }
      #expect(device.problem == nil && device.settings?.backgroundUnloadSeconds == 0)
      device.watch()
      let options = AskOptions(task: .talk)
      _ = try await libera.answer("What is the capital of France?", options)
      try await until { device.state?.loaded.isEmpty == false }
      let life = AppLife(libera)
      await life.moved(to: .inactive)
      #expect(life.phase == .inactive)
      await life.moved(to: .background)
      try await until { device.state?.loaded.isEmpty == true }
      try await until { device.happened.contains { $0.contains("nobody is looking") } }
      #expect(try home.mappedWeights() == 0)
      await life.moved(to: .active)
      try await home.load(libera, options)
      await life.memoryIsShort()
      #expect(try home.mappedWeights() == 0)
      device.leave()
    }
  }

  @Test("A setting that cannot be is refused with its reason, and the old one stays")
  func settings() async throws {
    try await KitHome().during { libera in
      let device = DeviceScreen(libera)
      await device.change { $0.threads = -1 }
      #expect(device.problem?.code == "setting_refused" && device.settings?.threads == 2)
      await device.change { $0.mode = .deep }
      #expect(device.problem == nil && device.settings?.mode == .deep)
    }
  }

  @Test("Packs are listed with their fit, verified with progress, and a file that is none is refused")
  func packs() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let screen = PacksScreen(libera)
      await screen.refresh()
      #expect(screen.installed.contains { $0.id == "smollm2-135m-instruct-q4_1" && $0.fits })
      screen.verify("all-minilm-l6-v2-f16")
      #expect(screen.work != nil)
      await screen.settled()
      #expect(screen.work == nil && screen.problem == nil)
      screen.install(model: try home.write(Data("no model".utf8), to: "no.gguf"))
      await screen.settled()
      #expect(screen.problem != nil && screen.work == nil)
      screen.dismissProblem()
      await screen.remove("whisper-base-q8_0")
      #expect(screen.problem == nil && !screen.installed.contains { $0.id == "whisper-base-q8_0" })
    }
  }
}
