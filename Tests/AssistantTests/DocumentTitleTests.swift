import Foundation
import Testing

@testable import Assistant

@Suite("What documents are called")
struct DocumentTitleTests {
  @Test(
    "By their title, and by the name of the file where that says the title and more",
    arguments: [
      ("Payslip", "pay/Payslip-Oct-2026.pdf", "Payslip Oct 2026"),
      ("Payslip", "Payslip_2026-10.pdf", "Payslip 2026-10"),
      ("Letting Agreement", "Millrace 9 letting agreement.docx", "Millrace 9 letting agreement"),
      ("Payslip", "scan0007.pdf", "Payslip"), ("Payslip", "payslip.pdf", "Payslip"),
      ("", "notes/kitchen.md", "kitchen.md"),
      ("News of November", "November.html", "News of November"),
    ])
  func titles(title: String, file: String, called: String) {
    #expect(DocumentTitle.of(title, file: file) == called)
  }

  @Test("Where two have one title, the names of their files are said with it")
  func apart() {
    var citations = [("Payslip", "a/one.pdf"), ("Payslip", "two.pdf"), ("Lease", "l.pdf"), ("Lease", "l.pdf")].map {
      Citation(
        id: "1.0.1", document: $0.1, title: $0.0, page: nil, text: "x", score: 1, start: 0, end: 1, boxes: [])
    }
    Citing.tellApart(&citations)
    #expect(citations.map(\.title) == ["Payslip (one.pdf)", "Payslip (two.pdf)", "Lease", "Lease"])
  }
}
