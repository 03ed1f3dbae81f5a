package import Inference

/// What the OpenAI-compatible routes need of the house: which models there are, text from one, vectors from one.
package protocol CompletionSource: Sendable {
  func models() async throws -> [CompletionModel]
  /// In order: one prompt report, pieces (with log probabilities before or after them if asked for), one report at the end.
  func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error>
  /// One vector per text, in order, and the tokens they were together.
  func embed(_ texts: [String], model: String) async throws -> (vectors: [[Float]], tokens: Int)
}

package struct CompletionModel: Sendable, Equatable {
  package enum Kind: Sendable { case chat, embed, speech }
  package var id: String
  package var kind: Kind
  package init(id: String, kind: Kind) {
    self.id = id
    self.kind = kind
  }
}
