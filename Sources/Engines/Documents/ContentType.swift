import Core
import Documents
import Foundation

/// What the first bytes say a file is.
enum ContentType {
  case pdf, picture, package, rtf, text
  case unsupported(String)

  static func find(_ source: ByteSource) throws -> ContentType {
    let head = try source.read(at: 0, count: 4096)
    func starts(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: Array(text.utf8)) }
    if let range = Data(head.prefix(1024)).range(of: Data("%PDF-".utf8)),
      range.lowerBound == 0 || !looksLikeText(head, range)
    {
      return .pdf
    }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: [0xFF, 0xD8, 0xFF]) || starts("GIF8")
      || head.starts(with: [0x49, 0x49, 0x2A, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2A])
      || (starts("RIFF") && starts("WEBP", at: 8))
      || (starts("BM") && head.count > 26 && head[14] < 128 && head[15] == 0)
    {
      return .picture
    }
    if head.starts(with: [0x50, 0x4B, 3, 4]) { return .package }
    if starts("{\\rtf") { return .rtf }
    for (magic, what) in unreadable where head.starts(with: magic) { return .unsupported(what) }
    return .text
  }

  // A text about PDF may quote the mark; a PDF has it on a line of its own near the start.
  private static func looksLikeText(_ head: [UInt8], _ range: Range<Int>) -> Bool {
    head[..<range.lowerBound].last != 10 && head[..<range.lowerBound].last != 13
      && head[..<range.lowerBound].allSatisfy { $0 >= 32 || $0 == 10 || $0 == 13 || $0 == 9 }
  }

  private static let unreadable: [([UInt8], String)] = [
    ([0xD0, 0xCF, 0x11, 0xE0], "an older Microsoft Office file or one locked with a password"),
    ([0x1F, 0x8B], "a gzip archive"), ([0x42, 0x5A, 0x68], "a bzip2 archive"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd archive"),
    ([0x37, 0x7A, 0xBC, 0xAF], "a 7z archive"), (Array("Rar!".utf8), "a RAR archive"),
    ([0x7F, 0x45, 0x4C, 0x46], "a program"), ([0x4D, 0x5A], "a Windows program"),
    ([0xCA, 0xFE, 0xBA, 0xBE], "a program"),
    (Array("SQLite format 3".utf8), "a database"), (Array("GGUF".utf8), "a model"),
    (Array("OggS".utf8), "a sound file"),
    (Array("ID3".utf8), "a sound file"), (Array("fLaC".utf8), "a sound file"),
    (Array("RIFF".utf8), "a sound or film file"),
    (Array("%!PS".utf8), "a PostScript file"),
  ]
}

/// A document whose text flows, without pages of its own.
protocol FlowingDocument {
  func info() throws -> DocumentInfo
  func blocks(_ output: ParseOutput) throws -> [Block]
}

/// A document with pages (slides) that are no pictures.
protocol PagedDocument {
  func info() throws -> DocumentInfo
  func pages(_ output: ParseOutput) throws -> [[Block]]
}

/// A file opened as what it is.
enum OpenDocument {
  case pdf(PDFFile)
  case picture(Picture)
  case flowing(any FlowingDocument)
  case paged(any PagedDocument)
  case text(TextKind, TextDecoding.Decoded)
  case records(RecordsParser)
  case calendar(CalendarDocument)
  case message(MailDocument)
  case mailbox(Mailbox)

  init(_ source: ByteSource, name: String, password: String?, limits: ParseLimits) throws {
    switch try ContentType.find(source) {
    case .pdf: self = .pdf(try PDFFile(source, password: password))
    case .picture: self = .picture(try Picture(source.whole(limit: limits.fileBytes), limits: limits))
    case .package: self = try Self.package(source, limits)
    case .rtf: self = .flowing(try RTF(source.whole(limit: limits.fileBytes)))
    case .unsupported(let what): throw DocumentError.unsupported(what)
    case .text: self = try Self.text(source, name, limits)
    }
  }

  private static func package(_ source: ByteSource, _ limits: ParseLimits) throws -> OpenDocument {
    let listing = try Archive(source, limits: limits) { $0 == "mimetype" || $0 == "_rels/.rels" }
    let type = listing.entries["mimetype"].map { String(decoding: $0, as: UTF8.self).trimmed() } ?? ""
    // The parts of an Office file may have any name; the folder says which program's they are.
    let usual = ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"].first(where: listing.names.contains)
    if let main = try OfficeParts.main(listing).flatMap({ listing.names.contains($0) ? $0 : nil }) ?? usual {
      func parts(_ wanted: (String) -> Bool) throws -> Archive {
        try Archive(source, limits: limits) { $0 == main || wanted($0) }
      }
      switch main.prefix(while: { $0 != "/" }) {
      case "word": return .flowing(try DOCX(parts(DOCX.wanted), main: main))
      case "xl": return .flowing(XLSX(archive: try parts(XLSX.wanted), main: main))
      case "ppt": return .paged(PPTX(archive: try parts(PPTX.wanted), main: main))
      default: break
      }
    }
    if type == "application/epub+zip" || listing.names.contains("META-INF/container.xml") {
      return .flowing(try EPUB(Archive(source, limits: limits, wanted: EPUB.wanted)))
    }
    if type.hasPrefix("application/vnd.oasis.opendocument"), listing.names.contains("content.xml") {
      return .flowing(try ODT(Archive(source, limits: limits, wanted: ODT.wanted), type: type))
    }
    throw DocumentError.unsupported("a ZIP archive")
  }

  /// One that is damaged is read as the text that it is.
  private static func calendar(_ bytes: [UInt8]) throws -> CalendarDocument? {
    do { return try CalendarDocument(bytes) } catch DocumentError.damaged { return nil }
  }

  private static func text(_ source: ByteSource, _ name: String, _ limits: ParseLimits) throws -> OpenDocument {
    let head = try source.read(at: 0, count: 64 << 10)
    guard var sample = TextDecoding.decode(head) ?? TextDecoding.decode(Array(head.dropLast(3))) else {
      throw DocumentError.unsupported("no text and no known format")
    }
    sample.text = String(sample.text.prefix(32_000))
    guard sample.text.contains(where: { !$0.isWhitespace }) || source.size > head.count else {
      throw DocumentError.empty
    }
    if case .records = TextKind.find(sample.text, name: name) { return .records(RecordsParser(source: source)) }
    if Mailbox.begins(sample.text) { return .mailbox(Mailbox(source: source)) }
    if MailDocument.begins(sample.text) { return .message(MailDocument(try source.whole(limit: limits.fileBytes))) }
    if CalendarDocument.begins(sample.text), source.size <= min(limits.fileBytes, CalendarLimits().fileBytes),
      let calendar = try Self.calendar(source.whole(limit: limits.fileBytes))
    {
      return .calendar(calendar)
    }
    let bytes = try source.whole(limit: min(limits.fileBytes, 2 * limits.textBytes))
    guard let decoded = TextDecoding.decode(bytes, declared: HTMLText.declaredEncoding(head)) else {
      throw DocumentError.unsupported("no text and no known format")
    }
    return .text(TextKind.find(decoded.text, name: name), decoded)
  }
}
