import Foundation

/// Conversations: trees of messages of which one branch is shown at a time.
package struct ConversationShelf: Sendable {
  let vault: Vault

  /// `beginner`: the program that begins it, where it is none of the person's own.
  package func create(
    title: String, collection: String? = nil, id: String = UUID().uuidString.lowercased(), beginner: String? = nil
  ) async throws -> StoredConversation {
    try await change { db in
      try db.run(
        "INSERT INTO conversations (id, title, collection, beginner, created, updated) VALUES (?, ?, ?, ?, ?5, ?5)",
        id, StoredConversation.title(title), collection, beginner, Date())
    }
    return try await get(id)
  }

  package func get(_ id: String) async throws -> StoredConversation {
    try await vault.read { try Self.conversation(id, $0) }
  }

  package func contains(_ id: String) async throws -> Bool {
    try await vault.read { db in
      try db.first("SELECT 1 FROM conversations WHERE id = ?", id, as: { _ in true }) ?? false
    }
  }

  package func isBegun(_ id: String, by beginner: String) async throws -> Bool {
    try await vault.read { db in
      let begun = "SELECT 1 FROM conversations WHERE id = ? AND beginner = ?"
      return try db.first(begun, id, beginner, as: { _ in true }) ?? false
    }
  }

  /// Somebody speaks there, or puts a file there: unless it is who began it, it is no program's own from now on.
  package func join(_ id: String, as party: String) async throws {
    try await change { db in
      try db.run("UPDATE conversations SET beginner = NULL WHERE id = ? AND beginner <> ?", id, party)
    }
  }

  /// The latest first.
  package func list(limit: Int = Int.max) async throws -> [StoredConversation] {
    try await vault.read { db in
      try db.rows(
        "SELECT \(StoredConversation.columns) FROM conversations c ORDER BY c.updated DESC, c.id LIMIT ?", limit,
        as: StoredConversation.init)
    }
  }

  package func rename(_ id: String, title: String) async throws {
    try await change { db in
      _ = try Self.conversation(id, db)
      try db.run("UPDATE conversations SET title = ? WHERE id = ?", StoredConversation.title(title), id)
    }
  }

  /// nil takes them out of the folders they are in.
  package func move(_ ids: [String], to folder: String?) async throws {
    let folder = StoredConversation.folder(folder)
    try await change { db in
      for id in ids {
        _ = try Self.conversation(id, db)
        try db.run("UPDATE conversations SET folder = ? WHERE id = ?", folder, id)
      }
    }
  }

  /// Adds a message after `parent`, by default at the end of the branch that is shown, and shows it. Another message with the
  /// same parent is a new branch; `.root` begins one at the very top.
  @discardableResult
  package func append(
    to conversation: String, after parent: Parent = .leaf, role: String, text: String, record: String? = nil,
    attachments: [Attachment] = []
  ) async throws -> StoredMessage {
    try await change { db in
      let leaf = try Self.conversation(conversation, db).leaf
      let parent =
        switch parent {
        case .leaf: leaf
        case .root: String?.none
        case .message(let id): id
        }
      if let parent, try Self.message(parent, db).conversation != conversation {
        throw StorageError.invalid("The message “\(parent)” belongs to another conversation.")
      }
      let id = UUID().uuidString.lowercased()
      try Self.insert(
        id, conversation, parent: parent, role: role, text: text, record: record, created: Date(), attachments, db)
      try db.run("UPDATE conversations SET leaf = ?, updated = ? WHERE id = ?", id, Date(), conversation)
      return try Self.message(id, db)
    }
  }

  package enum Parent: Sendable, Equatable {
    case leaf, root
    case message(String)
  }

  /// Every message of every branch, in the order they were written.
  package func all(_ conversation: String) async throws -> [StoredMessage] {
    try await vault.read { try Self.messages(of: conversation, $0) }
  }

  /// Shows the branch through `message`, to its latest end.
  package func show(_ message: String) async throws {
    try await change { db in
      let start = try Self.message(message, db)
      var leaf = message
      // Whoever follows has the larger number, so this ends.
      while let next = try db.first(
        "SELECT id FROM messages WHERE parent = ?1 AND number > (SELECT number FROM messages WHERE id = ?1)"
          + " ORDER BY number DESC LIMIT 1", leaf, as: { $0.text(0) })
      { leaf = next }
      try db.run("UPDATE conversations SET leaf = ? WHERE id = ?", leaf, start.conversation)
    }
  }

  package struct Hit: Sendable, Equatable, Codable {
    package var conversation: String
    package var title: String
    package var message: String
    /// Around the words that were found, with them between ‹ and ›.
    package var excerpt: String
  }

  /// Finds conversations by what was said in them or by their title; any of the words, the best first.
  package func search(_ text: String, limit: Int = 50) async throws -> [Hit] {
    let words = text.split { !($0.isLetter || $0.isNumber) }.prefix(32)
    guard !words.isEmpty else { return [] }
    // The last word may be unfinished: search goes on while it is typed.
    let expression = words.map { "\"\($0)\"" }.joined(separator: " OR ") + "*"
    return try await vault.read { db in
      var hits = try db.rows(
        "SELECT c.id, c.title, m.id, snippet(message_words, 0, '‹', '›', '…', 24) FROM message_words"
          + " JOIN messages m ON m.number = message_words.rowid JOIN conversations c ON c.id = m.conversation"
          + " WHERE message_words MATCH ? ORDER BY bm25(message_words) LIMIT ?", expression, limit
      ) { Hit(conversation: $0.text(0), title: $0.text(1), message: $0.text(2), excerpt: $0.text(3)) }
      let titled = try db.rows(
        "SELECT id, title, leaf FROM conversations WHERE title LIKE ? ESCAPE '\\' ORDER BY updated DESC LIMIT ?",
        "%" + text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%", limit
      ) { Hit(conversation: $0.text(0), title: $0.text(1), message: $0.text(2), excerpt: $0.text(1)) }
      hits.insert(contentsOf: titled.filter { hit in !hits.contains { $0.conversation == hit.conversation } }, at: 0)
      return Array(hits.prefix(limit))
    }
  }

  /// Removes conversations with what is attached to them, and returns when nothing of them is left in the files.
  package func remove(_ ids: [String]) async throws {
    try await vault.write { db in
      for id in ids {
        _ = try Self.conversation(id, db)
        try db.run("DELETE FROM conversations WHERE id = ?", id)
        try db.run("DELETE FROM collections WHERE name = ?", Attached.collection(of: id))
      }
      try Vault.owePurge(db)
    }
    try await vault.purge()
  }

  // MARK: Steps inside a transaction

  /// Does not touch the documents, so searches stay in their cache.
  func change<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async throws -> Result {
    try await vault.write(touchingDocuments: false, body)
  }

  static func conversation(_ id: String, _ db: Connection) throws -> StoredConversation {
    let found = try db.first(
      "SELECT \(StoredConversation.columns) FROM conversations c WHERE c.id = ?", id, as: StoredConversation.init)
    guard let found else { throw StorageError.missing(kind: "conversation", id: id) }
    return found
  }

  static func message(_ id: String, _ db: Connection) throws -> StoredMessage {
    let found = try db.first(
      "SELECT \(StoredMessage.columns) FROM messages m WHERE m.id = ?", id, as: StoredMessage.init)
    guard var found else { throw StorageError.missing(kind: "message", id: id) }
    found.attachments = try attachments(of: id, db)
    return found
  }

  static func messages(of conversation: String, _ db: Connection) throws -> [StoredMessage] {
    _ = try Self.conversation(conversation, db)
    var messages = try db.rows(
      "SELECT \(StoredMessage.columns) FROM messages m WHERE conversation = ? ORDER BY number", conversation,
      as: StoredMessage.init)
    var attached: [String: [Attachment]] = [:]
    try db.each(
      "SELECT a.name, a.hash, a.kind, a.bytes, a.message FROM messages m JOIN attachments a ON a.message = m.id"
        + " WHERE m.conversation = ? ORDER BY a.message, a.position", [conversation]
    ) { attached[$0.text(4), default: []].append(Attachment($0)) }
    guard !attached.isEmpty else { return messages }
    for index in messages.indices { messages[index].attachments = attached[messages[index].id] ?? [] }
    return messages
  }

  private static func attachments(of message: String, _ db: Connection) throws -> [Attachment] {
    try db.rows(
      "SELECT name, hash, kind, bytes FROM attachments WHERE message = ? ORDER BY position", message,
      as: Attachment.init)
  }

  static func insert(
    _ id: String, _ conversation: String, parent: String?, role: String, text: String, record: String?, created: Date,
    _ attachments: [Attachment], _ db: Connection
  ) throws {
    try db.run(
      "INSERT INTO messages (id, conversation, parent, role, text, record, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id, conversation, parent, role, text, record, created)
    for (position, attachment) in attachments.enumerated() {
      try db.run(
        "INSERT INTO attachments (message, position, name, hash, kind, bytes) VALUES (?, ?, ?, ?, ?, ?)",
        id, position, attachment.name, attachment.hash, attachment.kind, attachment.bytes)
    }
  }
}

extension Vault {
  package var conversations: ConversationShelf { ConversationShelf(vault: self) }
}
