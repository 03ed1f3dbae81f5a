import Assistant
import Core
import Foundation

/// `/api/pull`: a pack of the catalogue, over the operation that pulls. Nothing else can be named, and so nothing else is fetched.
enum OllamaPull {
  private struct Line: Encodable {
    var status: String
    var digest: String?
    var total: Int64?
    var completed: Int64?
  }

  static func answer(_ request: Request, _ services: [Service], _ source: any CompletionSource) async throws -> Response
  {
    let asked = try request.decode(OllamaNames.Wanted.self)
    let id = Asked.plain(try asked.named)
    let isHere = try await source.models().contains { $0.id == id }
    let lines = streaming { emit in
      emit(Line(status: "pulling manifest"))
      if !isHere { try await fetch(id, ServiceDesk(services: services, caller: request.caller), emit) }
      emit(Line(status: "success"))
    }
    if asked.stream == false {
      var last = Line(status: "success")
      for try await line in lines { last = line }
      return .json(last)
    }
    let frames = streaming { emit in
      for try await line in lines { emit(try JSON.encode(line) + Data("\n".utf8)) }
    }
    return try await LineFeed.response(frames, type: OllamaForm.streamType) {
      ErrorForm.ollama.line($0) + Data("\n".utf8)
    }
  }

  private static func fetch(
    _ id: String, _ desk: ServiceDesk, _ emit: @Sendable (Line) -> Void
  ) async throws {
    let digest = "sha256:" + SHA256.of(Data(id.utf8))
    do {
      for try await event in desk.call(PullPack.self, PackInput(id: id)) {
        if let note = event.note { emit(Line(status: note)) }
        if let progress = event.progress {
          emit(
            Line(
              status: progress.step, digest: progress.total.map { _ in digest }, total: progress.total,
              completed: progress.done))
        }
      }
    } catch let told as any Explained where ["unknown_pack", "not_in_catalogue"].contains(told.code) {
      throw ServerError.unknownPack(id)
    }
  }
}
