import Core
import Foundation
import Inference

/// One step of an answer, whoever writes it and in whichever dialect it is told. Each answer has a beginning and an end.
enum AnswerPiece: Sendable {
  /// The prompt has been read. Of several answers the number comes with it.
  case began(Int, PromptReport)
  case text(String)
  /// What a model thinks before it answers.
  case thought(String)
  /// A call of a function begins.
  case call(String)
  case arguments(String)
  case logprobs(TokenLogprobs)
  case ended(AnswerEnd)
}

extension AnswerPiece {
  /// What it takes of memory where it is kept, nearly.
  fileprivate var bytes: Int {
    switch self {
    case .text(let text), .thought(let text), .call(let text), .arguments(let text): text.utf8.count
    case .logprobs(let entry): 64 * (1 + entry.top.count)
    case .began, .ended: 0
    }
  }
}

struct AnswerEnd: Sendable {
  enum Reason: Sendable, Equatable {
    case end, length, calls
    /// With the text that stopped it, where that is known.
    case stop(String?)
  }
  var reason: Reason
  var prompt = PromptReport()
  var report = GenerateReport()
  /// Of an answer from the documents.
  var record: Grounded?
}

/// An answer that is told when it is there.
struct WholeAnswer: Sendable {
  struct Call: Sendable {
    var name: String
    var arguments = ""
  }

  var text = ""
  var thoughts = ""
  var calls: [Call] = []
  var logprobs: [TokenLogprobs] = []
  var end = AnswerEnd(reason: .end)

  static func all(_ pieces: AsyncThrowingStream<AnswerPiece, any Error>) async throws -> [WholeAnswer] {
    var answers: [WholeAnswer] = []
    for try await piece in pieces {
      try RequestShare.mine?.hold(piece.bytes)
      if case .began = piece { answers.append(WholeAnswer()) }
      if !answers.isEmpty { answers[answers.count - 1].take(piece) }
    }
    try Task.checkCancellation()
    return answers
  }

  mutating func take(_ piece: AnswerPiece) {
    switch piece {
    case .began: break
    case .text(let piece): text += piece
    case .thought(let piece): (thoughts, logprobs) = (thoughts + piece, [])
    case .call(let name): calls.append(Call(name: name))
    case .arguments(let piece): if !calls.isEmpty { calls[calls.count - 1].arguments += piece }
    case .logprobs(let entry): logprobs.append(entry)
    case .ended(let end):
      self.end = end
      // What was written first may have been replaced by what the documents hold.
      text = end.record?.answer ?? text
    }
  }
}

/// How one dialect tells an answer. Each is a translation of the same pieces, and decides nothing.
protocol AnswerForm: Sendable {
  /// What a stream is declared as.
  static var streamType: String { get }
  /// The next bytes of a stream; there may be none.
  mutating func part(_ piece: AnswerPiece) throws -> Data
  /// What comes after the last piece.
  mutating func close() throws -> Data
  /// In place of all that would have come.
  func failure(_ error: any Error) -> Data
  func whole(_ answers: [WholeAnswer]) throws -> Data
}

extension AnswerForm {
  static var streamType: String { "text/event-stream" }
  mutating func close() throws -> Data { Data() }

  /// The answer as it is written, or at its end.
  func response(_ pieces: AsyncThrowingStream<AnswerPiece, any Error>, streams: Bool) async throws -> Response {
    guard streams else { return .json(try whole(await WholeAnswer.all(pieces))) }
    let frames = CountedEvents.counting(
      streaming { emit in
        var form = self
        for try await piece in pieces { emit(try form.part(piece)) }
        emit(try form.close())
      })
    return try await LineFeed.response(CountedEvents(frames), type: Self.streamType) { failure($0) }
  }
}
