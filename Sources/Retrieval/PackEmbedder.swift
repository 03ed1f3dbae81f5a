package import Foundation
package import Inference

/// The embedder of an installed pack, in its sealed worker. Whoever keeps the pack in memory says how its work is done.
package struct PackEmbedder: Embedder {
  package let identity: String
  package let dimensions: Int
  package let cosineWorth: Double
  /// For `Chunker`: counted as the embedder counts.
  package let counter: TokenCounter
  private let work: @Sendable ([String], _ threads: Int?, _ asQuestions: Bool) async throws -> Embeddings

  /// `identity` is the pack's id and checksum.
  package init(
    identity: String, dimensions: Int, cosineWorth: Double = 1, counter: @escaping TokenCounter,
    embed: @escaping @Sendable ([String], _ threads: Int?, _ asQuestions: Bool) async throws -> Embeddings
  ) {
    self.identity = identity
    self.dimensions = dimensions
    self.cosineWorth = cosineWorth
    self.counter = counter
    work = embed
  }

  package func embed(_ texts: [String], asQuestions: Bool) async throws -> [[Float]] {
    try await embed(texts, threads: nil, asQuestions: asQuestions)
  }

  /// A text longer than the window is cut by the worker: chunks never are, a question of that length may be. `threads` nil: as many
  /// as the worker finds good.
  package func embed(
    _ texts: [String], threads: Int? = nil, asQuestions: Bool = false
  ) async throws -> [[Float]] {
    let embeddings = try await work(texts, threads, asQuestions)
    return (0..<embeddings.count).map { Array(embeddings[$0]) }
  }

  /// The adapter for questions of the encoder that comes with the program, as llama.cpp loads it (Training/README.md).
  package static var questionAdapter: URL { WordList.resources.appending(path: "questions.gguf") }
  /// The encoder of many languages, whose cosines lie so much closer together (Benchmarks/answers.md).
  package static let mappedPack = "use-multilingual-3-q6"
  package static let mappedWorth = 3.0
  /// The two matrices that its vectors of questions are multiplied with.
  package static var questionMap: URL { WordList.resources.appending(path: "question-map.gguf") }
}
