import Core
import Foundation
import Testing

@testable import Storage

@Suite("Titles in a backup that somebody else has made")
struct ForeignTitleTests {
  @Test("A title of a megabyte comes back cut, of a document and of a conversation, and others as they are")
  func long() async throws {
    let (here, there) = (Rig(), Rig())
    let vault = try here.vault()
    for name in ["long", "short"] { try await Rig.add("words of \(name)", named: name, to: vault) }
    for _ in 0..<2 { _ = try await vault.conversations.create(title: "talk") }
    var backup = try await ForeignBackup(vault)
    let long = "replace(hex(zeroblob(500000)), '00', 'é\u{301}')"
    try backup.change(
      "UPDATE documents SET title = \(long) WHERE name = 'long';"
        + "UPDATE conversations SET title = \(long) WHERE rowid = 1;")
    try Restore.restore(backup.write(), into: there.folders, readers: .words)
    let restored = try there.vault()
    let documents = try await restored.documents.list()
    #expect(documents.map(\.name) == ["long", "short"])
    #expect(documents[0].title.hasPrefix("é\u{301}é\u{301}") && documents[0].title.utf8.count < 2000)
    #expect(documents[1].title == (try await vault.documents.list()[1].title))
    let titles = try await restored.conversations.list().map(\.title)
    #expect(titles.contains("talk") && titles.allSatisfy { $0.utf8.count < 2000 })
  }
}
