import Core
import Documents
import Foundation
import Resources
import Spoken
import Storage
import Synchronization
import Testing

@testable import Assistant

@Suite("Callers take turns at what is drawn and what is read aloud")
struct CallersTurnsTests {
  private final class Ended: Sendable { let names = Mutex<[String]>([]) }

  /// The names in the order in which they were through: a program has asked for eight before a person asks for one.
  private func ends(at turns: Scheduler, _ one: @escaping @Sendable () async throws -> Void) async throws -> [String] {
    let (program, page) = (Caller.key(id: "1", rights: [.ask]), Caller.page(session: "s"))
    let (ended, gate) = (Ended(), AsyncStream.makeStream(of: Void.self))
    func ask(_ name: String, _ caller: Caller, in group: inout ThrowingTaskGroup<Void, any Error>) {
      Caller.$asking.withValue(caller) {
        group.addTask {
          try await one()
          ended.names.withLock { $0.append(name) }
        }
      }
    }
    func waits(_ count: Int) async throws {
      while await turns.jobs.count < count { try await Task.sleep(for: .milliseconds(5)) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await turns.run("all of it", .person, cores: .max) { _ in for await _ in gate.stream {} } }
      try await waits(1)
      for _ in 0..<8 { ask("program", program, in: &group) }
      try await waits(9)
      ask("page", page, in: &group)
      try await waits(10)
      gate.continuation.finish()
      try await group.waitForAll()
    }
    return ended.names.withLock(\.self)
  }

  private static let paper = Data(
    """
    %PDF-1.4
    1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
    2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
    3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>> endobj
    trailer <</Root 1 0 R>>
    %%EOF

    """.utf8)

  @Test("The page of a citation is drawn in its turn, like any other page")
  func cited() async throws {
    let home = try OpenHouse()
    let documents = home.house.vault.documents
    let hash = try home.house.vault.blobs.keep(Self.paper)
    var new = NewDocument(name: "a.pdf", hash: hash, title: "a", kind: "pdf", bytes: Self.paper.count)
    new.pages = 1
    guard case .proceed(let document) = try await documents.begin(new) else { throw StorageError.busy }
    try await documents.append(
      to: document.id, pages: [StoredPage(number: 1, start: 0, text: "deposit", width: 100, height: 100)], chunks: [],
      pagesDone: 1)
    try await documents.finish(document.id)
    let turns = await home.house.drawing.turns
    let (gate, ended) = (AsyncStream.makeStream(of: Void.self), Ended())
    func isOver() -> Bool { ended.names.withLock { !$0.isEmpty } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await turns.run("all of it", .person, cores: .max) { _ in for await _ in gate.stream {} } }
      while await turns.jobs.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      group.addTask {
        let opened = try await home.all(Open.self, .init(id: "\(document.id).0.7")).first
        #expect(opened?.picture?.isEmpty == false)
        ended.names.withLock { $0.append("opened") }
      }
      while await turns.jobs.count < 2, !isOver() { try await Task.sleep(for: .milliseconds(5)) }
      #expect(!isOver())
      gate.continuation.finish()
      try await group.waitForAll()
    }
    await home.house.close()
  }

  /// That this is done only after a text that is being read.
  private func expectTurn(in home: OpenHouse, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let (turns, gate, ended) = (home.house.texts, AsyncStream.makeStream(of: Void.self), Ended())
    func isOver() -> Bool { ended.names.withLock { !$0.isEmpty } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await turns.run("all of it", .person, cores: .max) { _ in for await _ in gate.stream {} } }
      while await turns.jobs.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      group.addTask {
        defer { ended.names.withLock { $0.append("done") } }
        try await work()
      }
      while await turns.jobs.count < 2, !isOver() { try await Task.sleep(for: .milliseconds(5)) }
      #expect(!isOver(), "it did not wait")
      gate.continuation.finish()
      try await group.waitForAll()
    }
  }

  private func homeWithLease() async throws -> OpenHouse {
    let home = try OpenHouse()
    let file = try home.write("The deposit is 400 euros.", to: "lease.txt")
    _ = try await home.all(Import.self, .init(paths: [file.path]))
    return home
  }

  @Test("A place in a text is read in its turn, as whole texts are")
  func place() async throws {
    let home = try await homeWithLease()
    let document = try #require(try await home.house.vault.documents.list().first).id
    try await expectTurn(in: home) {
      let opened = try await home.all(Open.self, .init(id: "\(document).4.11")).first
      #expect(opened?.before == "The " && opened?.after == " is 400 euros.", "\(String(describing: opened))")
    }
  }

  @Test("A list of all that there is is made in its turn", arguments: [true, false])
  func lists(documents: Bool) async throws {
    let home = try await homeWithLease()
    try await home.ask("What is the deposit?", in: UUID().uuidString.lowercased())
    try await expectTurn(in: home) {
      let found =
        documents
        ? try await home.all(ListDocuments.self, .init()).count
        : try await home.all(ListConversations.self, Nothing()).count
      #expect(found == 1)
    }
  }

  @Test("Eight pages that a program wants to see come to no person's eyes first")
  func drawing() async throws {
    let desk = PageDesk()
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString).pdf")
    try Self.paper.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // it lies in the temporary folder
    let names = try await ends(at: desk.turns) {
      let drawn = try await desk.render(file, RenderRequest(page: 1, scale: 1))
      #expect(!drawn.picture.isEmpty)
    }
    #expect(names.count == 9 && names.prefix(3).contains("page"), "\(names)")
    await desk.stop()
  }

  @Test("Eight texts that a program has read aloud do not keep a person's waiting")
  func aloud() async throws {
    let home = try OpenHouse()
    let names = try await ends(at: home.house.voices) {
      // Where no program reads aloud, saying so takes its turn all the same.
      do { _ = try await home.all(Say.self, .init(text: "A word.")) } catch SpeechError.noVoice {}
    }
    #expect(names.count == 9 && names.prefix(4).contains("page"), "\(names)")
    await home.house.close()
  }
}
