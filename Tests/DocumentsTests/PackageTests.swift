import Core
import Documents
import Foundation
import Testing

@Suite("A word processor's file or a book")
struct PackageTests {
  let parser = InProcess()

  @Test("DOCX: headings by style, lists, tables with headers; deleted and hidden text stays out")
  func docx() throws {
    let file = Package.docx(
      """
      <w:p><w:pPr><w:pStyle w:val="Kapitel"/></w:pPr><w:r><w:t>Miete</w:t></w:r></w:p>
      <w:p><w:r><w:t xml:space="preserve">Die Miete betr\u{E4}gt </w:t></w:r><w:del><w:r><w:delText>400</w:delText></w:r></w:del>
      <w:ins><w:r><w:t>500</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> \u{20AC}.</w:t></w:r>
      <w:r><w:rPr><w:vanish/></w:rPr><w:t>geheim</w:t></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>Punkt</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Raum</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Gr\u{F6}\u{DF}e</w:t></w:r></w:p></w:tc></w:tr>
      <w:tr><w:tc><w:p><w:r><w:t>Bad</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>6 qm</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
      """)
    let document = try parser.parse(file)
    #expect(document.info.kind == .docx && document.info.title == "Mietvertrag" && document.info.author == "Meyer")
    #expect(document.info.pages == nil)
    #expect(
      document.blocks.map(\.text) == [
        "Miete", "Die Miete beträgt 500 €.", "- Punkt", "Raum | Größe", "Raum: Bad; Größe: 6 qm",
      ])
    #expect(document.blocks[0].kind == .heading(level: 1) && document.blocks[2].kind == .listItem(level: 2))
  }

  @Test("DOCX: numbers that Word counts stand before their paragraphs, levels and styles among them")
  func numbers() throws {
    func item(_ text: String, _ list: Int, _ level: Int = 0) -> String {
      "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"\(level)\"/><w:numId w:val=\"\(list)\"/></w:numPr></w:pPr><w:r><w:t>\(text)</w:t></w:r></w:p>"
    }
    let styled = "<w:p><w:pPr><w:pStyle w:val=\"Schritt\"/></w:pPr><w:r><w:t>by style</w:t></w:r></w:p>"
    let file = Package.docx(
      item("one", 1) + item("two", 1) + item("deeper", 1, 1) + item("again", 1, 1) + item("three", 1) + item("anew", 2)
        + item("bullet", 3) + styled + item("nowhere", 9) + item("hostile", 4),
      numbering: """
        <w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
        <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="9223372036854775807"/><w:numFmt w:val="upperRoman"/>
        <w:lvlText w:val="%1"/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
        <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
        <w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
        """)
    #expect(
      try parser.parse(file).blocks.map(\.text) == [
        "1. one", "2. two", "2.a) deeper", "2.b) again", "3. three", "7. anew", "- bullet", "8. by style", "- nowhere",
        "9223372036854775807 hostile",
      ])
  }

  @Test("ODT: headings, nested lists, repeated cells and notes")
  func odt() throws {
    let file = Package.odt(
      """
      <text:h text:outline-level="2">Entretien</text:h><text:p>Le filtre<text:s/>doit \u{EA}tre chang\u{E9}<text:note>
      <text:note-citation>1</text:note-citation><text:note-body><text:p>Tous les six mois.</text:p></text:note-body></text:note>.</text:p>
      <text:list><text:list-item><text:p>ouvrir</text:p><text:list><text:list-item><text:p>bien</text:p></text:list-item></text:list>
      </text:list-item></text:list>
      <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
      <table:table-cell table:number-columns-repeated="99999999"/></table:table-row></table:table>
      """)
    let document = try parser.parse(file)
    #expect(document.info.kind == .odt && document.info.title == "Notice" && document.info.language == "fr")
    #expect(
      document.blocks.prefix(5).map(\.kind) == [
        .heading(level: 2), .footnote, .paragraph, .listItem(level: 1), .listItem(level: 2),
      ])
    #expect(document.blocks[2].text == "Le filtre doit être changé.")
  }

  @Test("EPUB: chapters in the order of the spine, named characters and empty elements understood")
  func epub() throws {
    let file = Package.epub(
      (0..<3).map {
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head><body><h1>Chapter \($0)</h1><p>Text&nbsp;\($0) of it.</p></body></html>"
      })
    let document = try parser.parse(file)
    #expect(document.info.kind == .epub && document.info.title == "A book" && document.info.author == "B. Writer")
    #expect(document.headings == ["Chapter 0", "Chapter 1", "Chapter 2"])
    #expect(document.text.contains("Text 1 of it."))
  }

  @Test("A package that unpacks to far more than its size is refused, and so is one that names another's files")
  func bombs() throws {
    let bomb = Package.zip([
      ("word/document.xml", Data(repeating: 0x20, count: 40 << 20)), ("[Content_Types].xml", Data("x".utf8)),
    ])
    #expect { try parser.parse(bomb) } throws: { ($0 as? DocumentError)?.code == "document_unpacks_too_much" }
    let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
    func package(_ declarations: String, _ reference: String) -> Data {
      let body = "<!DOCTYPE d [\(declarations)]><d><p><r><t>before \(reference) after</t></r></p></d>"
      return Package.zip([("word/document.xml", Data(body.utf8))])
    }
    let outside = package("<!ENTITY f SYSTEM \"file:///etc/passwd\">", "&f;")
    #expect(try parser.parse(outside).text == "before after")
    #expect { try parser.parse(package("<!ENTITY l0 \"ha\">" + laughs, "&l9;")) } throws: {
      ($0 as? DocumentError)?.code == "document_damaged"
    }
  }

  @Test("Deep nesting is read without exhausting the stack")
  func nesting() throws {
    let deep = 60_000
    let html = "<!doctype html><body>" + String(repeating: "<div>", count: deep) + "<p>at the bottom</p>"
    #expect(try parser.parse(html).text == "at the bottom")
    let markdown = "# Title\n\n```\nx\n```\n\n" + String(repeating: "> ", count: 5_000) + "quoted"
    #expect(try parser.parse(markdown).text.contains("quoted"))
    let document = String(repeating: "<w:sdt>", count: 5_000) + "<w:p/>" + String(repeating: "</w:sdt>", count: 5_000)
    #expect(throws: DocumentError.self) { try parser.parse(Package.docx(document)) }
  }
}
