import Core
import Foundation
import Inference

/// What `/completion` answers: pieces as events, the last of which has the counts and times, or all of it at once.
struct LlamaForm: AnswerForm {
  private struct Times: Encodable {
    var promptCount: Int
    var promptTime: Double
    var promptSpeed: Double
    var count: Int
    var time: Double
    var speed: Double
    enum CodingKeys: String, CodingKey {
      case promptCount = "prompt_n"
      case promptTime = "prompt_ms"
      case promptSpeed = "prompt_per_second"
      case count = "predicted_n"
      case time = "predicted_ms"
      case speed = "predicted_per_second"
    }

    init(_ end: AnswerEnd) {
      func speed(_ count: Int, _ milliseconds: Double) -> Double {
        milliseconds > 0 ? Double(count) / milliseconds * 1000 : 0
      }
      let report = end.report
      (promptCount, promptTime) = (end.prompt.promptTokens - end.prompt.reusedTokens, report.promptMs)
      (count, time) = (report.generatedTokens, report.generateMs)
      promptSpeed = speed(promptCount, promptTime)
      self.speed = speed(count, time)
    }
  }

  private struct Told: Encodable {
    var index = 0
    var content: String
    var stop = false
    var model: String?
    var promptCount: Int?
    var count: Int?
    var cached: Int?
    var truncated: Bool?
    var reason: String?
    var word: String?
    var times: Times?
    var probabilities: [CompletionResponse.Logprobs.Entry]?
    enum CodingKeys: String, CodingKey {
      case index, content, stop, model, truncated
      case promptCount = "tokens_evaluated"
      case count = "tokens_predicted"
      case cached = "tokens_cached"
      case reason = "stop_type"
      case word = "stopping_word"
      case times = "timings"
      case probabilities = "completion_probabilities"
    }

    init(_ content: String, _ probabilities: [TokenLogprobs]) {
      self.content = content
      self.probabilities = CompletionResponse.Logprobs(probabilities, byToken: true)?.content
    }

    mutating func close(_ end: AnswerEnd, _ model: String) {
      (stop, self.model, truncated, times) = (true, model, false, Times(end))
      (promptCount, count) = (end.prompt.promptTokens, end.report.generatedTokens)
      cached = end.prompt.promptTokens + end.report.generatedTokens
      switch end.reason {
      case .end, .calls: (reason, word) = ("eos", "")
      case .stop(let text): (reason, word) = ("word", text ?? "")
      case .length: (reason, word) = ("limit", "")
      }
    }
  }

  var model: String
  private var waiting: [TokenLogprobs] = []

  init(model: String) { self.model = model }

  mutating func part(_ piece: AnswerPiece) throws -> Data {
    switch piece {
    case .began, .thought, .call, .arguments: return Data()
    case .logprobs(let entry):
      waiting.append(entry)
      return Data()
    case .text(let text):
      defer { waiting = [] }
      return try event(Told(text, waiting))
    case .ended(let end):
      var told = Told("", waiting)
      told.close(end, model)
      return try event(told)
    }
  }

  func failure(_ error: any Error) -> Data { ServerEvent.frame(ErrorForm.of(LlamaPath.completion.path).line(error)) }

  func whole(_ answers: [WholeAnswer]) throws -> Data {
    guard let answer = answers.first else { throw CancellationError() }
    var told = Told(answer.text, answer.logprobs)
    told.close(answer.end, model)
    return try JSON.encode(told)
  }

  private func event(_ told: Told) throws -> Data { ServerEvent.frame(try JSON.encode(told)) }
}
