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
      ("understand", "text", 8), ("do", "text", 8),
    ])
  func bound(name: String, field: String, kilobytes: Int) async throws {
    let home = try OpenHouse()
    let operation = try #require(Operations.named(name))
    let words = String(repeating: "a", count: kilobytes << 10 + 1)
    var input: [String: JSONNode] = [field: .text(words)]
    // What else these cannot do without.
    if name == "search" { input.merge(["limit": .whole(1), "stage": .text("fused")]) { $1 } }
    if name == "do" { input.merge(["confirmed": .flag(false), "id": .text("x")]) { $1 } }
    await #expect(throws: TooLong(bytes: words.utf8.count, most: kilobytes << 10)) {
      for try await _ in operation.run(try JSON.encode(input), .terminal, home.house) {}
    }
    try home.remove()
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
