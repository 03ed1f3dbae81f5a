import Core
import Foundation

/// Whether every value of a vault made of foreign rows is one that the program calculates and makes paths with.
struct RestoredRows {
  private let db: Connection

  init(_ db: Connection) { self.db = db }

  /// Above these no number of ours will ever be, and the next one can still be counted up.
  static func largest(_ table: String) -> Int64 { table == "documents" ? 1 << 31 : 1 << 48 }

  func check() throws {
    if let table = try db.first("PRAGMA foreign_key_check", as: { $0.text(0) }) {
      throw StorageError.damagedBackup("a row of \(table) refers to nothing")
    }
    for (table, wrong) in Self.wrong {
      let found = try db.first("SELECT 1 FROM \(table) WHERE \(wrong) LIMIT 1", as: { _ in true })
      if found == true {
        throw StorageError.damagedBackup("a value of its \(table.prefix { $0 != " " }) makes no sense")
      }
    }
    try checkPages()
    try checkVectors()
    for table in ["documents", "conversations"] { try cutTitles(of: table) }
    // A branch that cannot be shown: the conversation then begins at its top.
    try db.run(
      "UPDATE conversations SET leaf = NULL WHERE leaf NOT IN (SELECT id FROM messages WHERE conversation = conversations.id)"
    )
  }

  private static func outside(_ columns: String..., above most: Int64) -> String {
    // Nothing where the column is empty: that is for the schema to allow.
    columns.map { "\($0) < 0 OR \($0) > \(most)" }.joined(separator: " OR ")
  }

  private static func noHash(_ column: String, digits: Int = 64) -> String {
    // Counted twice: as text it would end at a zero byte.
    "length(\(column)) <> \(digits) OR length(CAST(\(column) AS BLOB)) <> \(digits) OR \(column) GLOB '*[^0-9a-f]*'"
  }

  private static func noName(_ column: String) -> String {
    "length(\(column)) <> length(CAST(\(column) AS BLOB)) OR length(\(column)) NOT BETWEEN 1 AND 64 OR \(column) GLOB '*[^0-9A-Za-z-]*'"
  }

  private static let noDate = "abs(created) > 1e11"
  private static let most: Int64 = 1 << 40

  private static let wrong: [(table: String, condition: String)] = [
    ("collections", "id < 1 OR id > \(most) OR \(noDate) OR length(CAST(name AS BLOB)) > \(Attached.longestName)"),
    ("documents", "id < 1 OR " + outside("id", above: largest("documents"))),
    ("documents", outside("pages", "pages_done", "bytes", "text_bytes", above: most)),
    ("documents", "\(noDate) OR abs(updated) > 1e11 OR \(noHash("hash")) OR \(noHash("original"))"),
    ("documents", "\(noHash("message", digits: MailPlace.digits)) OR \(noHash("thread", digits: MailPlace.digits))"),
    ("documents", "sent NOT BETWEEN \(MailPlace.times.lowerBound) AND \(MailPlace.times.upperBound)"),
    ("pages", outside("number", "start", above: most) + " OR " + outside("width", "height", above: 1_000_000)),
    ("chunks", "id < 1 OR " + outside("id", above: largest("chunks"))),
    ("chunks", outside("ordinal", "tokens", "page_from", "page_to", "start", "end", above: most)),
    ("chunks", "start > end OR page_from > page_to OR (page_from IS NULL) <> (page_to IS NULL)"),
    ("embedders", "id < 1 OR dimensions < 1 OR " + outside("id", above: most) + " OR dimensions > 65536"),
    (
      "vectors v JOIN embedders e ON e.id = v.embedder", "length(v.data) <> 4 + 2 * e.dimensions"
    ),
    ("conversations", "\(noName("id")) OR \(noDate) OR abs(updated) > 1e11"),
    ("conversations", "length(folder) NOT BETWEEN 1 AND \(StoredConversation.longestFolder)"),
    ("messages", "\(noName("id")) OR \(noDate) OR number < 1 OR " + outside("number", above: largest("messages"))),
    ("attachments", "\(noHash("hash")) OR " + outside("bytes", above: Int64(Attachment.most))),
    ("attachments", outside("position", above: most)),
  ]

  /// Between two pages lies a line break or two; a text is never filled up by more.
  private func checkPages() throws {
    let found = try db.first(
      """
      SELECT 1 FROM (
        SELECT document, start, start + length(CAST(text AS BLOB)) AS until,
          lag(start + length(CAST(text AS BLOB)), 1, 0) OVER (PARTITION BY document ORDER BY start, number) AS before
        FROM pages) JOIN documents d ON d.id = document
      WHERE start < before OR start > before + 4096 OR until > d.text_bytes LIMIT 1
      """, as: { _ in true })
    if found == true { throw StorageError.damagedBackup("the pages of a document do not follow each other") }
  }

  /// A title stands beside everything that is found, or where all are listed, and is no longer than one that was given here.
  private func cutTitles(of table: String) throws {
    var cut: [(row: Int64, title: String)] = []
    let most = StoredConversation.longestTitle
    try db.each("SELECT rowid, title FROM \(table) WHERE length(CAST(title AS BLOB)) > ?", [most]) {
      cut.append(($0.int64(0), $0.text(1).letters(most)))
    }
    for (row, title) in cut { try db.run("UPDATE \(table) SET title = ? WHERE rowid = ?", title, row) }
  }

  private func checkVectors() throws {
    try db.each("SELECT substr(data, 1, 4) FROM vectors", []) { row in
      let scale = row.withBytes(0) { Float(bitPattern: UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
      guard scale.isFinite, abs(scale) < 1e6 else {
        throw StorageError.damagedBackup("a value of its vectors makes no sense")
      }
    }
  }
}
