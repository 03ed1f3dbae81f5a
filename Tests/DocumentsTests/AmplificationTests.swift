import Documents
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("Small files that would grow")
struct AmplificationTests {
  private let parser = InProcess()

  private func relations(_ parts: [(id: String, type: String, target: String)]) -> Data {
    let lines = parts.map { "<Relationship Id=\"\($0.id)\" Type=\"http://x/\($0.type)\" Target=\"\($0.target)\"/>" }
    return Data("<Relationships xmlns=\"p\">\(lines.joined())</Relationships>".utf8)
  }

  private func sheets(named count: Int, rows: String, texts: String) -> Data {
    let names = (0..<count).map { "<sheet name=\"s\($0)\" sheetId=\"\($0 + 1)\" r:id=\"one\"/>" }.joined()
    return Package.zip([
      ("_rels/.rels", relations([("a", "officeDocument", "/xl/book.xml")])),
      ("xl/book.xml", Data("<workbook xmlns:r=\"r\"><sheets>\(names)</sheets></workbook>".utf8)),
      (
        "xl/_rels/book.xml.rels",
        relations([("one", "worksheet", "worksheets/s.xml"), ("t", "sharedStrings", "sharedStrings.xml")])
      ),
      ("xl/sharedStrings.xml", Data("<sst><si><t>\(texts)</t></si></sst>".utf8)),
      ("xl/worksheets/s.xml", Data("<worksheet><sheetData>\(rows)</sheetData></worksheet>".utf8)),
    ])
  }

  private func row(_ number: Int) -> String {
    "<row r=\"\(number)\"><c r=\"A\(number)\" t=\"s\"><v>0</v></c><c r=\"B\(number)\"><v>1</v></c></row>"
  }

  @Test("A sheet, a slide or its notes that are named many times are read once")
  func once() throws {
    let document = try parser.parse(sheets(named: 500, rows: row(1), texts: "word"))
    #expect(document.headings == ["s0"])

    let said = "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:sp><a:p><a:t>Hello</a:t></a:p></p:sp></p:sld>"
    let shown = String(repeating: "<p:sldId r:id=\"one\"/><p:sldId r:id=\"two\"/>", count: 500)
    let notes = relations([("n", "notesSlide", "../notesSlides/n.xml")])
    let slides = try parser.parse(
      Package.zip([
        ("_rels/.rels", relations([("a", "officeDocument", "ppt/presentation.xml")])),
        ("ppt/presentation.xml", Data("<p:presentation xmlns:p=\"p\" xmlns:r=\"r\">\(shown)</p:presentation>".utf8)),
        (
          "ppt/_rels/presentation.xml.rels",
          relations([("one", "slide", "slides/a.xml"), ("two", "slide", "slides/b.xml")])
        ),
        ("ppt/slides/a.xml", Data(said.utf8)), ("ppt/slides/b.xml", Data(said.utf8)),
        ("ppt/slides/_rels/a.xml.rels", notes), ("ppt/slides/_rels/b.xml.rels", notes),
        ("ppt/notesSlides/n.xml", Data(said.replacingOccurrences(of: "Hello", with: "Noted").utf8)),
      ]))
    #expect(slides.pages.map { $0.blocks.map(\.text) } == [["Hello", "Noted"], ["Hello"]])
  }

  @Test("What Word numbers the paragraphs of a list with is short, whatever its scheme says")
  func numbers() throws {
    let marks = "%1" + String(repeating: "\u{301}", count: 200_000)
    for (scheme, format) in [(marks, "decimal"), (String(repeating: "%1", count: 20), "lowerLetter")] {
      let numbering =
        "<w:numbering xmlns:w=\"w\"><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"3900\"/>"
        + "<w:numFmt w:val=\"\(format)\"/><w:lvlText w:val=\"\(scheme)\"/></w:lvl></w:abstractNum>"
        + "<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
      let paragraph =
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>Word</w:t></w:r></w:p>"
      let paragraphs = String(repeating: paragraph, count: 50)
      let document = try parser.parse(
        Package.zip([
          ("_rels/.rels", relations([("a", "officeDocument", "word/document.xml")])),
          ("word/numbering.xml", Data(numbering.utf8)),
          (
            "word/document.xml",
            Data("<w:document xmlns:w=\"w\"><w:body>\(paragraphs)</w:body></w:document>".utf8)
          ),
        ]))
      #expect(document.blocks.count == 50 && document.blocks.allSatisfy { $0.text.hasSuffix("Word") })
      #expect(document.text.utf8.count < 50 * 400, "\(document.text.utf8.count)")
    }
  }

  @Test("A shared text that stands in every cell is refused where it becomes too much")
  func shared() throws {
    let text = String(repeating: "word ", count: 100_000)
    #expect(try parser.parse(sheets(named: 1, rows: (1...4).map(row).joined(), texts: text)).text.contains("word word"))
    #expect(throws: DocumentError.unpacksTooMuch("its cells hold more than 64 MB")) {
      try parser.parse(sheets(named: 1, rows: (1...200).map(row).joined(), texts: text))
    }
  }

  @Test("Blank cells, by the million or far from the others, take no room and change nothing of what a sheet says")
  func blankCells() throws {
    func rows(_ blank: String) -> String {
      "<row><c r=\"A1\" t=\"s\"><v>0</v></c>\(blank)<c r=\"C1\"><v>7</v></c></row>"
        + "<row>\(blank)</row><row r=\"4\"><c r=\"A4\"><v>1</v></c><c r=\"B4\"><v>2</v></c></row>"
    }
    let expected = ["s0", "word |  | 7", "1 | 2"]
    func texts(_ rows: String) throws -> [String] {
      try parser.parse(sheets(named: 1, rows: rows, texts: "word")).blocks.map(\.text)
    }
    #expect(try texts(rows("")) == expected)
    #expect(try texts(rows("<c r=\"XFD1048576\"/><c r=\"AMJ1\" s=\"3\"/><c r=\"B1\"><v> </v></c>")) == expected)
    // As many as would have come to gigabytes.
    let many = (5...400_000).map { "<row r=\"\($0)\"><c r=\"AMJ\($0)\"/></row>" }
    #expect(try texts(rows("") + many.joined()) == expected)
    let far = "<row><c r=\"A1\"><v>1</v></c><c r=\"AMJ1\"><v>2</v></c></row>"
    #expect(try texts(far).last == "1" + String(repeating: " | ", count: 1023) + "2")
    #expect(throws: DocumentError.unpacksTooMuch("more than 8 million empty cells lie between others")) {
      try texts(String(repeating: far, count: 8_000))
    }
  }

  @Test(
    "A tag with more attributes than anybody writes is not read, and nothing else is taken for one",
    arguments: [
      ("<p " + (0..<3000).map { "a\($0)=\"1\"" }.joined(separator: " ") + ">x", true),
      ("<p " + (0..<3000).map { "a\($0)" }.joined(separator: "\n"), true),
      ("<p" + (0..<3000).map { "/a\($0)='1'" }.joined() + ">x", true),
      ("<p " + (0..<500).map { "a\($0)=\"1\"" }.joined(separator: " ") + ">x", false),
      (String(repeating: "<p a=1 b=2>x y z</p>", count: 3000), false),
      ("<p title=\"" + String(repeating: "many words > ", count: 3000) + "\">", false),
      ("<p title = '" + String(repeating: "many words > ", count: 3000) + "'>", false),
      ("a < b " + String(repeating: "many words ", count: 3000), false),
      ("<!-- " + String(repeating: "many words ", count: 3000) + "-->", false),
      ("it's a <b>" + String(repeating: "many words ", count: 3000), false),
    ])
  func attributes(text: String, isTooLarge: Bool) {
    #expect(TagSize.isTooLarge(Array(text.utf8)) == isTooLarge, "\(text.prefix(40))")
  }

  @Test(
    "A long address that a hundred thousand links name is not copied for each; the text is read as it stands",
    arguments: [
      "[a]: ADDRESS", "[a]: <ADDRESS>", "[a]: /x \"ADDRESS\"", "[a]:\n/x\n'ADDRESS'", "> [a]:\n> /x\n> (ADDRESS)",
      "- [a]: ADDRESS", "[\u{DF}]: ADDRESS", "[a \n  b]: /x \"[a]:\n[a]:\n\\\"ADDRESS\"",
    ])
  func references(definition: String) throws {
    let long = definition.replacing("ADDRESS", with: String(repeating: "/long", count: 4000))
    let name = definition.contains("\u{DF}") ? "SS" : definition.contains("b]") ? "A   B" : "A"
    let text = long + "\n\n" + String(repeating: "[x][\(name)] ", count: 100_000)
    #expect(!MarkdownReferences.fit(text))
    #expect(try parser.parse(text, "notes.md").text.contains("/long/long"))
    let page = MarkdownPage.html(from: text)
    #expect(page.utf8.count < 2 * text.utf8.count && page.contains("<pre><code>"))
  }

  @Test(
    "Links that name their addresses are read as links, also many, and pictures that stand in the text",
    arguments: [
      String(repeating: "[x][a] ", count: 20_000) + "\n\n[a]: https://a.example/page \"A title\"",
      (0..<2000).map { "[\($0)]: https://a.example/" + String(repeating: "p", count: 300) + "\($0)" }.joined(
        separator: "\n")
        + "\n\n" + (0..<2000).map { "[x][\($0)]" }.joined(separator: " "),
      "![][image]\n\n" + String(repeating: "[x][a] ", count: 5000) + "\n\n[a]: /x\n\n[image]: <data:image/png;base64,"
        + String(repeating: "QUJD", count: 500_000) + ">",
      String(repeating: "[a]: x (", count: 50_000),
    ])
  func honest(text: String) {
    #expect(MarkdownReferences.fit(text))
  }

  @Test("An address that stands in a text once is not written behind all the links that name it")
  func addresses() throws {
    let address = "https://a.example/" + String(repeating: "p", count: 100)
    let links = String(repeating: "[x][a] ", count: 50_000) + "\n\n[a]: \(address)"
    let text = try parser.parse(Data(links.utf8), "notes.md").text
    #expect(text.contains("x (https://a.example/pp"))
    #expect(text.utf8.count < 3 * links.utf8.count, "\(text.utf8.count)")
  }

  @Test("A way to show numbers that thousands of styles of a sheet name is understood once")
  func styles() throws {
    let code = String(repeating: "[Red]\\", count: 50_000) + "yyyy"
    let styles =
      "<s><numFmts><numFmt numFmtId=\"200\" formatCode=\"\(code)\"/></numFmts><cellXfs>"
      + String(repeating: "<xf numFmtId=\"200\"/>", count: 50_000) + "</cellXfs></s>"
    let read = SheetCells.styles(try #require(Markup(xml: Array(styles.utf8))?.root))
    #expect(read.count == 50_000)
    #expect(read.allSatisfy { if case .date = $0 { true } else { false } })
  }

  @Test("A table in a repeated cell, again in one and so on, is refused where it becomes too much")
  func repeatedCells() throws {
    func document(_ depth: Int) -> Data {
      let open = "<t:table><t:table-row><t:table-cell t:number-columns-repeated=\"64\">"
      let tables =
        "<t:table><t:table-row><t:table-cell>" + String(repeating: open, count: depth) + "<t:p>x</t:p>"
        + String(repeating: "</t:table-cell></t:table-row></t:table>", count: depth + 1)
      return Package.zip([
        ("mimetype", Data("application/vnd.oasis.opendocument.text".utf8)),
        ("content.xml", Data("<o:document xmlns:o=\"o\" xmlns:t=\"t\"><o:body>\(tables)</o:body></o:document>".utf8)),
      ])
    }
    #expect(try parser.parse(document(2)).text.utf8.count == 64 * 64 * 4 - 3)
    #expect(throws: DocumentError.unpacksTooMuch("its repeated cells hold many times what the file does")) {
      try parser.parse(document(4))
    }
  }

  @Test("Tables in tables without end are read in about the time of their length")
  func nestedTables() throws {
    let words = String(repeating: "word ", count: 40_000)
    let tables = String(repeating: "<table><tr><td>", count: 20_000) + words
    #expect(try parser.parse("<!DOCTYPE html><p>Before.</p>" + tables).text.contains("word word"))
    let few = String(repeating: "<table><tr><td>a<td>b<td>", count: 30) + "c"
    let text = try parser.parse("<!DOCTYPE html><p>Before.</p>" + few).text
    #expect(text.count { $0 == "a" } == 30 && text.count { $0 == "b" } == 30 && text.contains("c"))
  }

  @Test("Headers in headers without end are read in about the time of their length")
  func nestedHeaders() throws {
    let headers = String(repeating: "<header>", count: 40_000) + "<h1>Title</h1>"
    let page = "<!DOCTYPE html><p>\(String(repeating: "word ", count: 100))</p>"
    #expect(try parser.parse(page + headers).headings == ["Title"])
    #expect(try parser.parse(page + "<header><p>Menu</p></header>").text.contains("Menu") == false)
  }

  @Test("A list that counts from the largest number there is is read")
  func lists() throws {
    let page = "<!DOCTYPE html><p>Steps:</p><ol start=\"9223372036854775807\"><li>first</li><li>second</li></ol>"
    let text = try parser.parse(page).text
    #expect(text.contains("9223372036854775807. first") && text.contains("second"))
  }

  @Test("White space is collapsed the same way within a row of flags, and items are known by their first word")
  func flags() throws {
    let flags = String(repeating: "\u{1F1E9}", count: 2001)
    #expect("\(flags) \t\(flags)\u{a0}x ".collapsed() == "\(flags) \(flags) x")
    let blocks = PlainText.blocks("- \(flags)\n- two words\n\n-   \n\nplain words")
    #expect(blocks.map { $0.text.count } == ["- \(flags)".count, 11, 1, 11])
  }
}
