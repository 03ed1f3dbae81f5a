import Foundation
import Testing

@testable import Retrieval

@Suite("Tables in a text")
struct TableTests {
  @Test("A table is read back from a document's text, each row with its place")
  func read() throws {
    let tables = Table.tables(in: TallyTests.text)
    let table = try #require(tables.first)
    #expect(tables.count == 1)
    #expect(table.columns == ["Date", "Category", "Payee", "Amount", "Paid with"])
    #expect(table.rows.count == 6)
    #expect(table.rows[4].cells == ["2025-03-19", "Eating out", "Luigi's", "44.75", ""])
    for row in table.rows {
      let line = String(decoding: Array(TallyTests.text.utf8)[row.range], as: UTF8.self)
      #expect(line.hasPrefix("Date: \(row.cells[0])") && !line.contains("\n"))
    }
  }

  @Test("A cell may hold the signs that part cells")
  func signs() {
    #expect(Table.cells(of: "A: x; y: z; B: 2", under: ["A", "B"]) == ["x; y: z", "2"])
    #expect(Table.cells(of: "B: 2; A: x", under: ["A", "B"]) == ["", "2; A: x"])
    #expect(Table.cells(of: "Something else", under: ["A", "B"]) == nil)
  }

  @Test(
    "A table between bars that may have lost rows is none: over pages, by a broken line, or by a lost cell",
    arguments: [
      ("Item | Price\nTea | 3\nMilk | 2", 1), ("Item | Price\nTea | 3\n\nfoot\n\nBread | 4", 0),
      ("Item | Price\nTea | 3\n\nhead\n\nItem | Price\nBread | 4", 0), ("Tea | 3\nMilk | 2", 0),
      ("Item | Price\nTea | 3\n\nNet\n\nfoot\n\nName | Age | Height\nAnn | 7 | 120", 2),
      ("Item | Price\nTea | 3\nBrown and\nwhite bread | 4", 0),
      ("Item | Size | Price\nTea | 2 | 3\nMilk | 2 | 4 | 5", 0),
      ("Item | Size | Price\nTea | 2 | 3\nSum | 3\nItem | Price\nTea | 3", 2),
      ("Item | Price\nItem: Tea; Price: 3\nMilk | 2", 1),
    ])
  func bareTables(text: String, count: Int) {
    // The foot of a page ends it.
    let pages = text.firstRange(of: "foot\n").map { [0, text.utf8.distance(from: text.startIndex, to: $0.upperBound)] }
    #expect(Table.read(text, pages: pages ?? []).tables.count == count)
  }
}
