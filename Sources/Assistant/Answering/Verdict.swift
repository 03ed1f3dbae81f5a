import Core
import Foundation
import Inference
import Models
import Resources
import Workers

/// Whether a pack, asked for yes or no, says that what was found answers the question. Words and vectors tell what is far from a
/// question; what is near and yet no answer takes something that reads.
struct Verdict: Equatable {
  /// How much more it says yes than no: 0 to 1.
  var yes: Double

  /// From so many parameters on a pack is asked. What one of 1.5 billion says is a little better than the ranking's own number
  /// (Benchmarks/answers.md); a smaller one knows no more than chance does.
  static let least: Int64 = 1_000_000_000

  /// So little of a yes: there is no answer. From so much on what was found is one, whatever the ranking thought of it.
  static let no = 0.4
  static let sure = 0.7

  func finding(_ ranked: Finding) -> Finding { yes < Self.no ? .notThere : yes < Self.sure ? ranked : .found }

  /// As models begin such a reply.
  static let replies: [(text: String, isYes: Bool)] = [("yes", true), ("Yes", true), ("no", false), ("No", false)]

  init(_ scores: [Score]) {
    let odds = zip(Self.replies, scores).reduce(into: (yes: 0.0, no: 0.0)) { sums, each in
      if each.0.isYes { sums.yes += exp(Double(each.1.logprob)) } else { sums.no += exp(Double(each.1.logprob)) }
    }
    yes = odds.yes + odds.no > 0 ? odds.yes / (odds.yes + odds.no) : 0.5
  }
}

extension Writer {
  /// What the pack says of this evidence; nil where the conversation has no room for the question.
  func verdict(on prompt: Prompt) async throws -> Verdict? {
    let (house, id, cores) = (turn.house, author.id, await model.info?.threads ?? 1)
    let request = ScoreRequest(
      prefix: .chat(prompt.messages(asking: .verdict)), candidates: Verdict.replies.map(\.text))
    do {
      let scores = try await house.orLost(id) {
        try await house.computing("a verdict", on: id, .person, cores: cores) { try await model.score(request) }
      }
      return Verdict(scores)
    } catch let error as RemoteError where error.code == "context_overflow" {
      return nil
    }
  }
}
