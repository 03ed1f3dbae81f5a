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
    let texts = try part("/sharedStrings").map(Self.texts) ?? []
    var cells = SheetCells(
      texts: texts, styles: try part("/styles").map(SheetCells.styles) ?? [],
      from1904: ["1", "true"].contains(root.first { $0.name == "workbookpr" }?.attribute("date1904") ?? ""))
    var blocks: [Block] = []
    // A part that is named ten thousand times is read once.
    var known: Set<String> = []
    for sheet in root.all({ $0.name == "sheet" }) {
      try output.checkCancelled()
      guard let path = sheet.reference.flatMap({ targets[$0]?.path }), known.insert(path).inserted,
        let content = try archive.markup(path)?.root
      else {
        continue
      }
      let rows = SheetText.blocks(try cells.rows(of: content))
      if !rows.isEmpty { blocks += [Block(.heading(level: 2), sheet.attribute("name") ?? "")] + rows }
    }
    return blocks
  }

  private static func texts(_ root: Markup.Node) -> [String] {
    root.all { $0.name == "si" }.map { SheetCells.text($0) }
  }
}

/// The cells of a sheet as a person sees them.
struct SheetCells {
  enum Style { case plain, percent, date, time, dateAndTime }

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

  mutating func rows(of sheet: Markup.Node) throws -> [[String]] {
    var rows: [[String]] = []
    var before = 0
    for row in sheet.all({ $0.name == "row" }) {
      let place = row.attribute("r").flatMap { Int($0) }.map { min(max($0, 1), Self.mostRows) } ?? before + 1
      // Rows that are left out are empty: one stands for however many.
      if place > before + 1, rows.last?.isEmpty == false { rows.append([]) }
      before = place
      var cells: [String] = []
      for cell in row.all({ $0.name == "c" }) where row.attribute("hidden") != "1" {
        let column = cell.attribute("r").flatMap(Self.column) ?? cells.count
        guard column < Self.mostColumns else { continue }
        while cells.count < column { cells.append("") }
        let text = text(cell)
        if cell.attribute("t") == "s" { shared += text.utf8.count }
        guard shared <= Self.mostShared else {
          throw DocumentError.unpacksTooMuch("its cells hold more than \(Self.mostShared >> 20) MB")
        }
        if column < cells.count { cells[column] = text } else { cells.append(text) }
      }
      rows.append(cells)
    }
    return rows
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
    var codes: [Int: String] = [:]
    for format in root.all({ $0.name == "numfmt" }) {
      if let id = format.attribute("numFmtId").flatMap({ Int($0) }) { codes[id] = format.attribute("formatCode") }
    }
    let formats = root.first { $0.name == "cellxfs" }?.all { $0.name == "xf" } ?? []
    return formats.map { format in
      let id = format.attribute("numFmtId").flatMap { Int($0) } ?? 0
      return codes[id].map(style(of:)) ?? builtIn(id)
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

/// Tables as they stand on a sheet: apart from each other by empty rows, with lines of text above them.
enum SheetText {
  static func blocks(_ rows: [[String]]) -> [Block] {
    rows.split { $0.allSatisfy(\.isBlank) }.flatMap { group -> [Block] in
      let left = group.compactMap { $0.firstIndex { !$0.isBlank } }.min() ?? 0
      var table = group.map { row in
        var cells = Array(row.dropFirst(left))
        while cells.last?.isBlank == true { cells.removeLast() }
        return cells
      }
      let width = table.map(\.count).max() ?? 0
      var blocks: [Block] = []
      while width > 1, let first = table.first, first.filter({ !$0.isBlank }).count == 1, table.count > 1 {
        blocks.append(Block(.paragraph, first.joined().collapsed()))
        table.removeFirst()
      }
      return blocks + TableText.blocks(table)
    }
  }
}
