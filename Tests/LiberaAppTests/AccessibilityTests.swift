import Accessibility
import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp

/// What the tests of each screen do not hold: what is said without being looked for, and the largest sizes of type.
@Suite("For whoever listens, and whoever needs large type", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AccessibilityTests {
  private var said: [String] { AnnouncementRoom.shared.said.withLock { $0 } }

  @Test("An answer is said when it is there, with who wrote it and from how many passages", arguments: Words.languages)
  func announced(language: String) async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      // Other tests say their answers to the same listener: this one is nobody else's.
      let pages = [["Lease of a flat", "The notice period is eleven weeks."]]
      _ = try await collected(libera.import([home.write(PlainPDF(pages: pages).data, to: "notice.pdf")]))
      let visit = try await Visit.entered(libera, language: language)
      let stage = visit.stage
      let question = "How long is the notice period? \(language)"
      try stage.write(question, into: "chat.draft")
      try stage.tap("chat.send")
      #expect(!said.contains { $0.contains("eleven weeks") && $0.contains(stage.words(.providerExtractive)) })
      try await visit.until("turn.how")
      let turn = try #require(visit.rooms?.chat.turns.last)
      let origin = "\(stage.words(.providerExtractive)), \(stage.words(.fast))"
      #expect(said.contains { $0.contains("eleven weeks") && $0.contains(origin) }, "\(said)")
      let label = try #require(stage.environment.words.origin(of: turn))
      #expect(label.contains("\(turn.evidence.count)") && !turn.evidence.isEmpty)
      let whole = stage.tree.first { $0.label == stage.environment.words(.answerOf, question, label) }
      #expect(whole?.children.isEmpty == false, "\(stage.text)")
      stage.leave()
    }
  }

  @Test("What came of a command is said: the card that asks, what was done, and that it was taken back")
  func commands() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.tap("tab.voice")
      try stage.write("send an email to Wilhelmina saying that I am late", into: "command.text")
      try stage.tap("command.hear")
      try await visit.until("card.confirm")
      #expect(said.contains { $0.contains("Wilhelmina") }, "\(said)")
      try stage.tap("card.confirm")
      try await visit.until("command.undo")
      guard case .done(let action, _)? = visit.rooms?.command.stage else { return _ = Issue.record("\(stage.text)") }
      #expect(said.contains(action.summary))
      try stage.tap("command.undo")
      try await visit.until("command.undone")
      _ = stage.tree
      #expect(said.contains(stage.environment.words(.undone, action.summary)))
      stage.leave()
    }
  }

  @Test("Every stage of an answer that is over has something to be said, and none that is not")
  func stages() {
    let words = Words("en")
    var turn = ChatTurn("Q")
    #expect(words.told(turn) == nil)
    turn.take(.piece("It"))
    #expect(words.told(turn) == nil && words.origin(of: turn) == nil)
    var stopped = turn
    stopped.end(with: nil)
    #expect(words.told(stopped) == words(.stopped))
    turn.end(with: LiberaError(code: "x", message: "No.", remedy: "Try."))
    #expect(words.told(turn) == "No. Try.")
  }

  @Test("At the largest sizes of type nothing with words stands beside another", arguments: DynamicTypeSize.allCases)
  func largeType(size: DynamicTypeSize) async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = Visit(libera)
      let stage = visit.stage
      stage.change { $0.dynamicTypeSize = size }
      try await visit.enter()
      check(visit, size, "an empty conversation")
      try stage.write("How long is the notice period?", into: "chat.draft")
      try stage.tap("chat.send")
      try await visit.until("turn.how")
      try stage.tap("turn.how")
      check(visit, size, "an answer")
      try stage.tap("tab.library")
      try await visit.until("document.lease.pdf")
      check(visit, size, "the library")
      try stage.tap("tab.voice")
      try stage.write("send an email to Anna saying that I am late", into: "command.text")
      try stage.tap("command.hear")
      try await visit.until("card.confirm")
      check(visit, size, "a card")
      try stage.tap("tab.more")
      for name in ["models", "settings", "device", "diagnostics", "plan", "data"] {
        try stage.tap("more.\(name)")
        _ = stage.tree
        try await Task.sleep(for: .milliseconds(20))
        check(visit, size, name)
        try stage.back()
      }
      stage.leave()
    }
  }

  private func check(_ visit: Visit, _ size: DynamicTypeSize, _ screen: String) {
    visit.check(Comment(rawValue: screen))
    let icons = ["chat.attach", "chat.photos", "chat.scan"]
    let crowded = visit.stage.tree.reachable.all.filter { row in
      row.kind == .row && row.all.filter { $0.kind.isControl && !icons.contains($0.identifier ?? "") }.count > 1
    }
    if size.isAccessibilitySize {
      #expect(crowded.isEmpty, "\(screen): \(crowded.map(\.spoken))")
    } else if screen == "an empty conversation" {
      #expect(!crowded.isEmpty, "at usual sizes the question has its button beside it")
    }
  }
}
