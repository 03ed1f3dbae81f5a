import Documents
import Foundation
import Testing

@testable import DocumentEngine

@Suite("Notes as programs for notes keep them")
struct NoteTests {
  private let parser = InProcess()

  @Test("Tags and other names are found, tasks say whether they are done, and links are their words")
  func note() throws {
    let note = """
      ---
      created: 2026-06-01
      tags: [garden, "spring work"]
      aliases:
        - The beds
        - 'Vegetables'
      ---
      # Beds
      - [x] order seeds
      - [ ] dig [[Compost heap|the heap]], see [[Soil#Lime]] and ![[plan.png]]
      - water

      Run `[[ -f x ]]`, or [a link](https://a.example). [[]] and [[open
      """
    let document = try parser.parse(Data(note.utf8), "garden.md")
    #expect(
      document.text.split(separator: "\n").map(String.init) == [
        "Tags: garden, spring work", "Aliases: The beds, Vegetables", "Beds", "- [x] order seeds",
        "- [ ] dig the heap, see Soil › Lime and plan.png", "- water", "Run [[ -f x ]], or a link. [[]] and [[open",
      ])
    #expect(document.info.title == "Beds")
  }

  @Test("Whatever stands where properties do ends nothing")
  func hostile() throws {
    let giant = String(repeating: "tags: [a\n", count: 100_000)
    for head in [giant, "tags:", "tags: [[[[", "tags: ]", "aliases:\n-\n- ", "- x\ntags: '\"#"] {
      let document = try parser.parse(Data("---\n\(head)\n---\n# Beds\n\nWords.".utf8), "a.md")
      #expect(document.text.contains("Words."))
    }
    let links = String(repeating: "[[", count: 50_000) + String(repeating: "[[a|b]] ", count: 10_000)
    #expect(try parser.parse(Data(("# A\n\n" + links).utf8), "a.md").text.contains("b b b"))
  }
}
