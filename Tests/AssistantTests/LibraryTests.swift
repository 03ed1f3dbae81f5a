import Core
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Documents and data of the house")
struct LibraryTests {
  private let secret = "xylophonquark"
  private let id = "6d1c4b0a-0c57-4a55-9c0e-6a1f0a3f2b11"

  @Test("Imported documents are listed, read to the byte, offered when their file is gone, and removed for good")
  func documents() async throws {
    let home = try OpenHouse()
    let kept = try home.write("The keeper holds the keys.\n\nÄhren und Öl.\n", to: "kept.txt")
    let gone = try home.write("About the \(secret).", to: "gone.txt")
    _ = try await home.all(Import.self, .init(paths: [kept.path, gone.path], collection: "letters"))
    #expect(try await home.all(ListDocuments.self, .init()).map(\.document) == ["gone.txt", "kept.txt"])
    let text = try await home.all(ReadDocument.self, .init(document: "kept.txt"))[0].text
    let document = try #require(try await home.house.vault.documents.find(name: "kept.txt"))
    for chunk in try await home.house.vault.documents.chunks(of: document.id) {
      let bytes = Array(text.utf8)[chunk.content.start..<chunk.content.end]
      #expect(String(decoding: bytes, as: UTF8.self) == chunk.content.text)
    }
    try FileManager.default.removeItem(at: gone)
    #expect(try await home.all(ListDocuments.self, .init(missing: true)).map(\.document) == ["gone.txt"])
    await #expect(throws: StorageError.missing(kind: "document", id: "x")) {
      try await home.all(RemoveDocuments.self, .init(documents: ["gone.txt", "x"]))
    }
    #expect(try await home.all(RemoveDocuments.self, .init(documents: ["gone.txt"])).map(\.removed) == [1])
    #expect(try home.files(containing: secret) == [])
    #expect(try await home.all(ListCollections.self, Nothing()).map(\.documents) == [1])
    _ = try await home.all(RemoveCollection.self, .init(collection: "letters"))
    #expect(try await home.all(ListDocuments.self, .init()).isEmpty)
    try home.remove()
  }

  @Test(
    "Destroying a kind leaves nothing of it in any file, and the other kinds as they were", arguments: DataKind.allCases
  )
  func destroyed(kind: DataKind) async throws {
    let home = try OpenHouse()
    let house = home.house
    // The word is only in the kind that goes, so that finding it afterwards can only mean a remnant.
    func word(_ here: DataKind) -> String { kind == here || kind == .everything ? secret : "ordinary" }
    let file = try home.write("A line about the \(word(.documents)).", to: "\(word(.documents)).txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    try await house.vault.watched.add(home.base.appending(path: "papers/\(word(.documents))").path, collection: "x")
    try await home.ask("What is \(word(.conversations))?", in: id)
    try Data("_HiStOrY_V2_\n\(word(.conversations))\n".utf8).write(to: home.folders.chatHistory)
    try Folders.make(home.folders.states)
    try Data("state \(word(.conversations)) \(word(.documents))".utf8).write(
      to: home.folders.states.appending(path: "a"))
    try await house.errors.record(RemoteError(code: word(.logs), message: "x"), in: "test")
    _ = try await home.all(ChangeSetting.self, .init(name: "pack", value: word(.settings)))
    try Folders.make(home.folders.actions)
    try Data("note \(word(.actions))".utf8).write(to: home.folders.actions.appending(path: "note.md"))

    #expect(try !home.files(containing: secret).isEmpty)
    #expect(try await home.all(MeasureData.self, .init(kind: kind))[0].goes.contains { $0.count > 0 })
    _ = try await home.all(DestroyData.self, .init(kind: kind))
    #expect(try home.files(containing: secret) == [])

    func stays(_ here: DataKind) -> Int { kind == here || kind == .everything ? 0 : 1 }
    #expect(try await house.vault.documents.list().count == stays(.documents))
    #expect(try await house.vault.conversations.list().count == stays(.conversations))
    #expect(try await house.errors.entries().count == stays(.logs))
    #expect(await house.settings.pack == (stays(.settings) == 1 ? "ordinary" : nil))
    #expect(FileManager.default.fileExists(atPath: home.folders.actions.path) == (stays(.actions) == 1))
    try home.remove()
  }

  @Test("A backup carries documents, conversations, actions and settings to an empty home")
  func backup() async throws {
    let (here, there) = (try OpenHouse(), try OpenHouse())
    let file = try here.write("Carried words.", to: "a.txt")
    _ = try await here.all(Import.self, .init(paths: [file.path]))
    try await here.ask("Carried?", in: id)
    _ = try await here.all(ChangeSetting.self, .init(name: "mode", value: "deep"))
    let backup = here.base.appending(path: "b.backup")
    let done = try await here.all(BackUp.self, .init(path: backup.path)).compactMap(\.done)
    #expect(done.count == 1 && done[0].files == 3 && !done[0].encrypted)
    let target = Folders(
      home: there.base.appending(path: "other", directoryHint: .isDirectory), environment: ["HOME": there.base.path])
    try Restore.restore(backup, into: target)
    let restored = try OpenHouse(in: target)
    #expect(try await restored.all(ReadDocument.self, .init(document: "a.txt"))[0].text == "Carried words.")
    #expect(try await restored.all(ShowConversation.self, .init(id: id))[0].turns.map(\.question) == ["Carried?"])
    #expect(await restored.house.settings.mode == .deep)
    try here.remove()
    try there.remove()
  }
}
