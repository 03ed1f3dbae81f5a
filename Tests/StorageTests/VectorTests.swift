import Core
import Foundation
import Testing

@testable import Storage

@Suite("The search among vectors")
struct VectorTests {
  private func store(_ rig: Rig, _ count: Int, dimensions: Int = 64) throws -> (VectorStore, [[Float]]) {
    _ = try rig.vault()
    let store = try VectorStore(file: rig.folders.data.appending(path: "t.vec"), dimensions: dimensions)
    let vectors = (1...count).map { Rig.vector(UInt64($0), dimensions: dimensions) }
    let entries = vectors.enumerated().map { index, vector in
      VectorStore.Entry(chunk: Int64(index + 1), document: UInt32(index % 7 + 1), vector: PackedVector(vector))
    }
    try store.apply(removing: [], adding: entries, revision: 5)
    return (store, vectors)
  }

  private func exact(_ query: [Float], _ vectors: [[Float]], where allowed: (Int) -> Bool = { _ in true }) -> [Int64] {
    vectors.indices.filter(allowed).map { index in
      (Int64(index + 1), zip(query, vectors[index]).reduce(Float(0)) { $0 + $1.0 * $1.1 })
    }.sorted { $0.1 > $1.1 }.prefix(10).map(\.0)
  }

  @Test("While they are few, the nearest are exactly the nearest", arguments: [64, 100, 384])
  func exactly(dimensions: Int) throws {
    let rig = Rig()
    let (store, vectors) = try store(rig, 600, dimensions: dimensions)
    for seed in 10_000..<10_010 {
      let query = Rig.vector(UInt64(seed), dimensions: dimensions)
      #expect(VectorSearch(store: store).nearest(query, 10).map(\.chunk) == exact(query, vectors))
    }
  }

  @Test("Two stages find what one exact stage finds, across blocks and threads")
  func twoStages() throws {
    let rig = Rig()
    let (store, vectors) = try store(rig, 9_000)
    var search = VectorSearch(store: store)
    search.exactUpTo = 0
    var hits = 0
    for seed in 20_000..<20_010 {
      let query = Rig.vector(UInt64(seed))
      hits += Set(search.nearest(query, 10).map(\.chunk)).intersection(exact(query, vectors)).count
    }
    #expect(hits >= 97, "of 100")
  }

  @Test("Only allowed documents are found")
  func allowed() throws {
    let rig = Rig()
    let (store, vectors) = try store(rig, 300)
    let query = Rig.vector(99_999)
    let found = VectorSearch(store: store).nearest(query, 10, allowed: [3])
    #expect(found.map(\.chunk) == exact(query, vectors) { $0 % 7 + 1 == 3 })
  }

  @Test("A removed vector is not found, and a search under way keeps what it began with")
  func removal() throws {
    let rig = Rig()
    let (store, vectors) = try store(rig, 100)
    let query = vectors[41]
    let before = store.reading()
    #expect(VectorSearch(store: store).nearest(query, 1).first?.chunk == 42)
    try store.apply(removing: [42], adding: [], revision: 6)
    #expect(VectorSearch(store: store).nearest(query, 100).count == 99)
    #expect(!VectorSearch(store: store).nearest(query, 100).contains { $0.chunk == 42 })
    #expect(before.used == 100)
    #expect(store.count == 99)
  }

  @Test("A file with much room lost is written anew, and says the same afterwards")
  func compaction() throws {
    let rig = Rig()
    let (store, vectors) = try store(rig, 17_000)
    let held = store.reading()
    try store.apply(removing: Set(1...9_000), adding: [], revision: 7)
    #expect(store.reading().used == 8_000)
    #expect(VectorSearch(store: store).nearest(vectors[12_344], 1).first?.chunk == 12_345)
    #expect(held.blocks[0].chunks[0] == 0, "the old file was emptied before it was replaced")
    let again = try VectorStore(file: store.file, dimensions: 64)
    #expect(again.revision == 7)
    #expect(again.chunks() == Set(9_001...17_000))
  }

  @Test(
    "A missing, cut or foreign vector file is made again from the vault", arguments: ["", "gone", "short", "noise"])
  func repair(damage: String) async throws {
    let rig = Rig()
    do {
      let vault = try rig.vault()
      try await Rig.add((0..<50).map(String.init).joined(separator: "\n"), named: "a", to: vault)
      try await Rig.embed(vault)
    }
    let file = rig.folders.data.appending(path: "vectors/1.vec")
    switch damage {
    case "gone": try FileManager.default.removeItem(at: file)
    case "short": try Data(try Data(contentsOf: file).prefix(9_000)).write(to: file)
    case "noise": try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
    default: break
    }
    let vault = try rig.vault()
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    let chunk = try await vault.documents.chunks(of: 1)[20].id
    let query = Rig.vector(UInt64(chunk) &* 7919 &+ 1)
    #expect(try await shelf.nearest(query, limit: 1).first?.chunk == chunk)
    #expect(try await shelf.count() == 50)
  }

  @Test("Another embedder's vectors are kept apart until the old ones are retired")
  func embedders() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("one\ntwo", named: "a", to: vault)
    try await Rig.embed(vault, "old")
    let new = vault.vectors(embedder: "new", dimensions: 32)
    #expect(try await new.pendingCount() == 2)
    #expect(try await vault.vectors(embedder: "old", dimensions: 64).nearest(Rig.vector(1), limit: 9).count == 2)
    try await new.add(new.pending(limit: 9).map { ($0.chunk, Rig.vector(9, dimensions: 32)) })
    try await VectorShelf.retire(in: vault, keeping: ["new"])
    #expect(try await new.nearest(Rig.vector(9, dimensions: 32), limit: 9).count == 2)
    let old = vault.vectors(embedder: "old", dimensions: 64)
    #expect(try await old.count() == 0)
    #expect(try await old.pendingCount() == 2)
  }

  @Test("A vector of the wrong size or with no number in it is refused")
  func malformed() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("one", named: "a", to: vault)
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    await #expect(throws: StorageError.self) { try await shelf.add([(1, [1, 2, 3])]) }
    await #expect(throws: StorageError.self) { try await shelf.add([(1, [Float](repeating: .nan, count: 64))]) }
    #expect(try await shelf.nearest([1], limit: 3).isEmpty)
  }
}
