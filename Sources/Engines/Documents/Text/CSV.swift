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
    TableText.blocks(rows(text, delimiter: delimiter))
  }
}
