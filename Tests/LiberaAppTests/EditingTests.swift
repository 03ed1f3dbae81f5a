import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

@Suite("Asking a question in another way", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct EditingTests {
  @Test("An edited question takes the place of what came after it, which is kept beside it; it can be left")
  func edit() async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      for question in ["How long is the notice period?", "How much is the rent?"] {
        try stage.write(question, into: "chat.draft")
        try stage.tap("chat.send")
        try await visit.until { visit.rooms?.chat.isAnswering == false }
      }
      let chat = try #require(visit.rooms?.chat)
      try stage.tap("turn.edit")
      #expect(try stage.find("chat.draft").value == "How long is the notice period?" && stage.has("chat.editing"))
      try stage.tap("chat.leaveEditing")
      #expect(try stage.find("chat.draft").value == "" && !stage.has("chat.editing") && chat.turns.count == 2)

      try stage.tap("turn.edit")
      try stage.write("Who is the tenant?", into: "chat.draft")
      try stage.tap("chat.send")
      #expect(chat.turns.map(\.question) == ["Who is the tenant?"] && !stage.has("chat.editing"))
      try await visit.until("turn.how")
      visit.check("an answer to an edited question")
      #expect(stage.text.contains("Anna Berger"))

      try await expect(libera, chat.conversation, shown: ["Who is the tenant?"], of: 3)
      chat.edit(try #require(chat.turns.first?.id))
      chat.leaveEditing()
      chat.draft = "How much is the rent?"
      chat.send()
      await chat.settled()
      try await expect(
        libera, chat.conversation, shown: ["Who is the tenant?", "How much is the rent?"], of: 4)
      chat.edit(try #require(chat.turns.last?.id))
      chat.draft = "When is the rent due?"
      chat.send()
      await chat.settled()
      try await expect(
        libera, chat.conversation, shown: ["Who is the tenant?", "When is the rent due?"], of: 5)
      #expect(try await libera.conversations.markdown([chat.conversation]).contains("How long is the notice period?"))
      stage.leave()
    }
  }

  private func expect(_ libera: Libera, _ conversation: UUID, shown: [String], of all: Int) async throws {
    let kept = try await libera.conversations.show(conversation)
    #expect(kept.turns.count == all && kept.turns.filter(\.isShown).map(\.question) == shown, "\(kept.turns)")
  }
}
