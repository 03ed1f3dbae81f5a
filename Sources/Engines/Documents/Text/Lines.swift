import Foundation

/// Text as lines; byte-wise, because splitting by characters is several times slower.
func lines(of text: String) -> [Substring] {
  text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
}

extension StringProtocol {
  var isBlank: Bool { utf8.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 12 } }

  func trimmed() -> String { trimmingCharacters(in: .whitespacesAndNewlines) }

  /// Every run of white space becomes one space.
  func collapsed() -> String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// The columns of white space at the start, a tab counting four.
  var indent: Int {
    var columns = 0
    for byte in utf8 {
      if byte == 32 { columns += 1 } else if byte == 9 { columns += 4 } else { break }
    }
    return columns
  }
}

/// Table rows as text, the same for every format: with headers each cell says what it is.
enum TableText {
  static func row(_ cells: [String], headers: [String]?) -> String {
    guard let headers else { return cells.map { $0.collapsed() }.joined(separator: " | ") }
    var parts: [String] = []
    for (index, cell) in cells.enumerated() {
      let value = cell.collapsed()
      guard !value.isEmpty else { continue }
      let header = index < headers.count ? headers[index].collapsed() : ""
      parts.append(header.isEmpty ? value : "\(header): \(value)")
    }
    return parts.joined(separator: "; ")
  }

  /// A first row of distinct short words above rows with other contents names the columns.
  static func hasHeader(_ rows: [[String]]) -> Bool {
    guard rows.count >= 2, let first = rows.first, first.count >= 2 else { return false }
    let names = first.map { $0.collapsed() }
    guard names.filter(\.isEmpty).count <= 1, Set(names).count == names.count else { return false }
    return names.allSatisfy { name in
      name.count <= 60 && Double(name.replacingOccurrences(of: ",", with: ".")) == nil
        && !(name.first?.isNumber == true && name.contains { $0 == "-" || $0 == "." || $0 == "/" })
    }
  }
}
