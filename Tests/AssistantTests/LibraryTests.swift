import Core
import Foundation
import Storage
import TestSupport
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
  }

  @Test("A table of too many columns to be added up is named as left out, where its rows were asked about")
  func wideTable() async throws {
    let home = try OpenHouse()
    let names = (1...1_100).map { "Entry \($0)" }
    let row = ["Rent of the mill", "40"] + Array(repeating: "x", count: 1_098)
    let text = [names, row, row].map { $0.joined(separator: ",") }.joined(separator: "\n")
    let file = try home.write(text, to: "spending.csv")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    let record = try await home.ask("How much rent of the mill did I pay in total?", in: id)
    #expect(record.dropped.contains { $0.what == "what the rows of spending.csv come to" }, "\(record.dropped)")
  }

  @Test("Small files end together, and are told of one by one while they are read")
  func small() async throws {
    let home = try OpenHouse()
    let files = try (1...5).map { try home.write("The keeper of lamp \($0) is Ines.", to: "\($0).txt").path }
    let events = try await home.all(Import.self, .init(paths: files))
    let first = try #require(events.firstIndex { $0.event == .done })
    #expect(events[..<first].compactMap(\.filesRead) == [1, 2, 3, 4, 5])
    #expect(events[..<first].allSatisfy { $0.files == 5 })
    #expect(events.last?.imported == 5)
  }

  @Test("A document is turned over by pages or parts, with its headings and the place of a citation; and is moved")
  func sheets() async throws {
    let home = try OpenHouse()
    let text = "# Mill\n\nThe mill has wheels.\n\n## Care\n\nThe wheels are greased in spring.\n"
    let mill = try home.write(text, to: "mill.md")
    _ = try await home.all(Import.self, .init(paths: [mill.path], collection: "letters"))
    let entry = try await home.all(ListDocuments.self, .init())[0]
    let outline = try await home.all(OutlineDocument.self, .init(id: entry.id))[0]
    #expect(outline.document.document == "mill.md" && outline.citation == nil)
    #expect(outline.headings.map(\.title).contains("Care"))
    let first = try #require(outline.sheets.first)
    let sheet = try await home.all(ShowSheet.self, .init(id: entry.id, page: first.number, scale: 1))[0]
    #expect(sheet.picture == nil && sheet.words.isEmpty && sheet.text.contains("greased in spring"))
    let whole = try await home.all(ReadDocument.self, .init(id: entry.id))[0].text
    #expect(whole.contains(sheet.text) && sheet.start == first.start)
    let cited = try await home.all(OutlineDocument.self, .init(id: "\(entry.id).0.4"))[0]
    #expect(cited.citation?.start == 0 && cited.document.id == entry.id)
    await #expect(throws: StorageError.missing(kind: "page", id: "99")) {
      try await home.all(ShowSheet.self, .init(id: entry.id, page: 99))
    }
    #expect(try await home.all(MoveDocuments.self, .init(ids: [entry.id], collection: "mills")).map(\.moved) == [1])
    #expect(try await home.all(ListDocuments.self, .init()).map(\.collection) == ["mills"])
    #expect(try await home.all(MoveDocuments.self, .init(ids: [entry.id], collection: "mills")).map(\.moved) == [0])
    _ = try await home.all(Import.self, .init(paths: [mill.path], collection: "letters"))
    await #expect(throws: StorageError.alreadyThere(document: "mill.md", collection: "letters")) {
      try await home.all(MoveDocuments.self, .init(ids: [entry.id], collection: "letters"))
    }
  }

  @Test("Headings are listed where they first stand")
  func headings() {
    let chunks = ["T", "T › A", "T › A › B", "T › A › C", "T › D"].enumerated().map { place, heading in
      ChunkText(
        pageFrom: place + 1, pageTo: nil, start: place * 10, end: place * 10 + 5, heading: heading, text: "", tokens: 1)
    }
    let found = OutlineDocument.headings(chunks, title: "T")
    #expect(found.map { "\($0.level) \($0.title) \($0.page ?? 0)" } == ["1 A 2", "2 B 3", "2 C 4", "1 D 5"])
  }

  @Test("Files of one name from two folders are two documents; a changed file replaces its own")
  func sameNames() async throws {
    let home = try OpenHouse()
    let first = try home.write("The first says one.", to: "one/notes.txt").deletingLastPathComponent()
    let second = try home.write("The second says two.", to: "two/notes.txt").deletingLastPathComponent()
    _ = try await home.all(Import.self, .init(paths: [first.path, second.path]))
    _ = try home.write("The second says three.", to: "two/notes.txt")
    let events = try await home.all(Import.self, .init(paths: [first.path, second.path]))
    #expect(events.last?.imported == 1 && events.last?.skipped == 1)
    let documents = try await home.house.vault.documents.list()
    #expect(documents.map(\.name) == ["notes.txt", "notes.txt"])
    var texts: [String] = []
    for document in documents { texts.append(try await home.house.vault.documents.text(document.id)) }
    #expect(texts.sorted() == ["The first says one.", "The second says three."])
    for entry in try await home.all(ListDocuments.self, .init()) {
      #expect(try await home.all(ReadDocument.self, .init(id: entry.id))[0].text == texts.removeFirst())
    }
    #expect(try home.files(containing: "says two") == [])
    // The same file by another way is the same document still.
    _ = try home.write("The second says four.", to: "two/notes.txt")
    _ = try await home.all(Import.self, .init(paths: [second.deletingLastPathComponent().path]))
    let both = try await home.all(ListDocuments.self, .init())
    #expect(both.count == 2)
    // By its own id one of them goes and the other stays.
    #expect(try await home.all(RemoveDocuments.self, .init(documents: [], ids: [both[0].id])).map(\.removed) == [1])
    #expect(try await home.all(ListDocuments.self, .init()).map(\.id) == [both[1].id])
    await #expect(throws: CitationError.self) { try await home.all(ReadDocument.self, .init(id: both[0].id)) }
  }

  @Test("The whole text of an attached file is read by its citation; its name alone means a document of the library")
  func attachedText() async throws {
    let home = try OpenHouse()
    let library = try home.write("The lease of the library says nothing of dogs.", to: "one/lease.txt")
    let attached = try home.write("Dogs may live in the old mill. The rent is 940 euros.", to: "two/lease.txt")
    _ = try await home.all(Import.self, .init(paths: [library.path]))
    _ = try await home.all(Import.self, .init(paths: [attached.path], conversation: id))
    var input = Ask.Input(question: "How much is the rent?", conversation: id)
    input.provider = .extractive
    let record = try #require(try await home.all(Ask.self, input).compactMap(\.done).last)
    let citation = try #require(record.citations.first)
    let text = try await home.all(ReadDocument.self, .init(id: citation.id))[0].text
    #expect(text == "Dogs may live in the old mill. The rent is 940 euros.")
    #expect(String(decoding: Array(text.utf8)[citation.start..<citation.end], as: UTF8.self) == citation.text)
    #expect(try await home.all(ReadDocument.self, .init(document: "lease.txt"))[0].text.hasPrefix("The lease"))
  }

  @Test("Records are documents by their id, known by their content; only what changed in their file is taken anew")
  func records() async throws {
    let home = try OpenHouse()
    func lines(_ numbers: Range<Int>, _ word: String) -> String {
      numbers.map { #"{"_id": "r\#($0)", "title": "Record \#($0)", "text": "It tells of \#(word) number\#($0)."}"# }
        .joined(separator: "\n")
    }
    let file = try home.write(lines(0..<600, "herons"), to: "corpus.jsonl")
    var events = try await home.all(Import.self, .init(paths: [file.path]))
    #expect(events.first { $0.event == .done }?.pages == 600)
    #expect(events.contains { $0.event == .progress && $0.pages == 600 })
    let before = try await home.house.vault.documents.list()
    #expect(before.count == 600 && before.allSatisfy { $0.state == .indexed && $0.name.hasPrefix("r") })
    #expect(try await home.house.vault.words.match("number599", headingWeight: 1, limit: 9).count == 1)

    events = try await home.all(Import.self, .init(paths: [file.path]))
    #expect(events.map(\.event).filter { $0 != .progress } == [.skipped, .summary])

    _ = try home.write(
      lines(0..<300, "herons") + "\nno record\n" + lines(300..<301, "cranes") + "\n" + lines(301..<600, "herons"),
      to: "corpus.jsonl")
    events = try await home.all(Import.self, .init(paths: [file.path]))
    let done = try #require(events.first { $0.event == .done })
    #expect(done.chunks == 1 && done.reason?.contains("Line 301") == true)
    let after = try await home.house.vault.documents.list()
    #expect(after.count == 600 && Set(after.map(\.id)).subtracting(before.map(\.id)).count == 1)
    #expect(try await home.house.vault.documents.text(before.first { $0.name == "r7" }!.id).contains("number7."))

    _ = try home.write("No records any more.", to: "corpus.jsonl")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    #expect(try await home.house.vault.documents.list().map(\.name) == ["corpus.jsonl"])
    #expect(try home.files(containing: "heron") == [])
  }

  @Test("Records without an id stay beside those whose id is the number of their line")
  func unnamedRecords() async throws {
    let home = try OpenHouse()
    let lines = #"{"text": "Herons."}"# + "\n" + #"{"_id": "1", "text": "Cranes."}"# + "\n"
    let file = try home.write(lines, to: "corpus.jsonl").path
    for _ in 0..<2 { _ = try await home.all(Import.self, .init(paths: [file])) }
    #expect(try await home.house.vault.documents.list().map(\.name).sorted() == ["1", "1 (line 2)"])
  }

  @Test("An interrupted import goes on after its last page, under the headings in force there")
  func resumed() async throws {
    let home = try OpenHouse()
    let pages = (1...5).map { "This is what page \($0) says about the matter." }
    let file = try home.write(pages.joined(separator: "\u{c}"), to: "book.txt")
    let shelf = home.house.vault.documents
    var new = NewDocument(
      name: "book.txt", hash: try await SHA256.of(file: file), title: "Book", kind: "text", bytes: 1)
    new.source = file.path
    guard case .proceed(let begun) = try await shelf.begin(new) else { throw StorageError.busy }
    try await shelf.append(
      to: begun.id,
      pages: [StoredPage(number: 1, start: 0, text: pages[0]), StoredPage(number: 2, start: 48, text: pages[1])],
      chunks: [], pagesDone: 2, headings: #"[{"level":1,"text":"Of wings"}]"#)
    #expect(try await home.house.unready(in: nil, for: "")?.contains("1 still being read") == true)
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    #expect(try await shelf.pages(of: begun.id).map(\.number) == [1, 2, 3, 4, 5])
    let chunks = try await shelf.chunks(of: begun.id)
    #expect(!chunks.isEmpty && chunks.allSatisfy { $0.content.heading == "Book › Of wings" })
    #expect(try await shelf.get(begun.id).headings == nil)
  }

  @Test("A folder without files is imported as nothing")
  func empty() async throws {
    let home = try OpenHouse()
    let folder = home.base.appending(path: "empty")
    try Folders.make(folder)
    let events = try await home.all(Import.self, .init(paths: [folder.path]))
    #expect(events.map(\.event) == [.summary] && events[0].imported == 0)
  }

  @Test(
    "Destroying a kind leaves nothing of it in any file, and the other kinds as they were", arguments: KeptData.allCases
  )
  func destroyed(kind: KeptData) async throws {
    let home = try OpenHouse()
    let house = home.house
    // The word is only in the kind that goes, so that finding it afterwards can only mean a remnant.
    func word(_ here: KeptData) -> String { kind == here || kind == .everything ? secret : "ordinary" }
    let file = try home.write("A line about the \(word(.documents)).", to: "\(word(.documents)).txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    try await house.vault.watched.add(home.base.appending(path: "papers/\(word(.documents))").path, collection: "x")
    try await home.ask("What is \(word(.conversations))?", in: id)
    try Data("_HiStOrY_V2_\n\(word(.conversations))\n".utf8).write(to: home.folders.chatHistory)
    try await house.errors.record(RemoteError(code: word(.logs), message: "x"), in: "test")
    _ = try await home.all(ChangeSetting.self, .init(name: "pack", value: word(.settings)))
    try Folders.make(home.folders.actions)
    try Data("note \(word(.actions))".utf8).write(to: home.folders.actions.appending(path: "note.md"))

    #expect(try !home.files(containing: secret).isEmpty)
    #expect(try await home.all(MeasureData.self, .init(kind: kind))[0].goes.contains { $0.count > 0 })
    _ = try await home.all(DestroyData.self, .init(kind: kind))
    #expect(try home.files(containing: secret) == [])

    func stays(_ here: KeptData) -> Int { kind == here || kind == .everything ? 0 : 1 }
    #expect(try await house.vault.documents.list().count == stays(.documents))
    #expect(try await house.vault.conversations.list().count == stays(.conversations))
    #expect(try await house.errors.entries().count == stays(.logs))
    #expect(house.settings.pack == (stays(.settings) == 1 ? "ordinary" : nil))
    #expect(FileManager.default.fileExists(atPath: home.folders.actions.path) == (stays(.actions) == 1))
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
    try Restore.restore(backup, into: target, readers: .ofTheHouse)
    let restored = try OpenHouse(in: target)
    #expect(try await restored.all(ReadDocument.self, .init(document: "a.txt"))[0].text == "Carried words.")
    #expect(try await restored.all(ShowConversation.self, .init(id: id))[0].turns.map(\.question) == ["Carried?"])
    #expect(restored.house.settings.mode == .deep)
  }

  @Test("A title of a megabyte is cut before it stands beside what is found, and a record is not named by one")
  func longTitles() async throws {
    let home = try OpenHouse()
    let long = String(repeating: "word ", count: 200_000)
    let page = try home.write(
      "<html><head><title>\(long)</title></head><body><p>The keys.</p></body></html>",
      to: "a.html")
    let lines = """
      {"_id": "0", "text": "The gates."}
      {"_id": "1", "title": "\(long)", "text": "The doors."}
      {"_id": "2", "title": "a\(String(repeating: "\u{301}", count: 500_000))", "text": "The bells."}
      {"_id": "\(long)", "text": "The walls."}
      """
    let records = try home.write(lines, to: "b.jsonl")
    _ = try await home.all(Import.self, .init(paths: [page.path, records.path]))
    let found = try await home.all(ListDocuments.self, .init())
    #expect(found.map(\.document) == ["0", "1", "2", "a.html"])
    for one in found { #expect(one.title.utf8.count < 500 && one.document.utf8.count < 500) }
    await home.house.close()
  }

  #if os(Linux)
    @Test("A backup that goes to another disk goes through no link, is its person's alone, and lies in one place")
    func otherDisk() throws {
      let (one, other) = (try Scratch("backup"), try Scratch("backup", in: URL(filePath: "/dev/shm")))
      let (here, there) = (one.folder, other.folder)
      let (made, target, victim) = (
        here.appending(path: "made"), there.appending(path: "b.backup"), there.appending(path: "victim")
      )
      let bytes = Data(repeating: 7, count: 3 << 20)
      try bytes.write(to: made)
      try FileManager.default.createSymbolicLink(
        at: there.appending(path: ".b.backup.draft"), withDestinationURL: victim)
      try BackUp.move(made, to: target)
      #expect(try Data(contentsOf: target) == bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: there.path) == ["b.backup"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: here.path).isEmpty)
      let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  #endif
}
