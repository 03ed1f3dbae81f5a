package import Inference

/// The embedder of an installed pack, in its sealed worker. Whoever keeps the pack in memory says how its work is done.
package struct PackEmbedder: Embedder {
  package let identity: String
  package let dimensions: Int
  /// For `Chunker`: counted as the embedder counts.
  package let counter: TokenCounter
  private let work: @Sendable ([String], _ threads: Int?) async throws -> Embeddings

  /// `identity` is the pack's id and checksum.
  package init(
    identity: String, dimensions: Int, counter: @escaping TokenCounter,
    embed: @escaping @Sendable ([String], _ threads: Int?) async throws -> Embeddings
  ) {
    self.identity = identity
    self.dimensions = dimensions
    self.counter = counter
    work = embed
  }

  /// A text longer than the window is cut by the worker: chunks never are, a question of that length may be.
  package func embed(_ texts: [String]) async throws -> [[Float]] { try await embed(texts, threads: nil) }

  /// `threads` nil: as many as the worker finds good.
  package func embed(_ texts: [String], threads: Int?) async throws -> [[Float]] {
    let embeddings = try await work(texts, threads)
    return (0..<embeddings.count).map { Array(embeddings[$0]) }
  }
}
