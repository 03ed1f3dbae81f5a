import Core
import Foundation
import Testing

@testable import Storage

@Suite("Words of what is attached to conversations")
struct AttachedWordsTests {
  private func found(_ word: String, _ words: WordShelf) async throws -> [Int] {
    [
      try await words.match(word, headingWeight: 1, limit: 9).count, try await words.frequency(of: word),
      try await words.holding(name: word, limit: 9).count,
      try await words.vocabulary(prefix: word).map(\.chunks).reduce(0, +), try await words.occurs(word) ? 1 : 0,
    ]
  }

  @Test("They are found where they are asked, weigh nowhere else, and go with their document or into the library")
  func apart() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let there = Attached.collection(of: try await vault.conversations.create(title: "talk").id)
    let (library, attached) = (vault.words(of: [.library]), vault.words(of: [.attached]))
    try await Rig.add("harbour lights\nmore lights", named: "a", to: vault)
    let letter = try await Rig.add("harbour fog\nfog and harbour", named: "b", to: vault, collection: there)
    #expect(try await found("harbour", library) == [1, 1, 1, 1, 1])
    #expect(try await found("fog", library) == [0, 0, 0, 0, 0])
    #expect(try await found("fog", attached) == [2, 2, 2, 2, 1])
    #expect(try await found("harbour", vault.words) == [3, 3, 3, 3, 1])
    #expect(try await library.count() == 2)
    #expect(try await vault.words.count() == 4)
    _ = try await vault.documents.move([letter], toCollection: "documents")
    #expect(try await found("fog", library) == [2, 2, 2, 2, 1])
    let last = try await Rig.add("fog again", named: "c", to: vault, collection: there)
    try await vault.documents.remove([letter, last])
    #expect(try await found("fog", vault.words) == [0, 0, 0, 0, 0])
    try await sound(vault)
  }

  @Test("A vault from before they were apart is brought to it")
  func earlier() async throws {
    let rig = Rig()
    do {
      let old = try Vault(rig.folders, migrations: Array(Schema.migrations.prefix(6)))
      let there = Attached.collection(of: try await old.conversations.create(title: "talk").id)
      try await Rig.add("harbour lights", named: "a", to: old)
      try await Rig.add("harbour fog", named: "b", to: old, collection: there)
    }
    let vault = try rig.vault()
    let (library, attached) = (vault.words(of: [.library]), vault.words(of: [.attached]))
    #expect(try await found("harbour", library) == [1, 1, 1, 1, 1])
    #expect(try await found("fog", library) == [0, 0, 0, 0, 0])
    #expect(try await found("fog", attached) == [1, 1, 1, 1, 1])
    try await vault.destroy(.conversations)
    #expect(try await found("fog", vault.words) == [0, 0, 0, 0, 0])
    try await sound(vault)
  }

  /// Nothing is attached any more: the library's indexes hold every chunk, word for word, and the others none.
  private func sound(_ vault: Vault) async throws {
    try await vault.write { db in
      for index in [WordShelf.Part.library.words, WordShelf.Part.library.names] {
        try db.run("INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
      }
      #expect(try db.first("SELECT count(*) FROM attached_words_docsize", as: { $0.int(0) }) == 0)
      #expect(try db.first("SELECT count(*) FROM attached_names_docsize", as: { $0.int(0) }) == 0)
    }
    #expect(try await vault.integrityFindings() == [])
  }
}
