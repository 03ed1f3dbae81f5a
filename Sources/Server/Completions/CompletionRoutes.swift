import Core

extension TextDesk {
  /// The OpenAI-compatible API, so that existing clients work unchanged.
  package var completionRoutes: [Route] {
    [
      Route("GET", "/v1/models", needs: .entry, .later { _ in try await list() }),
      Route(
        "GET", "/v1/models/", isPrefix: true, needs: .entry, .later { try await one($0.tail(after: "/v1/models/")) }),
      .post("/v1/chat/completions", .ask) { try await complete($0, chat: true) },
      .post("/v1/completions", .ask) { try await complete($0, chat: false) },
      .post("/v1/embeddings", .embed) { try await VectorsForm.answer($0, self) },
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
    try await source.models().map(\.id) + (ask == nil ? [] : [Self.house])
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
    if !chat, asked.model == Self.house || asked.grounding != nil {
      throw ServerError.unsupported("a plain completion from the documents")
    }
    var form = CompletionForm(chat: chat, streams: wanted.stream == true, model: wanted.model)
    form.includesUsage = wanted.streamOptions?.includeUsage == true
    form.choices = asked.choices
    if (wanted.probabilities ?? 0) > 0 { form.probabilitiesByToken = true }
    return try await form.response(answer(asked, for: request.caller), streams: form.streams)
  }
}
