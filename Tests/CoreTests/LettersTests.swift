import Foundation
import Testing

@testable import Core

@Suite("Words of others are cut to a number of letters, whatever marks the letters bear")
struct LettersTests {
  private static let marked = "a" + String(repeating: "\u{301}", count: 100_000)

  @Test(
    "Short ones stay whole, long ones are a beginning of what was said",
    arguments: [
      ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc"), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"),
      ("日本語", 2, "日本"), ("a\r\nb", 2, "a\r\n"), ("abc", 0, ""),
    ])
  func cut(_ words: String, _ most: Int, _ left: String) {
    #expect(Array(words.letters(most).unicodeScalars) == Array(left.unicodeScalars))
  }

  @Test(
    "Words of others are found where they stand, and those with NUL in them nowhere",
    arguments: [
      ("é ab", "ab", true), ("é ab", "abc", false), ("é ab", "ab\0\0\0", false), ("\u{FFFD}ab\0", "ab\0\0", false),
      ("é ab\0", "ab", true), ("", "\0", false),
    ])
  func found(_ text: String, _ words: String, _ stand: Bool) {
    #expect(text.holds(words) == stand)
    #expect(text.place(of: words, options: .caseInsensitive).map { text[$0] == words } ?? !stand)
  }

  @Test("A letter with marks without end counts for what it is")
  func marks() {
    #expect(Self.marked.letters(40).unicodeScalars.count == 80)
    #expect(String(repeating: Self.marked, count: 3).letters(40).unicodeScalars.count == 80)
    #expect(("plain " + Self.marked).letters(6) == "plain ")
  }
}
