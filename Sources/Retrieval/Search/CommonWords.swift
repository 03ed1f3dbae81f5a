import Core
import Foundation

/// How usual words are in English at large. A library of a few pages cannot tell: that "find" or "multiple" stands nowhere in it
/// says nothing, that a name does says much.
enum CommonWords {
  /// About the part of passages of some hundred words that hold the word.
  static func share(of word: String) -> Double { min(0.9, 15 / Double((places[word] ?? count * 4) + 1)) }

  /// Whether it is a word at all, whatever stands in a library.
  static func holds(_ word: String) -> Bool { places[word] != nil }

  // Most usual first: the order in which the vocabulary of all-MiniLM-L6-v2 (Apache-2.0) has its words.
  private static let bundled = Result {
    do {
      return try String(contentsOf: WordList.resources.appending(path: "Languages/en.common"), encoding: .utf8)
    } catch {
      throw InstallationError.damaged("Languages/en.common")
    }
  }

  static func check() throws { _ = try bundled.get() }

  private static let places: [String: Int] = {
    guard case .success(let inOrder) = bundled else { return [:] }
    return Dictionary(
      inOrder.split(whereSeparator: \.isWhitespace).enumerated().map { (String($1), $0) }, uniquingKeysWith: min)
  }()
  private static let count = places.count
}
