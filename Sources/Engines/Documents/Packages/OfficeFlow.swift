import Documents

/// Collects the paragraphs, lists and tables of a word processor's file.
struct OfficeFlow {
  private(set) var blocks: [Block] = []
  private var paragraphs: [(kind: Block.Kind, text: String, marker: String?)] = []
  private var tables: [Table] = []

  /// What repeated cells may still come to, in bytes.
  private var copies: Int

  /// `bytes`: of the part that is read.
  init(of bytes: Int = 0) { copies = (4 << 20) + 8 * bytes }

  private struct Table {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [String] = []
    var headerRows = 0
  }

  mutating func beginParagraph(_ kind: Block.Kind) { paragraphs.append((kind, "", nil)) }

  mutating func setKind(_ kind: Block.Kind) {
    if let last = paragraphs.indices.last { paragraphs[last].kind = kind }
  }

  /// What stands before the paragraph and is no part of its text.
  mutating func setMarker(_ marker: String) {
    if let last = paragraphs.indices.last { paragraphs[last].marker = marker }
  }

  mutating func append(_ text: String) {
    if let last = paragraphs.indices.last { paragraphs[last].text += text }
  }

  mutating func endParagraph() {
    guard let done = paragraphs.popLast() else { return }
    var text = Typesetting.plain(
      done.text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.collapsed() }.joined(separator: "\n")
        .trimmed())
    guard !text.isEmpty else { return }
    if let marker = done.marker { text = "\(marker) \(text)" }
    if let last = tables.indices.last {
      tables[last].cell.append(text)
      return
    }
    if case .listItem = done.kind, done.marker == nil, Marker.listItem(text.prefix { $0 != " " }) == nil {
      blocks.append(Block(done.kind, "- " + text))
    } else {
      blocks.append(Block(done.kind, text))
    }
  }

  mutating func beginTable() { tables.append(Table()) }

  mutating func beginRow() {
    if let last = tables.indices.last { tables[last].row = [] }
  }

  mutating func beginCell() {
    if let last = tables.indices.last { tables[last].cell = [] }
  }

  mutating func endCell() {
    guard let last = tables.indices.last else { return }
    tables[last].row.append(tables[last].cell.joined(separator: " "))
  }

  /// A cell that stands there so many times: a spreadsheet says "the next 16000 cells are empty" in one attribute. A table in it is
  /// repeated with it, and so is one in that.
  mutating func endCell(repeated: Int) throws {
    endCell()
    guard let last = tables.indices.last, let text = tables[last].row.last else { return }
    for _ in 1..<max(1, min(repeated, 64)) {
      copies -= text.utf8.count
      guard copies >= 0 else {
        throw DocumentError.unpacksTooMuch("its repeated cells hold many times what the file does")
      }
      tables[last].row.append(text)
    }
  }

  mutating func endRow(header: Bool) {
    guard let last = tables.indices.last, tables[last].row.contains(where: { !$0.isEmpty }) else { return }
    tables[last].rows.append(tables[last].row)
    if header, tables[last].headerRows == tables[last].rows.count - 1 { tables[last].headerRows += 1 }
  }

  mutating func endTable() {
    guard let table = tables.popLast() else { return }
    if let outer = tables.indices.last {
      tables[outer].cell += table.rows.map { $0.filter { !$0.isEmpty }.joined(separator: " | ") }
      return
    }
    blocks += TableText.blocks(table.rows, named: table.headerRows > 0)
  }
}
