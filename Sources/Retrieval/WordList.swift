package import Core
import Foundation

/// The lists of words by which this room tells what a sentence holds and what a question asks for, as `Languages/….words` give them:
/// those of all languages together, for a library holds papers in several and a question seldom says in which it is.
package enum WordList: Int, WordListName {
  case stopWords, usual, abbreviations, abbreviationsAtEnds, beforeOrdinals, sentenceStarters, endings
  case requests, questionOpeners, auxiliaries, subjects, what, asking, reasons, hintsOfReasons
  case time, frequency, days, ordinals, one, prices, currencies, measures
  case titles, labels, sides, kindsOfPlace, negations, pointingBack
  case most, least, mean, count, counting, sum, amount, spending, totals, askingOfRows, rows, beyondRows, namingColumns,
    unitPrices,
    outgoing, incoming, and, adding, forms
  case orderVerbs, yours, replies, orderPhrases, aboutCode

  package static let languages = ["en", "de", "fr"]

  package static var tables: WordLists { all.lists }

  /// The small words by which a language is told.
  package static func usual(_ language: String) -> Set<String> { all.usual[language] ?? [] }

  /// 1 to 12 by the name of a month or its short form.
  static var months: [String: Int] { all.months }
  /// The names alone.
  static var monthNames: Set<String> { all.monthNames }
  /// Numbers in digits by their words.
  static var numbers: [String: String] { all.numbers }
  /// The small words of a language, and what they are in English.
  static func inEnglish(_ language: String) -> [String: [EnglishFrame.Phrase]]? { all.inEnglish[language] }
  /// "min" is a form of "minutes".
  static var shortForms: [String: String] { all.shortForms }
  /// What begins a question after things of a kind.
  static var shapes: [(words: [String], shape: QuestionProfile.Shape)] { all.shapes }
  /// Longest first.
  static var endingsByLength: [String] { all.endings }

  /// Throws where the program's own tables are missing or damaged: without them nothing is searched and nothing taken apart.
  package static func check() throws {
    _ = try bundled.get()
    try CommonWords.check()
  }

  static func file(_ language: String) throws -> WordFile { try WordFile("Languages/\(language).words", in: resources) }

  private static let bundled = Result { try Tables(languages.map { ($0, try file($0)) }) }
  private static let all: Tables = if case .success(let tables) = bundled { tables } else { Tables() }

  private struct Tables: Sendable {
    var lists = WordLists(count: allCases.count)
    var usual: [String: Set<String>] = [:]
    var months: [String: Int] = [:]
    var monthNames: Set<String> = []
    var numbers: [String: String] = [:]
    var shortForms: [String: String] = [:]
    var inEnglish: [String: [String: [EnglishFrame.Phrase]]] = [:]
    var shapes: [(words: [String], shape: QuestionProfile.Shape)] = []
    var endings: [String] = []

    init() {}

    init(_ files: [(language: String, words: WordFile)]) throws {
      for (language, file) in files {
        try lists.add(file, WordList.self)
        usual[language] = Set(try file.rows("lists").filter { $0.key == "\(WordList.usual)" }.flatMap(\.phrases))
        months.merge(try file.map("months") { Int($0) }) { first, _ in first }
        monthNames.formUnion(try file.rows("months").compactMap(\.phrases.first))
        numbers.merge(try file.map("numbers") { $0 }) { first, _ in first }
        shortForms.merge(try file.map("short forms") { $0 }) { first, _ in first }
        if language != "en" { inEnglish[language] = EnglishFrame.phrases(try file.rows("in English")) }
        shapes += try file.table("shapes") { QuestionProfile.Shape(rawValue: $0) }.map {
          ($0.split(separator: " ").map(String.init), $1)
        }
        endings += try file.rows("lists").filter { $0.key == "\(WordList.endings)" }.flatMap(\.phrases)
      }
      endings = Set(endings).sorted { ($1.count, $0) < ($0.count, $1) }
    }
  }

  /// The files that come with this room.
  static let resources: URL = {
    #if canImport(Darwin)
      Bundle.module.resourceURL ?? Bundle.module.bundleURL
    #else
      Installation.resources(of: "Retrieval")
    #endif
  }()
}
