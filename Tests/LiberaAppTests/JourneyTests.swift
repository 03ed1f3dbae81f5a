import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

/// A person's way through the app, by the buttons of its screens, with real packs and everything behind it.
@Suite(
  "The app, walked", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
@MainActor
struct JourneyTests {
  @Test(
    "First steps, an import, a question, its evidence in its page, a command on its card, and its undo",
    arguments: Words.languages)
  func journey(language: String) async throws {
    let home = try KitHome()
    try await home.during { libera in
      let visit = Visit(libera, language: language)
      let stage = visit.stage
      visit.check("opening")
      try await firstSteps(visit, home)
      try await question(visit)
      try await command(visit)
      stage.leave()
    }
  }

  private func firstSteps(_ visit: Visit, _ home: KitHome) async throws {
    let stage = visit.stage
    try await visit.until("first.next")
    visit.check("the promise")
    try stage.tap("first.next")
    #expect(try stage.find("first.chatModel").words == stage.words(.hasChatModel))
    visit.check("models")
    try stage.tap("first.back")
    try stage.tap("first.next")
    try stage.tap("first.next")
    visit.check("the first document")
    try stage.tap("first.add")
    try stage.give([try home.lease()])
    try await visit.until("import.summary")
    visit.check("an import that is over")
    try stage.tap("first.next")
    try await visit.until("chat.draft")
  }

  private func question(_ visit: Visit) async throws {
    let stage = visit.stage
    visit.check("an empty chat")
    #expect(throws: Stage.Miss.self) { try stage.tap("chat.send") }
    try stage.write("How long is the notice period?", into: "chat.draft")
    try stage.tap("chat.send")
    #expect(stage.has("chat.stop") && !stage.has("chat.send"))
    visit.check("an answer that is being made")
    try await visit.until("evidence.0.0")
    visit.check("an answer")
    #expect(stage.text.contains("three months"))
    try stage.tap("turn.how")
    visit.check("how the answer came about")
    #expect(try stage.find("evidence.0.0").spoken.contains("lease.pdf"))
    try stage.tap("evidence.0.0")
    try await visit.until("page.picture")
    visit.check("the page")
    #expect(try stage.find("page.passage").words.contains("three months"))
    try stage.tap("page.close")
    #expect(stage.has("chat.draft"))
  }

  private func command(_ visit: Visit) async throws {
    let stage = visit.stage
    try stage.tap("tab.voice")
    visit.check("no microphone")
    #expect(stage.has("voice.none"))
    try stage.write("send an email to Anna saying that I am late", into: "command.text")
    try stage.tap("command.hear")
    try await visit.until("card.confirm")
    visit.check("a card")
    try stage.tap("card.dismiss")
    #expect(!stage.has("card.confirm"))
    try stage.submit("command.text")
    try await visit.until("card.confirm")
    try stage.write("that I come later", into: "card.body")
    try stage.tap("card.confirm")
    try await visit.until("command.undo")
    visit.check("a command that is done")
    try stage.tap("command.undo")
    try await visit.until("command.undone")
    visit.check("a command that was taken back")
    try stage.tap("tab.actions")
    try await visit.until { !stage.has("actions.none") }
    visit.check("the history")
    #expect(stage.text.contains(stage.words(.stateUndone)))
  }
}

extension Stage {
  /// A text of the app in this stage's language.
  @MainActor func words(_ word: Word) -> String { environment.words(word) }
}
