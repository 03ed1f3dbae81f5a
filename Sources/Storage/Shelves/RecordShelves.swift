package import Foundation

/// What was done in the person's name, and how to undo it. The shapes of `done` and `undo` belong to `Commands`.
package struct JournalShelf: Sendable {
  let vault: Vault

  package struct Entry: Sendable, Equatable, Codable, Identifiable {
    package var id: Int64
    package var kind: String
    package var summary: String
    package var done: String
    package var undo: String?
    package var state: String
    package var created: Date
    package var updated: Date

    init(_ row: Row) {
      id = row.int64(0)
      kind = row.text(1)
      summary = row.text(2)
      done = row.text(3)
      undo = row.optional(4, row.text)
      state = row.text(5)
      created = row.date(6)
      updated = row.date(7)
    }
  }

  private static let columns = "id, kind, summary, done, undo, state, created, updated"

  package func add(
    kind: String, summary: String, done: String, undo: String?, state: String = "done"
  ) async throws -> Int64 {
    try await vault.write(touchingDocuments: false) { db in
      try db.run(
        "INSERT INTO journal (kind, summary, done, undo, state, created, updated) VALUES (?, ?, ?, ?, ?, ?6, ?6)",
        kind, summary, done, undo, state, Date())
      return db.lastInserted
    }
  }

  package func mark(_ id: Int64, state: String) async throws {
    try await vault.write(touchingDocuments: false) { db in
      try db.run("UPDATE journal SET state = ?, updated = ? WHERE id = ?", state, Date(), id)
      if db.changes == 0 { throw StorageError.missing(kind: "action", id: "\(id)") }
    }
  }

  package func get(_ id: Int64) async throws -> Entry {
    let found = try await vault.read { db in
      try db.first("SELECT \(Self.columns) FROM journal WHERE id = ?", id, as: Entry.init)
    }
    guard let found else { throw StorageError.missing(kind: "action", id: "\(id)") }
    return found
  }

  /// The latest first.
  package func list(limit: Int = 200) async throws -> [Entry] {
    try await vault.read { db in
      try db.rows("SELECT \(Self.columns) FROM journal ORDER BY id DESC LIMIT ?", limit, as: Entry.init)
    }
  }
}

/// Imports under way and folders that are watched.
package struct ImportShelf: Sendable {
  let vault: Vault

  package struct Job: Sendable, Equatable, Codable, Identifiable {
    package var id: Int64
    package var paths: [String]
    package var collection: String
    package var created: Date
  }

  package func begin(paths: [String], collection: String) async throws -> Int64 {
    let list = String(decoding: try JSONEncoder().encode(paths), as: UTF8.self)
    return try await vault.write(touchingDocuments: false) { db in
      try db.run(
        "INSERT INTO imports (paths, collection, state, created, updated) VALUES (?, ?, 'running', ?3, ?3)",
        list, collection, Date())
      return db.lastInserted
    }
  }

  /// What became of one file. A file that is noted is not looked at again when the import resumes.
  package func note(_ path: String, state: String, reason: String? = nil, in job: Int64) async throws {
    try await vault.write(touchingDocuments: false) { db in
      try db.run(
        "INSERT OR REPLACE INTO import_files (import, path, state, reason) VALUES (?, ?, ?, ?)", job, path, state,
        reason)
    }
  }

  package func noted(in job: Int64) async throws -> [String: (state: String, reason: String?)] {
    try await vault.read { db in
      let rows = try db.rows("SELECT path, state, reason FROM import_files WHERE import = ?", job) {
        ($0.text(0), (state: $0.text(1), reason: $0.optional(2, $0.text)))
      }
      return Dictionary(uniqueKeysWithValues: rows)
    }
  }

  /// Imports that were interrupted, the oldest first.
  package func unfinished() async throws -> [Job] {
    try await vault.read { db in
      try db.rows("SELECT id, paths, collection, created FROM imports WHERE state = 'running' ORDER BY id") { row in
        Job(
          id: row.int64(0), paths: try JSONDecoder().decode([String].self, from: Data(row.text(1).utf8)),
          collection: row.text(2), created: row.date(3))
      }
    }
  }

  /// The import is over; its list of files is kept no longer.
  package func finish(_ job: Int64) async throws {
    try await vault.write(touchingDocuments: false) { try $0.run("DELETE FROM imports WHERE id = ?", job) }
  }

  package func watch(_ folder: String, collection: String) async throws {
    try await vault.write(touchingDocuments: false) { db in
      try db.run(
        "INSERT OR REPLACE INTO watched (folder, collection, created) VALUES (?, ?, ?)", folder, collection, Date())
    }
  }

  package func unwatch(_ folder: String) async throws {
    try await vault.write(touchingDocuments: false) { try $0.run("DELETE FROM watched WHERE folder = ?", folder) }
  }

  package func watched() async throws -> [(folder: String, collection: String)] {
    try await vault.read { db in
      try db.rows("SELECT folder, collection FROM watched ORDER BY folder") { ($0.text(0), $0.text(1)) }
    }
  }
}

extension Vault {
  package var journal: JournalShelf { JournalShelf(vault: self) }
  package var imports: ImportShelf { ImportShelf(vault: self) }
}
