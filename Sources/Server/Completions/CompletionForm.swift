import Core
import Foundation
import Inference

/// `/v1/chat/completions` and `/v1/completions`, as OpenAI's clients read them.
struct CompletionForm: AnswerForm {
  var chat: Bool
  var streams: Bool
  var model: String
  /// Answers to one prompt.
  var choices = 1
  var includesUsage = false
  /// Log probabilities token by token, as a chat has them and llama.cpp's clients read them.
  var probabilitiesByToken: Bool
  private let id = UUID().uuidString.lowercased()
  private let created = Int(Date().timeIntervalSince1970)

  // Of the answer that is being told.
  private var choice = 0
  private var waiting: [TokenLogprobs] = []
  private var called = CalledTools()
  private var usage = CompletionResponse.Usage()

  init(chat: Bool, streams: Bool, model: String) {
    self.chat = chat
    self.streams = streams
    probabilitiesByToken = chat
    self.model = model
  }

  mutating func part(_ piece: AnswerPiece) throws -> Data {
    switch piece {
    case .began(let number, _):
      (choice, waiting, called) = (number, [], CalledTools())
      return chat ? try chunk(.init(delta: .init(role: "assistant", content: .init(wrappedValue: "")))) : Data()
    case .logprobs(let entry):
      waiting.append(entry)
      return Data()
    case .thought(let text):
      waiting = []
      return chat ? try chunk(.init(delta: .init(thoughts: text))) : Data()
    case .text(let text):
      var told = words(text)
      told.logprobs = .init(waiting, byToken: probabilitiesByToken)
      waiting = []
      return try chunk(told)
    case .call(let name): return try chunk(.init(delta: .init(calls: [called.begin(name)])))
    case .arguments(let text):
      guard let part = called.add(text) else { return Data() }
      return try chunk(.init(delta: .init(calls: [part])))
    case .ended(let end):
      usage.add(end, isFirst: choice.isMultiple(of: choices))
      var told = words(nil)
      told.finish = end.finish
      told.logprobs = .init(waiting, byToken: probabilitiesByToken)
      return try chunk(told, end.record)
    }
  }

  mutating func close() throws -> Data {
    var last = Data()
    if includesUsage {
      var chunk = empty
      chunk.usage = usage
      last = try event(chunk)
    }
    return last + ServerEvent.frame(Data("[DONE]".utf8))
  }

  func failure(_ error: any Error) -> Data {
    ServerEvent.frame(ErrorForm.openAI(parameter: chat ? "messages" : "prompt").line(error))
  }

  func whole(_ answers: [WholeAnswer]) throws -> Data {
    var (made, usage) = (empty, CompletionResponse.Usage())
    for (number, answer) in answers.enumerated() {
      var choice = CompletionResponse.Choice(index: number)
      choice.finish = answer.end.finish
      choice.logprobs = .init(answer.logprobs, byToken: probabilitiesByToken)
      var called = CalledTools()
      for call in answer.calls {
        _ = called.begin(call.name)
        _ = called.add(call.arguments)
      }
      if chat {
        let hasCalled = !called.calls.isEmpty
        // A whole message says that it has no words.
        choice.message = .init(
          role: "assistant", content: OrNull(wrappedValue: hasCalled && answer.text.isEmpty ? nil : answer.text),
          thoughts: answer.thoughts.isEmpty ? nil : answer.thoughts, calls: hasCalled ? called.calls : nil)
      } else {
        choice.text = answer.text
      }
      made.choices.append(choice)
      usage.add(answer.end, isFirst: number.isMultiple(of: choices))
      made.libera = answer.end.record
    }
    made.usage = usage
    return try JSON.encode(made)
  }

  private var empty: CompletionResponse {
    CompletionResponse(
      id: (chat ? "chatcmpl-" : "cmpl-") + id,
      object: chat ? (streams ? "chat.completion.chunk" : "chat.completion") : "text_completion", created: created,
      model: model, choices: [])
  }

  private func words(_ piece: String?) -> CompletionResponse.Choice {
    chat ? .init(delta: .init(content: piece.map { OrNull(wrappedValue: $0) })) : .init(text: piece ?? "")
  }

  private func chunk(_ told: CompletionResponse.Choice, _ record: Grounded? = nil) throws -> Data {
    var chunk = empty
    chunk.choices = [told]
    chunk.choices[0].index = choice
    chunk.libera = record
    return try event(chunk)
  }

  private func event(_ chunk: CompletionResponse) throws -> Data {
    ServerEvent.frame(try JSON.encode(chunk))
  }
}

extension AnswerEnd {
  /// As OpenAI's clients know it.
  fileprivate var finish: String {
    switch reason {
    case .end, .stop: "stop"
    case .length: "length"
    case .calls: "tool_calls"
    }
  }
}
