import Testing

@testable import Retrieval

@Suite("Vectors of chunks and what they stand under")
struct ChunkVectorsTests {
  @Test(
    "A place is named by its document and the nearest heading",
    arguments: [
      ("Lease", "Lease"), ("Lease › Rent", "Lease: Rent"), ("Manual › Cleaning › The filter", "Manual: The filter"),
      ("", ""),
    ])
  func place(path: String, expected: String) { #expect(ChunkVectors.place(of: path) == expected) }

  @Test("Words count twice what their place counts, and the vector has the length of one")
  func joined() {
    let vector = ChunkVectors.joined([1, 0], [0, 1])
    #expect(abs(vector[0] / vector[1] - 2) < 1e-5)
    #expect(abs(vector[0] * vector[0] + vector[1] * vector[1] - 1) < 1e-5)
  }

  @Test("Where there is no vector of the place, or it cancels the words, the words' own stays")
  func alone() {
    #expect(ChunkVectors.joined([0.6, 0.8], []) == [0.6, 0.8])
    #expect(ChunkVectors.joined([0, 0], [0, 0]) == [0, 0])
    #expect(ChunkVectors.joined([0.5, 0], [-1, 0]) == [0.5, 0])
  }
}
