import Documents
import Foundation
import Testing

@testable import DocumentEngine

@Suite("Sheets, slides, rich text and messages")
struct OfficeTests {
  private let parser = InProcess()

  private static func relations(_ parts: [(id: String, type: String, target: String)]) -> Data {
    let lines = parts.map { "<Relationship Id=\"\($0.id)\" Type=\"http://x/\($0.type)\" Target=\"\($0.target)\"/>" }
    return Data("<Relationships xmlns=\"p\">\(lines.joined())</Relationships>".utf8)
  }

  private static func workbook(_ sheets: [(name: String, rows: String)], styles: String = "", texts: [String] = [])
    -> Data
  {
    let names = sheets.enumerated().map { "<sheet name=\"\($1.name)\" sheetId=\"\($0 + 1)\" r:id=\"r\($0)\"/>" }
      .joined()
    var entries: [(name: String, content: Data)] = [
      ("_rels/.rels", relations([("a", "officeDocument", "/xl/book.xml")])),
      ("xl/book.xml", Data("<workbook xmlns:r=\"r\"><sheets>\(names)</sheets></workbook>".utf8)),
      (
        "xl/_rels/book.xml.rels",
        relations(
          sheets.indices.map { ("r\($0)", "worksheet", "worksheets/s\($0).xml") }
            + [("t", "sharedStrings", "sharedStrings.xml"), ("y", "styles", "styles.xml")])
      ),
      ("xl/styles.xml", Data("<styleSheet>\(styles)</styleSheet>".utf8)),
      ("xl/sharedStrings.xml", Data("<sst>\(texts.map { "<si>\($0)</si>" }.joined())</sst>".utf8)),
    ]
    for (index, sheet) in sheets.enumerated() {
      entries.append(
        ("xl/worksheets/s\(index).xml", Data("<worksheet><sheetData>\(sheet.rows)</sheetData></worksheet>".utf8)))
    }
    return Package.zip(entries)
  }

  @Test("A workbook's sheets stand under their names, with dates, times and shares as they are shown")
  func sheets() throws {
    let styles =
      "<numFmts><numFmt numFmtId=\"170\" formatCode=\"[$-407]d. mmmm yyyy;@\"/></numFmts>"
      + "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"170\"/><xf numFmtId=\"9\"/><xf numFmtId=\"20\"/></cellXfs>"
    let rows = """
      <row r="1"><c r="A1" t="s"><v>0</v></c></row>
      <row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="inlineStr"><is><t>Due</t></is></c><c r="C3" t="str"><v>Share</v></c></row>
      <row r="4"><c r="A4"><v>0.30000000000000004</v></c><c r="B4" s="1"><v>46086</v></c><c r="C4" s="3"><v>0.125</v></c></row>
      <row r="5"><c r="A5" t="b"><v>1</v></c><c r="B5" s="2"><v>46086</v></c></row>
      <row r="6"><c r="C6" t="e"><v>#N/A</v></c></row>
      """
    let times =
      "<row r=\"3\"><c r=\"C3\" t=\"str\"><v>Name</v></c><c r=\"D3\" t=\"str\"><v>Start</v></c></row>"
      + "<row r=\"4\"><c r=\"C4\" t=\"str\"><v>Ada</v></c><c r=\"D4\" s=\"4\"><v>0.385416666666667</v></c></row>"
    let file = Self.workbook(
      [("Bills", rows), ("None", ""), ("Staff", times)], styles: styles,
      texts: ["<r><t>All </t></r><r><t>bills</t></r><rPh><t>reading</t></rPh>", "<t>Sum</t>"])
    let document = try parser.parse(file)
    #expect(document.info.kind == .xlsx)
    #expect(document.headings == ["Bills", "Staff"])
    #expect(document.info.title == nil)
    #expect(
      document.blocks.map(\.text) == [
        "Bills", "All bills", "Sum | Due | Share", "Sum: 0.3; Due: 2026-03-05; Share: 12.5%",
        "Sum: TRUE; Due: 2026-03-05",
        "Share: #N/A", "Staff", "Name | Start", "Name: Ada; Start: 09:15",
      ])
  }

  @Test("Slides are pages in the order they are shown, with tables and notes, without their footers")
  func slides() throws {
    func slide(_ body: String) -> Data { Data("<p:sld xmlns:p=\"p\" xmlns:a=\"a\">\(body)</p:sld>".utf8) }
    func shape(_ role: String, _ paragraphs: String) -> String {
      "<p:sp><p:nvPr><p:ph type=\"\(role)\"/></p:nvPr><p:txBody>\(paragraphs)</p:txBody></p:sp>"
    }
    func said(_ text: String, level: Int = 0) -> String {
      "<a:p><a:pPr lvl=\"\(level)\"/><a:r><a:t>\(text)</a:t></a:r></a:p>"
    }
    let table =
      "<a:tbl><a:tblPr firstRow=\"1\"/><a:tr><a:tc>\(said("Part"))</a:tc><a:tc>\(said("Price"))</a:tc></a:tr>"
      + "<a:tr><a:tc>\(said("Seal"))</a:tc><a:tc>\(said("3 €"))</a:tc></a:tr></a:tbl>"
    let file = Package.zip([
      ("_rels/.rels", Self.relations([("a", "officeDocument", "ppt/presentation.xml")])),
      (
        "ppt/presentation.xml",
        Data(
          "<p xmlns:r=\"r\"><sldIdLst><sldId id=\"256\" r:id=\"two\"/><sldId id=\"257\" r:id=\"one\"/></sldIdLst></p>"
            .utf8)
      ),
      (
        "ppt/_rels/presentation.xml.rels",
        Self.relations([("one", "slide", "slides/slide1.xml"), ("two", "slide", "slides/slide2.xml")])
      ),
      ("ppt/slides/slide1.xml", slide(shape("title", said("Prices")) + table + shape("sldNum", said("2")))),
      (
        "ppt/slides/slide2.xml",
        slide(shape("ctrTitle", said("The pump")) + shape("body", said("Clean it") + said("weekly", level: 1)))
      ),
      ("ppt/slides/_rels/slide2.xml.rels", Self.relations([("n", "notesSlide", "../notesSlides/n1.xml")])),
      ("ppt/notesSlides/n1.xml", slide(shape("body", said("Mention the recall")))),
    ])
    let document = try parser.parse(file)
    #expect(document.info.kind == .pptx && document.info.pages == 2 && document.info.title == "The pump")
    #expect(
      document.pages.map { $0.blocks.map(\.text) } == [
        ["The pump", "Clean it", "- weekly", "Mention the recall"],
        ["Prices", "Part | Price", "Part: Seal; Price: 3 €"],
      ])
    #expect(document.pages[0].blocks.last?.kind == .footnote)
  }

  @Test("A word processor's file is found by what its package says, whatever its parts are called")
  func otherNames() throws {
    let body =
      "<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>The rent is 940 euros.</w:t></w:r></w:p></w:body></w:document>"
    let file = Package.zip([
      ("_rels/.rels", Self.relations([("a", "officeDocument", "word/document2.xml")])),
      ("word/document2.xml", Data(body.utf8)),
    ])
    let document = try parser.parse(file)
    #expect(document.info.kind == .docx && document.text == "The rent is 940 euros.")
  }

  @Test("Sheets of OpenDocument stand under their names")
  func openSheets() throws {
    let file = Package.zip([
      ("mimetype", Data("application/vnd.oasis.opendocument.spreadsheet".utf8)),
      (
        "content.xml",
        Data(
          """
          <o xmlns:office="o" xmlns:text="t" xmlns:table="ta"><office:body><office:spreadsheet><table:table table:name="Bills">
          <table:table-row><table:table-cell><text:p>Number</text:p></table:table-cell><table:table-cell><text:p>Sum</text:p></table:table-cell></table:table-row>
          <table:table-row><table:table-cell><text:p>7</text:p></table:table-cell><table:table-cell><text:p>12 €</text:p></table:table-cell></table:table-row>
          </table:table></office:spreadsheet></office:body></o>
          """.utf8)
      ),
    ])
    let document = try parser.parse(file)
    #expect(document.info.kind == .ods)
    #expect(document.blocks.map(\.text) == ["Bills", "Number | Sum", "Number: 7; Sum: 12 €"])
  }

  @Test("Rich text: headings by style, tables, lists, footnotes, characters in every way they are written")
  func richText() throws {
    let file = #"""
      {\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}{\colortbl;\red1;}
      {\stylesheet{\s0 Normal;}{\s3\outlinelevel0 heading 2;}}{\info{\title The lease}{\author Ann}{\creatim\yr2026}}
      {\header Page \chpgn}\pard\s3 Rent\par
      \pard The rent is 940 \'80, due on the 3rd \endash  \u252?berall: \u-10179?\u-8704?.{\footnote Except in 2024.} {\f1 \'cc\'e8\'f0}\par
      {\v hidden}{\*\unknown never seen}{\pict\bin5 }}\{}}shown{\deleted gone}\par
      \pard{\listtext 1.\tab}\ls1 kitchen\par
      \pard\trowd\intbl Room\cell Size\cell\row\trowd\intbl bath\cell\cell\row\trowd\intbl hall\cell 6 m\u178 ?\cell\row\pard
      After{\field{\*\fldinst HYPERLINK "x"}{\fldrslt  a link}}.\par}
      """#
    let document = try parser.parse(Data(file.utf8))
    #expect(document.info.kind == .rtf && document.info.title == "The lease" && document.info.author == "Ann")
    #expect(document.blocks.first?.kind == .heading(level: 2) && document.blocks.first?.text == "Rent")
    #expect(document.blocks.first { $0.kind == .footnote }?.text == "Except in 2024.")
    let texts = document.blocks.map(\.text)
    #expect(texts.contains("The rent is 940 €, due on the 3rd – überall: 😀. Мир"), "\(texts)")
    #expect(texts.contains("shown") && texts.contains("1. kitchen") && texts.contains("After a link."), "\(texts)")
    #expect(texts.contains("Room: bath") && texts.contains("Room: hall; Size: 6 m²"), "\(texts)")
  }

  @Test(
    "Rich text that is broken or deep ends in what could be read or an error",
    arguments: ["{", "}", "\\", "\\u", "\\'", "\\bin99999999999 "])
  func brokenRichText(tail: String) throws {
    let document = try parser.parse(Data("{\\rtf1 Some words.\\par \(tail)".utf8))
    #expect(document.text.contains("Some words."))
    #expect(throws: DocumentError.self) {
      try parser.parse(Data(("{\\rtf1 " + String(repeating: "{", count: 1 << 20)).utf8))
    }
  }

  @Test("A message is a document: who, what and when, its text in one form, what cannot be read of it by name")
  func message() throws {
    let file = """
      Return-Path: <a@b.c>\r
      From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r
      To: Ann <ann@example.org>\r
      Subject: Boiler =?utf-8?b?w7xiZXJob2x0?=\r
      Date: Tue, 10 Jun 2026 09:30:00 +0200\r
      MIME-Version: 1.0\r
      Content-Type: multipart/mixed; boundary="x"\r
      \r
      --x\r
      Content-Type: multipart/alternative; boundary="y"\r
      \r
      --y\r
      Content-Type: text/plain; charset=iso-8859-1\r
      Content-Transfer-Encoding: quoted-printable\r
      \r
      The boiler needs a new valve, size 3/4 inch.\r
      \r
      Gr=FC=DFe\r
      --y\r
      Content-Type: text/html\r
      \r
      <p>The boiler</p>\r
      --y--\r
      --x\r
      Content-Type: application/pdf; name="offer.pdf"\r
      Content-Disposition: attachment; filename="offer.pdf"\r
      Content-Transfer-Encoding: base64\r
      \r
      JVBERi0=\r
      --x--\r

      """
    let document = try parser.parse(Data(file.utf8))
    #expect(document.info.kind == .message && document.info.title == "Boiler überholt")
    #expect(document.info.author == "Jürgen <j@example.org>")
    #expect(
      document.blocks.map(\.text) == [
        "Boiler überholt",
        "From: Jürgen <j@example.org>\nTo: Ann <ann@example.org>\nDate: Tue, 10 Jun 2026 09:30:00 +0200",
        "The boiler needs a new valve, size 3/4 inch.", "Grüße",
        "- offer.pdf (not read: The file is damaged: it is cut off, or no PDF inside.)",
      ])
    let letter = "From: here on the path leads down.\n\nSubject: to change, it is not a message."
    #expect(try parser.parse(Data(letter.utf8)).info.kind != .message)
  }
}
