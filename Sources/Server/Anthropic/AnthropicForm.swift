import Core
import Foundation
import Inference

/// What `/v1/messages` answers: one message of blocks, or the events by which it grows.
struct AnthropicForm: AnswerForm {
  /// Words, or a call.
  struct Block: Encodable, Sendable {
    var type: String
    var text: String?
    var id: String?
    var name: String?
    var input: JSONNode?

    static func words(_ text: String) -> Block { Block(type: "text", text: text) }
    static func call(_ name: String, _ input: JSONNode) -> Block {
      Block(type: "tool_use", id: ClientID.make("toolu"), name: name, input: input)
    }
  }

  struct Usage: Encodable, Sendable {
    var input = 0
    var cached = 0
    var created = 0
    var output = 0
    enum CodingKeys: String, CodingKey {
      case input = "input_tokens"
      case cached = "cache_read_input_tokens"
      case created = "cache_creation_input_tokens"
      case output = "output_tokens"
    }
    init(_ prompt: PromptReport = PromptReport(), output: Int = 0) {
      // Those that were there already are counted apart.
      (input, cached) = (prompt.promptTokens - prompt.reusedTokens, prompt.reusedTokens)
      self.output = output
    }
  }

  struct Message: Encodable, Sendable {
    var id: String
    var type = "message"
    var role = "assistant"
    var model: String
    var content: [Block] = []
    // Clients expect these two also where they are null.
    @OrNull var reason: String?
    @OrNull var stop: String?
    var usage = Usage()
    var libera: Grounded?

    enum CodingKeys: String, CodingKey {
      case id, type, role, model, content, usage, libera
      case reason = "stop_reason"
      case stop = "stop_sequence"
    }
  }

  /// One event of a stream; each has its type and what belongs to it.
  private struct Event: Encodable {
    struct Delta: Encodable {
      var type: String?
      var text: String?
      var partial: String?
      var reason: String?
      var stop: String?
      enum CodingKeys: String, CodingKey {
        case type, text
        case partial = "partial_json"
        case reason = "stop_reason"
        case stop = "stop_sequence"
      }
    }
    var type: String
    var message: Message?
    var index: Int?
    var block: Block?
    var delta: Delta?
    var usage: Usage?
    var libera: Grounded?
    enum CodingKeys: String, CodingKey {
      case type, message, index, delta, usage, libera
      case block = "content_block"
    }
  }

  private var message: Message
  private var index = -1
  private var isCall = false

  init(model: String) {
    message = Message(id: ClientID.make("msg"), model: model)
  }

  mutating func part(_ piece: AnswerPiece) throws -> Data {
    switch piece {
    case .began(_, let prompt):
      var opened = message
      opened.usage = Usage(prompt)
      return try event(Event(type: "message_start", message: opened))
    case .logprobs, .thought: return Data()
    case .text(let text):
      let before = index < 0 || isCall ? try begin(.words("")) : Data()
      return try before + delta(.init(type: "text_delta", text: text))
    case .call(let name):
      let before = try begin(.call(name, .object([:])))
      isCall = true
      return before
    case .arguments(let text): return try delta(.init(type: "input_json_delta", partial: text))
    case .ended(let end):
      let told = Self.reason(end)
      let usage = Usage(end.prompt, output: end.report.generatedTokens)
      return try (index < 0 ? begin(.words("")) : Data()) + ended()
        + event(
          Event(
            type: "message_delta", delta: .init(reason: told.reason, stop: told.stop), usage: usage,
            libera: end.record)) + event(Event(type: "message_stop"))
    }
  }

  func failure(_ error: any Error) -> Data {
    ServerEvent.frame(ErrorForm.anthropic.line(error), kind: "error")
  }

  func whole(_ answers: [WholeAnswer]) throws -> Data {
    guard let answer = answers.first else { throw CancellationError() }
    var made = message
    if !answer.text.isEmpty || answer.calls.isEmpty { made.content.append(.words(answer.text)) }
    // Arguments that were cut short are no object.
    if answer.end.reason != .length {
      made.content += try answer.calls.map { .call($0.name, try JSONNode(json: $0.arguments)) }
    }
    (made.reason, made.stop) = Self.reason(answer.end)
    made.usage = Usage(answer.end.prompt, output: answer.end.report.generatedTokens)
    made.libera = answer.end.record
    return try JSON.encode(made)
  }

  private static func reason(_ end: AnswerEnd) -> (reason: String, stop: String?) {
    switch end.reason {
    case .end: ("end_turn", nil)
    case .length: ("max_tokens", nil)
    case .calls: ("tool_use", nil)
    case .stop(let text): ("stop_sequence", text)
    }
  }

  private mutating func begin(_ block: Block) throws -> Data {
    let before = try ended()
    index += 1
    isCall = false
    return try before + event(Event(type: "content_block_start", index: index, block: block))
  }

  private func ended() throws -> Data {
    index < 0 ? Data() : try event(Event(type: "content_block_stop", index: index))
  }

  private func delta(_ delta: Event.Delta) throws -> Data {
    try event(Event(type: "content_block_delta", index: index, delta: delta))
  }

  private func event(_ event: Event) throws -> Data {
    ServerEvent.frame(try JSON.encode(event), kind: event.type)
  }
}
