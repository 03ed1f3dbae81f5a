package import Inference

/// The embedder of an installed pack, in its sealed worker.
package struct PackEmbedder: Embedder {
  package let identity: String
  package let dimensions: Int
  private let model: TextModel

  /// `identity` is the pack's id and checksum; `model` was made with `request.embeddings`.
  package init(_ model: TextModel, identity: String, dimensions: Int) {
    self.model = model
    self.identity = identity
    self.dimensions = dimensions
  }

  /// A text longer than the window is cut by the worker: chunks never are, a question of that length may be.
  package func embed(_ texts: [String]) async throws -> [[Float]] {
    let embeddings = try await model.embed(texts, truncate: true)
    return (0..<embeddings.count).map { Array(embeddings[$0]) }
  }

  /// For `Chunker`: counted as the embedder counts.
  package var counter: TokenCounter { { [model] in try await model.countTokens($0) } }
}
