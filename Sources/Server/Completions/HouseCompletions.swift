package import Assistant
package import Inference
import Models

/// The house behind the OpenAI-compatible routes: its installed packs, under the same governor as everything else.
package struct HouseCompletions: CompletionSource {
  private let house: House

  package init(_ house: House) { self.house = house }

  package func models() async throws -> [CompletionModel] {
    try await house.packs.installed().compactMap { record in
      switch record.pack.kind {
      case .chat: CompletionModel(id: record.pack.id, kind: .chat)
      case .embed: CompletionModel(id: record.pack.id, kind: .embed)
      case .speech: CompletionModel(id: record.pack.id, kind: .speech)
      case .vad: nil
      }
    }
  }

  package func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
    house.generate(request, pack: model)
  }

  package func embed(_ texts: [String], model: String) async throws -> (vectors: [[Float]], tokens: Int) {
    let found = try await house.embed(texts, pack: model)
    return ((0..<found.count).map { Array(found[$0]) }, found.report.tokens)
  }
}
