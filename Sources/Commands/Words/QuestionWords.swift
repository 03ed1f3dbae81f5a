import Core
import Foundation

/// The lists of words by which it is told what kind of turn a question is and whether it leans on the one before, as
/// `Languages/…/questions.words` give them under [lists]: those of all languages together, as people mix them.
package enum QuestionWords: CaseIterable {
  case politeness, pleases
  case transforms, mildTransforms, summarises, meant, comparatives, wishes, bareWishes
  case overviews, mildOverviews, finds, everything, wholes, mainPoints, aboutEnds, abouts, aboutLeads
  case greetings, talk, makes, tells, told, askers, indefinite, drawsOn
  case openings, strongOpenings, swaps, pronouns, existing, pointless, determiners, auxiliaries, prepositions, of,
    complete
  case translations, bullets, shortening, simplifying, lengthening, correcting
  case several, lists, noLists, dates, amounts, addresses, wholeRequests

  package func contains(_ word: String) -> Bool { Self.all[self]?.words.contains(word) ?? false }

  package func isIn(_ words: some Sequence<String>) -> Bool { words.contains(where: contains) }

  /// How many words the longest of the list's phrases has with which these begin.
  package func count(beginning words: some Sequence<String>) -> Int? {
    Self.all[self]?.phrases.filter { words.starts(with: $0) }.map(\.count).max()
  }

  /// Whether a phrase of the list stands among these words.
  package func occurs(in words: [String]) -> Bool { words.indices.contains { count(beginning: words[$0...]) != nil } }

  /// Whether a phrase of the list stands in the text, be it as a part of a word.
  package func isPart(of text: String) -> Bool { Self.all[self]?.texts.contains { text.contains($0) } ?? false }

  /// Whether the text begins with a phrase of the list, be it with a part of a word.
  package func opens(_ text: String) -> Bool { Self.all[self]?.texts.contains { text.hasPrefix($0) } ?? false }

  private struct List {
    var texts: [String] = []
    var words: Set<String> = []
    var phrases: [[String]] = []
  }

  private static let bundled: Result<[QuestionWords: List], any Error> = Result {
    let lists = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
    var all: [QuestionWords: List] = [:]
    for code in Language.codes {
      for (text, list) in try CommandResources.words(code, "questions").table("lists", { lists[$0] }) {
        all[list, default: List()].texts.append(text)
        all[list]?.words.insert(text)
        all[list]?.phrases.append(text.split(separator: " ").map(String.init))
      }
    }
    return all
  }

  private static let all: [QuestionWords: List] = if case .success(let lists) = bundled { lists } else { [:] }

  static func check() throws { _ = try bundled.get() }
}
