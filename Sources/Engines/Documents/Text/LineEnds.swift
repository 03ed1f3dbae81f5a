/// Tells lines that were broken because a text has a fixed width from lines that were meant to end where they do.
struct LineEnds {
  /// In bytes; nil where the text has none.
  private let width: Int?
  private static let widths = 40...140

  init(_ lines: [Substring]) {
    let lengths = lines.map { $0.isBlank ? 0 : $0.utf8.count }
    let sorted = lengths.filter { $0 > 0 }.sorted()
    let widest = sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
    // Of the lines that another follows many are near the width, if there is one.
    let followed = zip(lengths, lengths.dropFirst()).filter { $0 > 0 && $1 > 0 }.map(\.0)
    let near = followed.count { $0 * 10 >= widest * 8 }
    width = Self.widths.contains(widest) && near * 5 >= followed.count * 2 ? widest : nil
  }

  /// Whether a line of so many bytes goes on in the next one.
  func goesOn(_ line: some StringProtocol, bytes: Int, in next: some StringProtocol) -> Bool {
    guard let width, let first = next.first else { return false }
    let word = next.prefix { !$0.isWhitespace }
    if first.isUppercase, word.last == ":" { return false }
    if bytes + 1 + word.utf8.count > width { return true }
    // There was room for the next word.
    if first.isLowercase { return bytes * 2 >= width }
    return bytes * 10 >= width * 7 && !BlockBuilder.terminal(line.trimmed())
  }
}
