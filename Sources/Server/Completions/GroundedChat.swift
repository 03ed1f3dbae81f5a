import Core
import Foundation
import Inference

/// A chat completion answered from the documents: the last message is the question, the record travels in `libera`.
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

  func pieces(for wanted: CompletionRequest, from caller: Caller) throws -> AsyncThrowingStream<
    CompletionPiece, any Error
  > {
    guard let last = wanted.messages?.last, last.role == "user" else {
      throw ServerError.unreadable("the last message must be the user's")
    }
    guard last.text.utf8.count <= Self.longestQuestion else {
      throw ServerError.contextLength("a question of more than \(Self.longestQuestion >> 10) kB")
    }
    // These would make another answer than the evidence does. How it is sampled and how long it gets, the house decides.
    if wanted.responseFormat.map({ $0.type != "text" }) == true {
      throw ServerError.unsupported("response_format in an answer from the documents")
    }
    if wanted.tools?.isEmpty == false { throw ServerError.unsupported("tools in an answer from the documents") }
    if wanted.stop?.all.isEmpty == false { throw ServerError.unsupported("stop in an answer from the documents") }
    switch wanted.logprobs {
    case .flag(true), .count: throw ServerError.unsupported("logprobs in an answer from the documents")
    case .flag(false), nil: break
    }
    let question = Question(
      question: last.text, mode: wanted.libera?.mode, collection: wanted.libera?.collection,
      conversation: wanted.libera?.conversation)
    let events = try ask.run(JSON.encode(question), caller)
    return streaming { emit in
      var told = ""
      for try await data in events {
        let event = try JSON.decode(Event.self, from: data)
        if let piece = event.piece {
          told += piece
          emit(.text(piece))
        }
        if let record = event.done {
          // What was not streamed, such as an abstention's words.
          if told.isEmpty, !record.answer.isEmpty { emit(.text(record.answer)) }
          var prompt = PromptReport()
          prompt.promptTokens = record.timings?.prompt ?? 0
          prompt.reusedTokens = record.timings?.reused ?? 0
          emit(.end("stop", .init(prompt, generated: record.timings?.generated ?? 0), record))
        }
      }
    }
  }
}
