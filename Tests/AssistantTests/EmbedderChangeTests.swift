import Core
import Foundation
import Models
import Retrieval
import Storage
import TestSupport
import Testing

@testable import Assistant

/// Where a test run has put an embedding pack's weights; nil without.
private let prepared = Prepared.weights("minilm.gguf")

@Suite("A change of the embedding pack", .enabled(if: prepared != nil, "no embedding model"))
struct EmbedderChangeTests {
  @Test("The other pack's vectors are made in the background, and search by meaning goes on meanwhile")
  func takesOver() async throws {
    let home = try OpenHouse()
    let house = home.house
    let weights = try #require(prepared)
    var other = try Data(contentsOf: weights)
    let name = try #require(other.range(of: Data("MiniLM".utf8), in: 0..<65_536))
    other.replaceSubrange(name, with: Data("MaxiLM".utf8))
    let file = home.base.appending(path: "own.gguf")
    try other.write(to: file)
    let own = try await house.packs.importFile(file).pack.id
    let lines = (0..<300).map { #"{"_id": "r\#($0)", "text": "Cranes of flock \#($0) fly south in autumn."}"# }
    let corpus = try home.write(lines.joined(separator: "\n"), to: "corpus.jsonl")
    _ = try await home.all(Import.self, .init(paths: [corpus.path]))
    #expect(try await VectorShelf.identities(in: house.vault).keys.allSatisfy { $0.hasPrefix(own) })

    // It stands in the catalogue, before what is the person's own.
    try await house.packs.install("all-minilm-l6-v2-f16", from: weights)
    try await house.watching.start()
    var searches = 0
    repeat {
      let found = try await house.finder(for: "birds").search("birds that migrate \(searches)", stage: .dense)
      #expect(found.stages == [.dense] && !found.passages.isEmpty)
      searches += 1
    } while try await VectorShelf.identities(in: house.vault).keys.contains { $0.hasPrefix(own) }
    #expect(try await VectorShelf.identities(in: house.vault).keys.map { $0.prefix(10) } == ["all-minilm"])
    let found = try await house.finder(for: "birds").search("birds that migrate", stage: .dense)
    #expect(found.stages == [.dense] && !found.passages.isEmpty)
    await house.close()
  }
}
