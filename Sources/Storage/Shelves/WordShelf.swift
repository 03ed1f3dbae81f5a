/// The word indexes over all chunks.
package struct WordShelf: Sendable {
  let vault: Vault

  package struct Match: Sendable, Equatable {
    package var chunk: Int64
    /// BM25, larger is better.
    package var score: Double

    package init(chunk: Int64, score: Double) {
      self.chunk = chunk
      self.score = score
    }
  }

  /// BM25 over every chunk. `expression` is in FTS5's language: only `Retrieval` writes it, never a person.
  package func match(
    _ expression: String, headingWeight: Double, limit: Int, documents: Set<Int64>? = nil
  ) async throws -> [Match] {
    try await vault.read { db in
      var found: [Match] = []
      if let documents {
        try db.each(Self.withinDocuments, [headingWeight, expression, Self.list(documents), limit]) {
          found.append(Match(chunk: $0.int64(0), score: -$0.double(1)))
        }
      } else {
        try db.each(
          "SELECT rowid, bm25(words, ?, 1.0) AS badness FROM words WHERE words MATCH ? ORDER BY badness, rowid LIMIT ?",
          [headingWeight, expression, limit]
        ) { found.append(Match(chunk: $0.int64(0), score: -$0.double(1))) }
      }
      return found
    }
  }

  /// The documents come as JSON: one statement however many they are. Without the plus SQLite would ask the word index once for
  /// each of their chunks, which takes hundreds of times as long.
  static let withinDocuments =
    "SELECT rowid, bm25(words, ?, 1.0) AS badness FROM words WHERE words MATCH ? AND +rowid IN"
    + " (SELECT k.id FROM chunks k WHERE k.document IN (SELECT value FROM json_each(?)))"
    + " ORDER BY badness, rowid LIMIT ?"

  /// The chunks that hold an identifier, number or address in one piece; none if it stands in more than `limit`.
  package func holding(name: String, limit: Int, documents: Set<Int64>? = nil) async throws -> [Int64] {
    let pieces = Self.pieces(of: name)
    guard !pieces.isEmpty else { return [] }
    return try await vault.read { db in
      let all = pieces.map { "\"\($0)\"" }.joined(separator: " AND ")
      var found = try db.rows("SELECT rowid FROM names WHERE names MATCH ? LIMIT ?", all, limit + 1) { $0.int64(0) }
      if found.count > limit { return [] }
      if let documents {
        found = try found.filter { chunk in
          let document = try db.first("SELECT document FROM chunks WHERE id = ?", chunk, as: { $0.int64(0) })
          return document.map(documents.contains) ?? false
        }
      }
      return found
    }
  }

  /// As the index cuts a name ("O'Reilly" is two). It knows no order of words, so several cannot be looked up as one.
  static func pieces(of name: String) -> [String] {
    name.unicodeScalars.split { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber:
        false
      default: !"_-./@#+$§%:".unicodeScalars.contains(scalar)
      }
    }.map(String.init)
  }

  /// Those of the words that can be looked up in bounded time: where a library is so large that common words stand in more
  /// chunks than `most` together, the commonest are left out; they tell least. At least two words stay.
  package func telling(_ words: [String], most: Int = 150_000) async throws -> [String] {
    try await vault.read { db in
      let chunks = try db.first("SELECT coalesce(max(id), 0) FROM chunks", as: { $0.int(0) }) ?? 0
      guard chunks > most / 2, words.count > 2 else { return words }
      var counted: [(word: String, chunks: Int)] = []
      for word in words {
        let found = try db.first("SELECT doc FROM names_terms WHERE term = ?", word, as: { $0.int(0) })
        counted.append((word, found ?? 0))
      }
      counted.sort { $0.chunks < $1.chunks }
      var (sum, kept) = (0, Set<String>())
      for (word, chunks) in counted where kept.count < 2 || sum + chunks <= most {
        kept.insert(word)
        sum += chunks
      }
      return words.filter(kept.contains)
    }
  }

  /// Whether a word stands in one of these documents, in any form of it; nil: in any document.
  package func occurs(_ word: String, in documents: Set<Int64>? = nil) async throws -> Bool {
    try await vault.read { db in
      let quoted = "\"" + word.replacing("\"", with: "\"\"") + "\""
      guard let documents else {
        return try db.first("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", quoted, as: { $0.int(0) }) != nil
      }
      // Mostly one of the first is among them, so no list of them all is made for each word.
      do {
        try db.each(Self.whereItStands, [quoted]) { if documents.contains($0.int64(0)) { throw Stands() } }
        return false
      } catch is Stands { return true }
    }
  }

  private struct Stands: Error {}
  private static let whereItStands =
    "SELECT k.document FROM words JOIN chunks k ON k.id = words.rowid WHERE words MATCH ?"

  private static func list(_ documents: Set<Int64>) -> String {
    "[" + documents.sorted().map(String.init).joined(separator: ",") + "]"
  }

  /// In how many chunks a word stands, in any form of it.
  package func frequency(of word: String) async throws -> Int {
    try await vault.read { db in
      let quoted = "\"" + word.replacing("\"", with: "\"\"") + "\""
      return try db.first("SELECT count(*) FROM words WHERE words MATCH ?", quoted, as: { $0.int(0) }) ?? 0
    }
  }

  /// Words of the vault that begin with `prefix`, with the number of chunks they stand in; none where they are more than `most`: what
  /// strangers write may hold millions, and each would be compared.
  package func vocabulary(prefix: String, most: Int = 400_000) async throws -> [(word: String, chunks: Int)] {
    try await vault.read { db in
      let found = try db.rows(
        "SELECT term, doc FROM names_terms WHERE term >= ? AND term < ? LIMIT ?", prefix, prefix + "\u{10FFFF}",
        most + 1
      ) { ($0.text(0), $0.int(1)) }
      return found.count > most ? [] : found
    }
  }
}

extension Vault {
  package var words: WordShelf { WordShelf(vault: self) }
}
