import Core
package import Inference
import Models
import Resources

/// A pack's own words and vectors, without conversation or documents: what other programs ask for through the API.
extension House {
  package nonisolated func generate(_ request: GenerateRequest, pack id: String) -> AsyncThrowingStream<
    GenerationEvent, any Error
  > {
    streaming { emit in
      let limits = await self.governor.limits(.fast)
      guard limits.heavyInference.value else {
        throw AssistantError.heavyInferenceRefused(limits.heavyInference.reason)
      }
      guard try await self.allowance.left(self.settings.tier) != 0 else {
        try await self.tellIfGated()
        throw AssistantError.allowanceSpent
      }
      let status = try await self.chatPack(asked: id, preference: .fastest)
      let model = try await self.model(status, limits: limits) { _ in }
      var request = request
      request.pauseMs = max(request.pauseMs, limits.pauseMs.value)
      // The smallest packs lose the thread under a longer one, and under that of their own templates.
      if case .chat(let messages, let tools) = request.input, !messages.contains(where: { $0.role == .system }) {
        request.input = .chat([Message(.system, trusted: "You are a helpful assistant.")] + messages, tools: tools)
      }
      let cores = await model.info?.threads ?? 1
      let answer = try await self.computing("an answer", on: id, .person, cores: cores) { [request] in
        var (answer, isWhole) = ("", false)
        for try await event in model.generate(request) {
          emit(event)
          switch event {
          case .piece(let piece): answer += piece
          case .done(let report): isWhole = report.finish == .end
          default: break
          }
        }
        return isWhole ? answer : nil
      }
      await self.counted()
      if let answer { await self.readAhead(request, answer: answer, with: model, of: id) }
    }
  }

  package func embed(_ texts: [String], pack id: String) async throws -> Embeddings {
    let status = try packs.status(of: id)
    guard status.installed != nil else { throw PackError.notInstalled(id) }
    let model = try await model(status, limits: governor.limits(.fast)) { _ in }
    let cores = await model.info?.threads ?? 1
    return try await computing("vectors for a program", on: id, .voice, cores: cores) { try await model.embed(texts) }
  }
}
