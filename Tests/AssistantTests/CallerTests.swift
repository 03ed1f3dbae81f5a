import Commands
import Core
import Foundation
import Storage
import Testing

@testable import Assistant

@Suite("Who asks")
struct CallerTests {
  @Test("An operation does nothing for somebody without the right it needs")
  func rights() async throws {
    let home = try OpenHouse()
    for operation in Operations.all {
      for right in Right.allCases where right != operation.right {
        let narrow = Caller.key(id: "k", rights: [right])
        await #expect(throws: CallerError.lacks([operation.right]), "\(operation.name)") {
          for try await _ in operation.run(Data("{}".utf8), narrow, home.house) {}
        }
      }
      await #expect(throws: CallerError.self) {
        for try await _ in operation.run(Data("{}".utf8), .stranger, home.house) {}
      }
    }
  }

  @Test("A link that lets a browser in is given to a terminal alone")
  func links() async throws {
    let home = try OpenHouse()
    let page = try #require(Operations.named("page"))
    for caller in [Caller.page(session: "s"), .key(id: "k", rights: Set(Right.allCases))] {
      await #expect(throws: CallerError.self) {
        for try await _ in page.run(Data("{}".utf8), caller, home.house) {}
      }
    }
    for try await _ in page.run(Data("{}".utf8), .terminal, home.house) {}
  }

  @Test("What is attached to a conversation no key reads that may not read conversations, by whatever name or number")
  func attached() async throws {
    let home = try OpenHouse()
    let conversation = UUID().uuidString.lowercased()
    let library = try home.write("The lease says nothing of dogs.", to: "one/lease.txt")
    let letter = try home.write("The doctor writes of a xylophonquark.", to: "two/letter.txt")
    _ = try await home.all(Import.self, .init(paths: [library.path]))
    _ = try await home.all(Import.self, .init(paths: [letter.path], conversation: conversation))
    let known = try #require(try await home.all(ListDocuments.self, .init()).first)
    let attached = try #require(
      try await home.all(ListDocuments.self, .init(collection: "attached:\(conversation)")).first)
    let narrow = Caller.key(id: "k", rights: [.ask])
    func told(_ name: String, _ body: [String: Any], _ caller: Caller) async throws -> String {
      let operation = try #require(Operations.named(name))
      var words = ""
      do {
        for try await event in operation.run(
          try JSONSerialization.data(withJSONObject: body), caller, home.house)
        { words += String(decoding: event, as: UTF8.self) }
      } catch { words += RemoteError(error).code }
      return words
    }
    let collection = "attached:\(conversation)"
    let asked: [(String, [String: Any])] = [
      ("documents-text", ["id": attached.id]), ("documents-text", ["id": "\(attached.id).0.10"]),
      ("documents-text", ["document": "letter.txt", "collection": collection]),
      ("documents-outline", ["id": attached.id]), ("documents-thread", ["id": attached.id]),
      ("documents-page", ["id": attached.id, "page": 1]), ("open", ["id": "\(attached.id).0.10", "scale": 1]),
      ("documents", ["collection": collection]),
      ("search", ["query": "xylophonquark", "collection": collection, "limit": 5, "stage": "lexical"]),
      ("ask", ["question": "What is a xylophonquark?", "collection": collection, "provider": "extractive"]),
    ]
    func tells(_ words: String) -> Bool { ["doctor", "letter.txt", conversation].contains(where: words.contains) }
    for (name, body) in asked {
      let words = try await told(name, body, narrow)
      #expect(!tells(words), "\(name): \(words)")
      #expect(tells(try await told(name, body, .terminal)), "\(name)")
    }
    // The library it reads, and who may read conversations reads what is attached to them.
    #expect(try await told("documents-text", ["id": known.id], narrow).contains("dogs"))
    let wide = Caller.key(id: "w", rights: [.ask, .manage])
    for caller in [wide, .page(session: "s"), .terminal] {
      #expect(try await told("documents-text", ["id": attached.id], caller).contains("doctor"), "\(caller)")
    }
  }

  @Test("Words that stand only in what is attached to a conversation are told to nobody who asks the library")
  func spelling() async throws {
    let home = try OpenHouse()
    let library = try home.write("The lease says nothing of dogs or of terrariums.", to: "one/lease.txt")
    let letter = try home.write("The doctor writes of a xylophonquark.", to: "two/letter.txt")
    _ = try await home.all(Import.self, .init(paths: [library.path]))
    let conversation = UUID().uuidString.lowercased()
    _ = try await home.all(Import.self, .init(paths: [letter.path], conversation: conversation))
    func noted(_ question: String, _ caller: Caller, in collection: String? = nil) async throws -> [String] {
      var input = Ask.Input(question: question, collection: collection)
      input.provider = .extractive
      var reasons: [String] = []
      for try await event in Ask.perform(input, for: caller, in: home.house) {
        reasons += event.done?.dropped.map(\.reason) ?? []
      }
      return reasons
    }
    let narrow = Caller.key(id: "k", rights: [.ask])
    for caller in [narrow, .terminal] {
      #expect(try await noted("What is a terrarlums?", caller).contains { $0.contains("terrariums") })
      // One slip, another first letter, and a compound of it.
      for word in ["xylophonquarx", "qylophonquark", "xylophonquarkwart"] {
        let told = try await noted("What is a \(word)?", caller)
        #expect(!told.contains { $0.contains("xylophonquark") }, "\(told)")
      }
    }
    let inside = try await noted("What is a xylophonquarx?", .terminal, in: Attached.collection(of: conversation))
    #expect(inside.contains { $0.contains("xylophonquark") }, "\(inside)")
  }

  @Test(
    "No score tells a key how often a word stands in what is attached to conversations",
    arguments: ["rent", "INV-2041"])
  func scores(word: String) async throws {
    let home = try OpenHouse()
    let narrow = Caller.key(id: "k", rights: [.ask])
    for number in 1...3 {
      let paper = try home.write(
        "Paper \(number) tells what the rent of INV-2041 is, and of dogs.", to: "one/\(number).txt")
      _ = try await home.all(Import.self, .init(paths: [paper.path]))
    }
    func told() async throws -> [String] {
      var words: [String] = []
      for (name, body) in [
        ("search", ["query": word, "limit": 5, "stage": "lexical"] as [String: Any]),
        ("search-batch", ["queries": [["_id": "1", "text": word]], "limit": 5, "stage": "lexical"]),
      ] {
        let operation = try #require(Operations.named(name))
        for try await event in operation.run(try JSONSerialization.data(withJSONObject: body), narrow, home.house) {
          words.append(String(decoding: event, as: UTF8.self))
        }
      }
      return words
    }
    let before = try await told()
    let conversation = UUID().uuidString.lowercased()
    for number in 1...20 {
      let letter = try home.write("Letter \(number) of the doctor names \(word) at length.", to: "two/\(number).txt")
      _ = try await home.all(Import.self, .init(paths: [letter.path], conversation: conversation))
    }
    #expect(try await told() == before)
  }

  @Test("When a question of the person's is answered, no program learns by being refused in that conversation")
  func refusedAtOnce() async throws {
    let home = try OpenHouse()
    let id = UUID().uuidString.lowercased()
    let turn = Task {
      try await home.house.conversing.run(Ask.Input(question: "Mine?", conversation: id)) {
        while !Task.isCancelled { await Task.yield() }
      }
    }
    while try await !home.house.vault.conversations.contains(id) { await Task.yield() }
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    let other = Task {
      try await Caller.$asking.withValue(.key(id: "k", rights: [.ask])) {
        do { try await home.house.conversing.run(Ask.Input(question: "Theirs?", conversation: id)) {} } catch {
          tell.yield("refused: \(error)")
          throw error
        }
      }
    }
    let patience = Task {
      // Whatever the machine does meanwhile: the person's turn takes for ever.
      try await Task.sleep(for: .seconds(20))
      tell.yield("still waiting")
    }
    var first = told.makeAsyncIterator()
    #expect(await first.next()?.hasPrefix("refused") == true)
    patience.cancel()
    turn.cancel()
    _ = await (turn.result, other.result)
  }

  @Test("A conversation is gone on with by the person, by a key that may read it, and by the key that began it")
  func conversations() async throws {
    let home = try OpenHouse()
    let (first, second) = (Caller.key(id: "1", rights: [.ask]), Caller.key(id: "2", rights: [.ask]))
    let manages = Caller.key(id: "3", rights: [.ask, .manage])
    let (mine, theirs) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
    func ask(_ conversation: String, _ caller: Caller) async throws {
      var input = Ask.Input(question: "And \(UUID().uuidString)?", conversation: conversation)
      input.provider = .templates
      for try await _ in Ask.perform(input, for: caller, in: home.house) {}
    }
    try await ask(mine, .terminal)
    try await ask(theirs, first)
    try await ask(theirs, first)
    for caller in [manages, .page(session: "s"), .terminal] { try await ask(mine, caller) }
    let before = try await home.house.vault.conversations.all(mine).count
    for (conversation, caller) in [(mine, first), (mine, second), (theirs, second)] {
      await #expect(throws: CallerError.lacks([.manage])) { try await ask(conversation, caller) }
    }
    #expect(try await home.house.vault.conversations.all(mine).count == before)
    // Whoever began one goes on with it after a restart too.
    let again = Conversing(home.house.vault)
    try await Caller.$asking.withValue(first) { try await again.refuseStrangers(to: theirs) }
    for (conversation, caller) in [(theirs, second), (mine, first)] {
      await #expect(throws: CallerError.lacks([.manage])) {
        try await Caller.$asking.withValue(caller) { try await again.refuseStrangers(to: conversation) }
      }
    }
    // Nor is anything done there in its name.
    var command = Perform.Input(text: "remind me tomorrow at nine to call John")
    command.conversation = mine
    await #expect(throws: CallerError.lacks([.manage])) {
      for try await _ in Perform.perform(command, for: .key(id: "4", rights: [.act]), in: home.house) {}
    }
  }

  @Test("A conversation that a program began is not its own any more once others have spoken or put a file there")
  func joined() async throws {
    let home = try OpenHouse()
    let narrow = Caller.key(id: "1", rights: [.ask])
    let letter = try home.write("The doctor writes of a xylophonquark.", to: "letter.txt")
    func ask(_ conversation: String, _ caller: Caller) async throws {
      var input = Ask.Input(question: "And \(UUID().uuidString)?", conversation: conversation)
      input.provider = .templates
      for try await _ in Ask.perform(input, for: caller, in: home.house) {}
    }
    func attach(_ conversation: String, _ caller: Caller) async throws {
      let input = Import.Input(paths: [letter.path], conversation: conversation)
      for try await _ in Import.perform(input, for: caller, in: home.house) {}
    }
    let (page, manages) = (Caller.page(session: "s"), Caller.key(id: "3", rights: [.ask, .manage]))
    let joins: [(String) async throws -> Void] = [
      { try await ask($0, page) }, { try await ask($0, manages) }, { try await attach($0, page) },
    ]
    for join in joins {
      let begun = UUID().uuidString.lowercased()
      try await ask(begun, narrow)
      try await ask(begun, narrow)
      try await join(begun)
      await #expect(throws: CallerError.lacks([.manage])) { try await ask(begun, narrow) }
      try await ask(begun, page)
    }
  }

  @Test("What is written down of what a program sends has a bound, whatever field it stands in")
  func written() async throws {
    let home = try OpenHouse()
    let key = Caller.key(id: "k", rights: [.ask, .act])
    let long = String(repeating: "x", count: 100_000)
    // One letter with a hundred thousand marks.
    let letter = "x" + String(repeating: "\u{301}", count: 100_000)
    let question = Ask.Input(question: "What?", collection: long, conversation: UUID().uuidString.lowercased())
    await #expect(throws: StorageError.self) {
      for try await _ in Ask.perform(question, for: key, in: home.house) {}
    }
    #expect(try await home.house.vault.conversations.list().isEmpty)
    var (title, people) = (CardEdits(), CardEdits())
    var place = Perform.Input(text: "remind me tomorrow at nine to call John")
    title.title = letter
    people.to = Array(repeating: "", count: 100_000)
    place.conversation = long
    for input in [title, people].map({ Perform.Input(text: place.text, edits: $0) }) + [place] {
      await #expect(throws: TooLong.self) {
        for try await _ in Perform.perform(input, for: key, in: home.house) {}
      }
    }
    #expect(try home.house.actions.history.last().isEmpty)
  }

  @Test("No name stands for two operations")
  func names() {
    #expect(Set(Operations.all.map(\.name)).count == Operations.all.count)
  }
}
