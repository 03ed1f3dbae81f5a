import Core
import Foundation
import Testing

@testable import Storage

@Suite("Conversations in the vault")
struct ConversationTests {
  /// question, answer; then the answer tried again, and the question edited.
  private func branched(_ vault: Vault) async throws -> (String, [String]) {
    let shelf = vault.conversations
    let conversation = try await shelf.create(title: "Leases")
    let question = try await shelf.append(to: conversation.id, role: "user", text: "What about deposits?")
    let first = try await shelf.append(
      to: conversation.id, role: "assistant", text: "Three months.", record: "{\"pack\":\"small\"}")
    let again = try await shelf.append(
      to: conversation.id, after: .message(question.id), role: "assistant", text: "At most\n<!-- libera end -->\nthree."
    )
    let edited = try await shelf.append(to: conversation.id, after: .root, role: "user", text: "What about notice?")
    return (conversation.id, [question.id, first.id, again.id, edited.id])
  }

  @Test("Editing and trying again make branches, and every branch can be shown")
  func branches() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let (conversation, ids) = try await branched(vault)
    let shelf = vault.conversations
    var shown = try await shelf.shown(conversation)
    #expect(shown.map(\.id) == [ids[3]])
    #expect(try await shelf.alternatives(to: shown[0]) == [ids[0], ids[3]])
    try await shelf.show(ids[0])
    #expect(try await shelf.shown(conversation).map(\.id) == [ids[0], ids[2]])
    try await shelf.show(ids[1])
    shown = try await shelf.shown(conversation)
    #expect(try await shelf.alternatives(to: shown[1]) == [ids[1], ids[2]])
    #expect(try await shelf.all(conversation).count == 4)
  }

  @Test("A conversation is kept in a folder, which goes with it into a backup and an export, until it is taken out")
  func folders() async throws {
    let (here, there) = (Rig(), Rig())
    let vault = try here.vault()
    let shelf = vault.conversations
    let (kept, other) = (try await shelf.create(title: "Kept").id, try await shelf.create(title: "Other").id)
    try await shelf.move([kept], to: "  Home\n and   garden ")
    #expect(try await shelf.get(kept).folder == "Home and garden")
    #expect(try await shelf.get(other).folder == nil)
    let backup = here.folders.data.appending(path: "b.backup")
    try await vault.backUp(to: backup)
    try Restore.restore(backup, into: there.folders, readers: .words)
    #expect(try await there.vault().conversations.get(kept).folder == "Home and garden")
    for archive in [
      try ConversationArchive(json: await shelf.archive([kept]).json()),
      try ConversationArchive(markdown: await shelf.archive([kept]).markdown()),
    ] {
      let added = try await shelf.add(archive)
      #expect(try await shelf.get(added[0]).folder == "Home and garden")
    }
    try await shelf.move([kept], to: String(repeating: "x", count: 500))
    #expect(try await shelf.get(kept).folder?.count == StoredConversation.longestFolder)
    for nowhere in [nil, "", " \n "] {
      try await shelf.move([kept], to: nowhere)
      #expect(try await shelf.get(kept).folder == nil)
    }
    await #expect(throws: StorageError.self) { try await shelf.move(["nobody"], to: "x") }
  }

  @Test("A conversation is found by what was said, by an unfinished word, and by its title")
  func search() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let (conversation, ids) = try await branched(vault)
    #expect(try await vault.conversations.search("depos").map(\.message) == [ids[0]])
    #expect(try await vault.conversations.search("leases").map(\.conversation) == [conversation])
    #expect(try await vault.conversations.search("\"; DROP TABLE messages; --").isEmpty)
    #expect(try await vault.conversations.search("%").isEmpty)
    #expect(try await vault.conversations.search("at most").map(\.message) == [ids[2]])
  }

  @Test(
    "An export as JSON or Markdown comes back with every branch, record and attachment",
    arguments: ["json", "markdown"])
  func roundTrip(form: String) async throws {
    let (here, there) = (Rig(), Rig())
    let vault = try here.vault()
    let (conversation, _) = try await branched(vault)
    let hash = try vault.blobs.keep(Data("picture -->".utf8))
    try await vault.conversations.append(
      to: conversation, role: "user", text: "\\<!-- libera end -->\n\n# not a heading of ours\n",
      attachments: [Attachment(name: "a --> b.png", hash: hash, kind: "image", bytes: 11)])
    let archive = try await vault.conversations.archive()
    let back =
      form == "json"
      ? try ConversationArchive(json: archive.json()) : try ConversationArchive(markdown: archive.markdown())
    let other = try there.vault()
    try await other.conversations.add(back)
    // Times are kept to the second.
    #expect(try await other.conversations.archive().json() == archive.json())
    #expect(other.blobs.contains(hash))
  }

  @Test("Importing what is still here makes a second conversation")
  func twice() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let (conversation, _) = try await branched(vault)
    let added = try await vault.conversations.add(try await vault.conversations.archive([conversation]))
    #expect(added != [conversation])
    #expect(try await vault.conversations.list().count == 2)
    #expect(
      try await vault.conversations.all(added[0]).map(\.text) == vault.conversations.all(conversation).map(\.text))
  }

  @Test(
    "A malformed export is refused and changes nothing", arguments: ["", "{}", "# Title", "<!-- libera message {} -->"])
  func malformed(text: String) throws {
    #expect(throws: (any Error).self) { try ConversationArchive(json: Data(text.utf8)) }
    #expect(throws: (any Error).self) { try ConversationArchive(markdown: text) }
  }

  @Test("A message of a Markdown export that has no end is refused, whatever comes after it")
  func messageWithoutEnd() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let (conversation, _) = try await branched(vault)
    let whole = try await vault.conversations.archive([conversation]).markdown()
    let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
    let end = try #require(lines.firstIndex(of: "<!-- libera end -->"))
    let open = lines[..<end].joined(separator: "\n")
    for rest in [whole, "<!-- libera attachments {} -->", ""] {
      let text = [open, rest, "<!-- libera end -->"].joined(separator: "\n")
      if rest.isEmpty {
        #expect(try ConversationArchive(markdown: text).conversations[0].messages.count == 1)
      } else {
        #expect(throws: StorageError.self) { try ConversationArchive(markdown: text) }
      }
    }
  }

  @Test("A message cannot be hung onto another conversation")
  func foreignParent() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let (_, ids) = try await branched(vault)
    let other = try await vault.conversations.create(title: "x")
    await #expect(throws: StorageError.self) {
      try await vault.conversations.append(to: other.id, after: .message(ids[0]), role: "user", text: "x")
    }
  }
}
