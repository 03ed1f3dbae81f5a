import Foundation

/// A date in figures, read from its bytes and once: a table has a million cells, and for each a pattern would be made anew; white space
/// without end could be read by one in as many ways as there is of it.
struct Figures {
  private var left: ArraySlice<UInt8>

  init(_ cell: String) { left = Array(cell.trimmingCharacters(in: .whitespacesAndNewlines).utf8)[...] }

  /// The month of 2025-03 and 2025-03-12.
  static func monthBehindYear(_ cell: String) -> Int? {
    var date = Figures(cell)
    guard date.number(4...4) != nil, date.mark("-") != nil, let month = date.number(1...2) else { return nil }
    if date.mark("-") != nil, date.number(1...2) == nil { return nil }
    return date.isDay ? month : nil
  }

  /// The month of 12.3.2025 and 12. 3. 2025.
  static func monthBehindDay(_ cell: String) -> Int? {
    var date = Figures(cell)
    guard date.number(1...2) != nil, date.mark(".") != nil else { return nil }
    _ = date.mark(" ")
    guard let month = date.number(1...2), date.mark(".") != nil else { return nil }
    _ = date.mark(" ")
    return date.number(2...4) != nil && date.left.isEmpty ? month : nil
  }

  /// All digits that stand here, where there are as many.
  mutating func number(_ digits: ClosedRange<Int>) -> Int? {
    let found = left.prefix { (0x30...0x39).contains($0) }
    guard digits.contains(found.count) else { return nil }
    left = left.dropFirst(found.count)
    return found.reduce(0) { 10 * $0 + Int($1 - 0x30) }
  }

  /// The mark that stands here, where it is one of these.
  mutating func mark(_ marks: String) -> String? {
    guard let byte = left.first, marks.utf8.contains(byte) else { return nil }
    left = left.dropFirst()
    return String(UnicodeScalar(byte))
  }

  /// The day is over here; a time of day may follow.
  var isDay: Bool { left.first.map { $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: " ") } ?? true }
}
