import Foundation

/// The rows of a table as they stand in a document's text, each cell with the name of its column.
package struct Table: Sendable, Equatable {
  package struct Row: Sendable, Equatable {
    /// As many as the table has columns; empty where the row says nothing.
    package var cells: [String]
    /// UTF-8 bytes of the document's text.
    package var range: Range<Int>
  }

  package var columns: [String]
  package var rows: [Row] = []
  /// Its cells do not say which column they are of: they stand between bars in the order of the names above them, as in a PDF.
  package var isBare = false

  /// A row of one cell takes room for all columns: a text that comes to more has no table that is worked out.
  private static let mostCells = 1_000_000

  /// Every table of a text: a line that names the columns between bars, then lines that say of each cell what it is, or have as many
  /// cells between bars.
  package static func tables(in text: String) -> [Table] { read(text).tables }

  /// - Parameter pages: Where each begins, in UTF-8 bytes.
  /// - Returns: With `isTooLarge` where there is one of more columns or cells than are worked out.
  package static func read(_ text: String, pages: [Int] = []) -> (tables: [Table], isTooLarge: Bool) {
    var (tables, isTooLarge) = ([Table](), false)
    var open: (table: Table, names: ColumnNames)?
    // Of rows with numbers between bars that are in no table: by how many cells they have, where the page of the last of them begins.
    var loose: [Int: Int] = [:]
    var broken: Set<Int> = []
    var pages = pages[...]
    var page = 0
    /// Whether an empty line has followed the last row of a table.
    var isParted = false
    var (start, cellsLeft) = (0, mostCells)
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
      let range = start..<start + line.count
      start += line.count + 1
      guard let line = String(line), !line.allSatisfy(\.isWhitespace) else {
        isParted = true
        continue
      }
      let barred =
        line.utf8.contains(124)
        ? line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) } : []
      if let cells = open.flatMap({ $0.table.row(of: line, barred, under: $0.names) }) {
        open?.table.isBare = cells == barred
        cellsLeft -= cells.count
        guard cellsLeft >= 0 else { return ([], true) }
        open?.table.rows.append(Row(cells: cells, range: range))
        isParted = false
        continue
      }
      if let done = open?.table, !done.rows.isEmpty { tables.append(done) }
      let isNamed = barred.count > 1 && !barred.contains("")
      isTooLarge = isTooLarge || isNamed && barred.count > ColumnNames.most
      if barred.count > 1, barred.contains(where: { number($0) != nil }) {
        while let next = pages.first, next <= range.lowerBound { page = pages.removeFirst() }
        loose[barred.count] = page
        // Just below a table it is a row of it that a line broken in two parts, or that has lost a cell; two cells below more are what
        // the table comes to.
        if !isParted, let above = tables.last, barred.count > 2 || above.columns.count == 2 {
          broken.insert(tables.count - 1)
        }
      }
      open = isNamed ? ColumnNames(barred).map { (Table(columns: barred), $0) } : nil
    }
    if let done = open?.table, !done.rows.isEmpty { tables.append(done) }
    let named = Dictionary(grouping: tables, by: \.columns)
    // What goes on over pages has its names again there, or none.
    let whole = tables.enumerated().filter { place, table in
      !table.isBare
        || !broken.contains(place) && named[table.columns]?.count == 1
          && loose[table.columns.count] ?? 0 <= table.rows.last?.range.lowerBound ?? 0
    }
    return (whole.map(\.element), isTooLarge)
  }

  /// The cells of a line, where it goes on with this table: as its rows before do.
  private func row(of line: String, _ barred: [String], under names: ColumnNames) -> [String]? {
    if rows.isEmpty || !isBare, let cells = names.cells(of: line) { return cells }
    guard rows.isEmpty || isBare, barred.count == columns.count, barred.count > 1 else { return nil }
    // Where nothing names the columns the first row would be taken for their names.
    return columns.contains { Self.number($0) != nil } ? nil : barred
  }

  /// "Day: Monday; Cost: 12" under Day and Cost; a column may be missing, none may stand out of its order.
  static func cells(of line: String, under columns: [String]) -> [String]? { ColumnNames(columns)?.cells(of: line) }

  // MARK: Values

  /// The number of a cell, whatever its currency or unit: "CHF45", and not "DE45".
  static func number(_ cell: String) -> Decimal? {
    guard cell.contains(where: \.isNumber) else { return nil }
    let lead = cell.prefix { !$0.isNumber }
    if lead.last?.isLetter ?? false, lead.count(where: \.isLetter) != 3 { return nil }
    let bare = cell.replacing("−", with: "-").filter { !$0.isLetter && !$0.isWhitespace && !"€£$¥".contains($0) }
    guard !bare.isEmpty, cell.count(where: \.isLetter) <= 4 else { return nil }
    return Facts.number(bare).flatMap { Decimal(string: $0) }
  }

  /// The columns whose cells are numbers, nearly all of them.
  var numeric: [Int] {
    columns.indices.filter { column in
      let said = rows.map { $0.cells[column] }.filter { !$0.isEmpty }
      return !said.isEmpty && said.count { Self.number($0) != nil } * 10 >= said.count * 9
    }
  }
}

/// The names of a table's columns, as they stand before each cell of a row. A row is read in one pass, however many columns there
/// are: a stranger's table is looked through whenever something is counted or added up.
struct ColumnNames {
  /// In bytes; no table of ours has longer ones.
  private static let longest = 500
  /// Nobody asks about more columns.
  static let most = 1000
  /// A name may hold its own colon, as in "Cost: net", but not many.
  private static let mostColons = 2

  private let count: Int
  private let places: [ArraySlice<UInt8>: [Int]]
  private let longest: Int

  /// nil where a name is none that stands before a cell.
  init?(_ columns: [String]) {
    let names = columns.map { Array($0.utf8)[...] }
    let isTold = names.allSatisfy { name in
      name.count <= Self.longest && Self.colons(in: name + [58, 32]).count <= Self.mostColons
    }
    guard names.count <= Self.most, isTold else { return nil }
    count = columns.count
    places = Dictionary(grouping: columns.indices) { names[$0] }
    longest = names.map(\.count).max() ?? 0
  }

  /// Where ": " stands.
  private static func colons(in bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.indices.dropLast().filter { bytes[$0] == 58 && bytes[$0 + 1] == 32 }
  }

  func cells(of line: String) -> [String]? {
    let bytes = Array(line.utf8)[...]
    let colons = Self.colons(in: bytes)
    var cells = [String](repeating: "", count: count)
    /// The first colon that is not behind the place.
    var colon = 0
    /// The first column from `column` on whose name stands at `place`, and where its cell begins.
    func named(at place: Int, from column: Int) -> (column: Int, start: Int)? {
      while colon < colons.count, colons[colon] < place { colon += 1 }
      let ends = colons[colon...].prefix(Self.mostColons).prefix { $0 - place <= longest }
      let found = ends.compactMap { end in
        places[bytes[place..<end]]?.first { $0 >= column }.map { ($0, end + 2) }
      }
      return found.min { $0.0 < $1.0 }
    }
    guard var cell = named(at: 0, from: 0) else { return nil }
    var place = cell.start
    while place + 1 < bytes.count {
      // The cell ends where a later column's name begins.
      if bytes[place] == 59, bytes[place + 1] == 32, let next = named(at: place + 2, from: cell.column + 1) {
        cells[cell.column] = String(decoding: bytes[cell.start..<place], as: UTF8.self)
        (cell, place) = (next, next.start)
      } else {
        place += 1
      }
    }
    cells[cell.column] = String(decoding: bytes[cell.start...], as: UTF8.self)
    return cells
  }
}
