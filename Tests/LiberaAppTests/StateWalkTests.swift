import Foundation
import LiberaKit
import SwiftUI
import Testing

@testable import LiberaApp
@testable import LiberaScreens

/// States that come seldom: each shown by the real views over the real screens.
@Suite("States, walked", .timeLimit(.minutes(5)))
@MainActor
struct StateWalkTests {
  static let citation = #"""
    {"id": "c", "document": "lease.pdf", "title": "Lease", "page": 2, "text": "The notice period is three months.",
     "score": 0.9, "start": 0, "end": 34, "boxes": []}
    """#

  private func answer(_ finding: Finding?, stopped: Bool = false) throws -> Answer {
    var answer = Answer(task: .documents, question: "Q", provider: "local", pack: "p", mode: .deep)
    answer.answer = "It is three months. The sky is blue."
    answer.citations = [try JSONDecoder().decode(Citation.self, from: Data(Self.citation.utf8))]
    let sentences = #"""
      [{"text": "It is three months.", "support": [0], "supported": true},
       {"text": "The sky is blue.", "support": [], "supported": false}]
      """#
    answer.sentences = try JSONDecoder().decode([AnswerSentence].self, from: Data(sentences.utf8))
    (answer.retrievalUsed, answer.finding, answer.stopped) = (true, finding, stopped)
    return answer
  }

  private func notes<Of: Decodable>(_ type: Of.Type, _ json: String) throws -> Of {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  @Test("A turn has words in every stage, in every language", arguments: Words.languages)
  func turns(language: String) async throws {
    try await KitHome(withPacks: false).during { libera in
      let rooms = Rooms(libera)
      let limits = try notes([LimitNote].self, #"[{"what": "passages", "value": "3", "reason": "the device is hot"}]"#)
      let changes = try notes(
        [LimitChange].self, #"[{"at_ms": 5, "what": "mode", "from": "deep", "to": "fast", "reason": "heat"}]"#)
      let cases: [(String, [AnswerEvent], (any Error)?)] = [
        ("finding", [], nil), ("loading", [.loading(0.4)], nil),
        ("evidence", [.evidence(try answer(.found).citations), .limits(limits)], nil),
        ("writing", [.understoodAs("What?"), .piece("It is"), .notice("n"), .changes(changes)], nil),
        ("found", [.done(try answer(.found))], nil), ("probably", [.done(try answer(.probably))], nil),
        ("not there", [.done(try answer(.notThere))], nil), ("no finding", [.done(try answer(nil))], nil),
        ("stopped", [.piece("It"), .done(try answer(.found, stopped: true))], nil),
        ("failed", [.piece("It")], LiberaError(code: "x", message: "No.", remedy: "Try.")),
      ]
      for (name, events, error) in cases {
        var turn = ChatTurn("How long is it?")
        for event in events { turn.take(event) }
        if let error { turn.end(with: error) }
        let stage = Stage(TurnView(turn: turn).environment(rooms)) { $0.words = Words(language) }
        #expect(complaints(of: stage.tree).isEmpty, "\(name): \(complaints(of: stage.tree))\n\(stage.text)")
        #expect(stage.tree.allWords.count > turn.question.count, "\(name) says nothing")
        if turn.stage == .done { #expect(stage.has("sentence.1") && stage.has("turn.how")) }
      }
    }
  }

  @Test("Every sentence shows the passages that carry it, or that nothing does")
  func evidence() async throws {
    try await KitHome(withPacks: false).during { libera in
      var turn = ChatTurn("Q")
      turn.take(.done(try answer(.found)))
      let stage = Stage(TurnView(turn: turn).environment(Rooms(libera))) { $0.words = Words("en") }
      let carried = try stage.find("evidence.0.0")
      #expect(carried.spoken == "Evidence: lease.pdf, p. 2. The notice period is three months.")
      #expect(!stage.has("evidence.1.0"))
      #expect(stage.text.components(separatedBy: stage.words(.unsupported)).count == 2)
    }
  }

  @Test("A home that is in use says so, and opens once it is free")
  func inUse() async throws {
    let home = try KitHome(withPacks: false)
    let first = try await home.open()
    let app = AppScreen { try await home.open() }
    let stage = Stage(AppView(app)) { $0.words = Words("en") }
    while !stage.has("app.retry") { try await Task.sleep(for: .milliseconds(10)) }
    #expect(complaints(of: stage.tree).isEmpty)
    await first.close()
    try stage.tap("app.retry")
    while !stage.has("first.next") { try await Task.sleep(for: .milliseconds(10)) }
    if case .open(let rooms) = app.stage { await rooms.libera.close() }
    stage.leave()
  }

  @Test("Without models the first steps say what is missing, and everything can be left for later")
  func withoutModels() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = Visit(libera)
      try await visit.until("first.next")
      try visit.stage.tap("first.next")
      #expect(try visit.stage.find("first.chatModel").words == visit.stage.words(.noChatModel))
      #expect(try visit.stage.find("first.embedder").words == visit.stage.words(.noEmbedder))
      visit.check("models that are not there")
      try visit.stage.tap("first.later")
      #expect(visit.stage.has("chat.draft"))
    }
  }

  @Test("In the background the app says so to the library, and a break that is suggested is told once")
  func breakNotice() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = try await Visit.entered(libera)
      let rooms = try #require(visit.rooms)
      try await visit.until { rooms.device.state != nil }
      visit.stage.change { $0.scenePhase = .background }
      try await visit.until { visit.stage.has("chat.draft") && rooms.life.phase == .background }
      rooms.device.leave()
      var state = try #require(rooms.device.state)
      state.breakIsSuggested = true
      rooms.device.take(state)
      visit.check("a break that is suggested")
      #expect(visit.stage.has("break"))
      try visit.stage.tap("break.dismiss")
      #expect(!visit.stage.has("break"))
      state.breakIsSuggested = false
      rooms.device.take(state)
      #expect(!visit.stage.has("break"))
      state.breakIsSuggested = true
      rooms.device.take(state)
      #expect(visit.stage.has("break"), "the next one is told again")
    }
  }
}
