import CSQLite
import Core
package import Foundation

/// One SQLite connection with its prepared statements. It belongs to one actor and is used from nowhere else.
package final class Connection {
  package enum Access {
    case write, read
    /// A file of so many bytes that somebody else has made: only its tables can be read, and no code of its schema runs.
    case foreign(bytes: Int32)
  }

  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  package let interrupter: Interrupter

  package init(_ file: URL, _ access: Access) throws {
    var opened: OpaquePointer?
    // A reader opens read-write too: in WAL mode it must be able to create the shared memory file. A foreign file is read as it
    // lies there, without the companions that it may ask for.
    let (flags, name) =
      switch access {
      case .write: (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, file.path)
      case .read: (SQLITE_OPEN_READWRITE, file.path)
      case .foreign: (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, file.absoluteURL.absoluteString + "?immutable=1")
      }
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened, code == SQLITE_OK else {
      let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw StorageError.unreadable(path: file.path, reason: reason)
    }
    handle = opened
    interrupter = Interrupter(opened)
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5_000)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    do {
      if case .foreign(let bytes) = access {
        try distrust(bytes)
        return
      }
      if case .write = access { try script("PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;") }
      try script(
        """
        PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
        PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA mmap_size = 268435456;
        """)
      if case .read = access { try script("PRAGMA query_only = ON;") }
    } catch {
      close()
      throw error
    }
  }

  /// No functions, views, triggers or virtual tables, no value larger than the file, and pages that are not as they should be are
  /// errors: what is left is reading columns.
  private func distrust(_ bytes: Int32) throws {
    csqlite_distrust(handle, bytes)
    try script(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON;")
    sqlite3_set_authorizer(
      handle,
      { _, action, first, _, _, inner in
        guard inner == nil else { return SQLITE_DENY }
        switch action {
        case SQLITE_SELECT, SQLITE_READ: return SQLITE_OK
        case SQLITE_PRAGMA:
          let name = first.map { String(cString: $0) }
          return name == "table_xinfo" || name == "user_version" ? SQLITE_OK : SQLITE_DENY
        default: return SQLITE_DENY
        }
      }, nil)
  }

  deinit { close() }

  private var closed = false
  private func close() {
    guard !closed else { return }
    closed = true
    interrupter.detach()
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs several statements that take no values.
  package func script(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, sql) }
  }

  package func run(_ sql: String, _ values: (any Bindable)...) throws { try run(sql, values) }

  package func run(_ sql: String, _ values: [any Bindable]) throws {
    try each(sql, values) { _ in }
  }

  /// One value per row.
  package func rows<Element>(
    _ sql: String, _ values: (any Bindable)..., as read: (Row) throws -> Element
  ) throws -> [Element] {
    var found: [Element] = []
    try each(sql, values) { found.append(try read($0)) }
    return found
  }

  package func first<Element>(
    _ sql: String, _ values: (any Bindable)..., as read: (Row) throws -> Element
  ) throws -> Element? {
    var found: Element?
    try each(sql, values) { if found == nil { found = try read($0) } }
    return found
  }

  package func each(_ sql: String, _ values: [any Bindable], _ body: (Row) throws -> Void) throws {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { try bind(value.value, to: Int32(index + 1), of: statement, sql) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code, sql) }
      try body(Row(statement: statement))
    }
  }

  package var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// All of `body` or nothing of it. Immediate: it waits for the one writer at its start and never half way.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try script("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try script("COMMIT")
      return result
    } catch {
      // SQLite has already rolled back by itself after some failures (a full disk, an interrupt).
      if sqlite3_get_autocommit(handle) == 0 { try script("ROLLBACK") }
      throw error
    }
  }

  /// Several reads of one state, undisturbed by commits in between.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try script("BEGIN")
    defer { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    return try body()
  }

  /// Copies the whole database into `target`, consistent whatever else happens meanwhile.
  package func copy(to target: Connection) throws {
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(sqlite3_errcode(target.handle), "backup")
    }
    let stepped = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard stepped == SQLITE_DONE, finished == SQLITE_OK else { throw target.failure(finished, "backup") }
  }

  /// Moves the log into the database and empties it. False while a reader still holds the log.
  package func truncateLog() throws -> Bool {
    try first("PRAGMA wal_checkpoint(TRUNCATE)", as: { $0.int(0) }) == 0
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let cached = statements[sql] { return cached }
    if statements.count >= 200 {
      for (sql, statement) in statements where sqlite3_stmt_busy(statement) == 0 {
        sqlite3_finalize(statement)
        statements[sql] = nil
      }
    }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard let prepared, code == SQLITE_OK else { throw failure(code, sql) }
    statements[sql] = prepared
    return prepared
  }

  private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer, _ sql: String) throws {
    // SQLITE_TRANSIENT, a C macro that Swift does not import: SQLite copies the bytes before the call returns.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code =
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, number)
      case .real(let number): sqlite3_bind_double(statement, index, number)
      case .text(let text):
        // With its length: a text may contain a zero byte.
        text.withCString { sqlite3_bind_text(statement, index, $0, Int32(text.utf8.count), transient) }
      case .blob(let data):
        data.withUnsafeBytes {
          $0.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob(statement, index, $0.baseAddress, Int32($0.count), transient)
        }
      }
    guard code == SQLITE_OK else { throw failure(code, sql) }
  }

  private func failure(_ code: Int32, _ sql: String) -> any Error {
    // SQLite has one code for a full disk, and others for finding no room for its log's index or its companions.
    if [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff), DiskFull.isMeant(by: sqlite3_system_errno(handle)) {
      return StorageError.full
    }
    return switch code & 0xff {
    case SQLITE_INTERRUPT: CancellationError()
    case SQLITE_BUSY, SQLITE_LOCKED: StorageError.busy
    case SQLITE_FULL: StorageError.full
    case SQLITE_CORRUPT, SQLITE_NOTADB: StorageError.corrupt(String(cString: sqlite3_errmsg(handle)))
    default:
      StorageError.sqlite(code: code, message: String(cString: sqlite3_errmsg(handle)), statement: sql)
    }
  }
}
