import Core
import Foundation
import Inference

/// The OpenAI-compatible API, so that existing clients work unchanged.
package struct CompletionRoutes: Sendable {
  let source: any CompletionSource
  /// The ask operation, for requests that want answers from the documents.
  let ask: Service?
  let bounds: Bounds

  package init(_ source: any CompletionSource, ask: Service?, bounds: Bounds = Bounds()) {
    self.source = source
    self.ask = ask
    self.bounds = bounds
  }

  /// The model that stands for "whichever writes now, from the documents".
  static let house = "libera"

  package var routes: [Route] {
    let body = Route.Body.json(limit: bounds.jsonBytes, seconds: bounds.bodySeconds)
    return [
      Route("GET", "/v1/models", needs: .entry, .later { _ in try await list() }),
      Route(
        "GET", "/v1/models/", isPrefix: true, needs: .entry, .later { try await one($0.tail(after: "/v1/models/")) }),
      Route(
        "POST", "/v1/chat/completions", needs: .right(.ask), body: body, .later { try await complete($0, chat: true) }),
      Route("POST", "/v1/completions", needs: .right(.ask), body: body, .later { try await complete($0, chat: false) }),
      Route("POST", "/v1/embeddings", needs: .right(.embed), body: body, .later { try await embed($0) }),
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
    let generation = try wanted.generation(chat: chat)
    var shape = CompletionShape(chat: chat, streams: wanted.stream == true, model: wanted.model)
    shape.includesUsage = wanted.streamOptions?.includeUsage == true
    let events: AsyncThrowingStream<CompletionPiece, any Error>
    if chat, let ask, wanted.model == Self.house || wanted.libera != nil {
      events = try GroundedChat(ask: ask).pieces(for: wanted, from: request.caller)
    } else {
      guard try await source.models().contains(where: { $0.id == wanted.model && $0.kind == .chat }) else {
        throw ServerError.unknownModel(wanted.model)
      }
      let told = source.generate(generation, model: wanted.model)
      events = pieces(
        streaming { emit in
          do { for try await event in told { emit(event) } } catch { throw CompletionBounds.explained(error) }
        })
    }
    return shape.streams ? stream(events, shape) : try await whole(events, shape)
  }

  private func pieces(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>
  ) -> AsyncThrowingStream<CompletionPiece, any Error> {
    streaming { emit in
      var prompt = PromptReport()
      var reader: ToolCallReader?
      var hasCalled = false
      func tell(_ pieces: [ToolCallReader.Piece]) {
        for piece in pieces {
          switch piece {
          case .words(let text): emit(.text(text))
          case .call(let name):
            hasCalled = true
            emit(.call(name))
          case .arguments(let text): emit(.arguments(text))
          }
        }
      }
      for try await event in events {
        switch event {
        case .prompt(let report):
          prompt = report
          reader = report.toolForm.map { ToolCallReader($0) }
        case .piece(let text): reader == nil ? emit(.text(text)) : tell(reader?.read(text) ?? [])
        case .logprobs(let entry): emit(.logprobs(entry))
        case .done(let report):
          tell(reader?.finish() ?? [])
          let finish = CompletionResponse.finish(report.finish)
          let usage = CompletionResponse.Usage(prompt, generated: report.generatedTokens)
          // A call that was cut short is none.
          emit(.end(hasCalled && finish != "length" ? "tool_calls" : finish, usage, nil))
        }
      }
    }
  }

  private func whole(
    _ events: AsyncThrowingStream<CompletionPiece, any Error>, _ shape: CompletionShape
  ) async throws -> Response {
    var text = ""
    var logprobs: [TokenLogprobs] = []
    var called = CalledTools()
    var answer = shape.empty
    for try await event in events {
      switch event {
      case .text(let piece): text += piece
      case .call(let name): _ = called.begin(name)
      case .arguments(let piece): _ = called.add(piece)
      case .logprobs(let entry): logprobs.append(entry)
      case .end(let finish, let usage, let record):
        answer.choices[0].finish = finish
        answer.usage = usage
        answer.libera = record
        // What was written first may have been replaced by what the documents hold.
        text = record?.answer ?? text
      }
    }
    try Task.checkCancellation()
    if shape.chat {
      let hasCalled = !called.calls.isEmpty
      answer.choices[0].message = .init(
        role: "assistant", content: hasCalled && text.isEmpty ? nil : text, calls: hasCalled ? called.calls : nil,
        isWhole: true)
    } else {
      answer.choices[0].text = text
    }
    answer.choices[0].logprobs = .init(logprobs, chat: shape.chat)
    return .json(answer)
  }

  private func stream(
    _ events: AsyncThrowingStream<CompletionPiece, any Error>, _ shape: CompletionShape
  ) -> Response {
    let feed = LineFeed()
    feed.run { feed in
      var waiting: [TokenLogprobs] = []
      var called = CalledTools()
      do {
        if shape.chat { await feed.send(try shape.chunk(.init(delta: .init(role: "assistant", content: "")))) }
        for try await event in events {
          switch event {
          case .logprobs(let entry): waiting.append(entry)
          case .text(let piece):
            var choice = shape.choice(piece)
            choice.logprobs = .init(waiting, chat: shape.chat)
            waiting = []
            await feed.send(try shape.chunk(choice))
          case .call(let name):
            await feed.send(try shape.chunk(.init(delta: .init(calls: [called.begin(name)]))))
          case .arguments(let piece):
            guard let part = called.add(piece) else { continue }
            await feed.send(try shape.chunk(.init(delta: .init(calls: [part]))))
          case .end(let finish, let usage, let record):
            var choice = shape.choice(nil)
            choice.finish = finish
            choice.logprobs = .init(waiting, chat: shape.chat)
            await feed.send(try shape.chunk(choice, record))
            if shape.includesUsage { await feed.send(try shape.usage(usage)) }
          }
        }
        await feed.send(Data("data: [DONE]\n\n".utf8))
      } catch {
        await feed.send(Data("data: ".utf8) + Response.errorLine(Response.describe(error).told) + Data("\n\n".utf8))
      }
    }
    var response = Response(type: "text/event-stream", .stream(feed))
    response.headers.append(("Cache-Control", "no-store"))
    return response
  }

  // MARK: Vectors

  private struct EmbeddingRequest: Decodable {
    var model: String
    var input: CompletionRequest.Words
    var encoding: String?
    var dimensions: Int?
    enum CodingKeys: String, CodingKey {
      case model, input, dimensions
      case encoding = "encoding_format"
    }
  }

  private struct Vector: Encodable {
    var object = "embedding"
    var index: Int
    var floats: [Float]
    var base64: Bool

    enum CodingKeys: String, CodingKey { case object, index, embedding }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(object, forKey: .object)
      try container.encode(index, forKey: .index)
      if base64 {
        let bytes = floats.reduce(into: Data()) { data, value in
          withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        try container.encode(bytes.base64EncodedString(), forKey: .embedding)
      } else {
        try container.encode(floats, forKey: .embedding)
      }
    }
  }

  private struct Vectors: Encodable {
    struct Usage: Encodable {
      var prompt: Int
      var total: Int
      enum CodingKeys: String, CodingKey {
        case prompt = "prompt_tokens"
        case total = "total_tokens"
      }
    }
    var object = "list"
    var data: [Vector]
    var model: String
    var usage: Usage
  }

  private func embed(_ request: Request) async throws -> Response {
    let wanted = try request.decode(EmbeddingRequest.self)
    let base64 = wanted.encoding == "base64"
    guard base64 || wanted.encoding == nil || wanted.encoding == "float" else {
      throw ServerError.unsupported("encoding_format \(wanted.encoding ?? "")")
    }
    guard try await source.models().contains(where: { $0.id == wanted.model && $0.kind == .embed }) else {
      throw ServerError.unknownModel(wanted.model)
    }
    let texts = wanted.input.all
    guard !texts.isEmpty, texts.count <= 2048 else { throw ServerError.unreadable("input must be 1 to 2048 texts") }
    try CompletionBounds.check(bytes: texts.reduce(0) { $0 + $1.utf8.count })
    let (vectors, tokens) = try await source.embed(texts, model: wanted.model)
    if let asked = wanted.dimensions, asked != vectors.first?.count {
      throw ServerError.unsupported("dimensions \(asked)")
    }
    return .json(
      Vectors(
        data: vectors.enumerated().map { Vector(index: $0.offset, floats: $0.element, base64: base64) },
        model: wanted.model,
        usage: .init(prompt: tokens, total: tokens)))
  }
}
