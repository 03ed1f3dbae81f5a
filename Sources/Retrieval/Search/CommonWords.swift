import Core
import Foundation

/// How usual words are in English at large. A library of a few pages cannot tell: that "find" or "multiple" stands nowhere in it
/// says nothing, that a name does says much.
enum CommonWords {
  /// About the part of passages of some hundred words that hold the word.
  static func share(of word: String) -> Double { min(0.9, 15 / Double((places[word] ?? count * 4) + 1)) }

  /// Whether it is one of the most usual, whatever stands in a library.
  static func holds(_ word: String) -> Bool { places[word] != nil }

  /// Whether it is a word at all, or a name that many have.
  static func isKnown(_ word: String) -> Bool {
    holds(word) || others.contains(word) || WordList.languages.contains { WordList.usual($0).contains(word) }
  }

  // Most usual first: the order in which the vocabulary of all-MiniLM-L6-v2 (Apache-2.0) has its words.
  private static let bundled = Result {
    do {
      return try String(contentsOf: WordList.resources.appending(path: "Languages/en.common"), encoding: .utf8)
    } catch {
      throw InstallationError.damaged("Languages/en.common")
    }
  }

  static func check() throws { _ = try bundled.get() }

  /// The most usual, in this order, and behind an empty line the others, which are wanted for few questions.
  private static let parts: (usual: Substring, others: Substring) = {
    guard case .success(let text) = bundled, let gap = text.firstRange(of: "\n\n") else { return ("", "") }
    return (text[..<gap.lowerBound], text[gap.upperBound...])
  }()
  private static let places = Dictionary(
    parts.usual.split(whereSeparator: \.isWhitespace).enumerated().map { (String($1), $0) }, uniquingKeysWith: min)
  private static let count = places.count
  private static let others = Set(parts.others.split(whereSeparator: \.isWhitespace).map(String.init))
}
