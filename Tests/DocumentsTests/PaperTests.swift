import Core
import Documents
import Foundation
import Testing

@Suite("Papers of shops and offices")
struct PaperTests {
  let parser = InProcess()

  @Test(
    "The name of what a PDF was printed from is no title of it",
    arguments: ["letter.html", "C:\\Users\\Ann\\final 2.DOCX", "Microsoft Word - lease.doc"])
  func printedFrom(name: String) throws {
    var pdf = PDFWriter()
    pdf.information = ["Title": name]
    pdf.add(lines: (0..<20).map { "The flat is let from the first of May, as its paragraph \($0) says." })
    pdf.sheets[0].texts.insert(PDFWriter.Text(x: 72, y: 800, size: 20, text: "The lease of a flat"), at: 0)
    #expect(try parser.parse(pdf.data).info.title == "The lease of a flat")
  }

  @Test("Lines that were begun anew stay apart, as in an address or a list, and those that were broken become one")
  func apart() throws {
    var pdf = PDFWriter()
    pdf.add(lines: [
      "Mrs Marta Keller", "9 Mill Lane", "Karlsruhe", "Heating and water: 612.40", "Refuse: 121.80",
      "To be paid: 131.20",
      "Please transfer the amount by the end of October to the account of the house, as it stands in",
      "Clause 7 of the tenancy agreement, and keep the receipts for as long as the law of the land asks.",
    ])
    let text = try parser.parse(pdf.data).blocks.map(\.text).joined(separator: "\n")
    let lines = "Keller\n9 Mill Lane\nKarlsruhe\nHeating and water: 612.40\nRefuse: 121.80\nTo be paid: 131.20\nPlease"
    #expect(text.contains(lines) && text.contains("as it stands in Clause 7"), "\(text)")
  }

  @Test("A line of capitals that ends with an amount is no heading, and no title")
  func amounts() throws {
    let receipt = "Holloway Hardware\nBristol\n\nVISA DEBIT 4402 567.88\n\nReturns within 28 days.\n"
    let document = try parser.parse(receipt, "r.txt")
    #expect(document.blocks.map(\.kind) == [.paragraph, .paragraph, .paragraph] && document.info.title == nil)
    #expect(try parser.parse("CHAPTER 12\n\nIt rains.\n", "r.txt").info.title == "CHAPTER 12")
  }
}
