import Foundation

/// The vectors of chunks, by embedder, and the search among them.
package struct VectorShelf: Sendable {
  let vault: Vault
  /// What made the vectors, exactly (the pack, its checksum, of what they are made): those of different embedders are never compared.
  package let embedder: String
  package let dimensions: Int

  package struct Pending: Sendable, Equatable {
    package var chunk: Int64
    package var text: String
    /// The title of its document and the headings above it.
    package var heading: String
    package var tokens: Int
  }

  /// Chunks that wait for a vector, oldest first, after one and up to another.
  package func pending(limit: Int, after: Int64 = 0, through: Int64 = .max) async throws -> [Pending] {
    try await vault.read { db in
      let id = try db.first("SELECT id FROM embedders WHERE identity = ?", embedder, as: { $0.int64(0) }) ?? -1
      return try db.rows(
        """
        SELECT k.id, k.text, k.heading, k.tokens FROM chunks k WHERE k.id > ?1 AND k.id <= ?2
          AND NOT EXISTS (SELECT 1 FROM vectors v INDEXED BY vectors_embedder WHERE v.chunk = k.id AND v.embedder = ?3)
        ORDER BY k.id LIMIT ?4
        """, after, through, id, limit
      ) { Pending(chunk: $0.int64(0), text: $0.text(1), heading: $0.text(2), tokens: $0.int(3)) }
    }
  }

  package func pendingCount() async throws -> Int {
    try await vault.read { db in
      try db.first(
        """
        SELECT (SELECT count(*) FROM chunks) - (
          SELECT count(*) FROM vectors WHERE embedder = (SELECT id FROM embedders WHERE identity = ?))
        """, embedder, as: { $0.int(0) }) ?? 0
    }
  }

  /// Stores vectors in one transaction and makes documents ready that have their last one now. A chunk removed meanwhile
  /// is passed over.
  package func add(_ vectors: [(chunk: Int64, vector: [Float])]) async throws {
    for (_, vector) in vectors where vector.count != dimensions || !vector.allSatisfy(\.isFinite) {
      throw StorageError.invalid(
        "A vector of \(vector.count) values came where \(dimensions) finite ones were expected.")
    }
    let packed = vectors.map { ($0.chunk, PackedVector($0.vector)) }
    let (identity, dimensions) = (embedder, dimensions)
    let stores = vault.vectorStores
    try await vault.writer.run { db in
      let store = try Self.followed(identity, dimensions, stores, db)
      let (entries, revision) = try db.transaction {
        let id = try Self.embedder(identity, dimensions, db)
        var entries: [VectorStore.Entry] = []
        for (chunk, vector) in packed {
          let document = try db.first("SELECT document FROM chunks WHERE id = ?", chunk, as: { $0.int64(0) })
          guard let document else { continue }
          try db.run("INSERT OR IGNORE INTO vectors (chunk, embedder, data) VALUES (?, ?, ?)", chunk, id, vector.data)
          guard db.changes > 0 else { continue }
          entries.append(
            VectorStore.Entry(chunk: chunk, document: UInt32(truncatingIfNeeded: document), vector: vector))
        }
        try DocumentShelf.promote(Set(entries.map { Int64($0.document) }), db)
        return (entries, try Self.advance(db))
      }
      try store.apply(removing: [], adding: entries, revision: revision)
      // The files of other embedders have nothing to follow in this change.
      for other in stores.opened.values where other !== store {
        try other.apply(removing: [], adding: [], revision: revision)
      }
    }
    vault.noteChange()
  }

  /// The nearest chunks. `documents` nil searches everything.
  package func nearest(_ vector: [Float], limit: Int, documents: Set<Int64>? = nil) async throws -> [Neighbour] {
    let store = try await store()
    let allowed = documents.map { Set($0.map { UInt32(truncatingIfNeeded: $0) }) }
    return VectorSearch(store: store).nearest(vector, limit, allowed: allowed)
  }

  package func count() async throws -> Int { try await store().count }

  /// The embedders that vectors are kept of, with how many; of a single one the number is not asked.
  package static func identities(in vault: Vault) async throws -> [String: Int] {
    try await vault.read { db in
      let all = try db.rows("SELECT identity, id FROM embedders", as: { ($0.text(0), $0.int64(1)) })
      // A backup may have two that are one to Swift and not to the database: an accent is spelled in two ways.
      guard all.count > 1 else { return Dictionary(all.map { ($0.0, 1) }, uniquingKeysWith: +) }
      return Dictionary(
        try all.map { identity, id in
          let count = try db.first("SELECT count(*) FROM vectors WHERE embedder = ?", id, as: { $0.int(0) })
          return (identity, count ?? 0)
        }, uniquingKeysWith: +)
    }
  }

  /// Removes the vectors of all other embedders; called when none are pending for these.
  package static func retire(in vault: Vault, keeping kept: Set<String>) async throws {
    let retired = try await vault.write { db in
      let others = try db.rows("SELECT identity, id FROM embedders", as: { ($0.text(0), $0.int64(1)) })
        .filter { !kept.contains($0.0) }.map(\.1)
      for other in others {
        try db.run("DELETE FROM vectors WHERE embedder = ?", other)
        try db.run("DELETE FROM embedders WHERE id = ?", other)
      }
      return others
    }
    for embedder in retired { try vault.vectorStores.discard(embedder) }
  }

  /// The file, usually without a word to the writer: a search never waits for an import.
  private func store() async throws -> VectorStore {
    let (identity, dimensions, stores) = (embedder, dimensions, vault.vectorStores)
    let current = try await vault.read { db -> VectorStore? in
      let id = try db.first("SELECT id FROM embedders WHERE identity = ?", identity, as: { $0.int64(0) })
      guard let store = id.flatMap({ stores.opened[$0] }), try store.revision >= Self.revision(db) else { return nil }
      return store
    }
    if let current { return current }
    return try await vault.writer.run { db in try Self.followed(identity, dimensions, stores, db) }
  }

  // MARK: Keeping the files at the vault's revision

  private static func embedder(_ identity: String, _ dimensions: Int, _ db: Connection) throws -> Int64 {
    if let id = try db.first("SELECT id FROM embedders WHERE identity = ?", identity, as: { $0.int64(0) }) { return id }
    try db.run("INSERT INTO embedders (identity, dimensions) VALUES (?, ?)", identity, dimensions)
    return db.lastInserted
  }

  static func revision(_ db: Connection) throws -> Int64 {
    try db.first("SELECT revision FROM vector_state", as: { $0.int64(0) }) ?? 0
  }

  static func advance(_ db: Connection) throws -> Int64 {
    try db.run("UPDATE vector_state SET revision = revision + 1")
    return try revision(db)
  }

  /// The file of this embedder, brought up to date if the process ended between the vault's commit and the file's.
  static func followed(
    _ identity: String, _ dimensions: Int, _ stores: VectorStores, _ db: Connection
  ) throws -> VectorStore {
    let known = try db.first("SELECT id FROM embedders WHERE identity = ?", identity, as: { $0.int64(0) })
    let id = try known ?? db.transaction { try embedder(identity, dimensions, db) }
    let store = try stores.store(id, dimensions: dimensions)
    let revision = try revision(db)
    guard store.revision != revision else { return store }
    var missing = store.chunks()
    try db.snapshot {
      var batch: [VectorStore.Entry] = []
      try db.each(
        "SELECT v.chunk, k.document, v.data FROM vectors v JOIN chunks k ON k.id = v.chunk WHERE v.embedder = ?", [id]
      ) { row in
        if missing.remove(row.int64(0)) != nil { return }
        guard let vector = row.withBytes(2, { PackedVector($0, dimensions: dimensions) }) else {
          throw StorageError.corrupt("the vector of chunk \(row.int64(0)) has the wrong length")
        }
        batch.append(
          VectorStore.Entry(
            chunk: row.int64(0), document: UInt32(truncatingIfNeeded: row.int64(1)), vector: vector))
        if batch.count == 4096 {
          try store.apply(removing: [], adding: batch, revision: store.revision)
          batch = []
        }
      }
      try store.apply(removing: missing, adding: batch, revision: revision)
    }
    return store
  }
}

extension Vault {
  package func vectors(embedder: String, dimensions: Int) -> VectorShelf {
    VectorShelf(vault: self, embedder: embedder, dimensions: dimensions)
  }
}
