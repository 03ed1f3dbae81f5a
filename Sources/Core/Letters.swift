package import Foundation

extension StringProtocol {
  /// Where words stand that somebody else wrote. Foundation takes NUL for what stands behind the end of a text: it finds "ab\0" in
  /// "é ab", and ends the program over that place. Words with NUL in them stand nowhere.
  package func place(of words: some StringProtocol, options: String.CompareOptions = []) -> Range<Index>? {
    words.utf8.contains(0) ? nil : range(of: words, options: options)
  }

  package func holds(_ words: some StringProtocol) -> Bool { place(of: words) != nil }

  /// On one line: white space of whatever kind and length is one space, and at the ends there is none.
  package var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// Its first letters. A letter may bear marks without end, so that of what others wrote none counts for more than two signs on
  /// average.
  package func letters(_ most: Int) -> String {
    String(String(String.UnicodeScalarView(unicodeScalars.prefix(2 * most))).prefix(most))
  }
}

extension Sequence<UInt8> {
  /// Two small hexadecimal digits for each.
  package var hex: String { map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined() }
}
