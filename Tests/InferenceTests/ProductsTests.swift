import Foundation
import Inference
import Testing

/// Where a prompt's products are our own (Engine/products.h), they must tell what ggml's tell. Fewer than six tokens go ggml's
/// way, so the same text read word by word and at once tells them apart.
@Suite(
  "A prompt's products", .serialized, .enabled(if: TestPacks.hasLayout, "no Q8_0 layout at \(TestPacks.layout.path)"))
struct ProductsTests {
  static let story = (1...4).map { "In year \($0) the harbour of Port \($0 * 7) took \($0 * 13) ships." }
    .joined(separator: " ")
  static let candidates = [" The harbour", " In year", " banana", "\n", " 61", " Moreover, nobody knew why."]

  private func scores(_ text: String, _ candidates: [String], _ session: EngineSession) throws -> [Float] {
    let request = ScoreRequest(prefix: .raw([.trusted(text)]), candidates: candidates)
    return try #require(session.call("score", request).decoded([Score].self).first).map(\.logprob)
  }

  private func readWordByWord(_ text: String, _ session: EngineSession) throws {
    for place in text.indices where text[place] == " " { _ = try scores(String(text[..<place]), ["."], session) }
  }

  /// The sums differ in their last bit only, but where one of them tips the rounding of a value to its 127 steps, unlikely
  /// candidates move by tenths: single ones may, their mean may not.
  @Test("Prompts of every length around whole tiles read the same in large and in small batches", arguments: [1, 2])
  func lengths(threads: Int) throws {
    let (small, large) = (
      try EngineSession(TestPacks.layout, context: 2048, threads: threads),
      try EngineSession(TestPacks.layout, context: 2048, threads: threads)
    )
    var differences: [Float] = []
    for count in [20, 109, Self.story.count] {
      // Each begins otherwise, or all but the end of it would be known from the one before.
      let text = "\(count): " + Self.story.prefix(count)
      try readWordByWord(text, small)
      let both = try (scores(text, Self.candidates, small), scores(text, Self.candidates, large))
      differences += zip(both.0, both.1).map { $0 - $1 }
    }
    #expect(differences.allSatisfy { abs($0) < 1.5 }, "\(differences)")
    #expect(abs(differences.reduce(0, +)) / Float(differences.count) < 0.2, "\(differences)")
  }
}
