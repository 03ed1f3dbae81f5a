import Core
import Foundation
import Inference

/// The form of `/v1/responses`: a response, or the events by which it grows.
struct ResponsesForm: AnswerForm {
  private struct Event: Encodable {
    var type: String
    var number: Int
    var response: ResponsesAnswer?
    var index: Int?
    var item: ResponsesAnswer.Item?
    var itemID: String?
    var content: Int?
    var part: ResponsesAnswer.Part?
    var delta: String?
    var text: String?
    var arguments: String?
    var name: String?
    var logprobs: [String]?
    enum CodingKeys: String, CodingKey {
      case type, response, item, part, delta, text, arguments, name, logprobs
      case number = "sequence_number"
      case index = "output_index"
      case itemID = "item_id"
      case content = "content_index"
    }
  }

  private var answer: ResponsesAnswer
  var id: String { answer.id }
  private var number = 0
  /// What is being told, with its words or arguments so far.
  private var open: ResponsesAnswer.Item?
  private var told = ""

  init(to asked: ResponsesRequest) throws { answer = try ResponsesAnswer(to: asked) }

  mutating func part(_ piece: AnswerPiece) throws -> Data {
    switch piece {
    case .began:
      let now = answer
      return try event("response.created") { $0.response = now } + event("response.in_progress") { $0.response = now }
    case .logprobs, .thought: return Data()
    case .text(let text):
      let before = open?.type == "message" ? Data() : try beginMessage()
      told += text
      return try before
        + event("response.output_text.delta") { ($0.content, $0.delta, $0.logprobs) = (0, text, []) }
    case .call(let name):
      let before = try finished("completed")
      open = .call(name, "", "in_progress")
      return try before + event("response.output_item.added")
    case .arguments(let text):
      told += text
      return try event("response.function_call_arguments.delta") { $0.delta = text }
    case .ended(let end):
      var before = Data()
      if open == nil, answer.output.isEmpty { before += try beginMessage() }
      before += try finished(end.reason == .length ? "incomplete" : "completed")
      answer.finish(end)
      let now = answer
      return try before + event("response.\(now.status)") { $0.response = now }
    }
  }

  func failure(_ error: any Error) -> Data {
    struct Told: Encodable {
      var type = "error"
      var code: String
      var message: String
      @OrNull var param: String? = nil
      var number: Int
      enum CodingKeys: String, CodingKey {
        case type, code, message, param
        case number = "sequence_number"
      }
    }
    let remote = Response.describe(error).told
    let line: Data
    do { line = try JSON.encode(Told(code: remote.code, message: remote.message, number: number)) } catch {
      line = Response.errorLine(remote)
    }
    return ServerEvent.frame(line, kind: "error")
  }

  func whole(_ answers: [WholeAnswer]) throws -> Data {
    guard let written = answers.first else { throw CancellationError() }
    var made = answer
    let status = written.end.reason == .length ? "incomplete" : "completed"
    if !written.text.isEmpty || written.calls.isEmpty { made.output.append(.message(written.text, status)) }
    made.output += written.calls.map { .call($0.name, $0.arguments, status) }
    made.finish(written.end)
    return try JSON.encode(made)
  }

  private mutating func beginMessage() throws -> Data {
    let before = try finished("completed")
    open = .message(nil, "in_progress")
    return try before + event("response.output_item.added")
      + event("response.content_part.added") { ($0.content, $0.part) = (0, .init(text: "")) }
  }

  /// Ends the item that is open, with all that was told of it.
  private mutating func finished(_ status: String) throws -> Data {
    guard var item = open else { return Data() }
    let whole = told
    var out = Data()
    if item.type == "message" {
      out += try event("response.output_text.done") { ($0.content, $0.text, $0.logprobs) = (0, whole, []) }
      out += try event("response.content_part.done") { ($0.content, $0.part) = (0, .init(text: whole)) }
      item.content = [.init(text: whole)]
    } else {
      let name = item.name
      out += try event("response.function_call_arguments.done") { ($0.arguments, $0.name) = (whole, name) }
      item.arguments = whole
    }
    item.status = status
    open = item
    out += try event("response.output_item.done")
    answer.output.append(item)
    (open, told) = (nil, "")
    return out
  }

  /// One event; where an item is open it is about that.
  private mutating func event(_ type: String, _ fill: (inout Event) -> Void = { _ in }) throws -> Data {
    var event = Event(type: type, number: number)
    number += 1
    if let open {
      event.index = answer.output.count
      if type.hasPrefix("response.output_item") { event.item = open } else { event.itemID = open.id }
    }
    fill(&event)
    return ServerEvent.frame(try JSON.encode(event), kind: type)
  }
}
