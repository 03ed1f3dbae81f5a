import Core
import Documents
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Many files at once")
struct ImportingTests {
  @Test("Small files are stored together and end in their order; one that cannot be read fails alone, a copy is known")
  func together() async throws {
    let home = try OpenHouse()
    let vault = home.house.vault
    for number in 100..<170 { _ = try home.write("The keeper of lamp \(number) is Ines.", to: "\(number).txt") }
    _ = try home.write("%PDF-1.7\nbroken", to: "120.pdf")
    // It is read with those that are stored together with the first.
    let copy = try home.write("The keeper of lamp 100 is Ines.", to: "101 copy.txt")
    let before = vault.revision
    let events = try await home.all(Import.self, .init(paths: [copy.deletingLastPathComponent().path]))
    // One by one they would be three for each; how many are stored together goes by the pace of the machine.
    #expect(vault.revision - before < 3 * 70)
    let names = (100..<170).map { "\($0).txt" }
    #expect(events.filter { $0.event == .done }.map(\.document) == names)
    #expect(events.filter { $0.event == .failed }.map(\.document) == ["120.pdf"])
    let skipped = events.filter { $0.event == .skipped }
    #expect(skipped.map(\.document) == ["101 copy.txt"] && skipped.first?.reason == "it is here already")
    #expect(events.last?.imported == 70 && events.last?.failed == 1 && events.last?.skipped == 1)
    #expect(events.compactMap(\.filesRead).max() == 72)
    let indexed = try await vault.documents.list(state: .indexed)
    try #require(indexed.map(\.name) == names)
    #expect(try await vault.documents.text(indexed[69].id) == "The keeper of lamp 169 is Ines.")
    for document in indexed { #expect(vault.blobs.contains(document.hash)) }
  }

  @Test("No message of a mailbox takes the place of another, whatever a stranger writes as its date")
  func mailbox() async throws {
    let home = try OpenHouse()
    let box = [("D", "Yours."), ("D", "Forged."), ("D (2)", "Another.")].map {
      "From a\nFrom: a@example.org\nSubject: Rent\nDate: \($0.0)\n\n\($0.1)\n\n"
    }.joined()
    let file = try home.write(box, to: "all.mbox").path
    _ = try await home.all(Import.self, .init(paths: [file]))
    let messages = try await home.house.vault.documents.list()
    _ = try await home.all(Import.self, .init(paths: [file]))
    #expect(try await home.house.vault.documents.list() == messages)
    var texts: [String] = []
    for message in messages {
      texts.append(try await home.house.vault.documents.text(message.id))
    }
    for words in ["Yours.", "Forged.", "Another."] { #expect(texts.contains { $0.contains(words) }, "\(words)") }
  }

  @Test(
    "A message whose own name ends in a number, as an earlier version stored it, stays what it is and is not taken twice"
  )
  func earlierNames() async throws {
    let home = try OpenHouse()
    let documents = home.house.vault.documents
    let box = ["D", "D", "D (2)"].map { "From a\nFrom: a@example.org\nSubject: Rent\nDate: \($0)\n\nx\n\n" }
    let file = try home.write(box.joined(), to: "all.mbox").path
    _ = try await home.all(Import.self, .init(paths: [file]))
    let now = try await documents.list()
    let forged = try #require(now.first { $0.name == "Rent · D (2) (1)" })
    // As it was: the second message had gone for it.
    try await documents.remove(now.filter { $0.name == "Rent · D (2)" }.map(\.id))
    var info = DocumentInfo(kind: .mailbox)
    (info.record, info.title) = ("Rent · D (2)", "Rent")
    let page = try #require(try await documents.sheets(of: forged.id).first)
    let text = try await documents.text(forged.id)
    let earlier = RecordBatch.identity(info, Page(number: page.number, blocks: [Block(.paragraph, text)]))
    try await documents.rename(record: forged.id, name: "Rent · D (2)", hash: earlier)
    for _ in 0..<2 { _ = try await home.all(Import.self, .init(paths: [file])) }
    let names = try await documents.list()
    #expect(names.map(\.name).sorted() == now.map(\.name).sorted())
    #expect(names.first { $0.name == "Rent · D (2) (1)" }?.id == forged.id)
  }

  @Test("What the vault refuses fails alone, and what was to be stored with it is there")
  func refused() async throws {
    let home = try OpenHouse()
    let vault = home.house.vault
    try await vault.write { db in
      try db.script(
        """
        CREATE TRIGGER refusing BEFORE INSERT ON pages WHEN new.text LIKE '%lamp 3%'
        BEGIN SELECT RAISE (ABORT, 'refused'); END
        """)
    }
    let files = try (1...5).map { try home.write("The keeper of lamp \($0) is Ines.", to: "\($0).txt").path }
    let events = try await home.all(Import.self, .init(paths: files))
    #expect(events.filter { $0.event == .done }.map(\.document) == ["1.txt", "2.txt", "4.txt", "5.txt"])
    #expect(events.filter { $0.event == .failed }.map(\.document) == ["3.txt"])
    #expect(try await vault.documents.list().map(\.name) == ["1.txt", "2.txt", "4.txt", "5.txt"])
  }

  @Test("A large document is stored while it is read, and small ones around it keep their order")
  func large() async throws {
    let home = try OpenHouse()
    let vault = home.house.vault
    let lines = (0..<6_000).map {
      "Line \($0) tells of the light that is seen from twelve miles away on a clear night."
    }
    _ = try home.write("The first paper.", to: "1.txt")
    _ = try home.write(lines.joined(separator: "\n\n"), to: "2.txt")
    let last = try home.write("The last paper.", to: "3.txt")
    let events = try await home.all(Import.self, .init(paths: [last.deletingLastPathComponent().path]))
    #expect(events.filter { $0.event == .done }.map(\.document) == ["1.txt", "2.txt", "3.txt"])
    let documents = try await vault.documents.list(state: .indexed)
    try #require(documents.map(\.name) == ["1.txt", "2.txt", "3.txt"])
    let pages = try await vault.documents.sheets(of: documents[1].id)
    #expect(pages.count > 3 && documents[1].pagesDone == pages.count)
    let text = try await vault.documents.text(documents[1].id)
    #expect(text.hasPrefix("Line 0 tells") && text.contains("Line 3000 tells") && text.contains("Line 5999 tells"))
  }
}
