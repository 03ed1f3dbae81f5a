import Core
import Foundation

/// Brings a vault to the newest format: each step in its own transaction, after a copy of the whole file was put aside.
struct Migrator {
  let file: URL
  let migrations: [Migration]

  /// The copy taken before the last migration; destroyed with the data it holds.
  static func wayBack(of file: URL) -> URL { file.appendingPathExtension("before-migration") }
  /// What stood there when that copy was put back; destroyed like it.
  static func wayForth(of file: URL) -> URL { file.appendingPathExtension("after-migration") }

  /// `keepingCopy` is for vaults that exist nowhere else.
  func migrate(_ connection: Connection, keepingCopy: Bool = true) throws {
    let found = try connection.first("PRAGMA user_version", as: { $0.int(0) }) ?? 0
    let newest = migrations.map(\.format).max() ?? 0
    guard found <= newest else { throw StorageError.newer(found: found, known: newest) }
    let pending = migrations.filter { $0.format > found }.sorted { $0.format < $1.format }
    guard !pending.isEmpty else { return }
    if found > 0, keepingCopy { try keepCopy(of: connection) }
    // A table that is made anew would take along what refers to it when the old one goes. Checked at the end instead.
    try connection.script("PRAGMA foreign_keys = OFF")
    try connection.transaction {
      // Another process may have migrated while this one waited for the lock.
      let now = try connection.first("PRAGMA user_version", as: { $0.int(0) }) ?? 0
      for step in pending where step.format > now {
        try connection.script(step.sql)
        try connection.script("PRAGMA user_version = \(step.format)")
      }
      if let table = try connection.first("PRAGMA foreign_key_check", as: { $0.text(0) }) {
        throw StorageError.corrupt("after a migration a row of \(table) refers to nothing")
      }
    }
    try connection.script("PRAGMA foreign_keys = ON")
  }

  private func keepCopy(of connection: Connection) throws {
    let target = Self.wayBack(of: file)
    let draft = target.appendingPathExtension("draft")
    try PrivateFile.remove(draft)
    try PrivateFile.create(draft)
    do {
      // A scope of its own: the copy is closed, and so complete on disk, before it gets its name.
      let copy = try Connection(draft, .write)
      try connection.copy(to: copy)
      // The copied header says WAL; a lone file must not depend on companions.
      try copy.script("PRAGMA journal_mode = DELETE")
    }
    try PrivateFile.replace(target, with: draft)
  }

  /// Puts the copy from before the last migration back in place of the vault.
  static func goBack(_ file: URL) throws {
    let copy = wayBack(of: file)
    guard FileManager.default.fileExists(atPath: copy.path) else { throw StorageError.noWayBack }
    let forth = wayForth(of: file)
    try PrivateFile.remove(forth)
    if FileManager.default.fileExists(atPath: file.path) {
      // Then all of it is in the one file, what was in its log too. One that is damaged is kept as it lies there.
      do {
        try Connection(file, .write).script("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
      } catch is StorageError {}
      // A second name, so that there is a vault at every moment.
      guard link(file.path, forth.path) == 0 else { throw PrivateFile.failure(forth) }
    }
    for companion in ["-wal", "-shm"] { try PrivateFile.remove(URL(filePath: file.path + companion)) }
    try PrivateFile.replace(file, with: copy)
  }

  /// Nil where there is no such file.
  static func format(of file: URL) throws -> Int? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try Connection(file, .read).first("PRAGMA user_version", as: { $0.int(0) })
  }
}
