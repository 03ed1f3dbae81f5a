import Foundation

/// How documents come in: page by page, or many whole ones at once.
extension DocumentShelf {
  /// What `begin` found.
  package enum Beginning: Sendable, Equatable {
    /// Go on after the pages that are done (none for a new document).
    case proceed(StoredDocument)
    /// The same bytes are here already with all their text; vectors may be pending (`state` is then `.indexed`).
    case known(StoredDocument)
  }

  /// Chunks that were just stored: where in the vault's order they lie.
  package struct Stored: Sendable, Equatable {
    package var documents = 0
    package var chunks = 0
    package var first = Int64.max
    package var last = Int64.min

    package init() {}

    package mutating func add(_ other: Stored) {
      documents += other.documents
      chunks += other.chunks
      first = min(first, other.first)
      last = max(last, other.last)
    }
  }

  /// Starts or resumes the import of a document. The same bytes in the same collection are never taken twice; other bytes
  /// from the same place replace what was there (what was handed over has no place), and what that leaves behind is swept up by `Vault.purgeIfOwed`. An original
  /// that must be kept is put into `vault.blobs` first.
  package func begin(_ new: NewDocument) async throws -> Beginning {
    try await vault.write { try Self.begin(new, $0) }
  }

  /// One checkpoint of an import: pages and the chunks made of them, all or nothing. Chunks never reach over a checkpoint;
  /// `headings` is what the next one has to know of those before it.
  @discardableResult
  package func append(
    to document: Int64, pages: [StoredPage], chunks: [ChunkText], pagesDone: Int, headings: String? = nil
  ) async throws -> Stored {
    try await vault.write { db in
      try Self.append(to: Self.document(document, db), pages, chunks, pagesDone: pagesDone, headings, db)
    }
  }

  /// All text has arrived. The document is ready at once if it has nothing to embed, otherwise after its last vector.
  package func finish(_ document: Int64) async throws {
    try await vault.write { try Self.finish(document, $0) }
  }

  /// Documents that are small and many, in one transaction: begun, filled and finished. What each came to, in their order: nothing
  /// where it is known.
  package func take(_ whole: [WholeDocument]) async throws -> [Stored] {
    try await vault.write { db in
      try whole.map { one in
        var stored = Stored()
        guard case .proceed(let document) = try Self.begin(one.document, db), document.pagesDone == 0 else {
          return stored
        }
        stored.add(try Self.append(to: document, one.pages, one.chunks, pagesDone: one.pagesDone, nil, db))
        try Self.finish(document.id, db)
        stored.documents = 1
        return stored
      }
    }
  }

  /// Which of these hashes are in a collection with all their text, and where those came from.
  package func known(_ hashes: [String], collection: String) async throws -> [String: (id: Int64, source: String?)] {
    try await vault.read { db in
      var found: [String: (id: Int64, source: String?)] = [:]
      for hash in hashes {
        found[hash] = try db.first(
          "SELECT d.id, d.source FROM documents d JOIN collections c ON c.id = d.collection"
            + " WHERE d.hash = ? AND c.name = ? AND d.state IN ('ready', 'indexed') LIMIT 1",
          hash, collection, as: { ($0.int64(0), $0.optional(1, $0.text)) })
      }
      return found
    }
  }

  /// A file that used to be one document holds records now: the document goes.
  package func replaceByRecords(source: String, collection: String) async throws {
    try await vault.write { db in
      try db.run(
        "DELETE FROM documents WHERE source = ? AND kind NOT IN ('records', 'mailbox')"
          + " AND collection = (SELECT id FROM collections WHERE name = ?)", source, collection)
      if db.changes > 0 { try Vault.owePurge(db) }
    }
  }

  package func fail(_ document: Int64, reason: String) async throws {
    try await vault.write { db in
      try db.run(
        "UPDATE documents SET state = 'failed', error = ?, updated = ? WHERE id = ?", reason, Date(), document)
    }
  }

  /// A file was moved or renamed: the same document under another name.
  package func rename(_ document: Int64, name: String, source: String?) async throws {
    try await vault.write { db in
      try db.run(
        "UPDATE documents SET name = ?, source = ?, updated = ? WHERE id = ?", name, source, Date(), document)
    }
  }

  /// A record is called something else than before, and is the same document.
  package func rename(record: Int64, name: String, hash: String) async throws {
    try await vault.write { db in
      try db.run("UPDATE documents SET name = ?, hash = ? WHERE id = ?", name, hash, record)
    }
  }

  /// A file of records was moved: the records stay what they are.
  package func move(_ documents: [Int64], to source: String) async throws {
    try await vault.write { db in
      for document in documents { try db.run("UPDATE documents SET source = ? WHERE id = ?", source, document) }
    }
  }

  // MARK: Steps inside a transaction

  /// What a new document may replace. Each is found by an index of its own: without the plus, or with an OR, SQLite would walk through
  /// the whole collection for every document that comes.
  static let ofSameName = "collection = ? AND name = ? AND source = ?"
  static let failedBefore = "+collection = ? AND hash = ? AND state = 'failed'"
  static let ofSameFile = "+collection = ? AND source = ?"

  private static func begin(_ new: NewDocument, _ db: Connection) throws -> Beginning {
    let collection = try collection(new.collection, db)
    let same = try db.first(
      "SELECT \(StoredDocument.columns) FROM documents d JOIN collections c ON c.id = d.collection"
        + " WHERE d.collection = ? AND d.hash = ? AND d.state <> 'failed'"
        + " ORDER BY d.name = ? AND d.source IS ? DESC, d.state = 'stored' LIMIT 1",
      collection, new.hash, new.name, new.source, as: StoredDocument.init)
    if let same { return same.state == .stored ? .proceed(same) : .known(same) }
    // A record replaces the record of its name in its file; a file replaces whatever came from it. Where a file came from is not
    // known of what was handed over: that replaces nothing, for its name is anybody's.
    try db.run("DELETE FROM documents WHERE \(ofSameName)", collection, new.name, new.source)
    var replaced = db.changes
    try db.run("DELETE FROM documents WHERE \(failedBefore)", collection, new.hash)
    replaced += db.changes
    if let source = new.source, !["records", "mailbox"].contains(new.kind) {
      try db.run("DELETE FROM documents WHERE \(ofSameFile)", collection, source)
      replaced += db.changes
    }
    if replaced > 0 { try Vault.owePurge(db) }
    let now = Date()
    let thread = try new.mail.map { try Self.thread(of: $0, in: new.collection, db) }
    try db.run(
      "INSERT INTO documents (collection, name, source, hash, original, title, kind, state, pages, bytes, created, updated,"
        + " message, thread, sender, sent) VALUES (?, ?, ?, ?, ?, ?, ?, 'stored', ?, ?, ?, ?, ?, ?, ?, ?)",
      collection, new.name, new.source, new.hash, new.original ?? new.hash, new.title, new.kind, new.pages, new.bytes,
      now, now, new.mail?.message, thread, new.mail?.sender, new.mail?.sent)
    return .proceed(try document(db.lastInserted, db))
  }

  /// The thread of a message that comes. In whatever order its messages come: one that names no more than the message it answers
  /// belongs where that one does, and what answers a message that was not there yet goes with it once it comes. What is attached to a
  /// conversation belongs with what is attached there, and says nothing of the library.
  private static func thread(of mail: MailPlace, in collection: String, _ db: Connection) throws -> String {
    let attached = Attached.isCollection(collection) ? collection : nil
    let here =
      "+collection IN (SELECT c.id FROM collections c WHERE ?1 IS NULL AND \(Attached.isNot("c.name")) OR c.name = ?1)"
    func known(_ message: String) throws -> String? {
      try db.first(
        "SELECT thread FROM documents WHERE message = ?2 AND \(here) ORDER BY id LIMIT 1", attached, message,
        as: { $0.text(0) })
    }
    let thread = try known(mail.thread) ?? mail.thread
    // A second message with an id that is there already moves nothing: ids are easily forged.
    if let message = mail.message, message != thread, try known(message) == nil {
      try db.run("UPDATE documents SET thread = ?2 WHERE thread = ?3 AND \(here)", attached, thread, message)
    }
    return thread
  }

  private static func append(
    to before: StoredDocument, _ pages: [StoredPage], _ chunks: [ChunkText], pagesDone: Int, _ headings: String?,
    _ db: Connection
  ) throws -> Stored {
    guard pagesDone > before.pagesDone || pages.isEmpty else {
      throw StorageError.invalid("Page \(pagesDone) of “\(before.name)” was stored before.")
    }
    for page in pages {
      try db.run(
        "INSERT INTO pages (document, number, start, text, width, height, boxes) VALUES (?, ?, ?, ?, ?, ?, ?)",
        before.id, page.number, page.start, page.text, page.width, page.height, page.boxes)
    }
    var ordinal =
      try db.first(
        "SELECT coalesce(max(ordinal), -1) FROM chunks WHERE document = ?", before.id, as: { $0.int(0) }) ?? -1
    var stored = Stored()
    for chunk in chunks {
      ordinal += 1
      try db.run(
        "INSERT INTO chunks (document, ordinal, page_from, page_to, start, end, heading, text, tokens)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        before.id, ordinal, chunk.pageFrom, chunk.pageTo, chunk.start, chunk.end, chunk.heading, chunk.text,
        chunk.tokens)
      stored.chunks += 1
      stored.first = min(stored.first, db.lastInserted)
      stored.last = db.lastInserted
    }
    let end = pages.map { $0.start + $0.text.utf8.count }.max() ?? before.textBytes
    try db.run(
      "UPDATE documents SET pages_done = ?, text_bytes = ?, headings = ?, updated = ? WHERE id = ?",
      max(pagesDone, before.pagesDone), max(end, before.textBytes), headings, Date(), before.id)
    return stored
  }

  private static func finish(_ document: Int64, _ db: Connection) throws {
    try db.run(
      "UPDATE documents SET state = 'indexed', headings = NULL, updated = ? WHERE id = ? AND state = 'stored'", Date(),
      document)
    try promote([document], db)
  }
}
