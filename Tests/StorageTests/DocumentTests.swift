import Core
import Foundation
import Testing

@testable import Storage

@Suite("Documents in the vault")
struct DocumentTests {
  @Test("A document is found by words as soon as its text is stored, and is ready only after its last vector")
  func states() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let new = NewDocument(name: "a.txt", hash: "1", title: "Wings", kind: "text", bytes: 10)
    guard case .proceed(let document) = try await vault.documents.begin(new) else { Issue.record("not begun"); return }
    try await vault.documents.append(
      to: document.id, pages: [StoredPage(number: 1, start: 0, text: "slipstream effects\nlift")],
      chunks: Rig.lines(of: "slipstream effects\nlift", title: "Wings"), pagesDone: 1)
    #expect(try await vault.words.match("slipstream", headingWeight: 1, limit: 5).count == 1)
    #expect(try await vault.documents.get(document.id).state == .stored)
    try await vault.documents.finish(document.id)
    #expect(try await vault.documents.get(document.id).state == .indexed)
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    let pending = try await shelf.pending(limit: 10)
    try await shelf.add([(pending[0].chunk, Rig.vector(1))])
    #expect(try await vault.documents.get(document.id).state == .indexed)
    try await shelf.add([(pending[1].chunk, Rig.vector(2))])
    #expect(try await vault.documents.get(document.id).state == .ready)
  }

  @Test("Among some documents the word index is asked once, not once for each of their chunks")
  func plan() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let one = try await Rig.add("slipstream one", named: "a.txt", to: vault)
    _ = try await Rig.add("slipstream two", named: "b.txt", to: vault)
    let found = try await vault.words.match("slipstream", headingWeight: 1, limit: 5, documents: [one])
    #expect(found.count == 1)
    let plan = try await vault.read { db in
      try db.rows("EXPLAIN QUERY PLAN " + WordShelf.withinDocuments(.library), 1.0, "slipstream", "[\(one)]", 5) {
        $0.text(3)
      }
    }
    // FTS5 writes "=" where it looks rows up by their number.
    #expect(plan.contains { $0.contains("words VIRTUAL TABLE") } && !plan.contains { $0.contains("0:=") }, "\(plan)")
  }

  @Test("Whether there are documents is told without counting them, and their titles without the rest of them")
  func presence() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    func presence(_ collection: String? = nil) async throws -> [Bool] {
      let found = try await vault.documents.presence(collection: collection)
      return [found.isSingle, found.isReadable]
    }
    #expect(try await presence() == [false, false])
    let one = try await Rig.add("slipstream one", named: "a.txt", to: vault)
    #expect(try await presence() == [true, true])
    #expect(try await presence("elsewhere") == [false, false])
    try await vault.documents.fail(one, reason: "damaged")
    #expect(try await presence("documents") == [true, false])
    _ = try await Rig.add("slipstream two", named: "b.txt", to: vault)
    #expect(try await presence("documents") == [false, true])
    #expect(try await vault.documents.titles().map(\.name).sorted() == ["a.txt", "b.txt"])
    for columns in ["1", "d.title, d.name"] {
      let plan = try await vault.read { db in
        try db.rows("EXPLAIN QUERY PLAN SELECT \(columns) \(DocumentShelf.within)", "documents") { $0.text(3) }
      }
      // Those of a collection are found by it.
      #expect(plan.contains { $0.contains("SEARCH d USING") && $0.contains("collection=?") }, "\(plan)")
    }
  }

  @Test("The same bytes are never taken twice, an interrupted import goes on, other bytes replace")
  func beginnings() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let first = try await Rig.add("one\ntwo", named: "a.txt", to: vault)
    let again = NewDocument(
      name: "a.txt", hash: SHA256.of(Data("one\ntwo".utf8)), title: "t", kind: "text", bytes: 7)
    guard case .known(let known) = try await vault.documents.begin(again) else { Issue.record("taken twice"); return }
    #expect(known.id == first)
    var copy = again
    copy.name = "copy of a.txt"
    guard case .known = try await vault.documents.begin(copy) else { Issue.record("taken twice"); return }

    let half = NewDocument(name: "b.txt", hash: "b", title: "b", kind: "text", bytes: 7)
    guard case .proceed(let begun) = try await vault.documents.begin(half) else { throw StorageError.busy }
    try await vault.documents.append(
      to: begun.id, pages: [StoredPage(number: 1, start: 0, text: "p1")], chunks: [], pagesDone: 1)
    guard case .proceed(let resumed) = try await vault.documents.begin(half) else { throw StorageError.busy }
    #expect(resumed.id == begun.id)
    #expect(resumed.pagesDone == 1)
    await #expect(throws: StorageError.self) {
      try await vault.documents.append(
        to: begun.id, pages: [StoredPage(number: 1, start: 0, text: "p1")], chunks: [], pagesDone: 1)
    }

    var file = NewDocument(name: "c.txt", hash: "c", title: "c", kind: "text", bytes: 7)
    file.source = "/somewhere/c.txt"
    guard case .proceed(let older) = try await vault.documents.begin(file) else { throw StorageError.busy }
    file.hash = "d"
    guard case .proceed(let newer) = try await vault.documents.begin(file) else { throw StorageError.busy }
    #expect(newer.id != older.id)
    #expect(try await vault.documents.list().map(\.name) == ["a.txt", "b.txt", "c.txt"])
  }

  @Test(
    "What was handed over replaces nothing that has its name, neither a file nor a record of it",
    arguments: ["text", "records", "mailbox"])
  func namesakes(kind: String) async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let mine = try await Rig.add("the deposit is 900", named: "lease.txt", to: vault)
    var foreign = NewDocument(name: "lease.txt", hash: "f", title: "lease", kind: kind, bytes: 7)
    if kind != "text" { foreign.original = "0" }
    guard case .proceed(let begun) = try await vault.documents.begin(foreign) else { throw StorageError.busy }
    #expect(begun.id != mine)
    #expect(try await vault.documents.list().map(\.id) == [mine, begun.id])
    #expect(try await vault.words.match("deposit", headingWeight: 1, limit: 5).count == 1)
    // One that could not be read goes when its bytes come again.
    try await vault.documents.fail(begun.id, reason: "damaged")
    guard case .proceed(let again) = try await vault.documents.begin(foreign) else { throw StorageError.busy }
    #expect(try await vault.documents.list().map(\.id) == [mine, again.id])
  }

  @Test("What a new document may replace is found by an index, however many there are in its collection")
  func replaced() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for (condition, index) in [
      (DocumentShelf.ofSameName, "(collection=? AND name=? AND source=?)"),
      (DocumentShelf.failedBefore, "documents_hash"), (DocumentShelf.ofSameFile, "documents_source"),
    ] {
      let plan = try await vault.write { db in
        try db.rows("EXPLAIN QUERY PLAN DELETE FROM documents WHERE \(condition)", as: { $0.text(3) })
      }
      #expect(plan.contains { $0.contains(index) } && !plan.contains { $0.contains("(collection=?)") }, "\(plan)")
    }
  }

  @Test("Many whole documents each tell what they came to; the same bytes a second time come to nothing")
  func whole() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let whole = [("a.txt", "wind"), ("b.txt", "lift"), ("c.txt", "wind")].map { name, text in
      WholeDocument(
        NewDocument(name: name, hash: SHA256.of(Data(text.utf8)), title: name, kind: "text", bytes: 4),
        pages: [StoredPage(number: 1, start: 0, text: text)], chunks: Rig.lines(of: text, title: name))
    }
    let made = try await vault.documents.take(whole)
    #expect(made.map(\.documents) == [1, 1, 0] && made.map(\.chunks) == [1, 1, 0])
    #expect(made[1].first == made[0].last + 1)
    #expect(try await vault.documents.list().map(\.name) == ["a.txt", "b.txt"])
    #expect(try await vault.documents.list().allSatisfy { $0.state == .indexed && $0.pagesDone == 1 })
  }

  @Test("The text of a document is its pages, each at its offset")
  func text() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    let new = NewDocument(name: "a", hash: "a", title: "a", kind: "pdf", bytes: 1)
    guard case .proceed(let document) = try await vault.documents.begin(new) else { throw StorageError.busy }
    let pages = [
      StoredPage(number: 1, start: 0, text: "Grüße"), StoredPage(number: 2, start: 8, text: "zwei\u{0}null"),
    ]
    try await vault.documents.append(to: document.id, pages: pages, chunks: [], pagesDone: 2)
    #expect(try await vault.documents.text(document.id) == "Grüße\nzwei\u{0}null")
    #expect(try await vault.documents.page(2, of: document.id) == pages[1])
  }

  @Test("Collections scope a search, and go with their documents")
  func collections() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("rent contract", named: "a", to: vault, collection: "home")
    try await Rig.add("rent report", named: "b", to: vault, collection: "work")
    let home = try await vault.documents.ids(inCollections: ["home"])
    #expect(try await vault.words.match("rent", headingWeight: 1, limit: 5).count == 2)
    #expect(try await vault.words.match("rent", headingWeight: 1, limit: 5, documents: home).count == 1)
    try await Rig.embed(vault)
    let shelf = vault.vectors(embedder: "test", dimensions: 64)
    #expect(try await shelf.nearest(Rig.vector(3), limit: 9).count == 2)
    #expect(try await shelf.nearest(Rig.vector(3), limit: 9, documents: home).count == 1)
    try await vault.documents.removeCollection("home")
    #expect(try await vault.documents.collections().map(\.name) == ["work"])
    #expect(try await shelf.nearest(Rig.vector(3), limit: 9).count == 1)
    await #expect(throws: StorageError.missing(kind: "collection", id: "home")) {
      try await vault.documents.removeCollection("home")
    }
  }

  @Test("An identifier is found in one piece, and the vocabulary keeps words as they are written")
  func names() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("call sqlite3_step() twice\nsqlite3 step by step\nsee §12.3", named: "a", to: vault)
    #expect(try await vault.words.holding(name: "sqlite3_step", limit: 5).count == 1)
    #expect(try await vault.words.holding(name: "§12.3", limit: 5).count == 1)
    // What the index cuts in several pieces is no error.
    for name in ["O'Reilly", "n'ouvre-t-il", "d’une-2", "कि-2", "'", "\"", "a\u{301}-1", "x²-½", "\0-1", "👍-1"] {
      _ = try await vault.words.holding(name: name, limit: 5)
    }
    #expect(try await vault.words.vocabulary(prefix: "tw").map(\.word) == ["twice"])
    // More words than can be compared are none.
    let words = try await vault.words.vocabulary(prefix: "s").count
    #expect(try await vault.words.vocabulary(prefix: "s", most: words).count == words && words > 2)
    #expect(try await vault.words.vocabulary(prefix: "s", most: words - 1).isEmpty)
  }

  @Test("Watched folders are remembered")
  func watched() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await vault.watched.add("/w", collection: "c")
    #expect(try await vault.watched.list().map(\.folder) == ["/w"])
    try await vault.watched.remove("/w")
    #expect(try await vault.watched.list().isEmpty)
  }
}
