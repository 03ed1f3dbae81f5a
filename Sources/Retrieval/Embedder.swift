/// What turns text into vectors; the worker's client, seen from here.
package protocol Embedder: Sendable {
  /// The pack and its checksum: vectors are only compared within one identity.
  var identity: String { get }
  var dimensions: Int { get }
  /// What a cosine of it counts beside one of the encoder that the weights of sentences were fitted with: more where all of them lie
  /// closer together.
  var cosineWorth: Double { get }
  /// Unit vectors, one for each text. `asQuestions`: near to the sentences that answer them; only an embedder that has learned it
  /// makes a difference there.
  func embed(_ texts: [String], asQuestions: Bool) async throws -> [[Float]]
}
