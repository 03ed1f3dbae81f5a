import Core
import Foundation
import Testing

@testable import Storage

@Suite("Deletion leaves nothing")
struct DeletionTests {
  /// No word index shortens it and nothing else contains it.
  private let secret = "xylophonquark"

  private func filled(_ rig: Rig) async throws -> (Vault, Int64, String) {
    let vault = try rig.vault()
    for number in 0..<40 {
      try await Rig.add(
        (0..<20).map { "line \($0) of ordinary text \(number)" }.joined(separator: "\n"), named: "o\(number)", to: vault
      )
    }
    let document = try await Rig.add("the \(secret) is here\nand \(secret)s again", named: "\(secret).txt", to: vault)
    for number in 40..<60 { try await Rig.add("more ordinary text \(number)", named: "o\(number)", to: vault) }
    let conversation = try await vault.conversations.create(title: "About \(secret)")
    let hash = try vault.blobs.keep(Data("attached \(secret)".utf8))
    try await vault.conversations.append(
      to: conversation.id, role: "user", text: "what is \(secret)?",
      attachments: [Attachment(name: "\(secret).png", hash: hash, kind: "image", bytes: 3)])
    try await vault.conversations.append(
      to: conversation.id, role: "assistant", text: "It is \(secret).", record: "{\"why\":\"\(secret)\"}")
    return (vault, document, conversation.id)
  }

  private func forget(_ vault: Vault, document: Int64, conversation: String) async throws {
    try await vault.documents.remove([document])
    try await vault.conversations.remove([conversation])
  }

  @Test("A collection of the person's that is called much like what is attached to conversations is shown and stays")
  func likeAttached() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for name in ["Attached: letters", "ATTACHED:x", "attached letters"] {
      let document = try await Rig.add("the rent is 940 euros", named: name, to: vault, collection: name)
      #expect(try await vault.documents.list().map(\.id).contains(document), "\(name)")
      #expect(try await vault.documents.collections().map(\.name).contains(name), "\(name)")
      try await vault.purge()
      #expect(try await vault.documents.text(document) == "the rent is 940 euros", "\(name)")
    }
  }

  @Test("A removed document and a removed conversation are in no file any more")
  func removed() async throws {
    let rig = Rig()
    let (vault, document, conversation) = try await filled(rig)
    try await Rig.embed(vault)
    #expect(!(try rig.files(containing: secret).isEmpty), "the search in the files must find something before")
    try await forget(vault, document: document, conversation: conversation)
    #expect(try rig.files(containing: secret) == [])
    #expect(try await vault.integrityFindings() == [])
    #expect(try await vault.words.match("ordinary", headingWeight: 1, limit: 2_000).count == 820)
  }

  @Test(
    "Destroying everything of a kind leaves nothing of it, and the other kinds as they were",
    arguments: Vault.Kind.allCases)
  func destroyed(_ kind: Vault.Kind) async throws {
    let rig = Rig()
    let (vault, document, conversation) = try await filled(rig)
    switch kind {
    case .documents: try await vault.conversations.remove([conversation])
    case .conversations: try await vault.documents.remove([document])
    }
    #expect(!(try rig.files(containing: secret).isEmpty))
    try await vault.destroy(kind)
    #expect(try rig.files(containing: secret) == [])
    #expect(try await vault.documents.list().count == (kind == .documents ? 0 : 60))
  }

  @Test("What is attached to a conversation is in no library, stays when the library is destroyed, and goes with it")
  func attached() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("ordinary", named: "o", to: vault)
    let conversations = vault.conversations
    let (one, two) = (try await conversations.create(title: "One").id, try await conversations.create(title: "Two").id)
    try await Rig.add("the \(secret) is here", named: "a", to: vault, collection: Attached.collection(of: one))
    try await Rig.add("other", named: "a", to: vault, collection: Attached.collection(of: two))
    try await Rig.embed(vault)
    #expect(try await vault.documents.list().map(\.name) == ["o"])
    #expect(try await vault.documents.collections().map(\.name) == ["documents"])
    #expect(try await vault.documents.library()?.count == 1)
    #expect(try await vault.documents.hasAttached(to: one))
    try await vault.destroy(.documents)
    #expect(try await vault.documents.attachedCount() == 2)
    try await conversations.remove([one])
    #expect(try rig.files(containing: secret) == [])
    #expect(try await vault.documents.attachedCount() == 1)
    try await Rig.add("too late for \(secret)", named: "l", to: vault, collection: Attached.collection(of: one))
    try await vault.purge()
    #expect(try rig.files(containing: secret) == [])
    try await vault.destroy(.conversations)
    #expect(try await vault.documents.attachedCount() == 0)
    #expect(try await vault.integrityFindings() == [])
  }

  @Test("What came for a conversation that was gone already goes at the next start")
  func cameTooLate() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let there = Attached.collection(of: try await vault.conversations.create(title: "One").id)
    try await Rig.add("ordinary", named: "a", to: vault, collection: there)
    try await Rig.add("too late for \(secret)", named: "l", to: vault, collection: Attached.collection(of: "gone"))
    try await vault.purgeIfOwed()
    #expect(try rig.files(containing: secret) == [])
    #expect(try await vault.documents.attachedCount() == 1)
  }

  @Test("The vector of a removed chunk is overwritten")
  func vectors() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let document = try await Rig.add("one", named: "a", to: vault)
    try await Rig.add("two", named: "b", to: vault)
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    let marked = Rig.vector(77)
    let chunks = try await shelf.pending(limit: 9).map(\.chunk)
    try await shelf.add([(chunks[0], marked), (chunks[1], Rig.vector(78))])
    let bytes = PackedVector(marked).values.withUnsafeBytes { Data($0) }
    func holders() throws -> Int {
      try FileManager.default.subpathsOfDirectory(atPath: rig.folders.data.path).filter {
        let file = rig.folders.data.appending(path: $0)
        return !file.hasDirectoryPath && FileManager.default.contents(atPath: file.path)?.range(of: bytes) != nil
      }.count
    }
    #expect(try holders() > 0)
    try await vault.documents.remove([document])
    #expect(try holders() == 0)
    #expect(try await shelf.nearest(marked, limit: 5).map(\.chunk) == [chunks[1]])
  }

  @Test("A deletion waits for a reader that still holds the log")
  func reader() async throws {
    let rig = Rig()
    let (vault, document, conversation) = try await filled(rig)
    // A second process reading: its snapshot keeps the old pages alive.
    let other = try Connection(rig.folders.vault, .read)
    try other.script("BEGIN")
    _ = try other.first("SELECT count(*) FROM documents", as: { $0.int(0) })
    let done = Task { try await forget(vault, document: document, conversation: conversation) }
    try await Task.sleep(for: .milliseconds(50))
    try other.script("ROLLBACK")
    try await done.value
    #expect(try rig.files(containing: secret) == [])
  }

  @Test("An original two documents share stays until the second is removed")
  func shared() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let first = try await Rig.add("same bytes", named: "a", to: vault, collection: "one")
    let second = try await Rig.add("same bytes", named: "a", to: vault, collection: "two")
    let hash = SHA256.of(Data("same bytes".utf8))
    try await vault.documents.remove([first])
    #expect(vault.blobs.contains(hash))
    try await vault.documents.remove([second])
    #expect(!vault.blobs.contains(hash))
  }

  @Test("Originals that nothing came to refer to are swept up where that is owed; what is read, or referred to, stays")
  func leftBehind() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("It is referred to.", named: "a", to: vault)
    let referred = SHA256.of(Data("It is referred to.".utf8))
    let file = rig.folders.data.appending(path: "read")
    try Data("It is being read.".utf8).write(to: file)
    var read: HeldOriginal? = try vault.blobs.keep(RegularFile(file.path))
    let hash = try #require(read?.hash)
    let left = try vault.blobs.keep(Data("It is left behind.".utf8))
    #expect(try await vault.sweepIfOwed() && vault.blobs.contains(left))
    #expect(try await vault.oweSweep())
    #expect(try await !vault.oweSweep(), "it is owed already")
    #expect(try await !vault.sweepIfOwed(), "one is being read")
    #expect(!vault.blobs.contains(left) && vault.blobs.contains(hash) && vault.blobs.contains(referred))
    read = nil
    #expect(try await !vault.sweepIfOwed(unless: { true }), "others are being kept")
    #expect(try await vault.sweepIfOwed() && !vault.blobs.contains(hash) && vault.blobs.contains(referred))
    #expect(try await vault.oweSweep(), "it was owed no longer")
    try await vault.oweNoSweep { true }
    #expect(try await !vault.oweSweep())
    try await vault.oweNoSweep { false }
    #expect(try await vault.oweSweep())
    #expect(try vault.blobs.listing().drafts.isEmpty)
  }

  @Test("However often is cleaned up beside an import, nothing that was stored loses its original")
  func besideImport() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let cleaning = Task { while !Task.isCancelled { try await vault.purge() } }
    for number in 0..<100 {
      let file = rig.folders.data.appending(path: "\(number)")
      try Data("document \(number)".utf8).write(to: file)
      let original = try vault.blobs.keep(RegularFile(file.path))
      try await Rig.add("document \(number)", named: "\(number)", to: vault)
      withExtendedLifetime(original) {}
    }
    cleaning.cancel()
    _ = await cleaning.result
    let documents = try await vault.documents.list()
    #expect(documents.count == 100 && documents.allSatisfy { vault.blobs.contains($0.hash) })
  }
}
