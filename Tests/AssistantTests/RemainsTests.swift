import Core
import Foundation
import Storage
import Testing

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
    #expect(try home.files(containing: secret) == [])
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
  }
}
