import Documents

/// Collects the paragraphs, lists and tables of a word processor's file.
struct OfficeFlow {
  private(set) var blocks: [Block] = []
  private var paragraphs: [(kind: Block.Kind, text: String)] = []
  private var tables: [Table] = []

  private struct Table {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [String] = []
    var headerRows = 0
  }

  mutating func beginParagraph(_ kind: Block.Kind) { paragraphs.append((kind, "")) }

  mutating func setKind(_ kind: Block.Kind) {
    if let last = paragraphs.indices.last { paragraphs[last].kind = kind }
  }

  mutating func append(_ text: String) {
    if let last = paragraphs.indices.last { paragraphs[last].text += text }
  }

  mutating func endParagraph() {
    guard let done = paragraphs.popLast() else { return }
    let text = Spelling.plain(
      done.text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.collapsed() }.joined(separator: "\n")
        .trimmed())
    guard !text.isEmpty else { return }
    if let last = tables.indices.last {
      tables[last].cell.append(text)
      return
    }
    if case .listItem = done.kind, Marker.listItem(text.prefix { $0 != " " }) == nil {
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

  mutating func endCell(repeated: Int = 1) {
    guard let last = tables.indices.last else { return }
    let text = tables[last].cell.joined(separator: " ")
    // A spreadsheet says "the next 16000 cells are empty" in one attribute.
    for _ in 0..<min(repeated, 64) { tables[last].row.append(text) }
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
    let named = table.headerRows > 0 || TableText.hasHeader(table.rows)
    let headers = named ? table.rows.first : nil
    for (index, row) in table.rows.enumerated() {
      let isHeader = named && index == 0
      let text = TableText.row(row, headers: isHeader ? nil : headers)
      if !text.isEmpty { blocks.append(Block(.row(header: isHeader), text)) }
    }
  }
}
