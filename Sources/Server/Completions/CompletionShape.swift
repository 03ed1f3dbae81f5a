import Core
import Foundation
import Inference

/// One step of a completion, whoever writes it.
enum CompletionPiece: Sendable {
  case text(String)
  /// A call of a function begins.
  case call(String)
  case arguments(String)
  case logprobs(TokenLogprobs)
  /// Why it ended, what it took, and the record of a grounded answer.
  case end(String, CompletionResponse.Usage, Grounded?)
}

/// What stays the same through one answer: its id, its form, its model.
struct CompletionShape: Sendable {
  var chat: Bool
  var streams: Bool
  var model: String
  var includesUsage = false
  private let id = UUID().uuidString.lowercased()
  private let created = Int(Date().timeIntervalSince1970)

  init(chat: Bool, streams: Bool, model: String) {
    self.chat = chat
    self.streams = streams
    self.model = model
  }

  var empty: CompletionResponse {
    CompletionResponse(
      id: (chat ? "chatcmpl-" : "cmpl-") + id,
      object: chat ? (streams ? "chat.completion.chunk" : "chat.completion") : "text_completion", created: created,
      model: model, choices: [.init()])
  }

  func choice(_ piece: String?) -> CompletionResponse.Choice {
    chat ? .init(delta: .init(content: piece)) : .init(text: piece ?? "")
  }

  func chunk(_ choice: CompletionResponse.Choice, _ record: Grounded? = nil) throws -> Data {
    var chunk = empty
    chunk.choices = [choice]
    chunk.libera = record
    return try event(chunk)
  }

  func usage(_ usage: CompletionResponse.Usage) throws -> Data {
    var chunk = empty
    chunk.choices = []
    chunk.usage = usage
    return try event(chunk)
  }

  private func event(_ chunk: CompletionResponse) throws -> Data {
    Data("data: ".utf8) + (try JSON.encode(chunk)) + Data("\n\n".utf8)
  }
}
