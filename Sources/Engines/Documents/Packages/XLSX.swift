import Documents
import Foundation

/// Excel's format: each sheet under its name, its cells as they are shown.
struct XLSX: FlowingDocument {
  let archive: Archive
  let main: String

  static func wanted(_ path: String) -> Bool {
    path.hasSuffix(".rels") || path.hasPrefix("docProps/core")
      || path.hasSuffix(".xml")
        && ["xl/workbook", "xl/worksheets/", "xl/sharedStrings", "xl/styles"].contains(where: path.hasPrefix)
  }

  func info() throws -> DocumentInfo { try OfficeParts.info(archive, .xlsx) }

  func blocks(_ output: ParseOutput) throws -> [Block] {
    guard let root = try archive.markup(main)?.root else { throw DocumentError.damaged("\(main) is missing") }
    let targets = try OfficeParts.targets(of: main, in: archive)
    func part(_ type: String) throws -> Markup.Node? {
      try targets.values.first { $0.type.hasSuffix(type) }.flatMap { try archive.markup($0.path) }?.root
    }
    let shared = targets.values.first { $0.type.hasSuffix("/sharedStrings") }?.path
    var texts: [String] = []
    if let shared, let part = archive.entries[shared] {
      guard Markup.each("si", in: part, visit: { texts.append(SheetCells.text($0)) }) else {
        throw Self.malformed(shared)
      }
    }
    var cells = SheetCells(
      texts: texts, styles: try part("/styles").map(SheetCells.styles) ?? [],
      from1904: ["1", "true"].contains(root.first { $0.name == "workbookpr" }?.attribute("date1904") ?? ""))
    var (blocks, blank) = ([Block](), 0)
    // A part that is named ten thousand times is read once.
    var known: Set<String> = []
    for sheet in root.all({ $0.name == "sheet" }) {
      try output.checkCancelled()
      guard let path = sheet.reference.flatMap({ targets[$0]?.path }), known.insert(path).inserted,
        let content = archive.entries[path]
      else {
        continue
      }
      guard let found = try cells.rows(of: content) else { throw Self.malformed(path) }
      let rows = try SheetText.blocks(found, &blank)
      if !rows.isEmpty { blocks += [Block(.heading(level: 2), sheet.attribute("name") ?? "")] + rows }
    }
    return blocks
  }

  private static func malformed(_ path: String) -> DocumentError { .damaged("\(path) is no well-formed XML") }
}

/// The cells of a sheet as a person sees them.
struct SheetCells {
  enum Style { case plain, percent, date, time, dateAndTime }

  /// One that says something: what is blank takes no room, however much of it there is.
  struct Cell {
    var column: Int
    var text: String
  }

  let texts: [String]
  let styles: [Style]
  let from1904: Bool

  private static let mostColumns = 1_024
  private static let mostRows = 1 << 20

  /// A shared text is stored once and may stand in any number of cells: so much do they hold together.
  private static let mostShared = 64 << 20
  private var shared = 0

  init(texts: [String], styles: [Style], from1904: Bool) {
    (self.texts, self.styles, self.from1904) = (texts, styles, from1904)
  }

  /// Without empty rows but for one between others, which stands for however many; nil where the sheet is not well formed.
  mutating func rows(of sheet: [UInt8]) throws -> [[Cell]]? {
    var rows: [[Cell]] = []
    var open: (place: Int, isHidden: Bool, next: Int, cells: [Cell])?
    var before = 0
    func close() {
      guard let row = open else { return }
      if row.place > before + 1 || row.cells.isEmpty, rows.last?.isEmpty == false { rows.append([]) }
      if !row.cells.isEmpty { rows.append(row.cells) }
      before = row.place
    }
    let isRead = try Markup.each("c", marks: "row", in: sheet) { node in
      guard node.name == "c" else {
        close()
        let place = node.attribute("r").flatMap { Int($0) }.map { min(max($0, 1), Self.mostRows) } ?? before + 1
        open = (place, node.attribute("hidden") == "1", 0, [])
        return
      }
      guard open?.isHidden == false, let next = open?.next else { return }
      let column = node.attribute("r").flatMap(Self.column) ?? next
      guard column < Self.mostColumns else { return }
      open?.next = max(next, column + 1)
      let text = text(node)
      if node.attribute("t") == "s" { shared += text.utf8.count }
      guard shared <= Self.mostShared else {
        throw DocumentError.unpacksTooMuch("its cells hold more than \(Self.mostShared >> 20) MB")
      }
      if !text.isBlank { open?.cells.put(Cell(column: column, text: text)) }
    }
    close()
    return isRead ? rows : nil
  }

  /// "AB12" is column 27, counted from 0.
  private static func column(_ name: String) -> Int? {
    var number = 0
    for byte in name.uppercased().utf8.prefix(4) where (0x41...0x5A).contains(byte) {
      number = number * 26 + Int(byte) - 0x40
    }
    return number > 0 ? number - 1 : nil
  }

  private func text(_ cell: Markup.Node) -> String {
    let value = cell.first { $0.name == "v" }?.text.trimmed() ?? ""
    switch cell.attribute("t") {
    case "s": return Int(value).flatMap { texts.indices.contains($0) ? texts[$0] : nil } ?? ""
    case "inlineStr": return Self.text(cell)
    case "b": return value == "1" ? "TRUE" : "FALSE"
    case "str", "e", "d": return value
    default: return number(value, cell.attribute("s").flatMap { Int($0) })
    }
  }

  /// Without the readings that stand above Japanese words.
  static func text(_ node: Markup.Node) -> String {
    var text = ""
    node.walk(
      enter: { node in
        if ["rph", "f", "v"].contains(node.name) { return .over }
        text += node.content
        return .into
      }, leave: { _ in })
    return text
  }

  private func number(_ value: String, _ style: Int?) -> String {
    guard let number = Double(value), number.isFinite else { return value }
    let style = style.flatMap { styles.indices.contains($0) ? styles[$0] : nil } ?? .plain
    switch style {
    case .plain: return Self.plain(number)
    case .percent: return Self.plain(number * 100) + "%"
    case .date, .time, .dateAndTime:
      // Excel counts the 29th of February 1900, which never was.
      let days = number + (from1904 ? 1462 : number < 60 ? 1 : 0) - 25_569
      guard (0..<2_958_466).contains(number) else { return value }
      let text = WallTime(seconds: Int((days * 86_400).rounded())).iso(isDate: false).split(separator: "T")
      let time = text[1].hasSuffix(":00") ? text[1].dropLast(3) : text[1]
      return style == .date ? String(text[0]) : style == .time && number < 1 ? String(time) : "\(text[0]) \(time)"
    }
  }

  /// As many digits as a spreadsheet keeps: 0.1 + 0.2 is 0.3 there.
  private static func plain(_ number: Double) -> String {
    if number == number.rounded(), abs(number) < 1e15 { return String(Int(number)) }
    return String(format: "%.15g", number)
  }

  /// How each style shows its numbers.
  static func styles(_ root: Markup.Node) -> [Style] {
    // Thousands of styles may show their numbers in one way: it is understood once.
    var codes: [Int: Style] = [:]
    for format in root.all({ $0.name == "numfmt" }) {
      if let id = format.attribute("numFmtId").flatMap({ Int($0) }) {
        codes[id] = format.attribute("formatCode").map(style(of:))
      }
    }
    let formats = root.first { $0.name == "cellxfs" }?.all { $0.name == "xf" } ?? []
    return formats.map { format in
      let id = format.attribute("numFmtId").flatMap { Int($0) } ?? 0
      return codes[id] ?? builtIn(id)
    }
  }

  private static func builtIn(_ id: Int) -> Style {
    switch id {
    case 9, 10: .percent
    case 14...17, 27...31, 34...36, 50...54, 57, 58: .date
    case 18...21, 32, 33, 45...47, 55, 56: .time
    case 22: .dateAndTime
    default: .plain
    }
  }

  private static func style(of code: String) -> Style {
    // What stands in quotes, in brackets or behind a backslash is shown as it is.
    let marks = code.lowercased().replacing(/"[^"]*"|\[[^\]]*\]|\\./, with: "").split(separator: ";").first ?? ""
    let (day, clock) = (marks.contains { "yd".contains($0) }, marks.contains { "hs".contains($0) })
    if marks.contains("general") { return .plain }
    if day { return clock ? .dateAndTime : .date }
    if clock { return .time }
    return marks.contains("m") ? .date : marks.contains("%") ? .percent : .plain
  }
}

extension [SheetCells.Cell] {
  /// In the order of their columns; of two in one place the later.
  fileprivate mutating func put(_ cell: SheetCells.Cell) {
    let place = cell.column > last?.column ?? -1 ? count : firstIndex { $0.column >= cell.column } ?? count
    if place < count, self[place].column == cell.column { self[place] = cell } else { insert(cell, at: place) }
  }
}

/// Tables as they stand on a sheet: apart from each other by empty rows, with lines of text above them.
enum SheetText {
  /// Of rows without names of columns the bars tell where a cell stands: so many may there be for empty ones, in all sheets.
  private static let mostBlank = 8_000_000

  static func blocks(_ rows: [[SheetCells.Cell]], _ blank: inout Int) throws -> [Block] {
    var blocks: [Block] = []
    for group in rows.split(whereSeparator: \.isEmpty) {
      let left = group.map { $0[0].column }.min() ?? 0
      let isWide = group.contains { $0[$0.count - 1].column > left }
      var table = group
      while isWide, let first = table.first, first.count == 1, table.count > 1 {
        blocks.append(Block(.paragraph, first[0].text.collapsed()))
        table.removeFirst()
      }
      let headers = headers(of: table.prefix(20), from: left)
      for (index, row) in table.enumerated() {
        let isHeader = index == 0 && headers != nil
        let text = try text(of: row, from: left, headers: isHeader ? nil : headers, &blank)
        if !text.isEmpty { blocks.append(Block(.row(header: isHeader), text)) }
      }
    }
    return blocks
  }

  private static func headers(of rows: ArraySlice<[SheetCells.Cell]>, from left: Int) -> [String]? {
    let first = rows.map { row in
      row.reduce(into: [String]()) { cells, cell in
        cells += Array(repeating: "", count: cell.column - left - cells.count) + [cell.text]
      }
    }
    return TableText.hasHeader(first) ? first.first.map(TableText.names) : nil
  }

  private static func text(
    of row: [SheetCells.Cell], from left: Int, headers: [String]?, _ blank: inout Int
  ) throws -> String {
    if let headers { return TableText.row(row.map { ($0.column - left, $0.text) }, under: headers) }
    blank += row[row.count - 1].column - left + 1 - row.count
    guard blank <= mostBlank else {
      throw DocumentError.unpacksTooMuch("more than \(mostBlank / 1_000_000) million empty cells lie between others")
    }
    var (text, at) = ("", left)
    for cell in row {
      text += String(repeating: " | ", count: cell.column - at) + cell.text.collapsed()
      at = cell.column
    }
    return text
  }
}
