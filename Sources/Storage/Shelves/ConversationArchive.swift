import Core
package import Foundation

/// Conversations outside the vault, complete: every branch, record and attachment.
package struct ConversationArchive: Codable, Sendable, Equatable {
  package struct Entry: Codable, Sendable, Equatable {
    package var conversation: StoredConversation
    package var messages: [StoredMessage]
  }

  /// It is taken in as one piece.
  package static let mostBytes = 256 << 20

  package var format = 1
  package var conversations: [Entry] = []
  /// The bytes of attachments by their hash.
  package var attachments: [String: Data] = [:]

  package func json() throws -> Data { try JSON.encode(self, pretty: true) }

  package init(json: Data) throws {
    do { self = try JSON.decode(Self.self, from: json) } catch is DecodingError {
      throw StorageError.invalid("The file is not an export of conversations, or a part of it is missing.")
    }
    guard format == 1 else { throw StorageError.newerFile(found: format, known: 1) }
  }

  init() {}

  // MARK: Markdown
  // Readable as it is; what Markdown has no words for stands in comments, so that nothing is lost on the way back.

  package func markdown() throws -> String {
    var lines: [String] = []
    for entry in conversations {
      lines += [
        "# \(entry.conversation.title.onOneLine)", "", try Self.comment("conversation", entry.conversation), "",
      ]
      for message in entry.messages {
        var bare = message
        bare.text = ""
        lines += ["## \(message.role.onOneLine)", "", try Self.comment("message", bare)]
        lines += Self.lines(of: message.text).map(Self.guarded)
        lines += ["<!-- libera end -->", ""]
      }
    }
    if !attachments.isEmpty { lines += [try Self.comment("attachments", attachments), ""] }
    return lines.joined(separator: "\n")
  }

  package init(markdown: String) throws {
    /// The lines of the message that is being read: within it no other comment of ours can stand.
    var text: [String]?
    for line in Self.lines(of: markdown) {
      if let lines = text {
        if line == "<!-- libera end -->" {
          let last = conversations.count - 1
          conversations[last].messages[conversations[last].messages.count - 1].text = lines.joined(separator: "\n")
          text = nil
        } else if line.hasPrefix("<!-- libera ") {
          throw StorageError.invalid("A message of the export has no end.")
        } else {
          text?.append(Self.unguarded(line))
        }
      } else if let conversation = try Self.value("conversation", StoredConversation.self, line) {
        conversations.append(Entry(conversation: conversation, messages: []))
      } else if let message = try Self.value("message", StoredMessage.self, line) {
        guard !conversations.isEmpty else { throw StorageError.invalid("A message stands before any conversation.") }
        conversations[conversations.count - 1].messages.append(message)
        text = []
      } else if let found = try Self.value("attachments", [String: Data].self, line) {
        attachments = found
      }
    }
    guard !conversations.isEmpty, text == nil else {
      throw StorageError.invalid("The file is not a complete export of conversations.")
    }
  }

  private static func comment(_ kind: String, _ value: some Encodable) throws -> String {
    // A comment ends at the first "-->", which JSON may write otherwise.
    "<!-- libera \(kind) \(try JSON.line(value).replacing(">", with: "\\u003e")) -->"
  }

  private static func value<Value: Decodable>(_ kind: String, _ type: Value.Type, _ line: String) throws -> Value? {
    let start = "<!-- libera \(kind) "
    guard line.hasPrefix(start), line.hasSuffix(" -->") else { return nil }
    do { return try JSON.decode(type, from: Data(line.dropFirst(start.count).dropLast(4).utf8)) } catch {
      throw StorageError.invalid("A comment of the export was changed and cannot be read: \(error).")
    }
  }

  /// By bytes: to Swift a carriage return and the line end after it are one letter, which is no line end.
  private static func lines(of text: String) -> [String] {
    text.utf8.split(separator: 10, omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// A line of a message that looks like one of our comments gets one backslash more.
  private static func guarded(_ line: String) -> String {
    line.drop { $0 == "\\" }.hasPrefix("<!-- libera ") ? "\\" + line : line
  }

  private static func unguarded(_ line: String) -> String {
    line.hasPrefix("\\") && line.drop { $0 == "\\" }.hasPrefix("<!-- libera ") ? String(line.dropFirst()) : line
  }
}

extension ConversationShelf {
  /// nil: all of them.
  package func archive(_ ids: [String]? = nil) async throws -> ConversationArchive {
    var chosen = ids ?? []
    if ids == nil { chosen = try await list().map(\.id) }
    let wanted = chosen
    let entries = try await vault.read { db in
      try wanted.map { id in
        ConversationArchive.Entry(
          conversation: try Self.conversation(id, db), messages: try Self.messages(of: id, db))
      }
    }
    var archive = ConversationArchive()
    archive.conversations = entries
    for attachment in entries.flatMap(\.messages).flatMap(\.attachments) where vault.blobs.contains(attachment.hash) {
      guard archive.attachments[attachment.hash] == nil else { continue }
      archive.attachments[attachment.hash] = try Data(contentsOf: vault.blobs.url(attachment.hash))
    }
    return archive
  }

  /// Takes in what was exported. A conversation that is still here is left alone and the import becomes a second one.
  @discardableResult
  package func add(_ archive: ConversationArchive) async throws -> [String] {
    try archive.check()
    let attached = Set(archive.conversations.flatMap(\.messages).flatMap(\.attachments).map(\.hash))
    // Nothing refers to them yet: whoever cleans up meanwhile leaves them.
    for hash in attached { vault.blobs.hold(hash) }
    defer { for hash in attached { vault.blobs.release(hash) } }
    if !archive.attachments.isEmpty { try await vault.oweSweep() }
    for (hash, data) in archive.attachments where attached.contains(hash) { try vault.blobs.keep(data) }
    return try await change { db in try archive.conversations.map { try Self.add($0, db) } }
  }

  private static func add(_ entry: ConversationArchive.Entry, _ db: Connection) throws -> String {
    let old = entry.conversation
    func isHere(_ id: String, _ table: String) throws -> Bool {
      try db.first("SELECT 1 FROM \(table) WHERE id = ?", id, as: { _ in true }) ?? false
    }
    let ids = entry.messages.map(\.id)
    // A name of ours is kept where it is free. Anything else that stands in its place is only good for telling who follows whom.
    let keeps =
      try ([old.id] + ids).allSatisfy { UUID(uuidString: $0) != nil } && !isHere(old.id, "conversations")
      && !ids.contains { try isHere($0, "messages") }
    func name(_ id: String) -> String { keeps ? id : UUID().uuidString.lowercased() }
    let names = Dictionary(uniqueKeysWithValues: ids.map { ($0, name($0)) })
    let id = name(old.id)
    try db.run(
      "INSERT INTO conversations (id, title, collection, leaf, created, updated, folder) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id, StoredConversation.title(old.title),
      old.collection.flatMap { Attached.isCollection($0) || !Attached.isBearable($0) ? nil : $0 },
      old.leaf.flatMap { names[$0] },
      old.created, old.updated, StoredConversation.folder(old.folder))
    for message in entry.messages {
      try insert(
        names[message.id] ?? name(message.id), id, parent: message.parent.flatMap { names[$0] }, role: message.role,
        text: message.text, record: message.record, created: message.created, message.attachments, db)
    }
    return id
  }
}

extension ConversationArchive {
  /// What an export of ours cannot hold is refused before anything of it is taken in.
  func check() throws {
    for (hash, data) in attachments where SHA256.of(data) != hash {
      throw StorageError.invalid("An attachment's bytes were changed.")
    }
    for entry in conversations {
      var before: Set<String> = []
      for message in entry.messages {
        if let parent = message.parent, !before.contains(parent) {
          throw StorageError.invalid("A message follows one that does not come before it in its conversation.")
        }
        guard before.insert(message.id).inserted else {
          throw StorageError.invalid("Two messages of a conversation have one name.")
        }
        for attachment in message.attachments {
          guard SHA256.isHash(attachment.hash) else { throw StorageError.notAHash }
          guard (0...Attachment.most).contains(attachment.bytes) else {
            throw StorageError.invalid("An attachment has a size that no file has.")
          }
        }
      }
    }
  }
}
