import Core
import Foundation
import Inference

/// What `/api/chat` and `/api/generate` answer: one object a line, the last of which has the counts and times, or that alone.
struct OllamaForm: AnswerForm {
  static let streamType = "application/x-ndjson"

  struct Call: Encodable, Sendable {
    struct Function: Encodable, Sendable {
      var index: Int
      var name: String
      var arguments: JSONNode
    }
    var function: Function
  }

  struct Message: Encodable, Sendable {
    var role = "assistant"
    var content = ""
    var thinking: String?
    var calls: [Call]?
    enum CodingKeys: String, CodingKey {
      case role, content, thinking
      case calls = "tool_calls"
    }
  }

  struct Line: Encodable, Sendable {
    var model: String
    var created = Date().ISO8601Format(.init(includingFractionalSeconds: true))
    var message: Message?
    var response: String?
    var thinking: String?
    var done = false
    var reason: String?
    // Times are in nanoseconds.
    var total: Int?
    var load: Int?
    var promptCount: Int?
    var promptTime: Int?
    var count: Int?
    var time: Int?
    /// Ours: how many of the oldest messages did not fit and were left out.
    var dropped: Int?
    var libera: Grounded?

    enum CodingKeys: String, CodingKey {
      case model, message, response, thinking, done, libera
      case created = "created_at"
      case reason = "done_reason"
      case total = "total_duration"
      case load = "load_duration"
      case promptCount = "prompt_eval_count"
      case promptTime = "prompt_eval_duration"
      case count = "eval_count"
      case time = "eval_duration"
      case dropped = "dropped_messages"
    }

    mutating func think(_ text: String) {
      guard !text.isEmpty else { return }
      if message == nil { thinking = text } else { message?.thinking = text }
    }
  }

  var chat: Bool
  var model: String
  private let started = ContinuousClock.now
  /// A call is told when it is whole.
  private var call: WholeAnswer.Call?
  private var calls = 0

  init(chat: Bool, model: String) {
    self.chat = chat
    self.model = model
  }

  mutating func part(_ piece: AnswerPiece) throws -> Data {
    switch piece {
    case .began, .logprobs: return Data()
    case .thought(let text):
      var told = line("")
      told.think(text)
      return try write(told)
    case .text(let text): return try finished() + write(line(text))
    case .call(let name):
      let before = try finished()
      call = WholeAnswer.Call(name: name)
      return before
    case .arguments(let text):
      call?.arguments += text
      return Data()
    case .ended(let end):
      // Arguments that were cut short are no object.
      let before = end.reason == .length ? Data() : try finished()
      return try before + write(closing(line(""), end))
    }
  }

  func failure(_ error: any Error) -> Data { ErrorForm.ollama.line(error) + Data("\n".utf8) }

  func whole(_ answers: [WholeAnswer]) throws -> Data {
    guard let answer = answers.first else { throw CancellationError() }
    var told = closing(line(answer.text), answer.end)
    told.think(answer.thoughts)
    if answer.end.reason == .calls {
      told.message?.calls = try answer.calls.enumerated().map { try Self.call($0.element, $0.offset) }
    }
    return try JSON.encode(told)
  }

  /// That the model is there, or has been let go.
  func loaded(_ reason: String) throws -> Data {
    var told = line("")
    (told.done, told.reason) = (true, reason)
    return try write(told)
  }

  private mutating func finished() throws -> Data {
    guard let whole = call else { return Data() }
    call = nil
    var told = line("")
    told.message?.calls = [try Self.call(whole, calls)]
    calls += 1
    return try write(told)
  }

  private static func call(_ whole: WholeAnswer.Call, _ index: Int) throws -> Call {
    Call(function: .init(index: index, name: whole.name, arguments: try JSONNode(json: whole.arguments)))
  }

  private func line(_ text: String) -> Line {
    chat ? Line(model: model, message: Message(content: text)) : Line(model: model, response: text)
  }

  private func closing(_ line: Line, _ end: AnswerEnd) -> Line {
    func nanoseconds(_ milliseconds: Double) -> Int { Int(milliseconds * 1e6) }
    let total = (ContinuousClock.now - started) / .nanoseconds(1)
    let report = end.report
    var line = line
    line.done = true
    line.reason = end.reason == .length ? "length" : "stop"
    line.total = Int(total)
    line.load = max(0, Int(total) - nanoseconds(report.promptMs + report.generateMs))
    line.promptCount = end.prompt.promptTokens
    line.promptTime = nanoseconds(report.promptMs)
    line.count = report.generatedTokens
    line.time = nanoseconds(report.generateMs)
    line.dropped = end.prompt.droppedMessages > 0 ? end.prompt.droppedMessages : nil
    line.libera = end.record
    return line
  }

  private func write(_ line: Line) throws -> Data { try JSON.encode(line) + Data("\n".utf8) }
}
