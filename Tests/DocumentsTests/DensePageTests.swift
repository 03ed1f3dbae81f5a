import Documents
import Foundation
import Testing

@testable import DocumentEngine

/// What is drawn in a hundred thousand pieces is looked at once, however they lie. Where each piece is held against those before it, a
/// page of this kind takes from ten minutes to hours.
@Suite("Pages of very many pieces")
struct DensePageTests {
  private static let count = 120_000

  private func piece(_ text: String, _ x: Double, _ y: Double, size: Double = 10, width: Double = 9) -> Line {
    let box = Box(x, y - size, x + width, y)
    return Line(words: [PlacedWord(text: text, box: box)], box: box, baseline: y, size: size)
  }

  /// Eight words that fill a column.
  private func prose(_ x: Double, _ y: Double) -> Line {
    var line = piece("words", x, y, width: 30)
    for place in 1..<8 {
      let left = x + Double(place) * 34
      line.words.append(PlacedWord(text: "words", box: Box(left, y - 10, left + 30, y)))
    }
    line.box = Box(x, y - 10, x + 268, y)
    return line
  }

  @Test("Pieces of one line, glued or a word apart, drawn from right to left")
  func line() {
    let glued = (0..<Self.count).reversed().map { piece("ab", Double($0) * 9, 100) }
    #expect(ReadingOrder.lines(glued).map(\.words.count) == [1])
    let apart = (0..<Self.count).reversed().map { piece("ab", Double($0) * 12, 100) }
    #expect(ReadingOrder.lines(apart).map(\.words.count) == [Self.count])
  }

  @Test("Pieces at one place beside a long line, and those that are drawn twice")
  func place() {
    let long = piece(String(repeating: "a", count: Self.count), 0, 100)
    let others = (0..<Self.count).map { piece("\($0 % 7)", 0.1, 100) }
    #expect(ReadingOrder.lines([long] + others).count == 1)
    #expect(ReadingOrder.lines([piece("a", 0, 100), piece("a", 0.1, 100)]).first?.text == "a")
  }

  @Test("Pieces far below one another, each of a size of its own, and the same a hundred thousand columns wide")
  func bands() {
    let usual = piece(String(repeating: "a", count: Self.count), 0, 100)
    let profile = TypeProfile([[usual], (0..<Self.count).map { piece("a", 0, 100, size: 10 + Double($0)) }])
    let far = (0..<Self.count).map { piece("a", 0, Double($0) * 600, size: 10 + Double($0 % 200)) }
    let lines = ReadingOrder.lines(far)
    #expect(lines.count == Self.count)
    let letters = BlockBuilder.blocks(lines, profile).reduce(0) { $0 + $1.text.utf8.count { $0 == 97 } }
    #expect(letters == Self.count)
    let cells = ReadingOrder.lines((0..<Self.count).map { piece("a", Double($0 / 2) * 30, Double($0 % 2) * 12) })
    #expect(cells.count == 2 && cells.allSatisfy(\.cells.isEmpty))
  }

  @Test("Cells that end where the page does, each with a line that goes on with it")
  func cells() {
    var lines: [Line] = []
    for row in 0..<Self.count / 4 {
      let y = Double(row) * 24
      var line = piece("one", 0, y)
      line.words.append(PlacedWord(text: "two", box: Box(100, y - 10, 109, y)))
      (line.cells, line.box) = ([1], Box(0, y - 10, 109, y))
      lines += [line, piece("Three", 100, y + 12)]
    }
    #expect(!BlockBuilder.blocks(lines, TypeProfile([lines])).isEmpty)
  }

  @Test("Of thousands of gaps between columns not all are looked at, and that is known; two columns are told apart")
  func columns() {
    let many = (0..<Self.count).map {
      piece("a", Double($0 % 2_000) * 9, Double($0 / 2_000) * 12, size: 4, width: 3)
    }
    let read = ReadingOrder.read(many)
    #expect(!read.isWhole && !read.lines.isEmpty)
    let two = (0..<40).flatMap { row in [prose(0, Double(row) * 12), prose(300, Double(row) * 12)] }
    let told = ReadingOrder.read(two)
    #expect(told.isWhole && told.lines.count == 80 && Set(told.lines.map(\.region)).count == 2)
  }

  @Test("Dots in a row, one word each")
  func dots() {
    let dot = PlacedWord(text: ".", box: Box(0, 0, 1, 1))
    #expect(Leaders.shortened(Array(repeating: dot, count: 4 * Self.count)).map(\.text) == ["....."])
  }

  @Test("A line of a hundred thousand words in a file is read in one pass")
  func words() throws {
    var pdf = PDFWriter()
    // Numbers, which the mark of a footnote could be, in small letters on one line.
    let some = "(" + String(repeating: "1 ", count: 10_000) + ") Tj "
    pdf.sheets.append(
      PDFWriter.Sheet(content: "BT /F1 1 Tf 1 0 0 1 0 700 Tm " + String(repeating: some, count: 6) + "ET"))
    let text = try InProcess().parse(pdf.data).text
    #expect(text.count > 100_000)
  }
}
