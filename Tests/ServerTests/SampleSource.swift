import Core
import Foundation
import Inference
import Server

/// A model that says the last message back, word by word, the same for the same seed.
struct SampleSource: CompletionSource {
  func models() async throws -> [CompletionModel] {
    [CompletionModel(id: "sample-chat", kind: .chat), CompletionModel(id: "sample-embed", kind: .embed)]
  }

  func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in
      var prompt = PromptReport()
      prompt.promptTokens = 12
      prompt.reusedTokens = 4
      if case .chat(_, _?) = request.input { prompt.toolForm = .tagged }
      emit(.prompt(prompt))
      var text = ""
      switch request.input {
      case .chat(let messages, let tools):
        text = messages.last?.spans.map(\.text).joined() ?? ""
        // It calls whatever must be called; what a function gave is said back.
        if let tools, tools.choice != .auto, let tool = tools.callable.first {
          text = "<tool_call> {\"name\": \"\(tool.name)\", \"arguments\": {\"words\": \"\(text)\"}} </tool_call>"
        }
      case .raw(let spans): text = spans.map(\.text).joined()
      }
      if let schema = request.schema { text = schema.contains("answer") ? #"{"answer": "six months"}"# : "{}" }
      if let seed = request.sampling.seed { text += " #\(seed)" }
      var report = GenerateReport()
      for (place, word) in text.split(separator: " ").enumerated() {
        if request.stop.contains(where: { word.contains($0) }) {
          report.finish = .stop
          break
        }
        if place >= request.maximumTokens {
          report.finish = .length
          break
        }
        try Task.checkCancellation()
        let piece = (place == 0 ? "" : " ") + word
        if request.logprobs > 0 {
          let entry = TokenLogprobs.Entry(token: piece, logprob: -0.25)
          emit(.logprobs(TokenLogprobs(chosen: entry, top: Array(repeating: entry, count: request.logprobs))))
        }
        emit(.piece(piece))
        report.generatedTokens += 1
      }
      emit(.done(report))
    }
  }

  func embed(_ texts: [String], model: String) async throws -> (vectors: [[Float]], tokens: Int) {
    (texts.map { [Float($0.utf8.count), 0.5, -1] }, texts.joined().utf8.count)
  }
}
