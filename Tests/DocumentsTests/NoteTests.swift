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
        "- [ ] dig the heap, see Soil › Lime and plan.png", "- water",
        "Run [[ -f x ]], or a link (https://a.example). [[]] and [[open",
      ])
    #expect(document.info.title == "Beds")
  }

  @Test(
    "A formula reads as one would write it in a line",
    arguments: [
      (#"$\int_0^1 f(x)\,dx$"#, "∫₀¹ f(x) dx"), (#"$a\;b\!c\quad d\qquad e\:f\ g~h$"#, "a bc d e f g h"),
      (#"$3\,\mathrm{kg}$ of flour"#, "3 kg of flour"), (#"$E = mc^2$"#, "E = mc²"),
      (#"$\frac{a+b}{2}$ and $\frac12$"#, "(a+b)/2 and 1/2"), (#"$\sqrt{x}$, $\sqrt[3]{x+1}$"#, "√x, ³√(x+1)"),
      (#"at $90^\circ$ and $20\,^{\circ}\mathrm{C}$"#, "at 90° and 20 °C"), (#"$x \in \mathbb{R}$"#, "x ∈ ℝ"),
      (#"$a\cdot b\leq c$"#, "a · b ≤ c"), (#"$\alpha_1 + \beta_{max}$"#, "α₁ + β_max"),
      (#"$\left( x \right)$ with $\log n$"#, "( x ) with log n"), (#"$P(\text{rain} \mid w)$"#, "P(rain ∣ w)"),
      (#"so \(x^2\) and \[ y^{-1} \]"#, "so x² and y⁻¹"),
      (#"$$\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$$"#, "(1 0; 0 1)"),
      (#"the sum $n+1$ of *both*"#, "the sum n+1 of both"), (#"| a_1 | $x_1$ \| 2 $|y|$"#, "| a_1 | x₁ | 2 |y|"),
      // Nothing of it is known, so it stays.
      (#"$\weird{x}\,y$"#, #"$\weird{x}\,y$"#),
    ])
  func formulas(written: String, read: String) throws {
    #expect(try parser.parse(Data("# A\n\n\(written)\n".utf8), "a.md").text == "A\n\n\(read)", "\(written)")
  }

  @Test(
    "What is no formula is left alone",
    arguments: [
      ("It costs $5 and then $6.", "It costs $5 and then $6."), ("US$5, or 6$ more", "US$5, or 6$ more"),
      ("set $HOME and $PATH, or $HOME/$USER", "set $HOME and $PATH, or $HOME/$USER"),
      (#"\[citation needed\] and \(see below\)"#, "[citation needed] and (see below)"),
      ("`$x^2$` is code", "$x^2$ is code"), (#"\$x^2\$ is escaped"#, "$x^2$ is escaped"),
    ])
  func noFormula(written: String, read: String) throws {
    #expect(try parser.parse(Data("# A\n\n\(written)\n".utf8), "a.md").text == "A\n\n\(read)", "\(written)")
  }

  @Test("A formula of several lines keeps the lines of what follows, and code keeps its signs")
  func formulaLines() throws {
    let text = "# A\n\n> Then\n> $$\n> x^2 \\,\n> + 1\n> $$\n\nEnd\n\n```\n$x^2$\n```\n\n    $$\n    y^2\n    $$\n"
    let blocks = try parser.parse(Data(text.utf8), "a.md").blocks
    #expect(blocks.contains { $0.text.contains("x² + 1") })
    #expect(blocks.first { $0.text == "End" }?.line == 9)
    #expect(blocks.contains { $0.text == "$x^2$" } && blocks.contains { $0.text.hasPrefix("$$\n") })
  }

  @Test("Ends that never come cost no more than a long text")
  func hostileFormulas() throws {
    for piece in [#"\["#, #"\("#, "$$ ", "$x ", "` ", "`` ` ", "$x^{", #"\left"#, "~~~ ` $", "{"] {
      let text = "# A\n\n" + String(repeating: piece, count: 200_000)
      #expect(try !parser.parse(Data(text.utf8), "a.md").text.isEmpty, "\(piece)")
    }
    let deep = "$" + String(repeating: "\\sqrt{", count: 50_000) + "$"
    #expect(try parser.parse(Data(("# A\n\n" + deep).utf8), "a.md").text.contains("sqrt"))
    let marks = "# A\n\n\u{10FDD0}0\u{10FDD1} $x^2$\u{301} \u{10FDD0}"
    #expect(try parser.parse(Data(marks.utf8), "a.md").text.contains("x"))
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

  @Test("A mark that is spelled by its number says no formula again")
  func spelledMarks() throws {
    let formula = "$" + String(repeating: #"\alpha "#, count: 2000) + "$"
    for (open, close) in [("&#x10FDD0;", "&#x10FDD1;"), ("&#X10fdd0;", "&#X10fdd1;"), ("&#1113552;", "&#1113553;")] {
      let text = formula + "\n\n" + String(repeating: "\(open)0\(close) ", count: 1000)
      let document = try parser.parse(Data(text.utf8), "again.md")
      #expect(document.text.utf8.count < 2 * text.utf8.count)
    }
  }

  @Test("The name of a column stands in every row and cannot be so long that a small file becomes a large text")
  func longHeaders() throws {
    try longHeaders(String(repeating: "x", count: 100_000))
    // Marks without end on one letter.
    try longHeaders("x" + String(repeating: "\u{301}", count: 100_000))
  }

  private func longHeaders(_ name: String) throws {
    let rows = (1...2000).map { "| a\($0) | b |\n" }.joined()
    let markdown = "| \(name) | second |\n|---|---|\n" + rows
    let cells = (1...2000).map { "<tr><td>a\($0)</td><td>b</td></tr>" }.joined()
    let table = "<table><tr><th>\(name)</th><th>second</th></tr>\(cells)</table>"
    let html = "<!DOCTYPE html><html><body>\(table)</body></html>"
    for (text, file) in [(markdown, "a.md"), (html, "a.html")] {
      let document = try parser.parse(Data(text.utf8), file)
      #expect(document.text.utf8.count < 2000 * 700, "\(file)")
      #expect(document.text.contains("second: b") && document.text.contains("…: a2000"), "\(file)")
    }
  }
}
