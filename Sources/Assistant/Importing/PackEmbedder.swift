import Inference
import Models
import Retrieval

/// An embedding pack as retrieval sees it.
struct PackEmbedder: Embedder {
  let identity: String
  let dimensions: Int
  let model: TextModel

  func embed(_ texts: [String]) async throws -> [[Float]] {
    let found = try await model.embed(texts, truncate: true)
    return (0..<found.count).map { Array(found[$0]) }
  }
}
