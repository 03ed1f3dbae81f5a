package import Foundation
package import Inference

/// What the routes for other programs need of the house: which models there are, text from one, vectors from one.
package protocol CompletionSource: Sendable {
  func models() async throws -> [CompletionModel]
  /// In order: one prompt report, pieces (with log probabilities before or after them if asked for), one report at the end.
  func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error>
  /// The chat model that writes where none is named.
  func usual() async throws -> String
  /// How many tokens a prompt has.
  func count(_ request: GenerateRequest, model: String) async throws -> Int
  /// One vector per text, in order, and the tokens they were together.
  func embed(_ input: EmbedInput, model: String, long: EmbedRequest.Long) async throws -> (
    vectors: [[Float]], report: EmbedReport
  )
  /// Takes it into memory.
  func load(_ model: String) async throws
  /// Lets it leave memory, unless somebody is at work with it.
  func unload(_ model: String) async throws
}

package struct CompletionModel: Sendable, Equatable {
  package enum Kind: Sendable { case chat, embed, speech }

  /// What its pack says of itself.
  package struct Details: Sendable, Equatable {
    package var family: String
    package var parameters: Int64
    package var quantization: String
    package var licence: String
    package var context: Int
    package var dimensions: Int?
    package var bytes: Int64
    package var sha256: String
    package var installed: Date
    package var isLoaded: Bool

    package init(
      family: String, parameters: Int64, quantization: String, licence: String, context: Int, dimensions: Int?,
      bytes: Int64, sha256: String, installed: Date, isLoaded: Bool
    ) {
      self.family = family
      self.parameters = parameters
      self.quantization = quantization
      self.licence = licence
      self.context = context
      self.dimensions = dimensions
      self.bytes = bytes
      self.sha256 = sha256
      self.installed = installed
      self.isLoaded = isLoaded
    }
  }

  package var id: String
  /// Where the id is another name of the pack.
  package var alias: String?
  package var kind: Kind
  package var details: Details
  package init(id: String, kind: Kind, details: Details) {
    self.id = id
    self.kind = kind
    self.details = details
  }

  /// The same under a name of the person's choosing.
  package func named(_ name: String) -> CompletionModel {
    var other = self
    (other.id, other.alias) = (name, id)
    return other
  }

  package var pack: String { alias ?? id }
}
