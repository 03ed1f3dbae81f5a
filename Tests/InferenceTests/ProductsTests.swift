import CLlama
import Foundation
import Inference
import Testing

/// Where products are our own (Engine/products.h says which), they must tell what ggml's tell, and a token must come to the same sums alone
/// and among others.
@Suite("Products", .serialized, .needsChatPack, .needsMends)
struct ProductsTests {
  enum Weights: CaseIterable { case published, k }

  /// Both kinds of K-quants that most packs consist of, made once of the small pack. Its rows are too short for them but in the
  /// second half of the feed-forward network; the rest becomes something else.
  private static let kQuants = Result {
    let target = FileManager.default.temporaryDirectory.appending(path: "libera-q4_k_m-\(UUID().uuidString).gguf")
    var parameters = llama_model_quantize_default_params()
    parameters.ftype = LLAMA_FTYPE_MOSTLY_Q4_K_M
    parameters.allow_requantize = true
    try #require(llama_model_quantize(TestPacks.chat.path, target.path, &parameters) == 0)
    return target
  }

  private func file(_ weights: Weights) throws -> URL {
    weights == .published ? TestPacks.chat : try Self.kQuants.get()
  }

  static let story = (1...9).map { "In year \($0) the harbour of Port \($0 * 7) took \($0 * 13) ships." }
    .joined(separator: " ")
  static let candidates = [" The harbour", " In year", " banana", "\n", " 61", " Moreover, nobody knew why."]

  private func scores(_ text: String, _ candidates: [String], _ session: EngineSession) throws -> [Float] {
    let request = ScoreRequest(prefix: .raw([.trusted(text)]), candidates: candidates)
    return try #require(session.call("score", request).decoded([Score].self).first).map(\.logprob)
  }

  /// The sums differ in their last bit only, but where one of them tips the rounding of a value to its 127 steps, unlikely
  /// candidates move by tenths: single ones may, their mean may not.
  @Test(
    "Prompts of every length around whole tiles read as they do with ggml's products", arguments: [1, 2],
    Weights.allCases)
  func lengths(threads: Int, weights: Weights) throws {
    let (ours, theirs) = (
      try EngineSession(file(weights), context: 2048, threads: threads),
      try EngineSession(file(weights), context: 2048, threads: threads, multipliesItself: false)
    )
    var differences: [Float] = []
    for count in [1, 8, 45, 180, Self.story.count] {
      // Each begins otherwise, or all but the end of it would be known from the one before.
      let text = "\(count): " + Self.story.prefix(count)
      let both = try (scores(text, Self.candidates, ours), scores(text, Self.candidates, theirs))
      differences += zip(both.0, both.1).map { $0 - $1 }
    }
    #expect(differences.allSatisfy { abs($0) < 1.5 }, "\(differences)")
    #expect(abs(differences.reduce(0, +)) / Float(differences.count) < 0.2, "\(differences)")
  }

  @Test("A drafted token comes to the very numbers that it comes to alone", arguments: Weights.allCases)
  func alone(weights: Weights) throws {
    let session = try EngineSession(file(weights), context: 1024)
    let evidence = SpeculationTests.evidence
    var request = GenerateRequest.raw(
      "Text: \(evidence)\n\nThe same text again, word for word: The lighthouse at Cape Orrin", tokens: 24)
    request.logprobs = 3
    request.speculate = false
    _ = try session.generate(request)  // afterwards both begin with what this one has read
    let plain = try session.generate(request)
    request.speculate = true
    let drafted = try session.generate(request)
    #expect(drafted.report.acceptedTokens > 0)
    #expect(drafted.logprobs == plain.logprobs)
  }
}
