import Core
import Foundation
import Testing

@testable import Storage

@Suite("A vault that version 0.1.0 wrote")
struct FirstVersionTests {
  private func old() throws -> Rig {
    let rig = Rig()
    try Rig.layFirstVersion(in: rig.folders)
    return rig
  }

  @Test("It opens with its documents, their words, vectors, collections and watched folders")
  func documents() async throws {
    let rig = try old()
    let vault = try rig.vault()
    #expect(try await vault.integrityFindings() == [])
    let documents = try await vault.documents.list().sorted { $0.id < $1.id }
    #expect(documents.map(\.name) == ["lease.txt", "mails.jsonl", "broken.pdf"])
    #expect(documents.map(\.state) == [.ready, .stored, .failed])
    #expect(documents.map(\.collection) == ["documents", "work", "work"])
    #expect(documents[1].headings == "[\"A\"]" && documents[2].error == "It is damaged.")
    #expect(try await vault.documents.text(3) == "The rent is 930 euros a month.\nNotice is three months.")
    #expect(try await vault.documents.find(original: "aa01", collection: "documents")?.id == 3)
    #expect(try await vault.words.match("rent", headingWeight: 1, limit: 9).map(\.chunk) == [11])
    #expect(try await vault.words.holding(name: "INV-2041", limit: 9) == [14])
    #expect(try await vault.vectors(embedder: "test", dimensions: 2).count() == 2)
    #expect(try await vault.watched.list().map(\.folder) == ["/home/a/letters"])
    // What was removed stays so, and its number is nobody else's.
    #expect(try await Rig.add("new", named: "new", to: vault) == 10)
  }

  @Test("Its conversations keep their branches, records and attachments, are found by their words, and go on")
  func conversations() async throws {
    let rig = try old()
    let vault = try rig.vault()
    #expect(Set(try await vault.conversations.list().map(\.title)) == ["Rent", "Other"])
    let shown = try await vault.conversations.shown("c-1")
    #expect(shown.map(\.text) == ["How much is the rent?", "It is 930 euros a month.", "And the notice?"])
    #expect(try await vault.conversations.alternatives(to: shown[1]) == ["m-2", "m-3"])
    #expect(
      shown[0].attachments == [Attachment(name: "lease.txt", hash: "aa01", kind: "text/plain", bytes: 62)])
    #expect(try await vault.conversations.all("c-1").first { $0.id == "m-2" }?.record == "{\"mode\":\"fast\"}")
    #expect(try await vault.conversations.search("notice").count == 1)
    try await vault.conversations.remove(["c-1"])
    #expect(try await vault.conversations.list().map(\.id) == ["c-2"])
  }

  @Test("Before it is changed it is copied, and the copy leads back")
  func wayBack() async throws {
    let rig = try old()
    do { _ = try rig.vault() }
    try Vault.goBackBeforeMigration(rig.folders)
    let connection = try Connection(rig.folders.vault, .write)
    #expect(try connection.first("PRAGMA user_version", as: { $0.int(0) }) == 2)
    #expect(try connection.first("SELECT count(*) FROM messages", as: { $0.int(0) }) == 5)
  }
}
