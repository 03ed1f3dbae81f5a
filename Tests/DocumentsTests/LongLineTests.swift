import Core
import Documents
import Foundation
import Testing

@testable import DocumentEngine

@Suite("Lines without an end")
struct LongLineTests {
  @Test("A block is cut at spaces, between characters, and nothing of it is lost")
  func cut() {
    let words = Block(.paragraph, String(repeating: "Wörter über alles ", count: 20_000))
    #expect(words.pieces.count > 4 && words.pieces.allSatisfy { $0.text.utf8.count <= Block.mostBytes })
    #expect(words.pieces.map(\.text).joined(separator: " ") == words.text)
    for letter in ["a", "ü", "漢", "😀"] {
      let block = Block(.code, String(repeating: letter, count: 100_000))
      #expect(block.pieces.map(\.text).joined() == block.text)
      #expect(block.pieces.allSatisfy { $0.text.utf8.count <= Block.mostBytes })
    }
  }

  @Test(
    "One line of many megabytes is read in pieces, in every kind of text",
    arguments: ["txt", "md", "csv", "jsonl", "c", "html"])
  func lines(kind: String) throws {
    // As text, more than fits into one message between processes would be refused.
    let long = String(repeating: "word,", count: 800_000)
    let text =
      switch kind {
      case "jsonl": "{\"_id\":\"1\",\"text\":\"\(long)\"}\n{\"_id\":\"2\",\"text\":\"short\"}\n"
      case "csv": "a,b,c\n1,2,3\n" + long + "\n4,5,6\n"
      case "c": "int main() {\n  return 0; // \(long)\n}\n"
      case "html": "<!doctype html><html><body><p>\(long)</p></body></html>"
      default: "A beginning.\n\n" + long + "\n\nAn end.\n"
      }
    let documents = try InProcess().collect(Data(text.utf8), "long.\(kind)") { _ in }.documents
    let blocks = documents.flatMap(\.pages).flatMap(\.blocks)
    #expect(blocks.allSatisfy { $0.text.utf8.count <= Block.mostBytes })
    #expect(documents.reduce(0) { $0 + $1.text.utf8.count } > 3_900_000)
  }

  @Test("A log without an empty line is read in paragraphs of bounded length")
  func log() throws {
    let text = (0..<40_000).map { "12:00:\($0) something happened, as it does" }.joined(separator: "\n")
    let documents = try InProcess().collect(Data(text.utf8), "a.log") { _ in }.documents
    #expect(documents.flatMap(\.pages).flatMap(\.blocks).allSatisfy { $0.text.utf8.count <= Block.mostBytes })
  }
}
