import CSQLite
import Core
import Foundation

/// A vault that somebody else may have written. Nothing of its schema is run: rows are read from its plain tables, column by
/// column, and put into a vault that is made here with our own schema, which indexes their words anew. Triggers, views,
/// indexes and word indexes of the file are never used; one that is not ours by type and name is refused all the same.
struct ForeignVault {
  let format: Int
  private let connection: Connection
  private let migrations: [Migration]
  private let bytes: Int

  /// In an order in which nothing refers to what comes later. Everything else of a vault is made anew or stays behind.
  private static let tables = [
    "collections", "documents", "pages", "chunks", "embedders", "vectors", "conversations", "messages", "attachments",
  ]

  init(_ file: URL, migrations: [Migration] = Schema.migrations) throws {
    let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
    let connection = try Self.reading { try Connection(file, .foreign(bytes: Int32(clamping: bytes))) }
    let found = try Self.reading { try connection.first("PRAGMA user_version", as: { $0.int(0) }) } ?? 0
    let newest = migrations.map(\.format).max() ?? 0
    guard found <= newest else { throw StorageError.newerFile(found: found, known: newest) }
    guard found > 0 else { throw Self.strange }
    (self.migrations, self.bytes, self.connection, format) = (migrations, bytes, connection, found)
  }

  /// Makes a vault of the newest format of it. Returns the folders that it watched; they are not taken over.
  func rebuild(at file: URL) throws -> [String] {
    let own = try Connection(file, .write)
    // A draft that is thrown away when anything goes wrong, and on the disk as a whole before it counts.
    try own.script("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
    // References are checked at the end: what an older format allowed is put in order by the migrations.
    try own.script("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = OFF;")
    for step in migrations where step.format <= format { try own.script(step.sql) }
    try own.script("PRAGMA user_version = \(format)")
    guard try Self.reading({ try Self.objects(connection) }) == Self.objects(own) else { throw Self.strange }
    try own.transaction {
      var left = 4 * bytes
      for table in Self.tables { try copy(table, into: own, &left) }
      try carryNumbers(into: own)
    }
    try Migrator(file: file, migrations: migrations).migrate(own, keepingCopy: false)
    // No program here has begun what a backup holds.
    try own.run("UPDATE conversations SET beginner = NULL")
    try RestoredRows(own).check()
    let watched = try Self.reading {
      try connection.rows("SELECT folder FROM watched NOT INDEXED LIMIT 1000") { try Self.name($0, 0) }
    }
    try Vault.owePurge(own)
    return watched
  }

  // MARK: Reading

  private static var strange: StorageError { .damagedBackup("its tables are not those of a vault") }

  /// What SQLite finds wrong with the file is the backup's fault; a full disk is not.
  private static func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StorageError {
      switch error {
      case .sqlite, .corrupt, .unreadable: throw StorageError.damagedBackup("its vault cannot be read")
      default: throw error
      }
    }
  }

  private static func objects(_ db: Connection) throws -> [String] {
    try db.rows("SELECT type, name, tbl_name FROM sqlite_schema LIMIT 500") {
      "\(try name($0, 0)) \(try name($0, 1)) \(try name($0, 2))"
    }.sorted()
  }

  /// No name or path of ours is longer. Any number of rows may share their bytes in the file: together they could fill memory.
  private static let longestName = 64 << 10

  private static func name(_ row: Row, _ column: Int32) throws -> String {
    let name = row.text(column)
    guard name.utf8.count <= longestName else { throw strange }
    return name
  }

  private struct Column: Equatable {
    var name: String
    var type: String
    var isNeeded: Bool

    /// Ordinary columns alone; nil where any other is among them, whose values would have to be computed.
    static func all(of table: String, _ db: Connection) throws -> [Column]? {
      var isPlain = true
      let columns = try db.rows("PRAGMA table_xinfo(\"\(table)\")") { row in
        if row.int(6) != 0 { isPlain = false }
        return Column(name: row.text(1), type: row.text(2), isNeeded: row.int(3) != 0 || row.int(5) != 0)
      }
      return isPlain ? columns : nil
    }
  }

  private func columns(of table: String, _ own: Connection) throws -> [Column] {
    let theirs = try Self.reading { try Column.all(of: table, connection) }
    guard let ours = try Column.all(of: table, own), ours.map(\.name) == theirs?.map(\.name) else { throw Self.strange }
    return ours
  }

  private func copy(_ table: String, into own: Connection, _ left: inout Int) throws {
    let columns = try columns(of: table, own)
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = "INSERT INTO \"\(table)\" (\(names)) VALUES (\(places))"
    try Self.reading {
      // The rows themselves, not what an index of the file says of them.
      try connection.each("SELECT \(names) FROM \"\(table)\" NOT INDEXED", []) { row in
        try Task.checkCancellation()
        let values = try columns.enumerated().map { index, column in
          try Self.value(row, Int32(index), column, table, &left)
        }
        guard left >= 0 else { throw StorageError.damagedBackup("more comes out of its vault than is in it") }
        try own.run(insert, values)
      }
    }
  }

  private static func value(
    _ row: Row, _ index: Int32, _ column: Column, _ table: String, _ left: inout Int
  ) throws -> Value {
    switch (row.type(index), column.type) {
    case (SQLITE_NULL, _) where !column.isNeeded: return .null
    case (SQLITE_INTEGER, "INTEGER"): return .integer(row.int64(index))
    case (SQLITE_INTEGER, "REAL"), (SQLITE_FLOAT, "REAL"):
      if row.double(index).isFinite { return .real(row.double(index)) }
    case (SQLITE_TEXT, "TEXT"):
      let text = row.text(index)
      left -= text.utf8.count
      return .text(text)
    case (SQLITE_BLOB, "BLOB"):
      let data = row.data(index)
      left -= data.count
      return .blob(data)
    default: break
    }
    throw StorageError.damagedBackup("a value of its \(table) is of another kind")
  }

  /// Numbers of rows that are gone are not given out again: answers still refer to them.
  private func carryNumbers(into own: Connection) throws {
    _ = try columns(of: "sqlite_sequence", own)
    let found = try Self.reading {
      try connection.rows("SELECT name, seq FROM sqlite_sequence NOT INDEXED LIMIT 100") {
        (try Self.name($0, 0), $0.type(1) == SQLITE_INTEGER ? $0.int64(1) : -1)
      }
    }
    for (name, number) in found where ["documents", "chunks", "messages"].contains(name) {
      guard (0...RestoredRows.largest(name)).contains(number) else {
        throw StorageError.damagedBackup("a number of its \(name) makes no sense")
      }
      try own.run("DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?", name, number)
      try own.run(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS ("
          + "SELECT 1 FROM sqlite_sequence WHERE name = ?1)", name, number)
    }
  }
}
