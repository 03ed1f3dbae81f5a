import Commands
import Core
import Foundation
import Storage
import Synchronization
import Testing
import Workers

@testable import Assistant

@Suite("What is left of what was deleted")
struct RemainsTests {
  private let id = "6d1c4b0a-0c57-4a55-9c0e-6a1f0a3f2b11"
  private let secret = "xylophonquark"

  @Test(
    "Files that are still being read when their conversation goes leave nothing, however that ends",
    arguments: [false, true])
  func readTooLate(stopped: Bool) async throws {
    let home = try OpenHouse()
    let files = try (0..<300).map { number in
      let file = try home.write("A \(secret), number \(number).", to: "late/\(number).txt")
      return FileFinder.Found(path: file.path, name: file.lastPathComponent)
    }
    let (events, event) = AsyncStream.makeStream(of: ImportStep.self)
    let reading = Task { [id] in
      try await home.house.importing.run(files, into: Attached.collection(of: id)) { event.yield($0) }
    }
    for await step in events where step.event == .done {
      if stopped { reading.cancel() }
      break
    }
    let outcome = await reading.result
    #expect((try? outcome.get()) == nil || !stopped)
    // Bytes that are being brought in are let go of when they are here.
    while try !home.files(containing: secret).isEmpty { try await Task.sleep(for: .milliseconds(50)) }
  }

  @Test("Of files that could not be read, and of those that came too late for an import that is stopped, no bytes stay")
  func notImported() async throws {
    let home = try OpenHouse()
    let (broken, whole) = (try home.write("%PDF-1.7\n\(secret)", to: "a.pdf"), try home.write("A letter.", to: "b.txt"))
    let steps = try await home.all(Import.self, .init(paths: [broken.path, whole.path]))
    #expect(steps.last?.failed == 1 && steps.last?.imported == 1)
    #expect(try home.originals() == Set(await home.house.vault.documents.list().map(\.hash)))

    let files = try (0..<300).map { number in
      try home.write("A \(secret), number \(number).", to: "late/\(number).txt")
    }
    let (events, event) = AsyncStream.makeStream(of: ImportStep.self)
    let reading = Task { [house = home.house] in
      defer { event.finish() }
      try await Import.run(.init(paths: files.map(\.path)), in: house) { event.yield($0) }
    }
    for await step in events where step.event == .done {
      reading.cancel()
      break
    }
    _ = await reading.result
    while try home.originals() != Set(await home.house.vault.documents.list().map(\.hash)) {
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test("What passed through a process that was killed goes with what is destroyed next; what others are handed stays")
  func passing() async throws {
    let home = try OpenHouse()
    let places = ["uploads-4242/page", "uploads-4243/page", "resource-1/1"].map {
      home.folders.scratch.appending(path: $0, directoryHint: .isDirectory)
    }
    for place in places {
      try Folders.make(place)
      try Data("A recording of the \(secret).".utf8).write(to: place.appending(path: "a.txt"))
    }
    let lock = try OwnerLock.take(places[1].deletingLastPathComponent().appending(path: "lock"))
    try await home.ask("Hello", in: id)
    _ = try await home.all(DeleteConversations.self, .init(ids: [id]))
    #expect(try home.files(containing: secret).map { $0.hasSuffix("uploads-4243/page/a.txt") } == [true])
    withExtendedLifetime(lock) {}
    for kind in [KeptData.documents, .everything] {
      try Folders.make(places[0])
      try Data(secret.utf8).write(to: places[0].appending(path: "b.txt"))
      _ = try await home.all(DestroyData.self, .init(kind: kind))
      #expect(!FileManager.default.fileExists(atPath: places[0].appending(path: "b.txt").path))
    }
  }

  @Test(
    "What was said to be done in a conversation goes with it; what was said elsewhere stays",
    arguments: [false, true])
  func commands(all: Bool) async throws {
    let home = try OpenHouse()
    let other = UUID().uuidString.lowercased()
    let history = home.house.actions.history
    try Folders.make(home.folders.actions)
    for (words, conversation) in [("Call the \(secret)", id), ("Call Ann", other), ("Call Bob", nil)] {
      try history.add(
        Heard(
          at: Date(), text: words, recognition: nil, frame: "{}", decision: .ask, confirmed: false, action: nil,
          explanation: [], conversation: conversation))
    }
    try await home.ask("Hello", in: id)
    if all {
      _ = try await home.all(DestroyData.self, .init(kind: .conversations))
    } else {
      _ = try await home.all(DeleteConversations.self, .init(ids: [id]))
    }
    #expect(try home.files(containing: secret) == [])
    #expect(try history.last().map(\.text) == (all ? ["Call Bob"] : ["Call Ann", "Call Bob"]))
  }

  @Test("A file that is taken away from its conversation is neither kept nor exported, though a question had listed it")
  func takenAway() async throws {
    let home = try OpenHouse()
    let letter = try home.write("A letter of the \(secret).", to: "letter.txt")
    let other = try home.write("Another.", to: "other.txt")
    _ = try await home.all(Import.self, .init(paths: [letter.path, other.path], conversation: id))
    var input = Ask.Input(question: "Hello", conversation: id, task: .talk, provider: .templates)
    input.attachments = ["letter.txt", "other.txt"]
    _ = try await home.all(Ask.self, input)
    var removing = RemoveDocuments.Input(documents: ["letter.txt"])
    removing.conversation = id
    _ = try await home.all(RemoveDocuments.self, removing)
    #expect(try home.files(containing: secret) == [])
    let listed = try await home.house.vault.conversations.all(id).flatMap(\.attachments)
    #expect(listed.map(\.name) == ["other.txt"])
    // Not all of them at once behind the questions' back.
    await #expect(throws: StorageError.self) {
      _ = try await home.all(RemoveCollection.self, .init(collection: Attached.collection(of: id)))
    }
  }

  @Test(
    "Whoever serves the page forgets what was told before, wherever something is destroyed, and also where that fails",
    arguments: ["data-destroy", "documents-remove", "conversations-delete"])
  func forgotten(name: String) async throws {
    let home = try OpenHouse()
    let letter = try home.write("A letter of the \(secret).", to: "letter.txt")
    _ = try await home.all(Import.self, .init(paths: [letter.path]))
    try await home.ask("Hello", in: id)
    let server = Server()
    home.house.serves(server)
    let inputs = [
      "data-destroy": #"{"kind":"logs"}"#, "documents-remove": #"{"documents":["letter.txt"]}"#,
      "conversations-delete": #"{"ids":["\#(id)"]}"#,
    ]
    let operation = try #require(Operations.named(name))
    let input = Data(try #require(inputs[name]).utf8)
    for try await _ in operation.run(input, .terminal, home.house) {}
    #expect(server.forgot == 1)
    let again = Task { for try await _ in operation.run(input, .terminal, home.house) {} }
    _ = await again.result
    #expect(server.forgot == 2)
    for try await _ in try #require(Operations.named("conversations")).run(Data("{}".utf8), .terminal, home.house) {}
    #expect(server.forgot == 2)
  }

  private final class Server: Reception {
    private let count = Mutex(0)
    var forgot: Int { count.withLock(\.self) }
    func link() -> String { "" }
    func sessions() -> [SessionEntry] { [] }
    func end(_ session: String) -> Bool { false }
    func forget() { count.withLock { $0 += 1 } }
  }

  @Test("What tool servers keep for themselves is named among what stays, where there is any")
  func toolHomes() async throws {
    let home = try OpenHouse()
    let stays = "what tool servers keep for themselves"
    #expect(try await home.house.measure(.everything).stays.contains(stays) == false)
    try Folders.make(home.folders.home(ofTool: "files"))
    #expect(try await home.house.measure(.everything).stays.contains(stays))
  }
}
