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

  /// Every table of a text: a line that names the columns between bars, then lines that say of each cell what it is.
  package static func tables(in text: String) -> [Table] {
    var tables: [Table] = []
    var open: Table?
    var start = 0
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
      let range = start..<start + line.count
      start += line.count + 1
      guard let line = String(line), !line.allSatisfy(\.isWhitespace) else { continue }
      if let table = open, let cells = cells(of: line, under: table.columns) {
        open?.rows.append(Row(cells: cells, range: range))
        continue
      }
      if let done = open, !done.rows.isEmpty { tables.append(done) }
      let names = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
      open = names.count > 1 && !names.contains("") ? Table(columns: names) : nil
    }
    if let done = open, !done.rows.isEmpty { tables.append(done) }
    return tables
  }

  /// "Day: Monday; Cost: 12" under Day and Cost; a column may be missing, none may stand out of its order.
  static func cells(of line: String, under columns: [String]) -> [String]? {
    var cells = columns.map { _ in "" }
    var rest = line[...]
    var next = 0
    while !rest.isEmpty {
      guard let column = columns.indices.dropFirst(next).first(where: { rest.hasPrefix("\(columns[$0]): ") }) else {
        return nil
      }
      rest = rest.dropFirst(columns[column].count + 2)
      // The cell ends where a later column's name begins.
      let ends = columns.dropFirst(column + 1).compactMap { rest.range(of: "; \($0): ") }
      let end = ends.map(\.lowerBound).min() ?? rest.endIndex
      cells[column] = String(rest[..<end])
      rest = end < rest.endIndex ? rest[end...].dropFirst(2) : ""
      next = column + 1
    }
    return next > 0 ? cells : nil
  }

  // MARK: Values

  /// The number of a cell, whatever its currency or unit.
  static func number(_ cell: String) -> Decimal? {
    let bare = cell.filter { !$0.isLetter && !$0.isWhitespace && !"€£$¥".contains($0) }
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
