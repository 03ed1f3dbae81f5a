import Core

/// The OpenAI-compatible API, so that existing clients work unchanged.
package struct CompletionRoutes: Sendable {
  private let desk: TextDesk
  private let bounds: Bounds

  /// `ask`: the operation for requests that want answers from the documents.
  package init(_ source: any CompletionSource, ask: Service?, bounds: Bounds = Bounds()) {
    desk = TextDesk(source: source, ask: ask)
    self.bounds = bounds
  }

  package var routes: [Route] {
    [
      Route("GET", "/v1/models", needs: .entry, .later { _ in try await list() }),
      Route(
        "GET", "/v1/models/", isPrefix: true, needs: .entry, .later { try await one($0.tail(after: "/v1/models/")) }),
      .post("/v1/chat/completions", .ask, bounds) { try await complete($0, chat: true) },
      .post("/v1/completions", .ask, bounds) { try await complete($0, chat: false) },
      .post("/v1/embeddings", .embed, bounds) { try await VectorsForm.answer($0, desk) },
    ]
  }

  // MARK: Models

  private struct Model: Encodable {
    var id: String
    var object = "model"
    var created = 0
    var owner = "this device"
    enum CodingKeys: String, CodingKey {
      case id, object, created
      case owner = "owned_by"
    }
  }

  private struct Models: Encodable {
    var object = "list"
    var data: [Model]
  }

  private func known() async throws -> [String] {
    try await desk.source.models().map(\.id) + (desk.ask == nil ? [] : [TextDesk.house])
  }

  private func list() async throws -> Response { .json(Models(data: try await known().map { Model(id: $0) })) }

  private func one(_ id: String) async throws -> Response {
    guard try await known().contains(id) else { throw ServerError.unknownModel(id) }
    return .json(Model(id: id))
  }

  // MARK: Text

  private func complete(_ request: Request, chat: Bool) async throws -> Response {
    let wanted = try request.decode(CompletionRequest.self)
    let asked = try wanted.asked(chat: chat)
    if !chat, asked.model == TextDesk.house || asked.grounding != nil {
      throw ServerError.unsupported("a plain completion from the documents")
    }
    var form = CompletionForm(chat: chat, streams: wanted.stream == true, model: wanted.model)
    form.includesUsage = wanted.streamOptions?.includeUsage == true
    form.choices = asked.choices
    return try await form.response(desk.answer(asked, for: request.caller), streams: form.streams)
  }
}
