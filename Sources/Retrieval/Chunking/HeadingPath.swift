import Core

/// What stands above a chunk: the document's title and the headings in force. It is stored with every chunk, so it has bounds: else
/// a title of a megabyte, or headings within headings without end, would be stored ten thousand times.
package enum HeadingPath {
  /// In bytes, of one part and of all together.
  static let (longestPart, longest) = (400, 1200)
  /// No document that is read has more levels that mean something.
  static let deepest = 16

  /// A title or heading on one line, cut where it is too long.
  package static func part(_ text: String) -> String {
    // What is cut away need not be looked at.
    let start = String(decoding: text.utf8.prefix(4 * longestPart), as: UTF8.self)
    let line = start.onOneLine
    guard line.utf8.count > longestPart || start.utf8.count < text.utf8.count else { return line }
    var (kept, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in line.unicodeScalars {
      bytes += scalar.utf8.count
      guard bytes <= longestPart else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// The title, then of the parts the last ones that there is room for; of equal neighbours one.
  static func joined(_ title: String, _ parts: [String]) -> String {
    var (kept, bytes) = ([String](), title.utf8.count)
    for part in parts.reversed() where !part.isEmpty && kept.last != part {
      bytes += part.utf8.count
      guard bytes <= longest else { break }
      kept.append(part)
    }
    if !title.isEmpty, kept.last != title { kept.append(title) }
    return kept.reversed().joined(separator: " › ")
  }
}
