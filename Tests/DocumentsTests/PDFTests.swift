import Core
import Documents
import Foundation
import Testing
import Workers

@Suite("A PDF")
struct PDFTests {
  let parser = InProcess()

  @Test("A title is short, whether a field of the file or the largest line of its first page says it")
  func longTitles() throws {
    let long = (0..<500).map { "word\($0)" }.joined(separator: " ")
    var pdf = PDFWriter()
    pdf.add(lines: (0..<40).map { "The first page has words of the usual size, in its line \($0) as well." })
    pdf.information = ["Title": long]
    #expect(try parser.parse(pdf.data).info.title.map { $0.hasPrefix("word0 word1 ") && $0.count <= 300 } == true)
    pdf.information = [:]
    pdf.sheets[0].width = 9_000
    pdf.sheets[0].texts.insert(PDFWriter.Text(x: 72, y: 800, size: 20, text: String(long.prefix(800))), at: 0)
    let title = try #require(parser.parse(pdf.data).info.title)
    #expect(title.hasPrefix("word0 word1 ") && title.count <= 300, "\(title)")
  }

  @Test("Its text comes in reading order with headings, paragraphs and the page's own numbers")
  func structure() throws {
    var pdf = PDFWriter()
    pdf.information = ["Title": "Boiler manual", "Author": "A. Writer"]
    var sheet = PDFWriter.Sheet()
    sheet.texts = [
      .init(x: 72, y: 780, size: 20, text: "Maintenance", font: "F2"),
      .init(x: 72, y: 740, size: 11, text: "The filter must be changed every six months, or as soon as the lamp"),
      .init(x: 72, y: 726, size: 11, text: "turns red. Use only genuine parts."),
      .init(x: 72, y: 700, size: 11, text: "Before opening the case, switch the boiler off and wait until it is cold"),
      .init(x: 72, y: 686, size: 11, text: "to the touch."),
    ]
    pdf.sheets = [sheet]
    let document = try parser.parse(pdf.data)
    #expect(document.info.kind == .pdf)
    #expect(document.info.pages == 1)
    #expect(document.info.title == "Boiler manual")
    #expect(document.info.author == "A. Writer")
    #expect(document.blocks.map(\.kind) == [.heading(level: 1), .paragraph, .paragraph])
    #expect(document.blocks[1].text.hasSuffix("as soon as the lamp turns red. Use only genuine parts."))
    #expect(document.pages[0].width == 595)
  }

  @Test("Two columns are read one after the other, even when the file draws them line by line across")
  func columns() throws {
    var pdf = PDFWriter()
    var sheet = PDFWriter.Sheet()
    sheet.texts.append(
      .init(x: 72, y: 780, size: 18, text: "A title that reaches across both of the columns here", font: "F2"))
    for line in 0..<12 {
      let y = 740 - Double(line) * 14
      sheet.texts.append(.init(x: 60, y: y, size: 10, text: "left\(line) words of the first column flow on"))
      sheet.texts.append(.init(x: 320, y: y, size: 10, text: "right\(line) words of the second column flow"))
    }
    pdf.sheets = [sheet]
    let text = try parser.parse(pdf.data).text
    let order = ["A title", "left0", "left11", "right0", "right11"].map { text.range(of: $0)?.lowerBound }
    #expect(order.allSatisfy { $0 != nil })
    #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    #expect(text.contains("first column flow on left1 words"))
  }

  @Test("A last column that ends a few lines down is read after the first, under a title that crosses both")
  func shortColumn() throws {
    var sheet = PDFWriter.Sheet()
    sheet.texts.append(.init(x: 150, y: 790, size: 18, text: "A title across both of these columns", font: "F2"))
    sheet.texts.append(
      .init(x: 60, y: 770, size: 10, text: "The names of two people, and the institute at which they work today"))
    for line in 0..<44 {
      sheet.texts.append(
        .init(x: 60, y: 700 - Double(line) * 12, size: 10, text: "Left line \(line) fills its column with plain words"))
    }
    for line in 0..<6 {
      sheet.texts.append(
        .init(
          x: 312, y: 700 - Double(line) * 12, size: 10,
          text: "Right line \(line) goes on with\(line % 2 == 0 ? " more words" : "")"))
    }
    let writer = PDFWriter(sheets: [sheet])
    let text = try parser.parse(writer.data).text
    let left = try #require(text.range(of: "Left line 43"))
    let right = try #require(text.range(of: "Right line 0"))
    #expect(left.upperBound < right.lowerBound && !text.contains("|"))
  }

  @Test("Three columns under a title are read one after the other, and the table below them row by row")
  func threeColumns() throws {
    var sheet = PDFWriter.Sheet()
    sheet.texts.append(.init(x: 60, y: 790, size: 24, text: "The Harbour Gazette of the week", font: "F2"))
    for (column, x) in [60.0, 225, 390].enumerated() {
      for line in 0..<14 {
        let y = 720 - Double(line) * 12
        sheet.texts.append(.init(x: x, y: y, size: 9, text: "c\(column)l\(line) a harbour with words and"))
      }
    }
    for (row, cells) in [["Day", "High", "Low"], ["Monday", "6:12", "12:30"], ["Tuesday", "7:01", "13:18"]].enumerated()
    {
      for (cell, x) in zip(cells, [200.0, 280, 360]) {
        sheet.texts.append(.init(x: x, y: 120 - Double(row) * 14, size: 9, text: cell))
      }
    }
    let pdf = PDFWriter(sheets: [sheet])
    let text = try parser.parse(pdf.data).text
    let order = ["Gazette", "c0l0", "c0l13", "c1l0", "c1l13", "c2l0", "c2l13", "Day | High | Low", "Tuesday | 7:01"]
      .map { text.range(of: $0)?.lowerBound }
    #expect(order.allSatisfy { $0 != nil })
    #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
  }

  @Test("A sentence goes on in the next column with whatever it goes on; a sentence set large is no heading")
  func acrossColumns() throws {
    var sheet = PDFWriter.Sheet()
    let left = [
      "The tenant gives notice", "before the end of a quarter,", "and the landlord, who is", "Mr Abel, and his brother",
    ]
    for line in 0..<8 {
      let y = 700 - Double(line) * 14
      sheet.texts.append(
        .init(x: 60, y: y, size: 10, text: line < 4 ? "Words fill the left column now" : left[line - 4]))
      sheet.texts.append(
        .init(x: 320, y: y, size: 10, text: line == 0 ? "Benjamin sign it." : "Words fill the right column."))
    }
    sheet.texts[sheet.texts.count - 2].text = "Mr Abel, and with his brother"
    sheet.texts.append(
      .init(x: 60, y: 500, size: 14, text: "Whoever reads this large line sees a whole sentence in it."))
    let pdf = PDFWriter(sheets: [sheet])
    let document = try parser.parse(pdf.data)
    #expect(document.text.contains("with his brother Benjamin sign it."))
    #expect(document.blocks.first { $0.text.hasPrefix("Whoever") }?.kind == .paragraph)
  }

  @Test("A word divided at a line's end is one word again and is marked in both its halves")
  func hyphens() throws {
    var pdf = PDFWriter()
    pdf.add(lines: [
      "This line reaches the margin and ends in the mid-", "dle of a word, as Nord- und S\u{FC}dteil show.",
    ])
    let document = try parser.parse(pdf.data)
    #expect(
      document.text == "This line reaches the margin and ends in the middle of a word, as Nord- und Südteil show.")
    let boxes = try #require(document.marks(of: "middle").first?.boxes)
    #expect(boxes.count == 2)
    #expect(boxes[0].x0 > boxes[1].x1 && boxes[0].y1 <= boxes[1].y0 + 4)
  }

  @Test(
    "A marked passage covers the ink of its words and nothing else, on upright and on turned pages",
    arguments: [0, 90, 180, 270])
  func marks(rotation: Int) throws {
    var pdf = PDFWriter()
    pdf.add(lines: ["Alpha beta gamma", "Delta epsilon zeta"], size: 14, leading: 30, from: 700)
    pdf.sheets[0].rotation = rotation
    // The page is shown turned, so its text is written turned the other way for the reader: only upright text is checked.
    let document = try parser.parse(pdf.data)
    let mark = try #require(document.marks(of: "epsilon").first?.boxes.first)
    let (page, pixels) = try parser.pixels(pdf.data, RenderRequest(page: 1, scale: 1))
    #expect(page.width == (rotation % 180 == 0 ? 595 : 842))
    func ink(_ box: Box) -> Int {
      var count = 0
      for y in max(0, Int(box.y0))..<min(page.height, Int(box.y1.rounded(.up))) {
        for x in max(0, Int(box.x0))..<min(page.width, Int(box.x1.rounded(.up)))
        where pixels[(y * page.width + x) * 4] < 128 {
          count += 1
        }
      }
      return count
    }
    #expect(ink(mark) > 20)
    // A frame around the word's box is free of ink, but for a pixel of blur.
    let outer = Box(mark.x0 - 3, mark.y0 - 3, mark.x1 + 3, mark.y1 + 3)
    #expect(ink(outer) - ink(mark) <= 2)
  }

  @Test("Running headers, footers and page numbers are told apart from the text")
  func furniture() throws {
    var pdf = PDFWriter()
    for page in 1...5 {
      pdf.add(lines: (0..<10).map { "Page \(page) speaks in sentence \($0) about matter number \(page * 10 + $0)." })
      pdf.sheets[page - 1].texts.append(.init(x: 72, y: 815, size: 9, text: "Lease agreement"))
      pdf.sheets[page - 1].texts.append(.init(x: 290, y: 30, size: 9, text: "\(page) / 5"))
    }
    let document = try parser.parse(pdf.data)
    #expect(
      document.pages.allSatisfy { $0.blocks.filter { $0.kind == .furniture }.map(\.text).first == "Lease agreement" })
    #expect(document.pages.map { $0.blocks.last!.text } == (1...5).map { "\($0) / 5" })
    #expect(document.pages[2].blocks.count == 3)
  }

  @Test("Reading that resumes at a page yields the very pages a whole reading does")
  func resume() throws {
    var pdf = PDFWriter()
    for page in 1...12 { pdf.add(lines: (0..<8).map { "Line \($0) of page \(page) in a longer text." }) }
    let whole = try parser.parse(pdf.data).pages
    let rest = try parser.parse(pdf.data) { $0.first = 8 }.pages
    #expect(rest == Array(whole[7...]))
    let part = try parser.parse(pdf.data) { ($0.first, $0.last) = (3, 5) }.pages
    #expect(part == Array(whole[2...4]))
  }

  @Test("A reading that is cancelled ends at the page it is at")
  func cancel() throws {
    var pdf = PDFWriter()
    for page in 1...20 { pdf.add(lines: ["Page \(page)"]) }
    let flag = CancelFlag()
    let sink = Collected()
    sink.onEvent = { if case .page(let page) = $0, page.number == 3 { flag.set() } }
    #expect(throws: CancellationError.self) {
      try parser.call("parse", ParseRequest(name: "x"), pdf.data, into: sink, cancelled: flag)
    }
    #expect(sink.documents[0].pages.count == 3)
  }

  @Test("A file with more pages than are allowed is refused with both numbers")
  func tooManyPages() throws {
    var pdf = PDFWriter()
    for page in 1...30 { pdf.add(lines: ["Page \(page)"]) }
    #expect(throws: DocumentError.tooManyPages(30, limit: 20)) { try parser.parse(pdf.data) { $0.limits.pages = 20 } }
  }

  @Test("A locked, a truncated and an empty file each say what is wrong")
  func refused() throws {
    var pdf = PDFWriter()
    pdf.add(lines: ["Secret"])
    let key = String(repeating: "41", count: 32)
    let locked = String(decoding: pdf.data, as: UTF8.self).replacingOccurrences(
      of: "trailer << ",
      with: "trailer << /Encrypt << /Filter /Standard /V 1 /R 2 /O <\(key)> /U <\(key)> /P -44 >> /ID [<00> <00>] ")
    #expect(throws: DocumentError.needsPassword) { try parser.parse(locked) }
    #expect(throws: DocumentError.self) { try parser.parse(pdf.data.prefix(60)) }
    #expect(throws: DocumentError.empty) { try parser.parse(Data()) }
  }

  @Test("Columns of figures become rows of cells")
  func table() throws {
    var pdf = PDFWriter()
    var sheet = PDFWriter.Sheet()
    for (row, cells) in [["Part", "Number", "Price"], ["Filter", "4711", "19.90"], ["Valve", "4712", "7.50"]]
      .enumerated()
    {
      for (column, cell) in cells.enumerated() {
        sheet.texts.append(.init(x: 72 + Double(column) * 150, y: 700 - Double(row) * 16, size: 11, text: cell))
      }
    }
    pdf.sheets = [sheet]
    let blocks = try parser.parse(pdf.data).blocks
    #expect(blocks.map(\.text) == ["Part | Number | Price", "Filter | 4711 | 19.90", "Valve | 4712 | 7.50"])
    #expect(blocks.allSatisfy { $0.kind == .row(header: false) })
  }

  @Test("Cells that a narrow column breaks into lines are one row again; rows that only stand close are not")
  func brokenCells() throws {
    func sheet(_ lines: [(y: Double, cells: [String?])]) -> PDFWriter.Sheet {
      var sheet = PDFWriter.Sheet()
      for line in lines {
        for (cell, x) in zip(line.cells, [60.0, 180, 340]) where cell != nil {
          sheet.texts.append(.init(x: x, y: line.y, size: 9, text: cell!))
        }
      }
      return sheet
    }
    var pdf = PDFWriter()
    pdf.sheets = [
      sheet([
        (700, ["Fault", "Possible cause", "What to do"]),
        (684, ["E01 The drum does not", "The door is not closed, or the lock", "Close the door until it clicks."]),
        (674, ["turn", "is on and the lamp flashes three", "Press the key."]),
        (664, [nil, "times in a row", nil]),
        (648, ["E12 It is loud", "Bolts are in place", "Remove them."]),
        (632, ["Wool (cold wash, very", nil, nil]), (622, ["gentle)", "20", "38"]),
      ]),
      sheet((0..<6).map { (700 - 11 * Double($0), ["Pump \($0)", "19.9\($0)", "Hall \($0)"]) }),
    ]
    let rows = try parser.parse(pdf.data).blocks.map(\.text)
    #expect(
      rows.prefix(4) == [
        "Fault | Possible cause | What to do",
        "E01 The drum does not turn | The door is not closed, or the lock is on and the lamp flashes three times in a row"
          + " | Close the door until it clicks. Press the key.",
        "E12 It is loud | Bolts are in place | Remove them.", "Wool (cold wash, very gentle) | 20 | 38",
      ])
    #expect(
      rows.dropFirst(4) == [
        "Pump 0 | 19.90 | Hall 0", "Pump 1 | 19.91 | Hall 1", "Pump 2 | 19.92 | Hall 2",
        "Pump 3 | 19.93 | Hall 3", "Pump 4 | 19.94 | Hall 4", "Pump 5 | 19.95 | Hall 5",
      ])
  }

  @Test("Items keep their marks, and lines of a table of contents stand for themselves with few dots")
  func marksAndLeaders() throws {
    var sheet = PDFWriter.Sheet()
    for (line, item) in ["Keep pets away.", "Use the supplied hose only."].enumerated() {
      sheet.texts.append(.init(x: 60, y: 700 - Double(line) * 14, size: 10, text: "1)"))
      sheet.texts.append(.init(x: 80, y: 700 - Double(line) * 14, size: 10, text: item))
    }
    for (line, entry) in ["1 Safety", "2 First use"].enumerated() {
      let dots = String(repeating: ".", count: 40)
      sheet.texts.append(.init(x: 60, y: 600 - Double(line) * 14, size: 10, text: "\(entry) \(dots) \(line + 2)"))
    }
    let pdf = PDFWriter(sheets: [sheet])
    let blocks = try parser.parse(pdf.data).blocks
    #expect(
      blocks.map(\.text) == [
        "1) Keep pets away.", "1) Use the supplied hose only.", "1 Safety ..... 2", "2 First use ..... 3",
      ])
    #expect(blocks[0].kind == .listItem(level: 1))
  }

  @Test("The mark of a footnote makes no word or number longer; exponents stay with their unit")
  func raised() throws {
    var sheet = PDFWriter.Sheet()
    func put(_ x: Double, _ y: Double, _ text: String, small: Bool = false) {
      sheet.texts.append(.init(x: x, y: y + (small ? 4 : 0), size: small ? 6 : 10, text: text))
    }
    put(60, 700, "It was founded in 2003")
    put(161.2, 700, "1", small: true)
    put(168, 700, "on 75 m")
    put(202.6, 700, "2", small: true)
    put(209, 700, "of land.")
    put(60, 620, "1", small: true)
    put(64, 620, "As the register says.")
    let pdf = PDFWriter(sheets: [sheet])
    let text = try parser.parse(pdf.data).text
    #expect(text.contains("in 2003 ¹ on 75 m² of land."))
    #expect(text.contains("¹ As the register says."))
  }

  @Test("Geometry survives its packing and damage to it")
  func geometry() throws {
    let words = [
      Geometry.Word(range: 0..<5, box: Box(72, 100.25, 98.5, 112)),
      .init(range: 6..<9, box: Box(101, 100.25, 130, 112)),
      .init(range: 9..<14, box: Box(72, 116, 90, 128.5)),
    ]
    let packed = try #require(Geometry.encode(words))
    #expect(Geometry.decode(packed) == words)
    #expect(Geometry.boxes(packed, for: 0..<9) == [Box(72, 100.25, 130, 112)])
    for length in 0..<packed.count { _ = Geometry.decode(packed.prefix(length)) }
    for value in UInt8.min...UInt8.max { _ = Geometry.decode(Data(repeating: value, count: 40)) }
  }
}
