import Core
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Conversations of the house")
struct ConversationTests {
  private let id = "6d1c4b0a-0c57-4a55-9c0e-6a1f0a3f2b11"

  @Test("A conversation survives a restart, with title, turns and the record of each answer")
  func restart() async throws {
    let home = try OpenHouse()
    let first = try await home.ask(
      "What does the lease say about the deposit of the flat in Cologne, and when?", in: id)
    try await home.ask("And the notice?", in: id)
    await home.house.close()

    let again = try OpenHouse(in: home.folders)
    let listed = try await again.all(ListConversations.self, Nothing())
    #expect(listed.map(\.id) == [id])
    #expect(listed[0].title == "What does the lease say about the deposit of the flat in…")
    let view = try #require(try await again.all(ShowConversation.self, .init(id: id)).first)
    #expect(view.turns.map(\.question).last == "And the notice?")
    #expect(view.turns.map(\.parent) == [nil, first.id])
    #expect(view.turns[0].record == first)
    #expect(view.turns.map(\.shown) == [true, true])
  }

  @Test("The prompt is built again byte for byte: evidence, nonce, question and answer")
  func prompt() async throws {
    let home = try OpenHouse()
    let turn = Prompt.Turn(
      evidence: [.init(label: "Lease, p. 2", text: "The deposit is\n“three” rents — ½.")], nonce: "abc123",
      question: "How much?", answer: "Three rents.")
    var record = AnswerRecord(task: .documents, question: "How much?", provider: "local", pack: "p", mode: .fast)
    record.answer = "Three rents."
    try await home.house.conversing.run(Ask.Input(question: "How much?", conversation: id)) { [record] in
      _ = try await home.house.remember(turn, record, in: self.id)
    }
    await home.house.close()
    let again = try OpenHouse(in: home.folders)
    try await again.house.conversing.run(Ask.Input(question: "Next", conversation: id)) {
      #expect(await again.house.turns(of: self.id) == [turn])
    }
  }

  @Test("Asked again or in other words, what was there stays as another branch")
  func branches() async throws {
    let home = try OpenHouse()
    let first = try await home.ask("One?", in: id)
    let second = try await home.ask("Two?", in: id)
    // The same words: another answer to the same question. Other words: another question in the same place.
    let again = try await home.all(BranchConversation.self, .init(id: id, message: try #require(second.id)))
    let edited = try await home.all(
      BranchConversation.self, .init(id: id, message: try #require(second.id), question: "Deux?"))
    let view = try #require(try await home.all(ShowConversation.self, .init(id: id)).first)
    #expect(view.turns.map(\.question) == ["One?", "Two?", "Two?", "Deux?"])
    #expect(view.turns.map(\.parent) == [nil, first.id, first.id, first.id])
    #expect(view.turns.map(\.shown) == [true, false, false, true])
    #expect(view.turns[2].id == again.compactMap(\.done).last?.id)
    #expect(view.turns[3].id == edited.compactMap(\.done).last?.id)
    #expect(try await home.house.vault.conversations.all(id).count == 7)

    _ = try await home.all(ChooseBranch.self, .init(message: try #require(second.id)))
    try await home.ask("Three?", in: id)
    let top = try await home.ask("Un?", in: id, after: "")
    let later = try #require(try await home.all(ShowConversation.self, .init(id: id)).first)
    #expect(later.turns.first { $0.question == "Three?" }?.parent == second.id)
    #expect(later.turns.filter(\.shown).map(\.id) == [top.id])
  }

  @Test("A question that was never answered is kept, and asked again takes its place")
  func unanswered() async throws {
    struct Broken: Error {}
    let home = try OpenHouse()
    await #expect(throws: Broken.self) {
      try await home.house.conversing.run(Ask.Input(question: "Why?", conversation: self.id)) { throw Broken() }
    }
    let view = try #require(try await home.all(ShowConversation.self, .init(id: id)).first)
    #expect(view.turns.map(\.question) == ["Why?"])
    #expect(view.turns[0].answer == nil)
    let answer = try await home.ask("Why?", in: id)
    #expect(try await home.all(ShowConversation.self, .init(id: id)).first?.turns.map(\.id) == [answer.id ?? ""])
  }

  @Test("Of a conversation with thousands of turns the last thousand are laid before a pack")
  func thousands() async throws {
    let home = try OpenHouse()
    let shelf = home.house.vault.conversations
    _ = try await shelf.create(title: "Long", id: id)
    for number in 1...1003 {
      try await shelf.append(to: id, role: StoredMessage.user, text: "\(number)?")
      try await shelf.append(to: id, role: StoredMessage.assistant, text: "\(number).")
    }
    try await home.house.conversing.run(Ask.Input(question: "Next", conversation: id)) {
      let turns = await home.house.turns(of: self.id)
      #expect(turns.count == 1000 && turns.first?.question == "4?" && turns.last?.answer == "1003.")
    }
  }

  @Test("An answer that is stopped is stored with what was written")
  func stopped() async throws {
    let home = try OpenHouse()
    let task = Task {
      try await home.house.conversing.run(Ask.Input(question: "Long?", conversation: id)) {
        while !Task.isCancelled { await Task.yield() }
        var record = AnswerRecord(task: .talk, question: "Long?", provider: "local", pack: nil, mode: .fast)
        record.answer = "Half of"
        record.stopped = true
        _ = try await home.house.remember(Prompt.Turn(question: "Long?", answer: "Half of"), record, in: self.id)
      }
    }
    while try await !home.house.vault.conversations.contains(id) { await Task.yield() }
    task.cancel()
    // The next question waits for it and follows it.
    let next = try await home.ask("Go on", in: id)
    let view = try #require(try await home.all(ShowConversation.self, .init(id: id)).first)
    #expect(view.turns.map(\.answer) == ["Half of", next.answer])
    #expect(view.turns[0].record?.stopped == true)
    #expect(view.turns[1].parent == view.turns[0].id)
  }

  @Test("An answer whose conversation is deleted meanwhile leaves nothing and fails nothing")
  func deletedMeanwhile() async throws {
    let home = try OpenHouse()
    try await home.house.conversing.run(Ask.Input(question: "Where do xylophonquarks nest?", conversation: id)) {
      _ = try await home.all(DeleteConversations.self, .init(ids: [self.id]))
      var record = AnswerRecord(task: .talk, question: "", provider: "local", pack: nil, mode: .fast)
      record.answer = "Xylophonquarks nest in reeds."
      let kept = try await home.house.remember(Prompt.Turn(question: "", answer: ""), record, in: self.id)
      #expect(kept == nil)
    }
    #expect(try await home.all(ListConversations.self, Nothing()).isEmpty)
    #expect(try home.files(containing: "xylophonquark") == [])
  }

  @Test("Only a UUID begins a conversation; another unknown id is an error that names it")
  func unknown() async throws {
    let home = try OpenHouse()
    await #expect(throws: StorageError.missing(kind: "conversation", id: "nonsense")) {
      try await home.ask("Hello", in: "nonsense")
    }
    await #expect(throws: StorageError.missing(kind: "message", id: "nobody")) {
      try await home.ask("Hello", in: id, after: "nobody")
    }
  }

  @Test("Conversations are found, renamed, exported, imported and deleted")
  func managed() async throws {
    let home = try OpenHouse()
    try await home.ask("Where do xylophonquarks nest?", in: id)
    #expect(try await home.all(SearchConversations.self, .init(query: "xyloph")).map(\.id) == [id])
    _ = try await home.all(RenameConversation.self, .init(id: id, title: "Birds"))
    for format in ArchiveFormat.allCases {
      let text = try #require(try await home.all(ExportConversations.self, .init(ids: [id], format: format)).first).text
      let file = try home.write(text, to: "export")
      let back = try await home.all(ImportConversations.self, .init(paths: [file.path]))
      #expect(back.map(\.title) == ["Birds"])
      let (old, new) = (
        try await home.all(ShowConversation.self, .init(id: id))[0],
        try await home.all(ShowConversation.self, .init(id: back[0].id))[0]
      )
      #expect(new.turns.map(\.question) == old.turns.map(\.question))
      #expect(new.turns[0].record?.answer == old.turns[0].record?.answer)
    }
    let all = try await home.all(ListConversations.self, Nothing()).map(\.id)
    #expect(all.count == 3)
    #expect(try !home.files(containing: "xylophonquark").isEmpty)
    _ = try await home.all(DeleteConversations.self, .init(ids: all))
    #expect(try home.files(containing: "xylophonquark") == [])
  }

  @Test("A pipe or a device is no export and is not waited for", arguments: ["pipe", "/dev/zero"])
  func endless(name: String) async throws {
    let home = try OpenHouse()
    let place = name.hasPrefix("/") ? name : home.base.appending(path: name).path
    try Folders.make(home.base)
    if !name.hasPrefix("/") { try #require(mkfifo(place, 0o600) == 0) }
    await #expect(throws: FileError.self) {
      try await home.all(ImportConversations.self, .init(paths: [place]))
    }
  }

  @Test("A conversation of 50,000 questions is shown, gone on with, branched, chosen and deleted")
  func long() async throws {
    let home = try OpenHouse()
    let questions = 50_000
    let vault = home.house.vault
    _ = try await vault.conversations.create(title: "Long", id: id)
    try await vault.write(touchingDocuments: false) { db in
      for number in 0..<2 * questions {
        try db.run(
          "INSERT INTO messages (id, conversation, parent, role, text, created) VALUES (?, ?, ?, ?, ?, 0)",
          "m\(number)",
          self.id, number == 0 ? nil : "m\(number - 1)", number % 2 == 0 ? "user" : "assistant",
          "xylophonquark \(number)")
      }
      try db.run("UPDATE conversations SET leaf = ?", "m\(2 * questions - 1)")
    }
    let view = try #require(try await home.all(ShowConversation.self, .init(id: id)).first)
    #expect(view.turns.count == questions && view.turns.allSatisfy(\.shown))
    #expect(view.turns.last?.parent == "m\(2 * questions - 3)")
    try await home.ask("And then?", in: id)
    _ = try await home.all(BranchConversation.self, .init(id: id, message: "m1", question: "Or so?"))
    #expect(try await home.all(ShowConversation.self, .init(id: id))[0].turns.filter(\.shown).count == 1)
    _ = try await home.all(ChooseBranch.self, .init(message: "m0"))
    _ = try await home.all(DeleteConversations.self, .init(ids: [id]))
    #expect(try home.files(containing: "xylophonquark") == [])
  }

  @Test("Turns that go in a circle, follow later ones or themselves are read in one pass, each at the top")
  func circles() throws {
    func message(_ id: String, _ parent: String?, _ role: String) throws -> StoredMessage {
      var object = ["id": id, "conversation": "c", "role": role, "text": id, "created": "2026-01-01T00:00:00Z"]
      object["parent"] = parent
      var whole: [String: Any] = object
      whole["attachments"] = [String]()
      return try JSON.decode(StoredMessage.self, from: JSONSerialization.data(withJSONObject: whole))
    }
    let tree = ConversationTree([
      try message("own", "own", "user"), try message("a", "b", "user"), try message("b", "a", "assistant"),
      try message("c", "d", "assistant"), try message("d", "c", "user"),
    ])
    #expect(tree.branch(to: "own").map(\.id) == ["own"])
    #expect(tree.branch(to: "b").map(\.id) == ["a", "b"])
    #expect(tree.branch(to: "d").map(\.id) == ["c", "d"])
    #expect(tree.turns(shown: "b").map(\.id) == ["own", "b", "d"])
    #expect(tree.question(of: "b")?.id == "a" && tree.question(of: "c") == nil)
    #expect(tree.answer(atOrAbove: "d") == "c" && tree.answer(atOrAbove: "own") == nil)
  }

  @Test(
    "A title is the beginning of the question, whole words of it",
    arguments: [
      ("Short?", "Short?"), ("  a\n b  ", "a b"), ("", "…"),
      (String(repeating: "字", count: 70), String(repeating: "字", count: 60) + "…"),
    ])
  func titles(question: String, title: String) { #expect(ConversationTitle.of(question) == title) }

  @Test("No title is long where all are listed, however many marks its letters bear and whoever gives it")
  func longTitles() async throws {
    let home = try OpenHouse()
    let letter = "x" + String(repeating: "\u{301}", count: 100_000)
    #expect(ConversationTitle.of(letter).utf8.count < 300)
    let shelf = home.house.vault.conversations
    let id = try await shelf.create(title: letter + String(repeating: "x", count: 100_000)).id
    #expect(try await shelf.get(id).title.utf8.count < 2000)
    let key = Caller.key(id: "k", rights: [.manage])
    let title = String(repeating: "long ", count: 100_000)
    for try await _ in RenameConversation.perform(.init(id: id, title: title), for: key, in: home.house) {}
    for try await _ in MoveConversations.perform(.init(ids: [id], folder: letter), for: key, in: home.house) {}
    let kept = try await shelf.get(id)
    #expect(kept.title.utf8.count < 2000 && kept.folder.map { $0.utf8.count < 500 } == true)
  }

  @Test("An attached file that an archive lists under a hundred thousand names is read once")
  func listedOften() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "libera-blobs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let blobs = Blobs(folder: folder)
    let (one, two) = (try blobs.keep(Data("one".utf8)), try blobs.keep(Data("two".utf8)))
    func attached(_ name: String, _ hash: String) -> Storage.Attachment {
      Storage.Attachment(name: name, hash: hash, kind: "text", bytes: 3)
    }
    let gone = SHA256.of(Data())
    let files = try Importing.files(
      of: (0..<100_000).map { attached("\($0)", one) } + [attached("0", two), attached("a", gone), attached("a", two)],
      in: blobs)
    #expect(files.map(\.name) == ["0", "a"])
    #expect(files.map { URL(filePath: $0.path).lastPathComponent } == [one, two])
  }
}
