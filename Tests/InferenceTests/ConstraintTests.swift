import Foundation
import Inference
import Testing
import TextEngine

@Suite("Constrained answers", .serialized, .needsChatPack)
struct ConstraintTests {
  let session: EngineSession

  init() throws { session = try EngineSession(TestPacks.chat, context: 512) }

  @Test("A grammar is obeyed, greedy and sampled")
  func grammar() throws {
    var request = GenerateRequest.raw("The colour of the sky is", tokens: 8)
    request.grammar = #"root ::= (" red" | " green") "!""#
    for temperature: Float in [0, 1.5] {
      request.sampling.temperature = temperature
      request.sampling.seed = 3
      let answer = try session.generate(request)
      #expect([" red!", " green!"].contains(answer.text))
      #expect(answer.report.finish == .end)
    }
  }

  @Test("A JSON schema gives JSON that fits it")
  func schema() throws {
    var request = GenerateRequest.ask("Describe a person called Anna, 31 years old.", tokens: 60)
    request.schema = """
      {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "maximum": 150}},
       "required": ["name", "age"], "additionalProperties": false}
      """
    let text = try session.generate(request).text
    let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["name"] is String)
    #expect(object["age"] is Int)
  }

  @Test(
    "A grammar that cannot be read is refused with a reason",
    arguments: ["start ::= \"a\"", "root ::= (", "root ::= nowhere", " "])
  func refused(grammar: String) {
    var request = GenerateRequest.raw("Hello", tokens: 4)
    request.grammar = grammar
    #expect(throws: EngineError.self) { try session.generate(request) }
  }

  @Test("A schema that is no JSON is refused")
  func badSchema() {
    var request = GenerateRequest.raw("Hello", tokens: 4)
    request.schema = "{not json"
    #expect(throws: EngineError.self) { try session.generate(request) }
  }

  @Test("Log probabilities under a grammar sum to one over what it allows")
  func logprobs() throws {
    var request = GenerateRequest.raw("The answer is", tokens: 1)
    request.grammar = #"root ::= " yes" | " no""#
    request.logprobs = 60
    let answer = try session.generate(request)
    let entry = try #require(answer.logprobs.first)
    let total = entry.top.reduce(0) { $0 + exp(Double($1.logprob)) }
    #expect(abs(total - 1) < 0.001)
    #expect(entry.top.first?.token == entry.chosen.token)
  }

  @Test("Without a grammar the chosen token leads its log probabilities")
  func freeLogprobs() throws {
    var request = GenerateRequest.raw("The capital of France is", tokens: 3)
    request.logprobs = 5
    let answer = try session.generate(request)
    #expect(answer.logprobs.count == 3)
    for entry in answer.logprobs {
      #expect(entry.top.count == 5)
      #expect(entry.top[0] == entry.chosen)
      #expect(entry.chosen.logprob <= 0)
    }
  }

  @Test("Candidates score as the model would write them, alone or together")
  func scores() throws {
    let prefix = GenerateRequest.Input.raw([.trusted("The capital of France is")])
    let candidates = [" Paris", " a big city in Germany", " London", "", " Paris, the city of light"]
    let together = try #require(
      session.call("score", ScoreRequest(prefix: prefix, candidates: candidates)).decoded([Score].self).first)
    #expect(together.map(\.tokens).min() == 0)
    #expect(together[0].logprob > together[2].logprob)
    #expect(together[0].logprob > together[1].logprob)
    #expect(together[3] == Score(logprob: 0, tokens: 0))
    for (index, candidate) in candidates.enumerated() {
      let alone = try #require(
        session.call("score", ScoreRequest(prefix: prefix, candidates: [candidate])).decoded([Score].self).first)
      #expect(abs(alone[0].logprob - together[index].logprob) < 0.5)
    }
    // Scoring leaves nothing behind that could change an answer.
    let after = try session.generate(.raw("The capital of France is", tokens: 4))
    #expect(
      try EngineSession(TestPacks.chat, context: 512).generate(.raw("The capital of France is", tokens: 4)).text
        == after.text)
  }

  @Test("More candidates than fit side by side are scored in turn")
  func manyScores() throws {
    let prefix = GenerateRequest.Input.raw([.trusted("One word:")])
    let candidates = (0..<40).map { " candidate number \($0)" }
    let scores = try #require(
      session.call("score", ScoreRequest(prefix: prefix, candidates: candidates)).decoded([Score].self).first)
    #expect(scores.count == 40)
    #expect(scores.allSatisfy { $0.logprob < 0 && $0.tokens > 2 })
  }
}
