import Foundation

/// Documents, their pages and chunks. How they come in stands in DocumentShelf+Import.swift.
package struct DocumentShelf: Sendable {
  let vault: Vault

  package func get(_ document: Int64) async throws -> StoredDocument {
    try await vault.read { try Self.document(document, $0) }
  }

  /// Without a collection: in the library, which what is attached to conversations does not belong to.
  package func find(name: String, collection: String? = nil) async throws -> StoredDocument? {
    try await vault.read { db in
      try db.first(
        "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection"
          + " WHERE d.name = ?1 AND (?2 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?2)"
          + " ORDER BY d.id DESC LIMIT 1",
        name, collection, as: StoredDocument.init)
    }
  }

  /// The document made of these bytes, wherever its file lay; a finished one before one that is being read.
  package func find(original: String, collection: String) async throws -> StoredDocument? {
    try await vault.read { db in
      try db.first(
        "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection"
          + " WHERE d.hash = ? AND c.name = ? AND d.state <> 'failed' ORDER BY d.state = 'stored', d.id LIMIT 1",
        original, collection, as: StoredDocument.init)
    }
  }

  /// One of the documents that came from this file.
  package func find(source: String, collection: String) async throws -> StoredDocument? {
    try await vault.read { db in
      try db.first(
        "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection"
          + " WHERE d.source = ? AND c.name = ? ORDER BY d.id LIMIT 1", source, collection, as: StoredDocument.init)
    }
  }

  /// Without a collection: the library, which what is attached to conversations does not belong to.
  package func list(
    collection: String? = nil, state: StoredDocument.State? = nil, kind: String? = nil, most: Int = -1
  ) async throws -> [StoredDocument] {
    try await vault.read { db in
      try db.rows(
        "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection"
          + " WHERE (?1 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?1) AND (?2 IS NULL OR d.state = ?2)"
          + " AND (?3 IS NULL OR d.kind = ?3) ORDER BY d.name COLLATE NOCASE, d.id LIMIT ?4",
        collection, state?.rawValue, kind, most, as: StoredDocument.init)
    }
  }

  /// Whether there is but one document, and whether any could be read. Every question asks that, so the documents are not counted.
  package func presence(collection: String? = nil) async throws -> (isSingle: Bool, isReadable: Bool) {
    try await vault.read { db in
      let some = try db.rows("SELECT 1 \(Self.within) LIMIT 2", collection) { _ in true }
      let readable = try db.first("SELECT 1 \(Self.within) AND d.state <> 'failed' LIMIT 1", collection) { _ in true }
      return (some.count == 1, readable ?? false)
    }
  }

  /// What the documents are called: their titles and names.
  package func titles(collection: String? = nil) async throws -> [(title: String, name: String)] {
    try await vault.read { db in
      try db.rows("SELECT d.title, d.name \(Self.within)", collection) { ($0.text(0), $0.text(1)) }
    }
  }

  /// From the few collections to their documents, of which no others are looked at.
  static let within =
    "FROM collections c CROSS JOIN documents d ON d.collection = c.id"
    + " WHERE (?1 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?1)"

  /// The messages of a thread, oldest first; those without a date at the end.
  package func thread(_ thread: String, collection: String? = nil) async throws -> [StoredDocument] {
    try await vault.read { db in
      try db.rows(
        "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection WHERE d.thread = ?1"
          + " AND (?2 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?2) ORDER BY d.sent IS NULL, d.sent, d.id",
        thread, collection, as: StoredDocument.init)
    }
  }

  /// How many documents are still being read, or still lack what finds them by meaning.
  package func unready(collection: String? = nil) async throws -> (stored: Int, indexed: Int) {
    try await vault.read { db in
      try db.first(
        "SELECT coalesce(sum(d.state = 'stored'), 0), coalesce(sum(d.state = 'indexed'), 0) FROM documents d"
          + " JOIN collections c ON c.id = d.collection WHERE d.state IN ('stored', 'indexed')"
          + " AND (?1 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?1)",
        collection, as: { ($0.int(0), $0.int(1)) }) ?? (0, 0)
    }
  }

  package func counts() async throws -> (documents: Int, chunks: Int, textBytes: Int) {
    try await vault.read { db in
      try db.first(
        "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks),"
          + " (SELECT coalesce(sum(text_bytes), 0) FROM documents)",
        as: { ($0.int(0), $0.int(1), $0.int(2)) }) ?? (0, 0, 0)
    }
  }

  /// The whole text; offsets of chunks and citations point into it.
  package func text(_ document: Int64) async throws -> String {
    try await vault.read { db in
      _ = try Self.document(document, db)
      var bytes: [UInt8] = []
      try db.each("SELECT start, text FROM pages WHERE document = ? ORDER BY start, number", [document]) { row in
        // A gap between pages is a line break that belongs to neither.
        let start = row.int(0)
        if start > bytes.count {
          bytes.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: start - bytes.count))
        }
        bytes.append(contentsOf: row.text(1).utf8)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  package func page(_ number: Int, of document: Int64) async throws -> StoredPage? {
    try await pages(of: document, in: number...number).first
  }

  package func pages(of document: Int64, in range: ClosedRange<Int> = 0...Int.max) async throws -> [StoredPage] {
    try await vault.read { db in
      try db.rows(
        "SELECT number, start, text, width, height, boxes FROM pages WHERE document = ? AND number BETWEEN ? AND ?"
          + " ORDER BY number", document, range.lowerBound, range.upperBound, as: Self.page)
    }
  }

  /// The pages (or parts) that hold any of these UTF-8 bytes of a document's text, in order.
  package func pages(of document: Int64, holding bytes: Range<Int>) async throws -> [StoredPage] {
    try await vault.read { db in
      try db.rows(
        "SELECT number, start, text, width, height, boxes FROM pages WHERE document = ? AND start < ?"
          + " AND start + length(CAST(text AS BLOB)) > ? ORDER BY number",
        document, bytes.upperBound, bytes.lowerBound, as: Self.page)
    }
  }

  /// Every page without what stands on it: its number, its place in the text, and its size where it has one.
  package func sheets(of document: Int64) async throws -> [StoredPage] {
    try await vault.read { db in
      _ = try Self.document(document, db)
      return try db.rows(
        "SELECT number, start, '', width, height, NULL FROM pages WHERE document = ? ORDER BY number", document,
        as: Self.page)
    }
  }

  private static func page(_ row: Row) -> StoredPage {
    StoredPage(
      number: row.int(0), start: row.int(1), text: row.text(2), width: row.optional(3, row.double),
      height: row.optional(4, row.double), boxes: row.optional(5, row.data))
  }

  package func chunks(of document: Int64, ordinals: ClosedRange<Int> = 0...Int.max) async throws -> [Chunk] {
    try await vault.read { db in
      try db.rows(
        "SELECT \(Chunk.columns) FROM chunks k WHERE document = ? AND ordinal BETWEEN ? AND ? ORDER BY ordinal",
        document, ordinals.lowerBound, ordinals.upperBound, as: Chunk.init)
    }
  }

  /// In the order asked for; a chunk that is gone is left out.
  package func chunks(_ ids: [Int64]) async throws -> [Chunk] {
    try await vault.read { db in
      try ids.compactMap { id in
        try db.first("SELECT \(Chunk.columns) FROM chunks k WHERE id = ?", id, as: Chunk.init)
      }
    }
  }

  /// Removes documents with everything that came from them, and returns when nothing of them is left in the files.
  package func remove(_ documents: [Int64]) async throws {
    try await vault.write { db in
      for document in documents {
        let gone = try Self.document(document, db)
        try db.run("DELETE FROM documents WHERE id = ?", document)
        guard let conversation = Attached.conversation(of: gone.collection) else { continue }
        // A question that lists it would keep the whole file, and every export would hold it.
        try db.run(
          "DELETE FROM attachments WHERE hash = ? AND message IN (SELECT id FROM messages WHERE conversation = ?)",
          gone.hash, conversation)
      }
      try Vault.owePurge(db)
    }
    try await vault.purge()
  }

  // MARK: Collections

  package func collections() async throws -> [(name: String, documents: Int)] {
    try await vault.read { db in
      try db.rows(
        "SELECT c.name, count(d.id) FROM collections c LEFT JOIN documents d ON d.collection = c.id"
          + " WHERE \(Attached.isNot("c.name")) GROUP BY c.id ORDER BY c.name COLLATE NOCASE"
      ) { ($0.text(0), $0.int(1)) }
    }
  }

  /// Puts documents into another collection; how many were not in it before. One of the same name and source stands in the way.
  package func move(_ documents: [Int64], toCollection name: String) async throws -> Int {
    try await vault.write { db in
      let collection = try Self.collection(name, db)
      var moved = 0
      for document in documents {
        let one = try Self.document(document, db)
        let isThere = try db.first(
          "SELECT 1 FROM documents WHERE collection = ? AND id <> ? AND (hash = ? OR name = ? AND source = ?)",
          collection, document, one.hash, one.name, one.source, as: { _ in true })
        if isThere == true { throw StorageError.alreadyThere(document: one.name, collection: name) }
        guard one.collection != name else { continue }
        try db.run("UPDATE documents SET collection = ?, updated = ? WHERE id = ?", collection, Date(), document)
        moved += 1
      }
      return moved
    }
  }

  package func removeCollection(_ name: String) async throws {
    // What is attached to a conversation goes with that, or file by file: its questions list it too.
    guard !Attached.isCollection(name) else { throw StorageError.missing(kind: "collection", id: name) }
    try await vault.write { db in
      try db.run("DELETE FROM collections WHERE name = ?", name)
      if db.changes == 0 { throw StorageError.missing(kind: "collection", id: name) }
      try Vault.owePurge(db)
    }
    try await vault.purge()
  }

  // MARK: Steps inside a transaction

  static func collection(_ name: String, _ db: Connection) throws -> Int64 {
    if let id = try db.first("SELECT id FROM collections WHERE name = ?", name, as: { $0.int64(0) }) { return id }
    try db.run("INSERT INTO collections (name, created) VALUES (?, ?)", name, Date())
    return db.lastInserted
  }

  static func document(_ id: Int64, _ db: Connection) throws -> StoredDocument {
    let found = try db.first(
      "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection WHERE d.id = ?", id,
      as: StoredDocument.init)
    guard let found else { throw StorageError.missing(kind: "document", id: "\(id)") }
    return found
  }

  /// Indexed documents whose chunks all have a vector of one embedder become ready.
  static func promote(_ documents: Set<Int64>, _ db: Connection) throws {
    for document in documents {
      try db.run(
        """
        UPDATE documents SET state = 'ready', updated = ?1 WHERE id = ?2 AND state = 'indexed' AND (
          NOT EXISTS (SELECT 1 FROM chunks WHERE document = ?2) OR EXISTS (
            SELECT 1 FROM embedders e WHERE NOT EXISTS (
              SELECT 1 FROM chunks k WHERE k.document = ?2 AND NOT EXISTS (
                SELECT 1 FROM vectors v WHERE v.chunk = k.id AND v.embedder = e.id))))
        """, Date(), document)
    }
  }
}

extension Vault {
  package var documents: DocumentShelf { DocumentShelf(vault: self) }
}

extension DocumentShelf {
  /// The document each chunk belongs to.
  package func owners(of chunks: [Int64]) async throws -> [Int64: (id: Int64, name: String)] {
    try await vault.read { db in
      var owners: [Int64: (id: Int64, name: String)] = [:]
      for chunk in chunks {
        owners[chunk] = try db.first(
          "SELECT d.id, d.name FROM chunks k JOIN documents d ON d.id = k.document WHERE k.id = ?", chunk,
          as: { ($0.int64(0), $0.text(1)) })
      }
      return owners
    }
  }

  package func ids(inCollections names: [String]) async throws -> Set<Int64> {
    try await vault.read { db in
      var found: Set<Int64> = []
      for name in names {
        found.formUnion(
          try db.rows(
            "SELECT d.id FROM documents d JOIN collections c ON c.id = d.collection WHERE c.name = ?", name,
            as: { $0.int64(0) }))
      }
      return found
    }
  }
}
