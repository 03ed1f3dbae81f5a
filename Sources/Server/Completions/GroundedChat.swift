import Core
import Foundation
import Inference

/// A chat answered from the documents: the last message is the question, the record travels in `libera`.
struct GroundedChat: Sendable {
  let ask: Service
  /// Of one question to the documents.
  private static let longestQuestion = 64 << 10

  private struct Question: Encodable {
    var question: String
    var mode: String?
    var collection: String?
    var conversation: String?
  }

  private struct Event: Decodable {
    var piece: String?
    var done: Grounded?
  }

  func pieces(for asked: Asked, from caller: Caller) throws -> AsyncThrowingStream<AnswerPiece, any Error> {
    let question = Question(
      question: try question(asked), mode: asked.grounding?.mode, collection: asked.grounding?.collection,
      conversation: asked.grounding?.conversation)
    let events = try ask.run(JSON.encode(question), caller)
    return streaming { emit in
      var (told, began) = ("", false)
      for try await data in events {
        let event = try JSON.decode(Event.self, from: data)
        if !began { emit(.began(0, PromptReport())) }
        began = true
        if let piece = event.piece {
          told += piece
          emit(.text(piece))
        }
        if let record = event.done {
          // What was not streamed, such as an abstention's words.
          if told.isEmpty, !record.answer.isEmpty { emit(.text(record.answer)) }
          var end = AnswerEnd(reason: .end, record: record)
          end.prompt.promptTokens = record.timings?.prompt ?? 0
          end.prompt.reusedTokens = record.timings?.reused ?? 0
          end.report.generatedTokens = record.timings?.generated ?? 0
          emit(.ended(end))
        }
      }
    }
  }

  private func question(_ asked: Asked) throws -> String {
    guard asked.requests.count == 1, let request = asked.requests.first,
      case .chat(let messages, let tools) = request.input,
      let last = messages.last, last.role == .user
    else { throw ServerError.unreadable("the last message must be the user's") }
    // These would make another answer than the evidence does. How it is sampled and how long it gets, the house decides.
    let odd = [
      ("a schema", request.schema != nil), ("a grammar", request.grammar != nil), ("tools", tools != nil),
      ("stop", !request.stop.isEmpty),
      ("logprobs", request.logprobs > 0), ("logit_bias", request.sampling.bias != nil),
      ("several choices", asked.choices != 1),
    ].first(where: \.1)
    if let odd { throw ServerError.unsupported("\(odd.0) in an answer from the documents") }
    let text = last.spans.map(\.text).joined()
    guard text.utf8.count <= Self.longestQuestion else {
      throw ServerError.contextLength("a question of more than \(Self.longestQuestion >> 10) kB")
    }
    return text
  }
}
