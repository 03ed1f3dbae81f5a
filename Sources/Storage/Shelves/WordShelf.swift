/// The word indexes over all chunks, or over those of a part.
package struct WordShelf: Sendable {
  let vault: Vault
  var parts = Part.allCases

  /// The library's chunks, and those of what is attached to conversations: each with indexes of their own, so that what stands in the
  /// one weighs in nothing that is told of the other.
  package enum Part: String, Sendable, CaseIterable {
    case library = ""
    case attached = "attached_"
    var words: String { rawValue + "words" }
    var names: String { rawValue + "names" }
    var terms: String { rawValue + "names_terms" }
  }

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
      for part in parts {
        let sql = documents == nil ? Self.everywhere(part) : Self.withinDocuments(part)
        let within = documents.map { [Self.list($0)] } ?? []
        try db.each(sql, [headingWeight, expression] + within + [limit]) {
          found.append(Match(chunk: $0.int64(0), score: -$0.double(1)))
        }
      }
      return Array(found.sorted { ($1.score, $0.chunk) < ($0.score, $1.chunk) }.prefix(limit))
    }
  }

  private static func everywhere(_ part: Part) -> String {
    "SELECT rowid, bm25(\(part.words), ?, 1.0) AS badness FROM \(part.words) WHERE \(part.words) MATCH ?"
      + " ORDER BY badness, rowid LIMIT ?"
  }

  /// The documents come as JSON: one statement however many they are. Without the plus SQLite would ask the word index once for
  /// each of their chunks, which takes hundreds of times as long.
  static func withinDocuments(_ part: Part) -> String {
    "SELECT rowid, bm25(\(part.words), ?, 1.0) AS badness FROM \(part.words) WHERE \(part.words) MATCH ? AND +rowid IN"
      + " (SELECT k.id FROM chunks k WHERE k.document IN (SELECT value FROM json_each(?)))"
      + " ORDER BY badness, rowid LIMIT ?"
  }

  /// The chunks that hold an identifier, number or address in one piece; none of a part where it stands in more than `limit`.
  package func holding(name: String, limit: Int, documents: Set<Int64>? = nil) async throws -> [Int64] {
    let pieces = Self.pieces(of: name)
    guard !pieces.isEmpty else { return [] }
    return try await vault.read { db in
      let all = pieces.map { "\"\($0)\"" }.joined(separator: " AND ")
      let found = try parts.flatMap { part in
        let here = try db.rows(
          "SELECT rowid FROM \(part.names) WHERE \(part.names) MATCH ? LIMIT ?", all, limit + 1, as: { $0.int64(0) })
        return here.count > limit ? [] : here
      }
      guard let documents else { return found }
      return try found.filter { chunk in
        let document = try db.first("SELECT document FROM chunks WHERE id = ?", chunk, as: { $0.int64(0) })
        return document.map(documents.contains) ?? false
      }
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
        let found = try parts.map {
          try db.first("SELECT doc FROM \($0.terms) WHERE term = ?", word, as: { $0.int(0) }) ?? 0
        }
        counted.append((word, found.reduce(0, +)))
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
      let quoted = Self.quoted(word)
      // Mostly one of the first is among them, so no list of them all is made for each word.
      do {
        for part in parts {
          try db.each(Self.whereItStands(part), [quoted]) {
            if documents?.contains($0.int64(0)) ?? true { throw Stands() }
          }
        }
        return false
      } catch is Stands { return true }
    }
  }

  private struct Stands: Error {}
  private static func whereItStands(_ part: Part) -> String {
    "SELECT k.document FROM \(part.words) JOIN chunks k ON k.id = \(part.words).rowid WHERE \(part.words) MATCH ?"
  }

  private static func quoted(_ word: String) -> String { "\"" + word.replacing("\"", with: "\"\"") + "\"" }

  private static func list(_ documents: Set<Int64>) -> String {
    "[" + documents.sorted().map(String.init).joined(separator: ",") + "]"
  }

  /// In how many chunks a word stands, in any form of it.
  package func frequency(of word: String) async throws -> Int {
    try await vault.read { db in
      try parts.reduce(0) { sum, part in
        let found = try db.first(
          "SELECT count(*) FROM \(part.words) WHERE \(part.words) MATCH ?", Self.quoted(word), as: { $0.int(0) })
        return sum + (found ?? 0)
      }
    }
  }

  /// How many chunks there are.
  package func count() async throws -> Int {
    try await vault.read { db in
      try parts.reduce(0) { sum, part in
        sum + (try db.first("SELECT count(*) FROM \(part.words)_docsize", as: { $0.int(0) }) ?? 0)
      }
    }
  }

  /// Words that begin with `prefix`, with the number of chunks they stand in; none where they are more than `most`: what strangers
  /// write may hold millions, and each would be compared.
  package func vocabulary(prefix: String, most: Int = 400_000) async throws -> [(word: String, chunks: Int)] {
    try await vault.read { db in
      let found = try parts.flatMap { part in
        try db.rows(
          "SELECT term, doc FROM \(part.terms) WHERE term >= ? AND term < ? LIMIT ?", prefix, prefix + "\u{10FFFF}",
          most + 1
        ) { ($0.text(0), $0.int(1)) }
      }
      guard found.count <= most else { return [] }
      return Dictionary(found, uniquingKeysWith: +).map { ($0.key, $0.value) }
    }
  }
}

extension Vault {
  package var words: WordShelf { WordShelf(vault: self) }
  package func words(of parts: [WordShelf.Part]) -> WordShelf { WordShelf(vault: self, parts: parts) }
}
