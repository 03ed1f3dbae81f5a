import Core
import Documents
import Foundation
import Testing

@Suite("Small PDFs that never end")
struct HostilePDFTests {
  /// Drawings in drawings, a few hundred bytes that are drawn for minutes: pages without words are drawn to be read.
  private func endless() -> PDFWriter {
    var pdf = PDFWriter()
    pdf.drawings = [String(repeating: "0 0 m 500 700 l 100 300 l f\n", count: 10)]
    for index in 0..<3 { pdf.drawings.append(String(repeating: "/D\(index) Do ", count: 10)) }
    return pdf
  }

  private let drawn = PDFWriter.Sheet(content: String(repeating: "/D3 Do ", count: 10))
  /// Each mark keeps a copy of all around it.
  private let marked = PDFWriter.Sheet(content: String(repeating: "/A BMC 0 0 m 1 1 l S\n", count: 20_000))

  private func bounds() -> DocumentReader.Bounds {
    var bounds = DocumentReader.Bounds()
    bounds.silence = .seconds(6)
    // More than anything takes: beside hundreds of other tests a worker is looked at minutes late.
    bounds.document = .seconds(86_400)
    bounds.megabyte = .zero
    bounds.picture = .seconds(3)
    return bounds
  }

  private func read(_ pdf: PDFWriter, _ bounds: DocumentReader.Bounds, from first: Int = 1) async throws -> Collected {
    try await read(pdf.data, bounds, from: first)
  }

  private func read(_ data: Data, _ bounds: DocumentReader.Bounds, from first: Int = 1) async throws -> Collected {
    let url = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
    try data.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let reader = DocumentReader(bounds: bounds)
    let all = Collected()
    var request = ParseRequest(name: "x.pdf")
    request.first = first
    do { for try await event in reader.parse(url, request) { all.events.append(event) } } catch {
      await reader.stop()
      throw error
    }
    await reader.stop()
    return all
  }

  @Test("A page that is drawn for ever costs itself; those before and behind it are read")
  func page() async throws {
    var pdf = endless()
    pdf.add(lines: ["The first page has words."])
    pdf.sheets.append(drawn)
    pdf.add(lines: ["The third page has words."])
    let all = try await read(pdf, bounds())
    #expect(all.documents.count == 1)
    #expect(all.documents.flatMap(\.pages).map(\.number) == [1, 3])
    #expect(all.problems.map(\.page) == [2] && all.problems.map(\.error.code) == ["document_too_slow"])
  }

  private func file(of sheet: PDFWriter.Sheet? = nil, saying words: String? = nil) -> Data {
    var pdf = endless()
    if let words { pdf.add(lines: [words]) }
    if let sheet { pdf.sheets.append(sheet) }
    return pdf.data
  }

  @Test("A message alone is read without the attached file that ends its reader, and says which one was left out")
  func attached() async throws {
    let inner = AttachmentTests.message("Subject: Within\r\n", [(AttachmentTests.attached("b.pdf"), file(of: drawn))])
    let mail = AttachmentTests.message(
      "",
      [
        AttachmentTests.text, (AttachmentTests.attached("a.pdf"), file(of: drawn)),
        (AttachmentTests.attached("within.eml"), inner),
        (AttachmentTests.attached("c.pdf"), file(saying: "The last file has words.")),
      ])
    let all = try await read(mail, bounds())
    let text = try #require(all.documents.first).text
    #expect(all.documents.count == 1 && text.contains("See what is attached."))
    #expect(text.contains("- a.pdf (not read: Reading took") && text.contains("- b.pdf (not read: Reading took"))
    #expect(text.contains("The last file has words."))
    #expect(all.problems.map(\.error.code) == Array(repeating: "document_attachment_unread", count: 2))
    #expect(all.problems.first?.error.message.hasPrefix("The attached file a.pdf was left out: Reading took") == true)
  }

  @Test("A message whose attached files take all the work that it may cost is read without them")
  func attachedUsedUp() async throws {
    let files = ["a.pdf", "b.pdf", "c.pdf"].map { (AttachmentTests.attached($0), file(of: drawn)) }
    var bounds = bounds()
    // 3 s, then too little.
    (bounds.document, bounds.lostPage) = (.seconds(9), .milliseconds(2500))
    let all = try await read(AttachmentTests.message("", [AttachmentTests.text] + files), bounds)
    let text = try #require(all.documents.first).text
    #expect(text.contains("See what is attached.") && text.contains("- c.pdf (not read: What is attached took"))
    #expect(all.problems.count == 3 && all.report?.problems == 3)
  }

  @Test("A message of a mailbox whose attached file ends the reader is read without it; all keep their own names")
  func message() async throws {
    var pdf = endless()
    pdf.sheets.append(drawn)
    func message(_ words: String, attached: Data? = nil) -> String {
      let first = "From a@example Mon Jan  5 10:00:00 2026\nFrom: a@example\nSubject: Words\n"
      let head = first + "Date: Mon, 5 Jan 2026 10:00:00 +0000\n"
      guard let attached else { return head + "\n\(words)\n\n" }
      let type =
        "Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n"
        + "Content-Transfer-Encoding: base64\n"
      return head + type + "\n" + attached.base64EncodedString(options: .lineLength76Characters) + "\n\n"
    }
    let box = message("The first.") + message("", attached: pdf.data) + message("The third.") + message("The fourth.")
    let all = try await read(Data(box.utf8), bounds())
    let name = "Words · Mon, 5 Jan 2026 10:00:00 +0000"
    #expect(all.documents.compactMap(\.info.record) == [name, name + " (2)", name + " (3)", name + " (4)"])
    #expect(all.documents[1].text.contains("- a.pdf (not read: "))
    #expect(all.problems.map(\.page) == [2] && all.problems.map(\.error.code) == ["document_attachment_unread"])
  }

  @Test("A page that takes the memory costs itself")
  func memory() async throws {
    var pdf = PDFWriter()
    pdf.add(lines: ["The first page has words."])
    pdf.sheets.append(marked)
    pdf.add(lines: ["The third page has words."])
    var bounds = bounds()
    bounds.memoryBytes = 300 << 20
    let all = try await read(pdf, bounds)
    #expect(all.documents.flatMap(\.pages).map(\.number) == [1, 3])
    #expect(all.problems.map(\.page) == [2] && all.problems.map(\.error.code) == ["document_worker_ended"])
    #expect(try await read(pdf, bounds, from: 3).documents.flatMap(\.pages).map(\.number) == [3])
  }

  @Test("A document of many such pages is read no further: what was read stays, and what is missing is named")
  func many() async throws {
    var pdf = endless()
    pdf.add(lines: ["The first page has words."])
    pdf.sheets += [drawn, drawn]
    pdf.add(lines: ["The fourth page has words."])
    pdf.add(lines: ["The fifth page has words."])
    var bounds = bounds()
    // 6 s, then 4, then too little.
    bounds.lostPage = .seconds(3)
    let all = try await read(pdf, bounds)
    #expect(all.documents.flatMap(\.pages).map(\.number) == [1])
    #expect(all.problems.map(\.page) == [2, 3, 4])
    #expect(all.problems.last?.error == RemoteError(DocumentError.usedUp(first: 4, last: 5)))
    #expect(all.report?.problems == 3 && all.report?.pages == 1)
  }

  @Test("What the lost pages of a small document may cost is little")
  func work() async throws {
    var pdf = endless()
    pdf.add(lines: ["The first page has words."])
    pdf.sheets += [drawn, drawn, drawn]
    pdf.add(lines: ["The last page has words."])
    var bounds = bounds()
    // 3 s, 2 and 1.3.
    bounds.document = .seconds(9)
    let all = try await read(pdf, bounds)
    #expect(all.documents.flatMap(\.pages).map(\.number) == [1])
    #expect(all.problems.map(\.error.code) == Array(repeating: "document_too_slow", count: 3) + ["document_used_up"])
  }

  @Test("Pages that never end at the beginning of a document cost themselves, and those behind them are read")
  func beginning() async throws {
    var pdf = endless()
    pdf.sheets += [drawn, drawn, drawn, drawn]
    pdf.add(lines: ["The fifth page has words."])
    pdf.add(lines: ["The sixth page has words."])
    var bounds = bounds()
    // 6 s, 4, 2.7 and 1.8.
    (bounds.document, bounds.lostPage) = (.seconds(18), .milliseconds(500))
    let all = try await read(pdf, bounds)
    #expect(all.documents.flatMap(\.pages).map(\.number) == [5, 6])
    #expect(all.problems.map(\.page) == [1, 2, 3, 4])
  }

  @Test("One that holds nothing else is refused")
  func nothing() async throws {
    var pdf = endless()
    pdf.sheets = [drawn, drawn, drawn]
    var bounds = bounds()
    bounds.lostPage = .seconds(3)
    await #expect {
      try await read(pdf, bounds)
    } throws: {
      ($0 as? DocumentError)?.code == "document_too_slow"
    }
  }

  @Test("The picture of a page that is drawn for ever is given up, and the next one is drawn")
  func picture() async throws {
    var pdf = endless()
    pdf.add(lines: ["Words."])
    pdf.sheets.append(drawn)
    let url = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
    try pdf.data.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let reader = DocumentReader(bounds: bounds())
    await #expect(throws: DocumentError.tooSlow(seconds: 3)) {
      try await reader.render(url, RenderRequest(page: 2, scale: 4))
    }
    #expect(try await reader.render(url, RenderRequest(page: 1, scale: 1)).page.width == 595)
    await reader.stop()
  }
}
