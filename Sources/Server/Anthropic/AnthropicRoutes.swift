import Core
import Inference

extension TextDesk {
  /// Anthropic's `/v1/messages`, so that its clients work unchanged.
  package var anthropicRoutes: [Route] {
    [
      .post("/v1/messages", .ask) { request in
        let wanted = try request.decode(AnthropicRequest.self)
        let pieces = try await answer(wanted.asked(), for: request.caller)
        return try await AnthropicForm(model: wanted.model).response(pieces, streams: wanted.stream == true)
      },
      .post("/v1/messages/count_tokens", .ask) { request in
        let asked = try request.decode(AnthropicRequest.self).asked(counts: true)
        // The evidence belongs to an answer's prompt, and is not known before it is found.
        guard asked.model != Self.house, asked.grounding == nil else {
          throw ServerError.unsupported("counting what an answer from the documents will read")
        }
        return .json(["input_tokens": try await count(asked)])
      },
    ]
  }

  private func count(_ asked: Asked) async throws -> Int {
    let model = try await model(asked.model, .chat)
    var tokens = 0
    for request in asked.requests {
      do { tokens += try await source.count(request, model: model.pack) } catch {
        throw CompletionBounds.explained(error)
      }
    }
    return tokens
  }
}
