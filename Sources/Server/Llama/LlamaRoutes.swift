import Core

extension TextDesk {
  /// What clients of llama.cpp's server ask for that OpenAI's API has not: a plain completion in its own form, and what the server is.
  package var llamaRoutes: [Route] {
    [
      .post(LlamaPath.completion.path, .ask) { try await continued($0) },
      Route("GET", LlamaPath.props.path, needs: .entry, .later { .json(try await properties($0)) }),
    ]
  }

  private func continued(_ request: Request) async throws -> Response {
    let wanted = try request.decode(LlamaRequest.self)
    let asked = Asked(model: try await named(wanted.model), try wanted.asked())
    if asked.model == Self.house { throw ServerError.unsupported("a plain completion from the documents") }
    return try await LlamaForm(model: asked.model).response(
      answer(asked, for: request.caller), streams: wanted.stream == true)
  }

  private func named(_ model: String?) async throws -> String {
    if let model, !model.isEmpty { return model }
    return try await source.usual()
  }

  // MARK: What the server is

  private struct Properties: Encodable {
    struct Settings: Encodable {
      var context: Int
      enum CodingKeys: String, CodingKey { case context = "n_ctx" }
    }
    struct Senses: Encodable {
      var vision = false
      var audio = false
    }
    var settings: Settings
    var slots = 1
    var alias: String
    /// The name again: where the file lies is nobody's business.
    var path: String
    var senses = Senses()
    var build = "libera \(Version.current)"

    enum CodingKeys: String, CodingKey {
      case settings = "default_generation_settings"
      case slots = "total_slots"
      case alias = "model_alias"
      case path = "model_path"
      case senses = "modalities"
      case build = "build_info"
    }
  }

  private func properties(_ request: Request) async throws -> Properties {
    let model = try await model(try await named(request.query["model"]), .chat)
    return Properties(settings: .init(context: model.details.context), alias: model.id, path: model.id)
  }
}
