package import Core
import Foundation

/// The lists of words by which it is told what kind of turn a question is and whether it leans on the one before, as
/// `Languages/…/questions.words` give them under [lists]: those of all languages together, as people mix them.
package enum QuestionWords: Int, WordListName {
  case politeness, pleases
  case transforms, mildTransforms, summarises, meant, comparatives, wishes, bareWishes
  case overviews, mildOverviews, finds, everything, wholes, mainPoints, aboutEnds, abouts, aboutLeads
  case greetings, talk, makes, tells, told, askers, indefinite, drawsOn
  case openings, strongOpenings, swaps, pronouns, existing, pointless, determiners, auxiliaries, prepositions, of,
    complete
  case translations, bullets, shortening, simplifying, lengthening, correcting
  case several, lists, noLists, dates, amounts, addresses, wholeRequests

  private static let bundled: Result<WordLists, any Error> = Result {
    var lists = WordLists(count: allCases.count)
    for code in Language.codes { try lists.add(CommandResources.words(code, "questions"), QuestionWords.self) }
    return lists
  }

  package static let tables: WordLists =
    if case .success(let lists) = bundled { lists } else { WordLists(count: allCases.count) }

  static func check() throws { _ = try bundled.get() }
}
