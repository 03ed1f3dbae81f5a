import Core

/// Words that are often mistyped: what was meant is read in their place, while titles keep what was written.
struct Spelling: Sendable {
  /// What is no slip of one letter, by how it is written.
  private let written: [String: String]
  /// The words whose slips are understood, by their first letter and their last.
  private let meant: [Ends: [[UInt8]]]
  /// Words that look like slips and are right.
  private let others: Set<String>

  private struct Ends: Hashable {
    var first: UInt8?
    var last: UInt8?

    init(_ word: [UInt8]) { (first, last) = (word.first, word.last) }
  }

  init(_ file: WordFile) throws {
    written = try file.map("written for") { $0 }
    meant = Dictionary(grouping: try file.rows("mistyped").flatMap(\.phrases).map { Array($0.utf8) }) { Ends($0) }
    others = Set(try file.rows("never mistyped").flatMap(\.phrases))
  }

  /// The one word of which this is another spelling.
  func meant(by word: String) -> String? {
    if let meant = written[word] { return meant }
    let letters = Array(word.utf8)
    guard letters.count >= 5, let candidates = meant[Ends(letters)], !others.contains(word) else { return nil }
    let found = candidates.filter { Self.isSlip(letters, of: $0) }
    return found.count == 1 ? String(decoding: found[0], as: UTF8.self) : nil
  }

  /// One letter within the word is lost, added or wrong, or has changed places with the next.
  static func isSlip(_ one: [UInt8], of other: [UInt8]) -> Bool {
    let head = zip(one, other).prefix { $0 == $1 }.count
    let (one, other) = (one.dropFirst(head), other.dropFirst(head))
    let tail = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
    let (left, right) = (one.dropLast(tail), other.dropLast(tail))
    return left.count + right.count == 1 || left.count == 1 && right.count == 1
      || left.count == 2 && left.elementsEqual(right.reversed())
  }
}
