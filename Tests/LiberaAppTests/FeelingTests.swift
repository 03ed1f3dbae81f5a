import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

@Suite("What a hand feels", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct FeelingTests {
  @Test("An answer is felt as it begins and ends, a command as it asks, is done and taken back; turned off, nothing is")
  func felt() async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let visit = try await Visit.entered(libera)
      try await answerAndCommand(visit)
      #expect(visit.stage.felt == [.impact(weight: .light), .success, .warning, .success, .success])
      try visit.stage.tap("tab.more")
      try visit.stage.tap("more.settings")
      try await visit.until("settings.haptics")
      try visit.stage.tap("settings.haptics")
      try visit.stage.back()
      try visit.stage.tap("tab.chat")
      try await answerAndCommand(visit)
      #expect(visit.stage.felt.count == 5)
      visit.stage.leave()
    }
  }

  private func answerAndCommand(_ visit: Visit) async throws {
    let stage = visit.stage
    let before = visit.rooms?.chat.turns.count ?? 0
    try stage.write("How long is the notice period?", into: "chat.draft")
    try stage.tap("chat.send")
    #expect(stage.has("chat.stop"))
    try await visit.until { visit.rooms?.chat.isAnswering == false && visit.rooms?.chat.turns.count == before + 1 }
    #expect(stage.has("chat.send"))
    try stage.tap("tab.voice")
    try stage.write("send an email to Anna saying that I am late", into: "command.text")
    try stage.tap("command.hear")
    try await visit.until("card.confirm")
    try stage.tap("card.confirm")
    try await visit.until("command.undo")
    try stage.tap("command.undo")
    try await visit.until("command.undone")
  }

  @Test("Every ending of an answer and of a command is felt in its own way")
  func kinds() {
    let error = LiberaError(code: "x", message: "No.")
    #expect(ChatTurn.Stage.done.felt == .success && ChatTurn.Stage.stopped.felt == .warning)
    #expect(ChatTurn.Stage.failed(error).felt == .error && ChatTurn.Stage.writing.felt == nil)
    #expect(CommandScreen.Stage.failed(error).felt == .error && CommandScreen.Stage.nothing.felt == nil)
  }
}
