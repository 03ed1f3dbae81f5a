import Storage
import Testing

@testable import Retrieval

@Suite("Chunks")
struct ChunkerTests {
  /// A token per word, two for the ends.
  private static let words: TokenCounter = { $0.map { $0.split(whereSeparator: \.isWhitespace).count + 2 } }

  private func chunker(window: Int = 52, target: Int = 40, overlap: Int = 10, least: Int = 8) -> Chunker {
    var chunker = Chunker(count: Self.words)
    (chunker.window, chunker.target, chunker.overlap, chunker.least) = (window, target, overlap, least)
    return chunker
  }

  private func chunks(of blocks: [TextBlock], title: String = "") async throws -> [ChunkText] {
    var headings: [Chunker.Heading] = []
    return try await chunker().chunks(of: blocks, title: title, headings: &headings)
  }

  /// Blocks laid out one after the other, and the document's text they make.
  private func document(_ parts: [(TextBlock.Kind, String)], page: (Int) -> Int? = { _ in 1 }) -> ([TextBlock], String)
  {
    var (blocks, text) = ([TextBlock](), "")
    for (index, part) in parts.enumerated() {
      blocks.append(TextBlock(part.0, part.1, page: page(index), start: text.utf8.count))
      text += part.1 + "\n"
    }
    return (blocks, text)
  }

  private func sentence(_ number: Int, words: Int = 9) -> String {
    "S\(number) " + Array(repeating: "wörd", count: words - 2).joined(separator: " ") + " end."
  }

  private func check(_ chunks: [ChunkText], _ text: String, window: Int = 52) async throws {
    let bytes = Array(text.utf8)
    let counts = try await Self.words(chunks.map(\.text))
    for (chunk, count) in zip(chunks, counts) {
      #expect(chunk.text.utf8.count == chunk.end - chunk.start)
      #expect(chunk.tokens == count)
      #expect(count <= window)
      let original = String(decoding: bytes[chunk.start..<chunk.end], as: UTF8.self)
      #expect(chunk.text.split(whereSeparator: \.isWhitespace) == original.split(whereSeparator: \.isWhitespace))
    }
    // Every word of the document is in a chunk.
    var covered = [Bool](repeating: false, count: bytes.count)
    for chunk in chunks { for place in chunk.start..<chunk.end { covered[place] = true } }
    for (place, byte) in bytes.enumerated() where ![10, 32].contains(byte) { #expect(covered[place]) }
  }

  @Test(
    "What stands above a chunk is cut where it is long, and of much the title and the nearest stay",
    arguments: [
      ("T", ["A", "B"], "T › A › B"), ("T", ["T", "T", "A", "A"], "T › A"), ("", ["", "A"], "A"), ("T", [], "T"),
      (
        "T", [String(repeating: "a", count: 900), String(repeating: "b", count: 900)],
        "T › " + String(repeating: "b", count: 900)
      ),
    ])
  func above(title: String, parts: [String], expected: String) {
    #expect(HeadingPath.joined(title, parts) == expected)
  }

  @Test("A title or heading of a megabyte is not stored with every chunk")
  func longHeadings() async throws {
    let long = String(repeating: "words ", count: 200_000)
    let folders = (1...2000).map { level in (TextBlock.Kind.heading, "Folder \(level)") }
    var (blocks, _) = document([(.heading, long), (.paragraph, sentence(1)), (.tableHeader, long), (.tableRow, "1")])
    var (deep, _) = document(folders + [(.paragraph, sentence(2))])
    for index in blocks.indices { blocks[index].level = 1 }
    for index in deep.indices { deep[index].level = index + 1 }
    for made in [blocks, deep] {
      var headings: [Chunker.Heading] = []
      let chunks = try await chunker().chunks(of: made, title: long, headings: &headings)
      #expect(!chunks.isEmpty)
      for chunk in chunks { #expect(chunk.heading.utf8.count < 1300) }
      #expect(headings.allSatisfy { $0.text.utf8.count < 500 })
    }
    let flags = HeadingPath.part(String(repeating: "\u{1F1E9}", count: 200_000))
    #expect(flags.unicodeScalars.count == 101 && flags.last == "…")
  }

  @Test("Thousands of headings with nothing below them come to few chunks")
  func headingsAlone() async throws {
    let (blocks, text) = document((0..<4000).map { (TextBlock.Kind.heading, "H\($0)") })
    let chunks = try await chunks(of: blocks, title: "T")
    #expect(chunks.count < 250)
    try await check(chunks, text)
  }

  @Test("Hold whole sentences, fit the window, overlap, and are the document's own bytes")
  func paragraphs() async throws {
    let (blocks, text) = document(
      (0..<12).map { p in (.paragraph, (0..<5).map { sentence(p * 5 + $0) }.joined(separator: " ")) })
    let chunks = try await chunks(of: blocks, title: "T")
    try await check(chunks, text)
    #expect(chunks.count > 10)
    for chunk in chunks {
      #expect(chunk.text.hasPrefix("S"))
      #expect(chunk.text.hasSuffix("end."))
    }
    for (first, second) in zip(chunks, chunks.dropFirst()) {
      #expect(second.start < first.end, "neighbours share a sentence")
    }
  }

  @Test("Carry the headings above them, and a heading stays with its text")
  func headings() async throws {
    let long = (0..<4).map { sentence($0) }.joined(separator: " ")
    let (blocks, text) = document([
      (.heading, "Rent"), (.paragraph, long), (.heading, "Deposits"), (.paragraph, long),
    ])
    var headings: [Chunker.Heading] = [.init(level: 1, text: "Old chapter")]
    var leveled = blocks
    leveled[2].level = 2
    let chunks = try await chunker().chunks(of: leveled, title: "Lease", headings: &headings)
    try await check(chunks, text)
    #expect(chunks.map(\.heading) == ["Lease › Rent", "Lease › Rent › Deposits"])
    #expect(chunks[1].text.hasPrefix("Deposits\n"))
    #expect(headings.map(\.text) == ["Rent", "Deposits"])
  }

  @Test("Keep rows whole, with the table's head in their heading")
  func tables() async throws {
    let (blocks, text) = document(
      [(.tableHeader, "Name | Rent")] + (0..<20).map { (.tableRow, "Tenant \($0) . | 12.5 per. month and some more") })
    let chunks = try await chunks(of: blocks)
    try await check(chunks, text)
    for chunk in chunks {
      for line in chunk.text.split(separator: "\n") { #expect(line.hasSuffix("more") || line.hasSuffix("Rent")) }
    }
    #expect(chunks.last?.heading == "Name | Rent")
  }

  @Test("Keep code whole while it fits, and cut it at lines when it does not")
  func code() async throws {
    let short = (0..<6).map { "let value\($0) = call(). Then(\($0))" }.joined(separator: "\n")
    let long = (0..<40).map { "let value\($0) = call()" }.joined(separator: "\n")
    let (blocks, text) = document([(.code, short), (.code, long)])
    let chunks = try await chunks(of: blocks)
    try await check(chunks, text)
    #expect(chunks.contains { $0.text.contains(short) })
    for chunk in chunks { #expect(chunk.text.hasPrefix("let value")) }
  }

  @Test(
    "Divide even a sentence or a word no window holds",
    arguments: [
      String(repeating: "word, ", count: 300), String(repeating: "x", count: 30),
      String(repeating: "ü ", count: 200) + "\n",
    ])
  func endless(text: String) async throws {
    try await check(chunks(of: [TextBlock(.paragraph, text, start: 0)]), text)
  }

  @Test("Know their pages, and do not reach over what was left out")
  func pages() async throws {
    var (blocks, _) = document((0..<4).map { (.paragraph, sentence($0)) }) { $0 / 2 + 1 }
    let chunks = try await chunks(of: blocks)
    #expect(chunks.map(\.pageFrom) == [1])
    #expect(chunks.map(\.pageTo) == [2])
    for index in 2..<4 { blocks[index].start += 1_000 }
    #expect(try await self.chunks(of: blocks).map(\.pageTo) == [1, 2])
    #expect(try await self.chunks(of: []).isEmpty)
    #expect(try await self.chunks(of: [TextBlock(.paragraph, " \n ", start: 0)]).isEmpty)
  }
}
