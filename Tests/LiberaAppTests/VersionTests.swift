import Accessibility
import Foundation
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp
@testable import LiberaKit

@Suite("Versions of a question and of its answer", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct VersionTests {
  @Test(
    "What was asked before is a step back, with what followed it; the next question follows what is shown",
    arguments: Words.languages)
  func steps(language: String) async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = Visit(libera, language: language)
      let (stage, words) = (visit.stage, visit.stage.environment.words)
      try await visit.enter()
      let (period, rent, tenant) = ("How long is the notice period?", "How much is the rent?", "Who is the tenant?")
      try await ask([period, rent], visit)
      #expect(!stage.has("turn.version"))
      visit.check("two answers")
      try stage.tap("turn.edit")
      try await ask([tenant], visit)
      try await visit.until("turn.version")
      #expect(try stage.find("turn.version").words == words(.version, "2", "2"))
      #expect(try !stage.find("turn.later").isEnabled && stage.find("turn.earlier").isEnabled)
      visit.check("an answer with an earlier version")

      let told = { said.count { $0.contains(words(.version, "1", "2")) && $0.contains(period) } }
      let before = told()
      try await step("turn.earlier", visit, to: [period, rent])
      try await visit.until { told() == before + 1 }
      #expect(try stage.find("turn.version").words == words(.version, "1", "2"))
      #expect(stage.text.contains("three months") && stage.text.contains("840 euros"))
      visit.check("the earlier version with what followed it")
      try await ask(["When is the rent due?"], visit)
      try await step("turn.later", visit, to: [tenant])
      try await step("turn.earlier", visit, to: [period, rent, "When is the rent due?"])

      let conversation = try #require(visit.rooms?.chat.conversation)
      visit.rooms?.newConversation()
      await visit.rooms?.open(conversation)
      #expect(visit.rooms?.chat.turns.map(\.question) == [period, rent, "When is the rent due?"])
      #expect(try stage.find("turn.version").words == words(.version, "1", "2"))
      stage.leave()
    }
  }

  @Test("A question that is asked again has its old answer a step back")
  func again() async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try await ask(["How long is the notice period?"], visit)
      let chat = try #require(visit.rooms?.chat)
      let first = try #require(chat.turns.first?.answerID)
      try stage.tap("turn.edit")
      try stage.tap("turn.retry")
      #expect(!stage.has("chat.editing") && chat.turns.count == 1)
      try await visit.until("turn.version")
      #expect(stage.text.contains("Version 2 of 2") && chat.turns.first?.answerID != first)
      try await step("turn.earlier", visit, to: ["How long is the notice period?"])
      #expect(chat.turns.first?.answerID == first)
      try stage.tap("turn.edit")
      try await step("turn.later", visit, to: ["How long is the notice period?"])
      #expect(!stage.has("chat.editing") && chat.draft.isEmpty, "what was edited is not shown any more")
      stage.leave()
    }
  }

  @Test("Only what is shown has versions, and a question that was never answered is none to go back to")
  func counted() {
    func turn(_ id: String, after parent: String? = nil, answered: Bool = true, shown: Bool = false) -> ConversationTurn
    {
      ConversationTurn(
        id: id, parent: parent, question: "Q", text: answered ? "A" : nil, answer: nil, attachments: [],
        created: Date(timeIntervalSince1970: 0), isShown: shown)
    }
    let kept = [
      turn("a"), turn("silent", answered: false), turn("b", shown: true), turn("c", after: "b", shown: true),
      turn("d"), turn("e", after: "a"),
    ]
    let middle = Versions(of: "b", in: kept)
    #expect(middle?.number == 2 && middle?.count == 3 && middle?.earlier == "a" && middle?.later == "d")
    for alone in ["a", "c", "e", "silent", "gone"] { #expect(Versions(of: alone, in: kept) == nil, "\(alone)") }
    let stopped = [turn("a"), turn("silent", answered: false, shown: true)]
    #expect(Versions(of: "silent", in: stopped)?.earlier == "a")
  }

  private var said: [String] { AnnouncementRoom.shared.said.withLock { $0 } }

  private func ask(_ questions: [String], _ visit: Visit) async throws {
    for question in questions {
      try visit.stage.write(question, into: "chat.draft")
      try visit.stage.tap("chat.send")
      try await visit.until { visit.rooms?.chat.isAnswering == false }
      await visit.rooms?.chat.settled()
    }
  }

  private func step(_ button: String, _ visit: Visit, to questions: [String]) async throws {
    let before = visit.rooms?.chat.turns.map(\.id)
    try visit.stage.tap(button)
    try await visit.until { visit.rooms?.chat.turns.map(\.id) != before }
    #expect(visit.rooms?.chat.turns.map(\.question) == questions)
  }
}
