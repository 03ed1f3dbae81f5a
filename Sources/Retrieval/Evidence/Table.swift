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

  /// A row of one cell takes room for all columns: a text that comes to more has no table that is worked out.
  private static let mostCells = 1_000_000

  /// Every table of a text: a line that names the columns between bars, then lines that say of each cell what it is.
  package static func tables(in text: String) -> [Table] { read(text).tables }

  /// `isTooLarge`: there is one of more columns or cells than are worked out.
  package static func read(_ text: String) -> (tables: [Table], isTooLarge: Bool) {
    var (tables, isTooLarge) = ([Table](), false)
    var open: (table: Table, names: ColumnNames)?
    var (start, cellsLeft) = (0, mostCells)
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
      let range = start..<start + line.count
      start += line.count + 1
      guard let line = String(line), !line.allSatisfy(\.isWhitespace) else { continue }
      if let cells = open?.names.cells(of: line) {
        cellsLeft -= cells.count
        guard cellsLeft >= 0 else { return ([], true) }
        open?.table.rows.append(Row(cells: cells, range: range))
        continue
      }
      if let done = open?.table, !done.rows.isEmpty { tables.append(done) }
      let columns = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
      let isNamed = columns.count > 1 && !columns.contains("")
      isTooLarge = isTooLarge || isNamed && columns.count > ColumnNames.most
      open = isNamed ? ColumnNames(columns).map { (Table(columns: columns), $0) } : nil
    }
    if let done = open?.table, !done.rows.isEmpty { tables.append(done) }
    return (tables, isTooLarge)
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
