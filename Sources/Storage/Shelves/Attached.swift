/// Files that were attached to a conversation: a collection of its own, which no library shows and which goes with it.
package enum Attached {
  private static let prefix = "attached:"

  package static func collection(of conversation: String) -> String { prefix + conversation }

  /// The conversation that a collection of this kind belongs to.
  package static func conversation(of collection: String) -> String? {
    isCollection(collection) ? String(collection.dropFirst(prefix.count)) : nil
  }

  package static func isCollection(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// No collection has a longer name: it stands with each of its documents.
  static let longestName = 1000

  package static func isBearable(_ name: String) -> Bool { name.utf8.count <= longestName }

  /// A collection of the library, which cannot be called like one of these.
  package static func library(_ name: String) throws -> String {
    guard !isCollection(name), isBearable(name) else {
      throw StorageError.invalid("A collection cannot be called “\(name.prefix(100))”.")
    }
    return name
  }

  // GLOB sees capitals, as `isCollection` does: what a person has called “Attached: …” is the library's.

  /// SQL that holds for collections whose conversation is gone.
  static let isLeft =
    "name GLOB '\(prefix)*' AND substr(name, \(prefix.count + 1)) NOT IN (SELECT id FROM conversations)"

  /// SQL that holds for the collections of the library.
  static func isNot(_ column: String) -> String { "\(column) NOT GLOB '\(prefix)*'" }
}

extension DocumentShelf {
  /// Whether anything is attached to a conversation.
  package func hasAttached(to conversation: String) async throws -> Bool {
    try await vault.read { db in
      try db.first(
        "SELECT 1 FROM documents d JOIN collections c ON c.id = d.collection WHERE c.name = ? LIMIT 1",
        Attached.collection(of: conversation), as: { _ in true }) ?? false
    }
  }

  package func attachedCount() async throws -> Int {
    try await vault.read { db in
      try db.first(
        "SELECT count(*) FROM documents d JOIN collections c ON c.id = d.collection WHERE NOT \(Attached.isNot("c.name"))",
        as: { $0.int(0) }) ?? 0
    }
  }

  /// The library's documents where there are others too; nil where it is all there is.
  package func library() async throws -> Set<Int64>? {
    try await vault.read { db in
      guard
        try db.first("SELECT 1 FROM collections WHERE NOT \(Attached.isNot("name")) LIMIT 1", as: { _ in true }) == true
      else { return nil }
      return Set(
        try db.rows(
          "SELECT d.id FROM documents d JOIN collections c ON c.id = d.collection WHERE \(Attached.isNot("c.name"))",
          as: { $0.int64(0) }))
    }
  }
}
