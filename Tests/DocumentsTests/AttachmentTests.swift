import Core
import Documents
import Foundation
import Testing
import Workers

@testable import DocumentEngine

@Suite("Mailboxes and what is attached to messages")
struct AttachmentTests {
  private let parser = InProcess()

  static func message(_ headers: String = "", _ parts: [(headers: String, content: Data)]) -> Data {
    var file = Data(
      ("From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nDate: Tue, 10 Jun 2026 09:30:00 +0200\r\n"
        + "\(headers.isEmpty ? "Subject: Papers\r\n" : headers)MIME-Version: 1.0\r\n"
        + "Content-Type: multipart/mixed; boundary=\"cut\"\r\n\r\n").utf8)
    for part in parts {
      file += Data("--cut\r\n\(part.headers)\r\nContent-Transfer-Encoding: base64\r\n\r\n".utf8)
      file += part.content.base64EncodedData(options: [
        .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
      ])
      file += Data("\r\n".utf8)
    }
    return file + Data("--cut--\r\n".utf8)
  }

  static func attached(_ name: String, _ type: String = "application/octet-stream") -> String {
    "Content-Type: \(type)\r\nContent-Disposition: attachment; filename=\"\(name)\""
  }

  static let text = ("Content-Type: text/plain; charset=utf-8", Data("See what is attached.\n".utf8))

  private static func pdf(_ lines: [String]) -> Data {
    var pdf = PDFWriter()
    pdf.add(lines: lines)
    return pdf.data
  }

  @Test("What is attached is read by what it is, under its name; what cannot be read is named with the reason")
  func kinds() throws {
    let paragraph = "<w:p><w:r><w:t>The deposit is 900 euro.</w:t></w:r></w:p>"
    let file = Self.message(
      "",
      [
        Self.text, (Self.attached("offer.pdf", "application/pdf"), Self.pdf(["The valve costs 49 euro."])),
        (
          "Content-Type: application/msword\r\nContent-Disposition: attachment;\r\n filename*=utf-8''Vertrag%20f%C3%BCr%20Ann.docx",
          Package.docx(paragraph)
        ),
        (Self.attached("list.csv", "text/csv; charset=iso-8859-1"), "Größe;Zahl\n\"XL\";3\n".data(using: .isoLatin1)!),
        (Self.attached("all.zip"), Package.zip([("a.txt", Data("x".utf8))])),
        (Self.attached("empty.txt", "text/plain"), Data()),
        (Self.attached("smime.p7s", "application/pkcs7-signature"), Data([1, 2, 3])),
      ])
    let document = try parser.parse(file)
    #expect(document.info.kind == .message && document.info.title == "Papers")
    #expect(
      document.headings == [
        "Papers", "Attachment: offer.pdf", "Attachment: Vertrag für Ann.docx", "Attachment: list.csv",
      ])
    for words in ["See what is attached.", "The valve costs 49 euro.", "The deposit is 900 euro.", "Größe: XL"] {
      #expect(document.text.contains(words), "\(words)")
    }
    #expect(document.text.contains("- all.zip (not read: This is a ZIP archive, which cannot be read.)"))
    #expect(document.text.contains("- empty.txt\n- smime.p7s"))
    // Places are those of the attached file, not of the message.
    #expect(document.blocks.allSatisfy { $0.geometry == nil })
  }

  @Test("A message within a message is read with what is attached to it, to a depth that is said")
  func nested() throws {
    var file = Self.message("Subject: Innermost\r\n", [Self.text, (Self.attached("a.pdf"), Self.pdf(["Deep words."]))])
    for level in 1...2 {
      file = Self.message("Subject: Level \(level)\r\n", [Self.text, (Self.attached("\(level).eml"), file)])
    }
    let document = try parser.parse(file)
    #expect(document.text.contains("Deep words.") && document.headings.contains("Attachment: a.pdf"))
    file = Self.message("Subject: Level 3\r\n", [(Self.attached("3.eml"), file)])
    let cut = try parser.parse(file).text
    #expect(!cut.contains("Deep words.") && cut.contains("- a.pdf (not read: "))
  }

  @Test("Files, bytes, pages and text of one message are bounded, and what is left out is said")
  func bounds() throws {
    func read(_ file: Data, _ bounds: Attachments.Bounds) throws -> String {
      let sink = Collected()
      let output = ParseOutput(ParseRequest(name: "m"), cancelled: CancelFlag()) { try sink.event($0) }
      let attachments = Attachments(output, bounds) { source, name, inner, _ in
        for page in 1...3 { try inner.add(Page(number: page, blocks: [Block(.paragraph, "\(name) \(source.size)")])) }
      }
      return try MailDocument(Array(file)).blocks(attachments).map(\.text).joined(separator: "\n")
    }
    let file = Self.message("", (1...5).map { (Self.attached("\($0).txt"), Data(repeating: 65, count: 100)) })
    var bounds = Attachments.Bounds()
    #expect(try read(file, bounds).contains("5.txt 100") && !read(file, bounds).contains("not read"))
    bounds.files = 3
    #expect(try read(file, bounds).contains("- 4.txt (not read: "))
    bounds = Attachments.Bounds()
    bounds.bytes = 250
    #expect(try read(file, bounds).contains("2.txt 100\n") && read(file, bounds).contains("- 3.txt (not read: "))
    bounds = Attachments.Bounds()
    bounds.textBytes = 30
    #expect(try read(file, bounds).contains("- 2.txt (not read: The document holds more than 30 bytes of text.)"))
  }

  @Test("A package that unpacks without end costs itself alone")
  func bomb() throws {
    let zeros = Data(repeating: 48, count: 300 << 20)
    let file = Self.message(
      "", [Self.text, (Self.attached("a.docx"), Package.docx(String(decoding: zeros.prefix(40 << 20), as: UTF8.self)))])
    let text = try parser.parse(file).text
    #expect(text.contains("See what is attached.") && text.contains("- a.docx"))
  }

  private static let mailbox = """
    From ann@example.org Tue Jun 10 09:30:00 2026
    From: Ann <ann@example.org>
    Subject: First
    Date: Tue, 10 Jun 2026 09:30:00 +0200
    Message-ID: <1@example.org>

    Dear Bob,

    From here on it goes down.
    >From the hill one sees the sea.

    From bob@example.org Tue Jun 10 10:30:00 2026
    From: Bob <bob@example.org>
    Subject: Re: First
    Date: Tue, 10 Jun 2026 10:30:00 +0200
    Message-ID: <2@example.org>
    Content-Type: multipart/mixed; boundary=b

    --b

    Here it is.
    --b
    Content-Type: text/plain
    Content-Disposition: attachment; filename=note.txt

    The key lies under the mat.
    --b--

    From bob@example.org Tue Jun 10 11:30:00 2026
    From: Bob <bob@example.org>
    Date: Tue, 10 Jun 2026 10:30:00 +0200
    Message-ID: <2@example.org>

    Once more.

    """

  @Test("Each message of a mailbox is a document of its own, with what is attached to it", arguments: ["\n", "\r\n"])
  func mailboxes(end: String) throws {
    let file = Data(Self.mailbox.replacing("\n", with: end).utf8)
    let sink = try parser.collect(file)
    #expect(sink.documents.map(\.info.title) == ["First", "Re: First", "Bob <bob@example.org>"])
    #expect(
      sink.documents.map(\.info.record) == [
        "First · Tue, 10 Jun 2026 09:30:00 +0200", "Re: First · Tue, 10 Jun 2026 10:30:00 +0200",
        "Bob <bob@example.org> · Tue, 10 Jun 2026 10:30:00 +0200",
      ])
    #expect(sink.documents.allSatisfy { $0.info.kind == .mailbox })
    #expect(sink.documents[0].text.contains("From here on it goes down.\nFrom the hill one sees the sea."))
    #expect(sink.documents[1].headings == ["Re: First", "Attachment: note.txt"])
    #expect(sink.documents[1].text.contains("The key lies under the mat."))
    #expect(sink.report?.records == 3 && sink.report?.problems == 0)
    let second = try parser.collect(file) { ($0.first, $0.last) = (2, 2) }
    #expect(second.documents.map(\.info.title) == ["Re: First"])
  }

  @Test(
    "No two messages of a mailbox have one name, though a stranger writes the number that tells two of one name apart",
    arguments: [
      ["D", "D", "D (2)"], ["D (2)", "D", "D"], ["D (1)", "D (1)", "D", "D (1) (1)"], ["D (2) (2)", "D (2)", "D (2)"],
    ])
  func forgedNumbers(dates: [String]) throws {
    let box = dates.map { "From a\nFrom: a@example.org\nSubject: Rent\nDate: \($0)\n\nx\n\n" }.joined()
    let names = try parser.collect(Data(box.utf8)).documents.compactMap(\.info.record)
    #expect(names.count == dates.count && Set(names).count == dates.count, "\(names)")
  }

  @Test("What a stranger calls a message or a file is cut by its signs, for a letter may bear any number of marks")
  func marks() throws {
    let marked = "a" + String(repeating: "\u{301}", count: 7_000)
    let sink = try parser.collect(
      Data("From a\nFrom: a@example.org\nSubject: \(marked)\nDate: today\n\nx\n".utf8))
    let name = try #require(sink.documents.first?.info.record)
    #expect((100...600).contains(name.unicodeScalars.count))
    let file = Self.message("", [Self.text, (Self.attached(marked, "text/plain"), Data("The key.".utf8))])
    let heading = try #require(try parser.parse(file).headings.last)
    #expect((100...500).contains(heading.unicodeScalars.count) && heading.hasPrefix("Attachment: "))
  }

  @Test("A mailbox cut off anywhere, of lines without end or of noise ends in documents or an error")
  func hostileMailboxes() throws {
    let whole = Array(Self.mailbox.utf8)
    for end in stride(from: 10, to: whole.count, by: 37) {
      do { _ = try parser.collect(Data(whole[..<end])) } catch let error as DocumentError {
        #expect(!error.message.isEmpty)
      }
    }
    let head = Data(whole.prefix(170))
    #expect(try parser.collect(head + Data(repeating: 65, count: 5 << 20)).documents.count == 1)
    let many = String(repeating: "\n\nFrom a\nFrom: a\nMessage-ID: <x>\n\nx\n", count: 5_000)
    let sink = try parser.collect(Data(whole + Array(many.utf8)))
    #expect(Set(sink.documents.compactMap(\.info.record)).count == sink.documents.count)
    #expect(sink.documents.count == 5_003)
  }
}
