import Core
import Foundation

/// What is known of single words: days, months, units, numbers, and what they do in the grammar.
struct Vocabulary: Sendable {
  let weekdays: [String: Int]
  let months: [String: Int]
  let units: [String: Grain]
  let cardinals: [String: Int]
  let ordinals: [String: Int]
  /// Every word of the language's tables.
  private let known: Set<String>
  /// Letters that an apostrophe parts from the next word: "l'après-midi".
  let elisions: Set<String>
  /// Accents are taken off what is read; English keeps them, its tables have none.
  let folds: Bool
  private let kinds: [String: WordSet]
  private let weekdayNames: [String]
  /// What is written together with the word before: "noonish", "Montagabend".
  private let endings: [String]
  private let tens: [String]
  private let spelling: Spelling

  init(_ file: WordFile) throws {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    weekdays = try file.map("weekdays") { names.firstIndex(of: $0) }
    weekdayNames = try file.rows("weekdays").compactMap(\.phrases.first)
    months = try file.map("months") { Int($0) }
    units = try file.map("units") { Grain(rawValue: $0) }
    cardinals = try file.map("cardinals") { Int($0) }
    ordinals = try file.map("ordinals") { Int($0) }
    elisions = Set(try file.rows("elisions").flatMap(\.phrases))
    endings = try file.rows("written together").flatMap(\.phrases)
    folds = try file.rows("habits").flatMap(\.phrases).contains(Language.Habit.foldsAccents.rawValue)
    var kinds: [String: WordSet] = [:]
    for (sign, word) in WordRole.signs { kinds[sign, default: []].insert(word) }
    let words = Dictionary(uniqueKeysWithValues: WordRole.allCases.map { ("\($0)", $0) })
    for (word, kind) in try file.table("words", { words[$0] }) { kinds[word, default: []].insert(kind) }
    self.kinds = kinds
    spelling = try Spelling(file)
    tens = cardinals.filter { [20, 30, 40, 50].contains($0.value) }.map(\.key)
    known = Set(
      file.sections.filter {
        !["habits", "zones", "elisions", "infinitives", "written for", "never mistyped"].contains($0.key)
      }
      .flatMap { section in
        // Feasts have small words of other languages in their names: "cinco de mayo".
        section.value.filter { $0.key != "hesitation" }.flatMap(\.phrases).flatMap {
          Self.folded($0).split { !$0.isLetter }
        }
        .filter { $0.count > (section.key == "holidays" ? 3 : 1) }.map(String.init)
      })
  }

  static func folded(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 }
      ? text.lowercased() : text.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
  }

  /// The file's words without accents and capitals, as what is compared with them.
  static func folded(_ file: WordFile) -> WordFile {
    file.mapping { section, phrase in section == "habits" ? phrase : folded(phrase) }
  }

  func knows(_ word: String) -> Bool { known.contains(word) || head(of: word) != nil }

  /// The word of which this is a slip or another spelling.
  func meant(by word: String) -> String? {
    knows(word) ? nil : spelling.meant(by: word)
  }

  func describe(_ token: inout Token) {
    token.words = kinds[token.text] ?? []
    guard token.kind == .word else { return }
    token.weekday = weekdays[token.text]
    token.month = months[token.text]
    if let weekday = token.weekday { token.stem = weekdayNames[weekday] }
    token.unit = units[token.text]
    token.cardinal = cardinals[token.text]
    token.ordinal = ordinals[token.text]
  }

  /// The first of two words that people write as one: "fiveish", "noonish", "twentyfirst", "fortyfive", "Montagabend".
  func head(of word: String) -> String? {
    for ending in endings where word.count > ending.count + 2 && word.hasSuffix(ending) {
      let head = String(word.dropLast(ending.count))
      let isHour = (1...12).contains(cardinals[head] ?? 0) || kinds[head]?.contains(.noon) == true
      if kinds[ending]?.contains(.ish) == true ? isHour : weekdays[head] != nil { return head }
    }
    for ten in tens where word.hasPrefix(ten) {
      let rest = String(word.dropFirst(ten.count))
      if (1...9).contains(cardinals[rest] ?? ordinals[rest] ?? 0) { return ten }
    }
    return nil
  }
}
