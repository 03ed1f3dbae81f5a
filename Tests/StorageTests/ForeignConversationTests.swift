import Core
import Foundation
import Testing

@testable import Storage

@Suite("Conversations from elsewhere, and very long ones")
struct ForeignConversationTests {
  private func message(
    _ id: String, after parent: String? = nil, hash: String? = nil, bytes: Int = 3
  ) -> [String: Any] {
    var message: [String: Any] = [
      "id": id, "conversation": "c", "role": "user", "text": "text of \(id)", "created": "2026-01-01T00:00:00Z",
      "attachments": hash.map { [["name": "a", "hash": $0, "kind": "text", "bytes": bytes] as [String: Any]] } ?? [],
    ]
    message["parent"] = parent
    return message
  }

  private func archive(_ messages: [[String: Any]], attachments: [String: String] = [:]) throws -> ConversationArchive {
    let conversation: [String: Any] = [
      "id": "c", "title": "T", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z", "messages": 0,
      "leaf": messages.last?["id"] ?? "",
    ]
    let object: [String: Any] = [
      "format": 1, "attachments": attachments,
      "conversations": [["conversation": conversation, "messages": messages] as [String: Any]],
    ]
    return try ConversationArchive(json: JSONSerialization.data(withJSONObject: object))
  }

  @Test(
    "A hash that is no hash is refused wherever it stands, and no file is read for it",
    arguments: [
      "../../outside", "/etc/passwd", "", "..", String(repeating: "A", count: 64), String(repeating: "a", count: 63),
      String(repeating: "a", count: 61) + "/..", String(repeating: "a", count: 64) + "\n",
      String(repeating: "٠", count: 64), String(repeating: "a", count: 63) + "\0",
    ])
  func hashes(hash: String) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try Data("secret".utf8).write(to: rig.folders.data.appending(path: "outside"))
    await #expect(throws: StorageError.notAHash) {
      try await vault.conversations.add(archive([message("a", hash: hash)]))
    }
    #expect(try await vault.conversations.list().isEmpty)
    #expect(throws: StorageError.notAHash) { try vault.blobs.url(hash) }
    #expect(throws: StorageError.notAHash) { _ = try vault.blobs.remove([hash]) }
    #expect(!vault.blobs.contains(hash))

    // One that is stored all the same is not handed out by an export.
    let conversation = try await vault.conversations.create(title: "x")
    try await vault.conversations.append(
      to: conversation.id, role: "user", text: "x",
      attachments: [Attachment(name: "a", hash: hash, kind: "text", bytes: 6)])
    let made = try await vault.conversations.archive()
    #expect(made.attachments.isEmpty)
    try await vault.conversations.remove([conversation.id])
    #expect(FileManager.default.fileExists(atPath: rig.folders.data.appending(path: "outside").path))
  }

  @Test("Messages that go in a circle, follow later ones, nobody, or share a name are refused and change nothing")
  func circles() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let wrong: [[[String: Any]]] = [
      [message("a", after: "a")],
      [message("a", after: "b"), message("b", after: "a")],
      [message("a", after: "b"), message("b")],
      [message("a"), message("b", after: "nobody")],
      [message("a"), message("a")],
      [message("a", hash: String(repeating: "a", count: 64), bytes: .max)],
      [message("a", hash: String(repeating: "a", count: 64), bytes: -1)],
    ]
    for messages in wrong {
      await #expect(throws: StorageError.self) { try await vault.conversations.add(archive(messages)) }
    }
    #expect(try await vault.conversations.list().isEmpty)
    #expect(try await vault.integrityFindings() == [])
  }

  @Test("The vault itself takes no message that does not follow an earlier one of its conversation")
  func kept() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for id in ["one", "two"] { _ = try await vault.conversations.create(title: id, id: id) }
    func insert(_ id: String, _ parent: String?, _ conversation: String = "one") async throws {
      try await vault.conversations.change { db in
        try db.run(
          "INSERT INTO messages (id, conversation, parent, role, text, created) VALUES (?, ?, ?, 'user', 'x', 0)", id,
          conversation, parent)
      }
    }
    try await insert("a", nil)
    try await insert("b", "a")
    await #expect(throws: StorageError.self) { try await insert("c", "c") }
    await #expect(throws: StorageError.self) { try await insert("c", "b", "two") }
    for change in ["parent = 'b' WHERE id = 'a'", "parent = 'a' WHERE id = 'a'", "number = 0 WHERE id = 'b'"] {
      await #expect(throws: StorageError.self) {
        try await vault.conversations.change { try $0.run("UPDATE messages SET \(change)") }
      }
    }
    #expect(try await vault.conversations.all("one").map(\.id) == ["a", "b"])
  }

  @Test("A vault that holds circles opens, keeps every message, and has no circle any more")
  func healed() async throws {
    let rig = Rig()
    do {
      let old = try Vault(rig.folders, migrations: Array(Schema.migrations.prefix(2)))
      try await old.write { db in
        try db.script(
          """
          INSERT INTO conversations VALUES ('x', 'X', NULL, 'own', 0, 0), ('y', 'Y', NULL, 'y1', 0, 0);
          PRAGMA defer_foreign_keys = ON;
          INSERT INTO messages (number, id, conversation, parent, role, text, created) VALUES
            (1, 'own', 'x', 'own', 'user', 'own', 0), (2, 'a', 'x', 'b', 'user', 'first', 0),
            (3, 'b', 'x', 'a', 'assistant', 'second', 0), (4, 'y1', 'y', 'a', 'user', 'foreign', 0),
            (9, 'gone', 'y', NULL, 'user', 'gone', 0);
          DELETE FROM messages WHERE number = 9;
          """)
      }
    }
    let vault = try rig.vault()
    #expect(try await vault.conversations.all("x").map(\.parent) == [nil, nil, "a"])
    #expect(try await vault.conversations.all("y").map(\.parent) == [nil])
    #expect(try await vault.conversations.shown("x").map(\.id) == ["own"])
    try await vault.conversations.show("a")
    #expect(try await vault.conversations.shown("x").map(\.id) == ["a", "b"])
    #expect(try await vault.conversations.search("second").map(\.message) == ["b"])
    // The number of a message is never used again.
    try await vault.conversations.append(to: "y", role: "user", text: "next")
    #expect(
      try await vault.read { db in
        try db.first("SELECT max(number) FROM messages", as: { $0.int(0) })
      } == 10)
    #expect(try await vault.integrityFindings() == [])
    try await vault.conversations.remove(["x", "y"])
    #expect(try await vault.conversations.list().isEmpty)
  }

  @Test("Names of ours are kept where they are free; others only tell who follows whom")
  func names() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let added = try await vault.conversations.add(archive([message("../a"), message("b", after: "../a")]))
    let messages = try await vault.conversations.all(added[0])
    #expect(UUID(uuidString: added[0]) != nil && messages.allSatisfy { UUID(uuidString: $0.id) != nil })
    #expect(messages.map(\.parent) == [nil, messages[0].id])
    #expect(try await vault.conversations.shown(added[0]).count == 2)
  }

  @Test(
    "Whatever signs end the lines of a message, an export as Markdown holds it whole",
    arguments: ["a\r", "\r", "a\r\n", "a\r\n<!-- libera end -->\r\nb", "\r\n\r", "\u{2028}\u{301}", ""])
  func lineEnds(text: String) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let conversation = try await vault.conversations.create(title: "x")
    try await vault.conversations.append(to: conversation.id, role: "user", text: text)
    try await vault.conversations.append(to: conversation.id, role: "assistant", text: "after it")
    let archive = try await vault.conversations.archive()
    let back = try ConversationArchive(markdown: archive.markdown())
    #expect(back.conversations[0].messages.map { Array($0.text.utf8) } == [Array(text.utf8), Array("after it".utf8)])
  }

  @Test("Depth without end is refused as no export, in either form", arguments: ["[", "{\"a\":"])
  func depth(opening: String) throws {
    let deep = String(repeating: opening, count: 100_000)
    #expect(throws: StorageError.self) { try ConversationArchive(json: Data(deep.utf8)) }
    #expect(throws: StorageError.self) { try ConversationArchive(json: Data("{\"conversations\":\(deep)".utf8)) }
    #expect(throws: StorageError.self) { try ConversationArchive(markdown: "<!-- libera message \(deep) -->") }
    #expect(throws: StorageError.self) { try ConversationArchive(markdown: "<!-- libera conversation \(deep) -->") }
  }

  @Test(
    "Everything can be done with a conversation however long, deleting it too", arguments: [500, 50_000])
  func long(questions: Int) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let shelf = vault.conversations
    let id = try await Self.fill(vault, questions: questions)
    #expect(try await shelf.get(id).messages == 2 * questions)
    #expect(try await shelf.search("number\(questions - 1)").map(\.conversation).contains(id))
    try await shelf.rename(id, title: "Endless")
    let first = try await shelf.all(id)[0].id
    try await shelf.append(to: id, after: .root, role: "user", text: "Another beginning")
    #expect(try await shelf.shown(id).count == 1)
    try await shelf.show(first)
    #expect(try await shelf.shown(id).count == 2 * questions)
    let archive = try await shelf.archive([id])
    let back = try ConversationArchive(json: archive.json())
    try await shelf.remove([id])
    #expect(try await shelf.list().isEmpty)
    let again = try await shelf.add(back)
    #expect(again == [id])
    #expect(try await shelf.all(id).count == 2 * questions + 1)
    #expect(try await shelf.add(back) != [id])
    try await vault.destroy(.conversations)
    #expect(try await shelf.list().isEmpty)
    #expect(try await vault.integrityFindings() == [])
  }

  /// A conversation of so many questions and answers, one after the other.
  static func fill(_ vault: Vault, questions: Int) async throws -> String {
    let id = try await vault.conversations.create(title: "Long").id
    try await vault.conversations.change { db in
      var parent: String?
      for number in 0..<2 * questions {
        let message = UUID().uuidString.lowercased()
        try ConversationShelf.insert(
          message, id, parent: parent, role: number % 2 == 0 ? "user" : "assistant", text: "number\(number / 2) said",
          record: nil, created: Date(timeIntervalSince1970: 0), [], db)
        parent = message
      }
      try db.run("UPDATE conversations SET leaf = ? WHERE id = ?", parent, id)
    }
    return id
  }
}
