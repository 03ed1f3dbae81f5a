import Core
import Foundation

extension Vault {
  /// What a person can destroy, each independently.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case documents, conversations, journal
  }

  /// Destroys everything of one kind, and returns when nothing of it is left in the files.
  package func destroy(_ kind: Kind) async throws {
    try await write { db in
      switch kind {
      case .documents:
        for table in ["documents", "collections", "embedders", "watched", "imports"] {
          // Vectors refer to embedders, so they go with the documents before.
          try db.run("DELETE FROM \(table)")
        }
      case .conversations: try db.run("DELETE FROM conversations")
      case .journal: try db.run("DELETE FROM journal")
      }
    }
    try await purge()
  }

  /// Removes what deletions leave behind: vectors, originals nobody refers to, words in the indexes, old pages in the log,
  /// and the copy from before a migration.
  package func purge() async throws {
    let stores = vectorStores
    let keptBlobs = try await writer.run { db in
      let embedders = try db.rows("SELECT id FROM embedders", as: { $0.int64(0) })
      let chunks = try db.rows("SELECT identity, dimensions FROM embedders", as: { ($0.text(0), $0.int(1)) })
      try db.transaction { _ = try VectorShelf.advance(db) }
      for (identity, dimensions) in chunks { _ = try VectorShelf.followed(identity, dimensions, stores, db) }
      try stores.sweep(keeping: Set(embedders))
      return Set(
        try db.rows("SELECT hash FROM documents UNION SELECT hash FROM attachments", as: { $0.text(0) }))
    }
    noteChange()
    let found = try blobs.listing()
    for hash in found.hashes.subtracting(keptBlobs) { try blobs.remove(hash) }
    try PrivateFile.remove(Migrator.wayBack(of: folders.vault))
    // A copy whose making was interrupted.
    for draft in try FileManager.default.contentsOfDirectory(at: folders.data, includingPropertiesForKeys: nil)
    where draft.pathExtension == "draft" { try FileManager.default.removeItem(at: draft) }

    // FTS5 keeps the words of deleted rows in its older segments until they are merged into one.
    try await writer.run { db in
      for index in ["words", "names", "message_words"] {
        try db.transaction { try db.run("INSERT INTO \(index) (\(index)) VALUES ('optimize')") }
      }
    }
    // The log keeps old pages until a checkpoint finds no reader in its way.
    var wait = Duration.milliseconds(5)
    while try await !writer.run({ try $0.truncateLog() }) {
      try await Task.sleep(for: wait)
      wait = min(wait * 2, .milliseconds(200))
    }
  }
}
