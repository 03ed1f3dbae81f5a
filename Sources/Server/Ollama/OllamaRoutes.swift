import Assistant
import Core
import Foundation
import Inference

/// Ollama's API, as far as it has a meaning here: very many programs speak nothing else.
package struct OllamaRoutes: Sendable {
  /// The version of the API that is spoken; clients ask for it before they use what is new.
  static let version = "0.9.0"

  private let desk: TextDesk
  private let services: [Service]
  private var names: OllamaNames { OllamaNames(services: services, source: desk.source) }

  /// `services`: among them the operations that fetch and remove a pack and change a setting.
  package init(_ desk: TextDesk, _ services: [Service]) {
    self.desk = desk
    self.services = services
  }

  package var routes: [Route] { OllamaPath.allCases.map(route) }

  private func route(_ address: OllamaPath) -> Route {
    let path = address.path
    return switch address {
    case .chat: .post(path, .ask) { try await write($0, chat: true) }
    case .generate: .post(path, .ask) { try await write($0, chat: false) }
    case .embed: .post(path, .embed) { try await embed($0) }
    case .embeddings: .post(path, .embed) { try await embedOne($0) }
    case .pull: .post(path, .manage) { try await OllamaPull.answer($0, services, desk.source) }
    case .copy: .post(path, .manage) { try await names.copy($0) }
    case .delete:
      Route("DELETE", path, needs: .right(.manage), body: .json(within: .usual), .later { try await names.delete($0) })
    case .show:
      Route("POST", path, needs: .entry, body: .json(within: .usual), .later { .json(try await show($0)) })
    case .tags:
      Route(
        "GET", path, needs: .entry,
        .later { _ in .json(OllamaModels.list(try await desk.source.models(), house: desk.ask != nil)) })
    case .ps:
      Route("GET", path, needs: .entry, .later { _ in .json(OllamaModels.inMemory(try await desk.source.models())) })
    case .version:
      Route("GET", path, needs: .entry, .now { _ in .json(["version": Self.version, "libera": Version.current]) })
    }
  }

  private func write(_ request: Request, chat: Bool) async throws -> Response {
    let wanted = try request.decode(OllamaRequest.self)
    let form = OllamaForm(chat: chat, model: wanted.model)
    let endsAtOnce = wanted.stay?.endsAtOnce == true
    guard let asked = try wanted.asked(chat: chat) else {
      if Asked.plain(wanted.model) != TextDesk.house { try await keep(wanted.model, endsAtOnce) }
      return Response.json(try form.loaded(endsAtOnce ? "unload" : "load"))
    }
    if !chat, wanted.raw == true, asked.model == TextDesk.house || asked.grounding != nil {
      throw ServerError.unsupported("a raw prompt to the documents")
    }
    var pieces = try await desk.answer(asked, for: request.caller)
    if endsAtOnce, asked.model != TextDesk.house { pieces = lettingGo(asked.model, after: pieces) }
    return try await form.response(pieces, streams: wanted.stream ?? true)
  }

  private func keep(_ name: String, _ endsAtOnce: Bool) async throws {
    let model = try await desk.model(name)
    try await endsAtOnce ? desk.source.unload(model.pack) : desk.source.load(model.pack)
  }

  private func lettingGo(
    _ model: String, after pieces: AsyncThrowingStream<AnswerPiece, any Error>
  ) -> AsyncThrowingStream<AnswerPiece, any Error> {
    streaming { emit in
      for try await piece in pieces { emit(piece) }
      try await keep(model, true)
    }
  }

  // MARK: Models

  private func show(_ request: Request) async throws -> OllamaModels.Shown {
    let name = try request.decode(OllamaNames.Wanted.self).named
    if Asked.plain(name) == TextDesk.house, desk.ask != nil { return OllamaModels.shownHouse }
    return OllamaModels.shown(try await desk.model(name))
  }

  // MARK: Vectors

  private struct Embedding: Decodable {
    var model: String
    var input: TextOr<[String]>?
    var prompt: String?
    var truncate: Bool?
    var dimensions: Int?
    var options: OllamaOptions?
    var stay: OllamaStay?
    enum CodingKeys: String, CodingKey {
      case model, input, prompt, truncate, dimensions, options
      case stay = "keep_alive"
    }
  }

  private struct Vectors: Encodable {
    var model: String
    var embeddings: [[Float]]
    var total: Int
    var load = 0
    var count: Int
    enum CodingKeys: String, CodingKey {
      case model, embeddings
      case total = "total_duration"
      case load = "load_duration"
      case count = "prompt_eval_count"
    }
  }

  private func embed(_ request: Request) async throws -> Response {
    let began = ContinuousClock.now
    let asked = try request.decode(Embedding.self)
    guard let texts = asked.input?.all else { throw ServerError.unreadable("input is missing") }
    let found = try await desk.vectors(
      of: .texts(texts), by: asked.model, long: asked.truncate == false ? .fails : .cut, dimensions: asked.dimensions)
    if asked.stay?.endsAtOnce == true { try await keep(asked.model, true) }
    return .json(
      Vectors(
        model: asked.model, embeddings: found.vectors, total: Int((ContinuousClock.now - began) / .nanoseconds(1)),
        count: found.report.tokens))
  }

  /// The older form.
  private func embedOne(_ request: Request) async throws -> Response {
    let asked = try request.decode(Embedding.self)
    guard let text = asked.prompt else { throw ServerError.unreadable("prompt is missing") }
    let found = try await desk.vectors(of: .texts([text]), by: asked.model, long: .cut, dimensions: nil)
    return .json(["embedding": found.vectors[0]])
  }
}
