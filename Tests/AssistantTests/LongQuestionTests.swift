import Core
import Foundation
import Retrieval
import Testing

@testable import Assistant

@Suite("Words without end")
struct LongQuestionTests {
  @Test(
    "What is said at once has a bound, whoever says it",
    arguments: [
      ("ask", "question", 64), ("search", "query", 8), ("conversations-search", "query", 8),
      ("tools-propose", "text", 8),
      ("understand", "text", 8), ("do", "text", 8), ("search-batch", "queries", 8),
      ("conversations-branch", "question", 64),
    ])
  func bound(name: String, field: String, kilobytes: Int) async throws {
    let home = try OpenHouse()
    let operation = try #require(Operations.named(name))
    let words = String(repeating: "a", count: kilobytes << 10 + 1)
    var input: [String: Any] = [field: words]
    // What else these cannot do without.
    switch name {
    case "search": input.merge(["limit": 1, "stage": "fused"]) { $1 }
    case "search-batch": input = [field: [["_id": "a", "text": words]], "limit": 1, "stage": "fused"]
    case "do": input.merge(["confirmed": false, "id": "x"]) { $1 }
    case "conversations-branch": input.merge(["id": "x", "message": "y"]) { $1 }
    default: break
    }
    let body = try JSONSerialization.data(withJSONObject: input)
    await #expect(throws: TooLong(bytes: words.utf8.count, most: kilobytes << 10)) {
      for try await _ in operation.run(body, .terminal, home.house) {}
    }
  }

  @Test(
    "Of a long question its beginning and its end are taken apart",
    arguments: ["word ", "\n- x", "a", "🦊", "e\u{301}"])
  func ends(piece: String) {
    let asked = LongQuestion.asked("Begin. " + String(repeating: piece, count: 60_000 / piece.utf8.count) + " The end?")
    #expect(asked.utf8.count <= 4001 && asked.hasPrefix("Begin. ") && asked.hasSuffix(" The end?"))
    #expect(LongQuestion.asked("Short?") == "Short?")
  }
}
