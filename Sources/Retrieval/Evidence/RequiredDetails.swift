import Core
import Foundation

/// What a question insists on, beyond being near to something: what tells its matter from others of the kind and nothing else can
/// stand for. A near miss has all but these.
package struct RequiredDetails: Sendable, Equatable {
  /// Codes, years, months, numbered things, each with the forms it may take.
  package var qualifiers = Facts.none
  /// Names of two words, which siblings of theirs are not: the Dray Island of a table is no Dray Point.
  var pairs: [NamePair] = []

  package init(_ question: String) {
    pairs = NamePair.all(in: question)
    qualifiers.required = Self.qualifiers(among: Facts(question), of: question)
  }

  /// What the words that answer lack, or all that was found.
  package func unmet(in answering: String, among found: String) -> String? {
    qualifiers.missing(in: answering).first ?? pairs.first { $0.hasOnlySiblings(in: found) }?.text
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
