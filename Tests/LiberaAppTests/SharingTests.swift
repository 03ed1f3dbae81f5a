import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp

@Suite("Handing answers to other programs", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct SharingTests {
  @Test("An answer goes with its question, its evidence by number, and what nothing carries")
  func text() throws {
    var answer = Answer(task: .documents, question: "Q", provider: "local", pack: "p", mode: .fast)
    answer.answer = "It is three months. The sky is blue."
    answer.citations = [try JSONDecoder().decode(Citation.self, from: Data(StateWalkTests.citation.utf8))]
    let sentences = #"""
      [{"text": "It is three months.", "support": [0], "supported": true},
       {"text": "The sky is blue.", "support": [7], "supported": false}]
      """#
    answer.sentences = try JSONDecoder().decode([AnswerSentence].self, from: Data(sentences.utf8))
    answer.retrievalUsed = true
    var turn = ChatTurn("How long is it?")
    turn.take(.done(answer))
    let words = Words("de")
    let text = turn.asText(evidence: words(.evidenceTitle), unsupported: words(.unsupported)) { words.name(of: $0) }
    #expect(
      text == """
        How long is it?

        It is three months. [1]
        The sky is blue. (\(words(.unsupported)))

        \(words(.evidenceTitle))
        [1] lease.pdf, S. 2: “The notice period is three months.”
        """)
    var talk = ChatTurn("Hello")
    talk.take(.piece("Good day."))
    talk.end(with: nil)
    #expect(talk.asText(evidence: "E", unsupported: "U") { _ in "" } == "Hello\n\nGood day.")
  }

  @Test("The button under an answer hands it over; a kept conversation is shown as text and handed over whole")
  func walk() async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.write("How long is the notice period, please?", into: "chat.draft")
      try stage.tap("chat.send")
      try await visit.until("turn.share")
      try stage.tap("turn.share")
      let shared = try #require(
        SharedRoom.shared.items.withLock { $0.last { $0.hasPrefix("How long is the notice period, please?") } })
      #expect(shared.contains("three months") && shared.contains("[1] lease.pdf, p. 2"), "\(shared)")

      let kept = try #require(visit.rooms?.chat.conversation)
      try stage.tap("chat.conversations")
      try await visit.until("conversation.share.\(kept)")
      try stage.tap("conversation.share.\(kept)")
      try await visit.until("written.text")
      visit.check("a conversation as text")
      try stage.tap("written.share")
      #expect(SharedRoom.shared.items.withLock { $0.last?.contains("notice period, please") } == true)
      try stage.tap("written.close")
      visit.check("conversations again")
      #expect(stage.has("conversation.\(kept)") && visit.rooms?.conversations.written == nil)
      stage.leave()
    }
  }
}
