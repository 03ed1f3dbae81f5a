import Testing

@testable import Assistant
@testable import Models

@Suite("What went out")
struct OutgoingTests {
  @Test("Bytes count from where each try began, and places in their order")
  func counting() {
    func progress(_ done: Int64) -> PullEvent { .progress(PullProgress(done: done, total: 100)) }
    let cases: [(String, [PullEvent], [String], Int64)] = [
      ("nothing came", [.source("a")], ["a"], 0),
      ("all of it", [.source("a"), progress(0), progress(40), progress(100)], ["a"], 100),
      ("the rest of an earlier try", [.source("a"), progress(60), progress(100)], ["a"], 40),
      ("begun again", [.source("a"), progress(60), .restarted(reason: "x"), progress(30)], ["a"], 30),
      (
        "two places", [.source("a"), progress(0), progress(10), .source("b"), progress(0), progress(5)], ["a", "b"], 15
      ),
    ]
    for (what, events, places, bytes) in cases {
      var line = Outgoing(kind: .fetched, pack: "p", places: [], bytes: 0)
      var before: Int64?
      for event in events { line.take(event, before: &before) }
      #expect(line.places == places && line.bytes == bytes, "\(what)")
    }
  }
}
