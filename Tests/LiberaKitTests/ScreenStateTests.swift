import Foundation
import LiberaKit
import LiberaScreens
import Testing

/// What events change on a screen, without anything that computes.
@Suite("What a screen shows after each event")
struct ScreenStateTests {
  private func answer(_ text: String, stopped: Bool = false) -> Answer {
    var answer = Answer(task: .documents, question: "Q", provider: "local", pack: "p", mode: .fast)
    answer.answer = text
    answer.stopped = stopped
    answer.retrievalUsed = true
    return answer
  }

  @Test("An answer goes from finding over loading and writing to its whole record")
  func whole() {
    var turn = ChatTurn("Q")
    var stages: [ChatTurn.Stage] = [turn.stage]
    let events: [AnswerEvent] = [
      .understoodAs("What is Q?"), .loading(0.5), .loading(1), .piece("It "), .piece("is."), .notice("n"),
      .done(answer("It is.")),
    ]
    for event in events {
      turn.take(event)
      if stages.last != turn.stage { stages.append(turn.stage) }
    }
    #expect(stages == [.finding, .loading(0.5), .finding, .writing, .done])
    #expect(turn.text == "It is." && turn.understoodAs == "What is Q?" && turn.notices == ["n"])
    turn.end(with: nil)
    turn.take(.piece("more"))
    #expect(turn.stage == .done && turn.text == "It is.", "an answer that is over stays as it is")
  }

  @Test("What was written is replaced where none of it is in the documents")
  func replaced() {
    var turn = ChatTurn("Q")
    turn.take(.piece("Invented."))
    turn.take(.replaced("Quoted."))
    #expect(turn.text == "Quoted." && turn.sentences.isEmpty)
  }

  @Test(
    "How a turn ends",
    arguments: [
      (CancellationError() as any Error, ChatTurn.Stage.stopped),
      (LiberaError(code: "a", message: "b"), .failed(LiberaError(code: "a", message: "b"))),
    ])
  func ends(error: any Error, stage: ChatTurn.Stage) {
    var turn = ChatTurn("Q")
    turn.take(.piece("So far"))
    turn.end(with: error)
    #expect(turn.stage == stage && turn.text == "So far")
  }

  @Test("A stopped answer is told from a whole one")
  func stopped() {
    var turn = ChatTurn("Q")
    turn.take(.done(answer("Half", stopped: true)))
    #expect(turn.stage == .stopped && turn.answer?.answer == "Half")
  }

  @Test("Each file of an import has one line, and the end is counted")
  func imports() throws {
    var lines = ImportLines()
    let progress = try JSONDecoder().decode(
      ImportProgress.self, from: Data(#"{"document": "a", "pagesRead": 1, "pages": 4}"#.utf8))
    for event: ImportEvent in [
      .progress(progress), .failed(document: "b", reason: "broken"), .done(document: "a", passages: 7, note: nil),
    ] {
      lines.take(event)
      if case .progress = event { #expect(lines.lines.first?.share == 0.25) }
    }
    lines.take(.progress(progress))
    #expect(
      lines.lines.map(\.stage) == [.done(passages: 7, note: nil), .failed("broken")], "late progress changes no end")
    #expect(lines.summary == nil)
    lines.take(.finished(imported: 1, skipped: 0, failed: 1, seconds: 1))
    #expect(lines.summary?.imported == 1 && lines.summary?.failed == 1)
  }

  @Test("Words settle one utterance after the other, and the least sure counts")
  func words() throws {
    var heard = HeardWords()
    heard.take(.partial(utterance: 1, confirmed: "remind me", tail: "too"))
    #expect(heard.text == "remind me too" && heard.recognition == nil)
    for (text, sure) in [("Remind me to call.", 0.9), ("Tomorrow.", 0.6)] {
      let said = #"{"number": 1, "text": "\#(text)", "language": "en", "words": [], "allRight": \#(sure)}"#
      heard.take(.final(try JSONDecoder().decode(Utterance.self, from: Data(said.utf8))))
    }
    #expect(heard.text == "Remind me to call. Tomorrow." && heard.recognition == 0.6 && heard.tail.isEmpty)
    heard.take(.partial(utterance: 3, confirmed: "thank", tail: "you"))
    heard.take(.done)
    #expect(heard.text == "Remind me to call. Tomorrow. thank you", "what has not settled stays")
  }
}
