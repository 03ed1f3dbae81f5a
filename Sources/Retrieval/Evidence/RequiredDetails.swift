import Core
import Foundation

/// What a question insists on, beyond being near to something: what tells its matter from others of the kind and nothing else can
/// stand for. A near miss has all but these.
package struct RequiredDetails: Sendable, Equatable {
  /// Codes, years, months, numbered things, each with the forms it may take.
  package var qualifiers = Facts.none
  /// Names of two words, which siblings of theirs are not: the Dray Island of a table is no Dray Point.
  var pairs: [NamePair] = []
  /// Names, and months without day or year. A text may answer without them ("Can I take it to Spain?", "May I barbecue in July?"), or be
  /// about something else of the kind.
  var mentions = Facts.none

  package init(_ question: String) {
    let facts = Facts(question)
    pairs = NamePair.all(in: question)
    qualifiers.required = Self.qualifiers(among: facts, of: question)
    mentions.required = Self.mentions(among: facts, of: question)
  }

  /// What the words that answer lack, or all that was found.
  package func unmet(in answering: String, among found: String) -> String? {
    qualifiers.missing(in: answering).first ?? pairs.first { $0.hasOnlySiblings(in: found) }?.text
  }

  /// The first that the question names and the text does not. `names`: whether names can be told by their capitals.
  package func unsaid(in text: String, names: Bool) -> String? {
    var mentions = mentions
    if !names { mentions.required.removeAll { !Facts.isMonth($0.text.lowercased()) } }
    return mentions.missing(in: text).first.map { String($0.prefix { !"'’".contains($0) }) }
  }

  private static func mentions(among facts: Facts, of question: String) -> [(text: String, forms: Set<String>)] {
    let months = Facts.tokens(question).compactMap { token in
      Facts.month(token.lowercased()).map { (text: token, forms: ["month \($0)"] as Set<String>) }
    }
    let names = facts.required.filter { fact in
      let word = fact.text.lowercased()
      // Neither "I'm" nor "DIN".
      let base = fact.text.prefix(while: \.isLetter)
      return base.count > 1 && base.dropFirst().allSatisfy(\.isLowercase)
        && !Facts.isMonth(word) && !fact.forms.contains(where: WordList.days.contains)
        && !WordList.titles.contains(word)
    }
    return months + names
  }

  private static func qualifiers(
    among facts: Facts, of question: String
  ) -> [(text: String, forms: Set<String>)] {
    let tokens = Facts.tokens(question)
    return facts.required.filter { fact in
      guard fact.text.contains(where: \.isNumber) else {
        return fact.forms.contains { $0.hasPrefix("month ") }
      }
      if fact.text.contains(where: \.isLetter) { return fact.text.contains(where: \.isUppercase) }
      guard let place = tokens.firstIndex(of: fact.text), fact.text.allSatisfy(\.isNumber) else { return false }
      let after = place + 1 < tokens.count ? tokens[place + 1] : ""
      if Units.isMeasure(after.lowercased()) { return false }
      if fact.text.count == 4, fact.text.hasPrefix("1") || fact.text.hasPrefix("20") { return true }
      // "Unit 5", "room 5", "5 Mill Lane".
      return after.first?.isUppercase == true
        || place > 0
          && (tokens[place - 1].first?.isUppercase == true || WordList.labels.contains(tokens[place - 1].lowercased()))
    }
  }
}
