import Documents
import Foundation

/// Rows of comma, semicolon or tab separated values, quoted as in RFC 4180.
enum CSV {
  static func rows(_ text: String, delimiter: Character) -> [[String]] {
    guard let mark = delimiter.asciiValue else { return [] }
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    var quoted = false
    var wasQuoted = false
    let bytes = Array(text.utf8)
    var index = 0
    func endCell() {
      row.append(String(decoding: cell, as: UTF8.self))
      cell.removeAll(keepingCapacity: true)
      wasQuoted = false
    }
    while index < bytes.count {
      let byte = bytes[index]
      if quoted {
        if byte == 34, index + 1 < bytes.count, bytes[index + 1] == 34 {
          cell.append(34)
          index += 1
        } else if byte == 34 {
          quoted = false
        } else {
          cell.append(byte)
        }
      } else if byte == 34, cell.isEmpty, !wasQuoted {
        (quoted, wasQuoted) = (true, true)
      } else if byte == mark {
        endCell()
      } else if byte == 10 {
        endCell()
        if row.count > 1 || !row[0].isEmpty { rows.append(row) }
        row = []
      } else if byte != 13 {
        cell.append(byte)
      }
      index += 1
    }
    if !cell.isEmpty || !row.isEmpty {
      endCell()
      rows.append(row)
    }
    return rows
  }

  static func blocks(_ text: String, delimiter: Character) -> [Block] {
    let rows = rows(text, delimiter: delimiter)
    let table = table(in: rows)
    // Where every line ends in a separator there is a column that has neither a name nor cells.
    let width = rows[table].map(filled).max() ?? 0
    return rows[..<table.lowerBound].compactMap(line) + TableText.blocks(rows[table].map { Array($0.prefix(width)) })
      + rows[table.upperBound...].compactMap(line)
  }

  /// More rows than this are not looked through for the one that names the columns.
  private static let mostAbove = 20

  /// The rows of the table itself: banks write above it whose account it is, and below it what came of it.
  static func table(in rows: [[String]]) -> Range<Int> {
    guard let width = width(rows), width > 2 else { return rows.indices }
    func isLoose(_ row: [String]) -> Bool { filled(row) <= max(2, width / 2) }
    // Several things may stand in one line above, but with separators of their own number.
    func isAbove(_ row: [String]) -> Bool { isLoose(row) || row.count < width - 1 }
    // A line that ends in a separator has an empty cell more.
    guard let start = rows.prefix(mostAbove + 1).firstIndex(where: { filled($0) >= (width > 3 ? width - 1 : width) }),
      rows[..<start].allSatisfy(isAbove), TableText.hasHeader(Array(rows[start...].prefix(20)))
    else { return rows.indices }
    // Rows with as many separators as the others belong to it, unless an empty one parts them from it.
    let last = rows.lastIndex { !isLoose($0) } ?? start
    let end = rows[(last + 1)...].firstIndex { filled($0) == 0 || $0.count < width - 1 }
    return start..<(end ?? rows.count)
  }

  /// How many cells most rows have.
  static func width(_ rows: some Sequence<[String]>) -> Int? {
    rows.reduce(into: [Int: Int]()) { $0[$1.count, default: 0] += 1 }
      .max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  private static func filled(_ row: [String]) -> Int { (row.lastIndex { !$0.isBlank } ?? -1) + 1 }

  private static func line(_ row: [String]) -> Block? {
    let cells = row.map { $0.collapsed() }.filter { !$0.isEmpty }
    // Spreadsheets say by which sign the cells are parted.
    guard let first = cells.first, first.lowercased() != "sep=" else { return nil }
    let isLabel = cells.count == 2 && !first.hasSuffix(":")
    return Block(.paragraph, isLabel ? "\(first): \(cells[1])" : cells.joined(separator: " "))
  }
}
