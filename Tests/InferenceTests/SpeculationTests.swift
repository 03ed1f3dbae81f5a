import Foundation
import Inference
import Testing
import TextEngine

@Suite("Speculation", .serialized, .needsChatPack)
struct SpeculationTests {
  static let evidence = """
    The lighthouse at Cape Orrin was built in 1874 from pale granite quarried on the neighbouring island. Its lamp burned \
    colza oil until 1903, when the keeper Aldous Fenn replaced it with a paraffin burner of his own design.
    """

  private func request(_ speculate: Bool) -> GenerateRequest {
    var request = GenerateRequest.raw(
      "Text: \(Self.evidence)\n\nThe same text again, word for word: The lighthouse at Cape Orrin", tokens: 48)
    request.speculate = speculate
    return request
  }

  /// Both sides then read only the prompt's last token anew. A prompt read in one large batch is rounded otherwise.
  private func warmSession() throws -> EngineSession {
    let session = try EngineSession(TestPacks.chat, context: 512)
    _ = try session.generate(request(false))
    return session
  }

  @Test("An answer that copies its evidence is drafted from it, and reads the same as without drafts")
  func copies() throws {
    let session = try warmSession()
    let plain = try session.generate(request(false))
    let drafted = try session.generate(request(true))
    #expect(drafted.text == plain.text)
    #expect(drafted.report.acceptedTokens > 0)
    #expect(plain.report.draftedTokens == 0)
    #expect(drafted.report.generatedTokens == plain.report.generatedTokens)
  }

  @Test("The maximum length and stop strings hold inside a draft too")
  func limits() throws {
    let session = try EngineSession(TestPacks.chat, context: 512)
    for length in [1, 2, 5, 17] {
      var short = request(true)
      short.maximumTokens = length
      #expect(try session.generate(short).report.generatedTokens == length)
    }
    var stopping = request(true)
    stopping.stop = ["18"]
    #expect(try !session.generate(stopping).text.contains("18"))
  }

  @Test("A draft under a grammar obeys it")
  func grammar() throws {
    let session = try EngineSession(TestPacks.chat, context: 512)
    var constrained = request(true)
    constrained.grammar = "root ::= [a-z ]{20,40}"
    let text = try session.generate(constrained).text
    #expect(text.allSatisfy { $0 == " " || ("a"..."z").contains($0) })
    #expect((20...40).contains(text.count))
  }

  @Test("With the same seed a sampled answer is the same with and without drafts")
  func sampled() throws {
    let session = try warmSession()
    for seed: UInt32 in 1...3 {
      var plain = request(false)
      plain.sampling.temperature = 0.4
      plain.sampling.seed = seed
      plain.maximumTokens = 20
      var drafted = plain
      drafted.speculate = true
      #expect(try session.generate(plain).text == session.generate(drafted).text)
    }
  }
}
