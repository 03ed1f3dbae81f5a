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
    try await writer.run { db in
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
    }
    noteChange()
    _ = try await sweep()
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

  // MARK: Originals that nothing refers to

  /// Originals are going to be kept before anything refers to them. Whoever breaks off before something does leaves them behind. False
  /// where somebody before has left some, or may have.
  @discardableResult
  package func oweSweep() async throws -> Bool {
    try await write { db in
      let isNew = try db.first("SELECT 1 FROM chores WHERE name = 'originals'", as: { _ in true }) == nil
      if isNew { try db.run("INSERT INTO chores (name) VALUES ('originals')") }
      return isNew
    }
  }

  /// Something refers to all of them, unless others are being kept now.
  package func oweNoSweep(unless isKeeping: @escaping @Sendable () -> Bool) async throws {
    try await write { if !isKeeping() { try $0.run("DELETE FROM chores WHERE name = 'originals'") } }
  }

  /// Removes the originals that were left behind. False where some are still being read, or others kept now; then it is owed still.
  package func sweepIfOwed(unless isKeeping: @escaping @Sendable () -> Bool = { false }) async throws -> Bool {
    let isOwed = try await read { try $0.first("SELECT 1 FROM chores WHERE name = 'originals'", as: { _ in true }) }
    guard isOwed == true else { return true }
    guard try await sweep(), !isKeeping() else { return false }
    try await oweNoSweep(unless: isKeeping)
    return true
  }

  /// Removes the originals that nothing refers to; false where some of them are still being read.
  private func sweep() async throws -> Bool {
    let found = try blobs.listing()
    let left = try await writer.run { [blobs] db in
      // In one go: nothing that refers to one of them is stored meanwhile.
      let kept = Set(
        try db.rows(
          "SELECT original FROM documents WHERE original IS NOT NULL UNION SELECT hash FROM attachments",
          as: { $0.text(0) }))
      return try blobs.remove(found.hashes.subtracting(kept))
    }
    for folder in left.folders { try PrivateFile.sync(folder) }
    try blobs.removeDrafts(found.drafts)
    return left.held == 0
  }
}
