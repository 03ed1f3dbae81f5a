import Core
import Documents
import Foundation

/// Table rows as text, the same for every format: with headers each cell says what it is.
enum TableText {
  /// What a header is called beside each cell of its column: of a long one its beginning, for it stands in every row.
  static func names(_ header: [String]) -> [String] {
    header.map { cell in
      let name = cell.letters(4 * longestName).collapsed()
      let cut = name.letters(longestName)
      return cut == name ? name : cut + "…"
    }
  }

  private static let longestName = 120

  /// `headers`: as `names` makes them.
  static func row(_ cells: [String], headers: [String]?) -> String {
    guard let headers else { return cells.map { $0.collapsed() }.joined(separator: " | ") }
    return row(cells.enumerated().map { ($0, $1) }, under: headers)
  }

  /// The same of cells and which they are, where some are left out.
  static func row(_ cells: [(Int, String)], under headers: [String]) -> String {
    var parts: [String] = []
    for (index, cell) in cells {
      let value = cell.collapsed()
      guard !value.isEmpty else { continue }
      let header = index < headers.count ? headers[index] : ""
      parts.append(header.isEmpty ? value : "\(header): \(value)")
    }
    return parts.joined(separator: "; ")
  }

  /// `named` where the format itself says that the first row names the columns.
  static func blocks(_ rows: [[String]], named: Bool = false) -> [Block] {
    let rows = unframed(rows)
    let headers = named || hasHeader(Array(rows.prefix(20))) ? rows.first.map(names) : nil
    return rows.enumerated().compactMap { index, row in
      let isHeader = index == 0 && headers != nil
      let text = self.row(row, headers: isHeader ? nil : headers)
      return text.isEmpty ? nil : Block(.row(header: isHeader), text)
    }
  }

  /// The cells of a line between bars, as tables are drawn in plain text; nil for any other line.
  static func barred(_ line: Substring) -> [String]? {
    let line = line.trimmed()
    guard line.count > 2, line.hasPrefix("|"), line.hasSuffix("|") else { return nil }
    let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { String($0) }
    return cells.count >= 2 ? cells : nil
  }

  /// A line that is only drawn, around a table or below the names of its columns.
  static func isRule(_ line: Substring) -> Bool {
    let line = line.trimmed()
    return line.count > 2 && line.first.map { "|+".contains($0) } ?? false && line.contains { "-=".contains($0) }
      && line.allSatisfy { "|+-=: ".contains($0) }
  }

  /// Without the empty columns that bars at both ends make.
  private static func unframed(_ rows: [[String]]) -> [[String]] {
    let isFramed = !rows.isEmpty && rows.allSatisfy { $0.count > 2 && $0.first!.isBlank && $0.last!.isBlank }
    return isFramed ? rows.map { Array($0.dropFirst().dropLast()) } : rows
  }

  /// A first row of short words, most of them distinct, above rows with other contents names the columns.
  static func hasHeader(_ rows: [[String]]) -> Bool {
    guard rows.count >= 2, let first = rows.first, first.count >= 2 else { return false }
    let names = first.map { $0.collapsed() }
    guard names.filter(\.isEmpty).count <= 1, Set(names).count * 3 > names.count * 2 else { return false }
    return names.allSatisfy { name in
      name.count <= 60 && Double(name.replacingOccurrences(of: ",", with: ".")) == nil
        && !(name.first?.isNumber == true && name.contains { $0 == "-" || $0 == "." || $0 == "/" })
    }
  }
}
