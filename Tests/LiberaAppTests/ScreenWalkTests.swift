import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

/// Every screen in the states that real work brings it into: each control reachable and named, and doing what it says.
@Suite(
  "Each screen, walked", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
@MainActor
struct ScreenWalkTests {
  @Test("The library says how each file ended, and removes a document only after it was asked")
  func library() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.tap("tab.library")
      visit.check("an empty library")
      try stage.tap("library.add")
      visit.check("the system's dialogue")
      #expect(throws: Stage.Miss.self) { try stage.tap("library.add") }
      try stage.give([try home.lease(), try home.write(Data("%PDF-1.4 cut off".utf8), to: "broken.pdf")])
      try await visit.until("import.summary")
      try await visit.until("document.lease.pdf")
      visit.check("an import with a failure")
      #expect(try stage.find("import.broken.pdf").spoken.contains("Failed"), "\(stage.text)")
      try stage.tap("library.remove.lease.pdf")
      visit.check("the question whether to remove")
      try stage.tap("library.remove.cancel")
      #expect(stage.has("document.lease.pdf"))
      try stage.tap("library.remove.lease.pdf")
      try stage.tap("library.remove.confirm")
      try await visit.until { !stage.has("document.lease.pdf") }
      visit.check("a library that is empty again")
    }
  }

  @Test("An answer is stopped by its button; what was written stays, and its question can be asked again")
  func stop() async throws {
    try await KitHome().during { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.act("choose Deep", on: "chat.mode")
      #expect(try stage.find("chat.mode").value == "Deep" && visit.rooms?.chat.mode == .deep)
      try stage.write("Tell me a very long story about the sea.", into: "chat.draft")
      try stage.submit("chat.draft")
      try await visit.until("turn.text")
      visit.check("an answer that is being written")
      try stage.tap("chat.stop")
      #expect(stage.has("turn.stopped") && stage.has("chat.send"))
      visit.check("an answer that was stopped")
      try await visit.until { (try? stage.find("turn.retry").isEnabled) == true }
      try stage.tap("turn.retry")
      #expect(stage.has("chat.stop") && visit.rooms?.chat.turns.count == 1)
      try await visit.until("turn.text")
      try stage.tap("chat.stop")
      try await visit.until("turn.version")
      #expect(stage.text.contains("Version 2 of 2"), "what was stopped is kept too")
      visit.check("two answers that were stopped")
    }
  }

  @Test("Conversations are listed, searched, renamed, opened again and removed")
  func conversations() async throws {
    try await KitHome().during { libera in
      let kept = UUID()
      _ = try await libera.answer("What is the capital of France?", AskOptions(conversation: kept, task: .talk))
      let visit = Visit(libera)
      let stage = visit.stage
      try await visit.until("chat.draft")
      try stage.tap("chat.conversations")
      try await visit.until("conversation.\(kept)")
      visit.check("conversations")
      try stage.tap("conversation.rename.\(kept)")
      visit.check("renaming")
      try stage.write("Capitals", into: "conversations.title")
      try stage.tap("conversations.save")
      try await visit.until { stage.text.contains("Capitals") }
      try stage.write("nothing like this", into: "search")
      try await visit.until { stage.text.contains(stage.words(.nothingFound)) }
      visit.check("a search without a hit")
      try stage.write("France", into: "search")
      try await visit.until { stage.has("conversation.found.0") }
      visit.check("a search with a hit")
      try stage.tap("conversation.found.0")
      try await visit.until("turn.retry")
      #expect(stage.text.contains("What is the capital of France?") && stage.text.contains("Capitals"))
      visit.check("a conversation that was opened again")
      try stage.tap("turn.how")
      #expect(stage.has("turn.firstWords") && stage.has("turn.speed"), "\(stage.text)")
      try stage.tap("chat.new")
      #expect(!stage.has("turn.retry"))
      try stage.tap("chat.conversations")
      try await visit.until("conversation.remove.\(kept)")
      try stage.tap("conversation.remove.\(kept)")
      visit.check("the question whether to remove")
      try stage.tap("conversations.remove.confirm")
      try await visit.until { stage.text.contains(stage.words(.noConversations)) }
      try stage.tap("conversations.close")
      #expect(stage.has("chat.draft"))
    }
  }

  @Test(
    "Models say whether they fit, are verified with progress, a file that is none is refused, and removing asks first")
  func models() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.tap("tab.more")
      visit.check("more")
      try stage.tap("more.models")
      try await visit.until("pack.smollm2-135m-instruct-q4_1")
      visit.check("models")
      try stage.tap("pack.verify.all-minilm-l6-v2-f16")
      #expect(stage.has("packs.work"))
      visit.check("a model that is being verified")
      try await visit.until { !stage.has("packs.work") }
      #expect(!stage.has("problem"), "\(stage.text)")
      try stage.tap("packs.add")
      try stage.give([try home.write(Data("no model".utf8), to: "no.gguf")])
      try await visit.until("problem")
      visit.check("a file that is no model")
      try stage.tap("problem.dismiss")
      #expect(!stage.has("problem"))
      try await visit.until { (try? stage.find("pack.remove.whisper-base-q8_0").isEnabled) == true }
      try stage.tap("pack.remove.whisper-base-q8_0")
      visit.check("the question whether to remove")
      try stage.tap("packs.remove.confirm")
      try await visit.until { !stage.has("pack.remove.whisper-base-q8_0") }
    }
  }

  @Test("Settings are changed by their controls, the device says what is in memory and gives it back, traces are shown")
  func settings() async throws {
    try await KitHome().during { libera in
      _ = try await libera.answer("What is the capital of France?", AskOptions(task: .talk))
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.tap("tab.more")
      try stage.tap("more.settings")
      try await visit.until("settings.mode")
      visit.check("settings")
      try stage.act("choose Deep", on: "settings.mode")
      try await visit.until { visit.rooms?.device.settings?.mode == .deep }
      let minutes = try #require(visit.rooms?.device.settings?.breakAfterMinutes)
      try stage.act("more", on: "settings.break")
      try await visit.until { visit.rooms?.device.settings?.breakAfterMinutes == minutes + 5 }
      try stage.act("choose 5", on: "settings.passages")
      try await visit.until { visit.rooms?.device.settings?.passages == 5 }
      try stage.act("choose 20%", on: "settings.threshold")
      try await visit.until { visit.rooms?.device.settings?.threshold == 0.2 }
      try stage.act("choose As the mode says", on: "settings.passages")
      try await visit.until { visit.rooms?.device.settings?.passages == nil }
      _ = try await libera.settings.change { $0.threshold = 0.123 }
      await visit.rooms?.device.read()
      #expect(try stage.find("settings.threshold").value == "12.3%", "what was set elsewhere is shown")
      try stage.act("more", on: "settings.silenceSeconds")
      try await visit.until { visit.rooms?.device.settings?.automaticStopMs == 2500 }
      try stage.tap("settings.silence")
      try await visit.until { visit.rooms?.device.settings?.automaticStopMs == nil }
      try stage.tap("settings.haptics")
      #expect(try stage.find("settings.haptics").value == "off")
      try stage.back()
      try stage.tap("more.device")
      try await visit.until("loaded.smollm2-135m-instruct-q4_1")
      visit.check("the device")
      try stage.tap("device.unload")
      try await visit.until("device.nothingLoaded")
      visit.check("a device without a model in memory")
      try stage.back()
      try stage.tap("more.diagnostics")
      try await visit.until("trace.0")
      try stage.tap("trace.0")
      visit.check("a trace")
      #expect(try !stage.find("trace.0").children.isEmpty)
      try stage.back()
      try stage.tap("more.licences")
      try await visit.until("licences")
      visit.check("licences")
    }
  }

  @Test("Data is destroyed only after what goes was said, each kind without the others", arguments: Words.languages)
  func data(language: String) async throws {
    try await KitHome().during(leased: true) { libera in
      let visit = Visit(libera, language: language)
      let stage = visit.stage
      try await visit.until("chat.draft")
      try stage.tap("tab.more")
      try stage.tap("more.data")
      try await visit.until("storage.documents")
      visit.check("what is kept")
      let kept = try #require(visit.rooms?.data.storage)
      #expect(kept.documents > 0 && kept.models > 50_000_000 && kept.other > 0 && kept.free > 0)
      try stage.tap("data.documents")
      try await visit.until("data.confirm")
      visit.check("what goes")
      try stage.tap("data.cancel")
      try await #expect(libera.documents().count == 1)
      try stage.tap("data.documents")
      try await visit.until("data.confirm")
      try stage.tap("data.confirm")
      try await visit.until("data.destroyed")
      visit.check("what is gone")
      #expect(visit.rooms?.data.storage.map { $0.models == kept.models } == true)
      try await #expect(libera.documents().isEmpty)
    }
  }
}

extension Stage {
  /// Back from what was pushed.
  func back() throws {
    guard let back = tree.reachable.first({ $0.kind == .pushed })?.acts["back"] else {
      throw Miss.notThere("a screen to leave", shown: text)
    }
    back()
  }
}
