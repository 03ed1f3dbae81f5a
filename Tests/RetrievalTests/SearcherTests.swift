import Core
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// Meaning without a model: a dimension for each topic a word belongs to.
private final class Topics: Embedder {
  let identity = "topics"
  let dimensions = 64
  let cosineWorth = 1.0
  let calls = Atomic(0)
  let asked = Mutex<[String]>([])
  static let topics: [[String]] = [
    ["cat", "feline", "kitten"], ["rent", "lease", "tenant"], ["wing", "lift", "plane"],
  ]

  func embed(_ texts: [String], asQuestions: Bool) async throws -> [[Float]] {
    calls.add(1, ordering: .relaxed)
    if asQuestions { asked.withLock { $0 += texts } }
    return texts.map { text in
      var vector = [Float](repeating: 0.05, count: dimensions)
      for word in Question.words(in: text) {
        for (index, topic) in Self.topics.enumerated() where topic.contains(word) { vector[index] += 1 }
        vector[8 + word.unicodeScalars.reduce(0) { $0 + Int($1.value) } % 56] += 0.2
      }
      let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return vector.map { $0 / length }
    }
  }
}

@Suite("Search")
struct SearcherTests {
  private let scratch: Scratch
  private let vault: Vault
  private let embedder = Topics()
  private let searcher: Searcher

  init() async throws {
    scratch = try Scratch("search")
    vault = try Vault(Folders(home: scratch.folder.appending(path: "home")))
    searcher = Searcher(vault, embedder: embedder)
    for (name, collection, text) in Self.shelf { try await add(text, name, collection) }
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    let pending = try await shelf.pending(limit: 1_000)
    try await shelf.add(
      zip(pending, try await embedder.embed(pending.map(\.text), asQuestions: false)).map { ($0.chunk, $1) })
  }

  private func add(_ text: String, _ name: String, _ collection: String = "documents") async throws {
    var new = NewDocument(
      name: name, hash: SHA256.of(Data(text.utf8)), title: name, kind: "text", bytes: text.utf8.count)
    new.collection = collection
    guard case .proceed(let document) = try await vault.documents.begin(new) else { return }
    var chunker = Chunker { $0.map { $0.split(separator: " ").count } }
    (chunker.window, chunker.target, chunker.overlap, chunker.least) = (40, 12, 0, 3)
    var headings: [Chunker.Heading] = []
    let chunks = try await chunker.chunks(
      of: [TextBlock(.paragraph, text, page: 1, start: 0)], title: name, headings: &headings)
    try await vault.documents.append(
      to: document.id, pages: [StoredPage(number: 1, start: 0, text: text)], chunks: chunks, pagesDone: 1)
    try await vault.documents.finish(document.id)
  }

  private static let shelf = [
    ("cats", "home", "My kitten sleeps all day. It is a calm animal."),
    (
      "contract", "home",
      "The tenant pays 850 euros each month. The deposit is three months of it. Notice is due by the third working day."
    ),
    ("aero", "work", "The boundary layer separates behind the wing. Lift is lost then. Call sqlite3_step() to go on."),
    ("other", "work", "Nothing in particular stands here. It is only here to be here."),
  ]

  @Test("What is meant is found though no word is shared, and what is said though no meaning is known")
  func both() async throws {
    #expect(try await searcher.search("feline").passages.first?.document.name == "cats")
    #expect(try await searcher.search("feline", stage: .lexical).passages.isEmpty)
    #expect(try await searcher.search("deposit").passages.first?.document.name == "contract")
    let found = try await searcher.search("tenant deposit")
    #expect(found.stages == [.lexical, .dense])
    let scores = try #require(found.passages.first?.scores)
    #expect(scores.lexical != nil && scores.dense != nil && scores.fused != nil)
  }

  @Test("A passage is exactly the document's text at its offsets, and neighbours are joined")
  func passages() async throws {
    var depth = Depth.deep
    depth.neighbours = 1
    let found = try await searcher.search("deposit months", depth: depth)
    for passage in found.passages {
      let text = Array(try await vault.documents.text(passage.document.id).utf8)
      let original = String(decoding: text[passage.start..<passage.end], as: UTF8.self)
      #expect(passage.text.split(separator: "\n").joined() == original.split(separator: "\n").joined())
    }
    #expect((found.passages.first?.chunks.count ?? 0) > 1)
    #expect(Set(found.passages.map { "\($0.document.id) \($0.start)" }).count == found.passages.count)
  }

  @Test("A typing error is corrected and said, quoted words are taken literally")
  func wording() async throws {
    let typo = try await searcher.search("boundry", stage: .lexical)
    #expect(typo.corrections == ["boundry": ["boundary"]])
    #expect(typo.meant == "boundary")
    #expect(typo.passages.first?.document.name == "aero")
    let compound = try await searcher.search("Aussenkitten Kontraktdeposit", stage: .lexical)
    #expect(compound.corrections == ["aussenkitten": ["kitten"], "kontraktdeposit": ["deposit"]])
    #expect(try await searcher.search("wohndeposit", stage: .lexical).corrections == ["wohndeposit": ["deposit"]])
    #expect(try await searcher.search("depositwohnung", stage: .lexical).corrections == ["depositwohnung": ["deposit"]])
    #expect(try await searcher.search("xxxdeposit", stage: .lexical).corrections.isEmpty)
    #expect(try await searcher.search("\"working third\"", stage: .lexical).passages.isEmpty)
    #expect(try await searcher.search("\"third working\" cat").passages.map(\.document.name) == ["contract"])
    #expect(
      try await searcher.search("what does sqlite3_step() do here").passages.first?.text.contains("sqlite3_step")
        == true)
  }

  @Test(
    "No question breaks the search",
    arguments: [
      "", " ", "\"", "*", "AND OR NOT", "a OR", "NEAR(", "col:x", "('", "\u{0}", "😀", "\"\"\"", "^x", "-rent",
      "the of and",
    ])
  func hostile(text: String) async throws {
    _ = try await searcher.search(text)
  }

  @Test("A scope limits both stages")
  func scope() async throws {
    let work = try await searcher.search("tenant kitten wing", scope: .collections(["work"]))
    #expect(Set(work.passages.map(\.document.collection)) == ["work"])
    #expect(try await searcher.search("kitten", scope: .collections(["nowhere"])).passages.isEmpty)
  }

  @Test("Passages are sought as they stand and as the question asks, and what was asked lately is not read again")
  func asQuestions() async throws {
    _ = try await searcher.search("Which feline sleeps?")
    _ = try await searcher.vectors(of: ["A kitten sleeps."])
    #expect(embedder.asked.withLock(\.self) == ["Which feline sleeps?"])
    let vectors = try await searcher.vectors(asking: ["Which sleeps?", "Which feline sleeps?"])
    #expect(embedder.asked.withLock(\.self) == ["Which feline sleeps?", "Which sleeps?"])
    #expect(vectors?.count == 2)
  }

  @Test("A question asked again costs nothing until the documents change")
  func cache() async throws {
    _ = try await searcher.search("kitten")
    let calls = embedder.calls.load(ordering: .relaxed)
    let again = try await searcher.search("kitten")
    #expect(embedder.calls.load(ordering: .relaxed) == calls)
    #expect(again.passages.first?.document.name == "cats")
    try await add("Another kitten arrived. kitten kitten", "second")
    #expect(try await searcher.search("kitten").passages.contains { $0.document.name == "second" })
    try await vault.documents.remove([try #require(try await vault.documents.find(name: "second")).id])
    #expect(!(try await searcher.search("kitten").passages.contains { $0.document.name == "second" }))
  }

  @Test("A sentence that was read for one question is not read for the next, until the documents change")
  func sentences() async throws {
    let texts = ["A kitten sleeps.", "A lease ends.", "A kitten sleeps."]
    let first = try #require(try await searcher.vectors(of: texts))
    #expect(first.count == 3 && first[0] == first[2] && first[0] != first[1])
    let calls = embedder.calls.load(ordering: .relaxed)
    #expect(try await searcher.vectors(of: texts.reversed()) == first.reversed())
    #expect(embedder.calls.load(ordering: .relaxed) == calls)
    #expect(try await searcher.vectors(of: texts + ["A plane lifts."])?.prefix(3) == first[...])
    #expect(embedder.calls.load(ordering: .relaxed) == calls + 1)
    try await add("Another kitten arrived.", "second")
    _ = try await searcher.vectors(of: texts)
    #expect(embedder.calls.load(ordering: .relaxed) == calls + 2)
  }

  @Test("The last results are there, and no more than twice as many")
  func recent() {
    var recent = RecentResults<Int, Int?>(capacity: 3)
    for number in 1...7 { recent.keep(number % 2 == 0 ? nil : number, for: number, at: 0) }
    #expect((5...7).allSatisfy { recent.result(for: $0, at: 0) == .some($0 % 2 == 0 ? nil : $0) })
    #expect((1...7).count { recent.result(for: $0, at: 0) != nil } <= 6)
    // What is asked for again stays.
    for number in 8...20 {
      recent.keep(number, for: number, at: 0)
      #expect(recent.result(for: 7, at: 0) == .some(7))
    }
    #expect(recent.result(for: 7, at: 1) == nil)
    recent.keep(1, for: 1, at: 1)
    #expect(recent.result(for: 20, at: 1) == nil)
  }

  @Test("Without an embedder words are searched, and the result says so")
  func wordsOnly() async throws {
    let found = try await Searcher(vault, embedder: nil).search("tenant")
    #expect(found.stages == [.lexical])
    #expect(found.passages.first?.document.name == "contract")
  }

  @Test("Whole documents are ranked once each, the best first")
  func documents() async throws {
    let ranked = try await searcher.documents("tenant deposit notice", limit: 3)
    #expect(ranked.first?.document == "contract")
    #expect(ranked.count == 3)
    #expect(Set(ranked.map(\.document)).count == 3)
  }
}
