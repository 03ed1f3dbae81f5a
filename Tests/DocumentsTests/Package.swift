import CArchive
import Foundation

/// Writes the ZIP packages that word processors and books are.
enum Package {
  static func zip(_ entries: [(name: String, content: Data)]) -> Data {
    let archive = archive_write_new()
    defer { archive_write_free(archive) }
    archive_write_set_format_zip(archive)
    archive_write_add_filter_none(archive)
    let content = entries.reduce(0) { $0 + $1.content.count }
    var buffer = [UInt8](repeating: 0, count: content * 2 + entries.count * 1000 + 4096)
    var used = 0
    buffer.withUnsafeMutableBytes { bytes in
      archive_write_open_memory(archive, bytes.baseAddress, bytes.count, &used)
      for (name, content) in entries {
        let entry = archive_entry_new()
        archive_entry_set_pathname(entry, name)
        archive_entry_set_size(entry, Int64(content.count))
        archive_entry_set_filetype(entry, 0o100000)
        archive_entry_set_perm(entry, 0o644)
        archive_write_header(archive, entry)
        _ = content.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        archive_entry_free(entry)
      }
      archive_write_close(archive)
    }
    return Data(buffer[0..<used])
  }

  static func docx(_ body: String, numbering: String = "") -> Data {
    let names = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\""
    return zip([
      ("[Content_Types].xml", Data("<Types/>".utf8)),
      (
        "word/document.xml",
        Data("<?xml version=\"1.0\"?><w:document \(names)><w:body>\(body)</w:body></w:document>".utf8)
      ),
      (
        "word/styles.xml",
        Data(
          """
          <w:styles \(names)><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
          <w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
          <w:style w:styleId="Nummer"><w:name w:val="Nummer"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
          <w:style w:styleId="Schritt"><w:name w:val="Schritt"/><w:basedOn w:val="Nummer"/></w:style></w:styles>
          """.utf8)
      ),
      ("word/numbering.xml", Data("<w:numbering \(names)>\(numbering)</w:numbering>".utf8)),
      (
        "docProps/core.xml",
        Data(
          """
          <cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>Mietvertrag</dc:title><dc:creator>Meyer</dc:creator>
          </cp:coreProperties>
          """.utf8)
      ),
    ])
  }

  static func odt(_ body: String) -> Data {
    zip([
      ("mimetype", Data("application/vnd.oasis.opendocument.text".utf8)),
      (
        "content.xml",
        Data(
          """
          <office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="ta"><office:body><office:text>\(body)
          </office:text></office:body></office:document-content>
          """.utf8)
      ),
      ("meta.xml", Data("<m xmlns:dc=\"d\"><dc:title>Notice</dc:title><dc:language>fr-FR</dc:language></m>".utf8)),
    ])
  }

  static func epub(_ chapters: [String]) -> Data {
    var entries = [("mimetype", Data("application/epub+zip".utf8))]
    entries.append(
      (
        "META-INF/container.xml",
        Data("<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>".utf8)
      ))
    // The manifest lists the chapters backwards: the spine has the order.
    let items = chapters.indices.reversed().map { "<item id=\"c\($0)\" href=\"text/chapter%20\($0).xhtml\"/>" }.joined()
    let spine = chapters.indices.map { "<itemref idref=\"c\($0)\"/>" }.joined()
    entries.append(
      (
        "OEBPS/book.opf",
        Data(
          """
          <package xmlns:dc="d"><metadata><dc:title>A book</dc:title><dc:creator>B. Writer</dc:creator><dc:language>en</dc:language>
          </metadata><manifest>\(items)</manifest><spine>\(spine)</spine></package>
          """.utf8)
      ))
    for (index, chapter) in chapters.enumerated() {
      entries.append(("OEBPS/text/chapter \(index).xhtml", Data(chapter.utf8)))
    }
    return zip(entries)
  }
}
