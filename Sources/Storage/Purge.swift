import Core
import Foundation

extension Vault {
  /// What a person can destroy, each independently.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case documents, conversations
  }

  /// Destroys everything of one kind, and returns when nothing of it is left in the files.
  package func destroy(_ kind: Kind) async throws {
    try await write { db in
      switch kind {
      case .documents:
        try db.run("DELETE FROM collections WHERE \(Attached.isNot("name"))")
        try db.run("DELETE FROM embedders WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = embedders.id)")
        try db.run("DELETE FROM watched")
      case .conversations:
        try db.run("DELETE FROM conversations")
        try db.run("DELETE FROM collections WHERE NOT \(Attached.isNot("name"))")
      }
      try Self.owePurge(db)
    }
    try await purge()
  }

  static func owePurge(_ db: Connection) throws {
    try db.run("INSERT OR IGNORE INTO chores (name) VALUES ('purge')")
  }

  /// Purges if something was deleted since the last time: after an import that replaced documents, and where a deletion was
  /// killed before its end, or an import that went on behind one.
  package func purgeIfOwed() async throws {
    let isOwed = try await read { db in
      try db.first(
        "SELECT 1 FROM chores WHERE name = 'purge' UNION ALL SELECT 1 FROM collections WHERE \(Attached.isLeft) LIMIT 1",
        as: { _ in true })
    }
    if isOwed == true { try await purge() }
  }

  /// Removes what deletions leave behind: vectors, originals nobody refers to, words in the indexes, old pages in the log,
  /// and the copy from before a migration.
  package func purge() async throws {
    // A file that was still being read when its conversation was deleted.
    try await write { try $0.run("DELETE FROM collections WHERE \(Attached.isLeft)") }
    let stores = vectorStores
    let keptBlobs = try await writer.run { db in
      let embedders = try db.rows("SELECT id FROM embedders", as: { $0.int64(0) })
      let chunks = try db.rows("SELECT identity, dimensions FROM embedders", as: { ($0.text(0), $0.int(1)) })
      let files = try chunks.map { try VectorShelf.followed($0.0, $0.1, stores, db) }
      let revision = try db.transaction { try VectorShelf.advance(db) }
      for file in files {
        var gone = file.chunks()
        try db.each("SELECT id FROM chunks", []) { gone.remove($0.int64(0)) }
        try file.apply(removing: gone, adding: [], revision: revision)
      }
      try stores.sweep(keeping: Set(embedders))
      return Set(
        try db.rows(
          "SELECT original FROM documents WHERE original IS NOT NULL UNION SELECT hash FROM attachments",
          as: { $0.text(0) }))
    }
    noteChange()
    let found = try blobs.listing()
    try blobs.remove(found.hashes.subtracting(keptBlobs).filter { !blobs.isHeld($0) })
    try blobs.removeDrafts(found.drafts)
    try PrivateFile.remove(Migrator.wayBack(of: folders.vault))
    try PrivateFile.remove(Migrator.wayForth(of: folders.vault))
    try Drafts.removeLeft(in: folders)

    // FTS5 keeps the words of deleted rows in its older segments until they are merged into one.
    try await writer.run { db in
      for index in WordShelf.Part.allCases.flatMap({ [$0.words, $0.names] }) + ["message_words"] {
        try db.transaction { try db.run("INSERT INTO \(index) (\(index)) VALUES ('optimize')") }
      }
    }
    // The log keeps old pages until a checkpoint finds no reader in its way.
    var wait = Duration.milliseconds(5)
    while try await !writer.run({ try $0.truncateLog() }) {
      try await Task.sleep(for: wait)
      wait = min(wait * 2, .milliseconds(200))
    }
    // What was taken away comes back after a loss of power, unless that it is gone is on the disk too.
    try PrivateFile.sync(URL(filePath: folders.vault.path + "-wal"))
    try PrivateFile.sync(folders.data)
    try await write { try $0.run("DELETE FROM chores WHERE name = 'purge'") }
  }
}
