import Core
import Inference

/// Anthropic's `/v1/messages`, so that its clients work unchanged.
package struct AnthropicRoutes: Sendable {
  private let desk: TextDesk
  private let bounds: Bounds

  package init(_ source: any CompletionSource, ask: Service?, bounds: Bounds = Bounds()) {
    desk = TextDesk(source: source, ask: ask)
    self.bounds = bounds
  }

  package var routes: [Route] {
    [
      .post("/v1/messages", .ask, bounds) { request in
        let wanted = try request.decode(AnthropicRequest.self)
        let pieces = try await desk.answer(wanted.asked(), for: request.caller)
        return try await AnthropicForm(model: wanted.model).response(pieces, streams: wanted.stream == true)
      },
      .post("/v1/messages/count_tokens", .ask, bounds) { request in
        let asked = try request.decode(AnthropicRequest.self).asked(counts: true)
        // The evidence belongs to an answer's prompt, and is not known before it is found.
        guard asked.model != TextDesk.house, asked.grounding == nil else {
          throw ServerError.unsupported("counting what an answer from the documents will read")
        }
        return .json(["input_tokens": try await desk.count(asked)])
      },
    ]
  }
}

extension TextDesk {
  func count(_ asked: Asked) async throws -> Int {
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
