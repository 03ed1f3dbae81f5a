import Core
import Documents
import Foundation
import Testing

@Suite("Filled forms")
struct FormTests {
  private let parser = InProcess()

  private static func form(_ texts: [(Double, Double, String)], _ fields: [(Double, Double, Double, String)]) -> Data {
    var sheet = PDFWriter.Sheet()
    sheet.texts = texts.map { PDFWriter.Text(x: $0.0, y: $0.1, size: 11, text: $0.2) }
    sheet.fields = fields.map { PDFWriter.Field(rect: ($0.0, $0.1, $0.0 + $0.2, $0.1 + 14), entries: $0.3) }
    let pdf = PDFWriter(sheets: [sheet])
    return pdf.data
  }

  private static let ticked = "/FT /Btn /AS /Yes /V /Yes /AP << /N << /Yes 3 0 R >> >>"
  private static let unticked = "/FT /Btn /AS /Off /V /Off /AP << /N << /Yes 3 0 R >> >>"

  @Test("What was written into a form stands in the text of its page, named by what is printed or said beside it")
  func values() throws {
    let file = Self.form(
      [
        (72, 700, "Family name:"), (72, 670, "IBAN"), (72, 640, "Country"), (92, 610, "I agree to the terms"),
        (92, 580, "Send me letters"), (72, 550, "Remarks"),
      ],
      [
        (160, 697, 200, "/FT /Tx /T (Text1) /V (Lovelace)"),
        (160, 667, 200, "/FT /Tx /T (f1_02[0]) /TU (Account number) /V <FEFF00440045003800390020003300370030>"),
        (160, 637, 200, "/FT /Ch /Ff 131072 /T (c) /Opt [[(de) (Germany)] [(fr) (France)]] /V (fr)"),
        (74, 608, 12, "\(Self.ticked) /T (t)"), (74, 578, 12, "\(Self.unticked) /T (u)"),
        (72, 530, 300, "/FT /Tx /T (Text9) /Ff 4096 /V (Call me\\rbefore noon)"),
        (400, 400, 100, "/FT /Tx /T (form.shoe_size[0]) /V (38)"),
        (400, 370, 100, "/FT /Tx /Ff 8192 /T (secret) /V (hunter2)"), (400, 340, 100, "/FT /Tx /T (blank)"),
      ])
    let document = try parser.parse(file)
    #expect(
      document.blocks.filter { $0.kind == .row(header: false) }.map(\.text) == [
        "Family name: Lovelace", "Account number: DE89 370", "Country: France", "[x] I agree to the terms",
        "Remarks: Call me\nbefore noon", "shoe size: 38",
      ])
    #expect(!document.text.contains("hunter2"))
    let mark = try #require(document.marks(of: "Lovelace").first?.boxes.first)
    #expect(abs(mark.x0 - 160) < 1 && abs(mark.y1 - (842 - 697)) < 1, "\(mark)")
  }

  @Test(
    "What a field is called is cut by its signs, for a letter may bear any number of marks", arguments: ["T", "TU"])
  func marks(entry: String) throws {
    let name = "<FEFF0061" + String(repeating: "0301", count: 20_000) + ">"
    let document = try parser.parse(
      Self.form([], [(72, 700, 100, "/FT /Tx /\(entry) \(name) /V (38) \(entry == "T" ? "" : "/T (x)")")]))
    let row = try #require(document.blocks.first { $0.kind == .row(header: false) }?.text)
    #expect(row.hasSuffix(": 38") && (100...410).contains(row.unicodeScalars.count))
  }

  @Test("What is printed beside a field, however long, comes to a short name for it")
  func printedLabels() throws {
    var sheet = PDFWriter.Sheet()
    let long = (0..<200).map { "word\($0)" }.joined(separator: " ")
    sheet.texts = [PDFWriter.Text(x: 72, y: 718, size: 0.8, text: long)]
    sheet.fields = [PDFWriter.Field(rect: (72, 700, 272, 714), entries: "/FT /Tx /T (Text1) /V (38)")]
    let row = try #require(
      parser.parse(PDFWriter(sheets: [sheet]).data).blocks.first { $0.kind == .row(header: false) }?.text)
    #expect(row.hasPrefix("word0 word1 ") && row.hasSuffix(": 38") && row.count <= 204, "\(row)")
  }

  private static func list(_ options: Int, of label: String) -> Data {
    let named = (0..<options).map { "(\(label)\($0))" }.joined(separator: " ")
    let chosen = (0..<options).map(String.init).joined(separator: " ")
    return form(
      [(72, 800, "A list")],
      [(72, 700, 200, "/FT /Ch /Ff 2097152 /T (list) /TU (Chosen) /Opt [\(named)] /I [\(chosen)]")])
  }

  @Test("Of a list's options so many are looked at, and so much text of them; the page says that some are left out")
  func options() throws {
    let few = try parser.collect(Self.list(900, of: "o"))
    #expect(
      few.documents.first?.text.contains("o0, o1, ") == true && few.documents.first?.text.contains("o899") == true)
    #expect(few.problems.isEmpty)
    let many = try parser.collect(Self.list(1_200, of: "o"))
    #expect(many.documents.first?.text.contains("o999") == true)
    #expect(many.documents.first?.text.contains("o1000") == false)
    #expect(many.problems.map(\.error) == [RemoteError(DocumentError.fieldsLeftOut)])
    let long = try parser.collect(Self.list(800, of: String(repeating: "word ", count: 400)))
    let text = try #require(long.documents.first?.text)
    #expect(text.contains("Chosen: word word") && text.utf8.count < 2 << 20, "\(text.utf8.count)")
    #expect(long.problems.map(\.error) == [RemoteError(DocumentError.fieldsLeftOut)])
  }

  @Test("Where fields say more than is read of a page, the page says that some is left out", arguments: [20, 120])
  func leftOut(fields: Int) throws {
    let said = String(repeating: "word ", count: 2_500)
    let sink = try parser.collect(
      Self.form(
        [(72, 800, "A form")],
        (0..<fields).map { (72, Double($0 * 6), 100, "/FT /Tx /T (n\($0)) /V (\(said)\($0))") }))
    #expect(sink.documents.first?.text.contains("word word") == true)
    #expect(sink.problems.map(\.page) == (fields > 80 ? [1] : []))
    #expect(sink.problems.allSatisfy { $0.error == RemoteError(DocumentError.fieldsLeftOut) })
  }

  @Test("A field of more text than is read of one is named as left out")
  func longText() throws {
    let sink = try parser.collect(
      Self.form(
        [(72, 800, "A form")], [(72, 400, 100, "/FT /Tx /T (a) /V (\(String(repeating: "x", count: 100_000)))")]))
    #expect(sink.problems.map(\.error) == [RemoteError(DocumentError.fieldsLeftOut)])
  }

  @Test("A text that thousands of fields have from one parent does not stand in each of them", arguments: ["V", "TU"])
  func shared(entry: String) throws {
    var pdf = PDFWriter()
    pdf.information = [entry: String(repeating: "word ", count: 6_000)]
    var sheet = PDFWriter.Sheet()
    sheet.fields = (0..<2_000).map { number in
      let (x, y) = (Double(number % 50 * 10), Double(number / 50 * 6))
      let own = entry == "V" ? "" : "/V (x\(number))"
      return PDFWriter.Field(rect: (x, y, x + 9, y + 5), entries: "/FT /Tx /T (n\(number)) /Parent 5 0 R \(own)")
    }
    pdf.sheets = [sheet]
    let text = try parser.parse(pdf.data).text
    #expect(text.contains("word word") && text.utf8.count < 4 << 20, "\(text.utf8.count)")
  }

  @Test("A form of thousands of fields, of fields that name themselves and of places out of this world ends")
  func hostile() throws {
    var many: [(Double, Double, Double, String)] = []
    for number in 0..<3_000 {
      let (column, row) = (number % 50, number / 50)
      many.append((Double(column * 10), Double(row * 6), 9, "/FT /Tx /T (n\(number)) /V (v\(number))"))
    }
    let sink = try parser.collect(Self.form([(72, 800, "Many")], many))
    let document = try #require(sink.documents.first)
    #expect(sink.problems.map(\.error) == [RemoteError(DocumentError.fieldsLeftOut)])
    #expect((1_500...2_000).contains(document.blocks.count { $0.kind == .row(header: false) }))
    let odd = Self.form(
      [(72, 800, "Odd")],
      [
        (1e30, 1e30, 10, "/FT /Tx /T (a) /V (far)"), (72, 700, 10, "/FT /Tx /Parent 9 0 R /Kids [9 0 R] /V 9 0 R"),
        (72, 600, 10, "/FT /Ch /Opt 7 /V [1 2 3] /I [-1 99999999]"), (72, 500, 10, "/FT /Nn /V (x)"),
        (72, 400, 10, "/FT /Tx /V (\(String(repeating: "x", count: 100_000)))"),
      ])
    #expect(try parser.parse(odd).text.contains("Odd"))
  }
}
