import Commands
import Core
import Foundation
import Retrieval

/// What a person wants done with a text they gave, or with the answer before.
struct Transformation: Sendable, Equatable {
  enum Kind: String, Sendable, CaseIterable { case shorter, list, translate, simpler, longer, correct, rewrite }

  var kind: Kind
  /// The words of the wish, without the text.
  var wish: String
  /// nil: the answer before is meant.
  var text: String?

  init(_ question: String) {
    let trimmed = question.trimmingCharacters(in: .whitespacesAndNewlines)
    (wish, text) = Self.parted(trimmed)
    kind = Self.kind(of: Question.words(in: wish))
  }

  /// The wish and the text: after a line end, between quotation marks, or after a colon.
  static func parted(_ question: String) -> (wish: String, text: String?) {
    func part(_ wish: Substring, _ text: Substring) -> (String, String?)? {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let wish = wish.trimmingCharacters(in: CharacterSet(charactersIn: " :\n\t"))
      return text.count >= 2 && !wish.isEmpty ? (wish, text) : nil
    }
    if let end = question.firstIndex(of: "\n"), let found = part(question[..<end], question[end...]) { return found }
    for (open, close) in [("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»")] as [(Character, Character)] {
      guard let from = question.firstIndex(of: open), let to = question.lastIndex(of: close), from < to else {
        continue
      }
      let after = question[question.index(after: to)...]
      let wish = String(question[..<from]) + after
      if let found = part(wish[...], question[question.index(after: from)..<to]) { return found }
    }
    if let colon = question.firstIndex(of: ":"),
      let found = part(question[..<colon], question[question.index(after: colon)...])
    {
      return found
    }
    return (question, nil)
  }

  private static let signs: [(words: QuestionWords, kind: Kind)] = [
    (.translations, .translate), (.bullets, .list), (.shortening, .shorter), (.simplifying, .simpler),
    (.lengthening, .longer), (.correcting, .correct),
  ]

  static func kind(of words: [String]) -> Kind { signs.first { $0.words.isIn(words) }?.kind ?? .rewrite }

  /// Whether what a model wrote is what was wished for, as far as that can be seen from outside.
  func accepts(_ result: String, of text: String) -> Bool {
    let result = result.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !result.isEmpty else { return false }
    switch kind {
    case .shorter: return result.count < text.count * 9 / 10 && Facts(result).missing(in: text).isEmpty
    case .list: return Self.entries(result).count >= min(2, Sentences.split(text).count) && isFaithful(result, text)
    case .translate: return result.lowercased() != text.lowercased()
    case .longer: return result.count > text.count
    case .simpler, .correct, .rewrite: return isFaithful(result, text)
    }
  }

  /// The numbers are those of the text.
  private func isFaithful(_ result: String, _ text: String) -> Bool {
    let numbers = Facts(text).required.map(\.text) + Question.words(in: text)
    return Question.words(in: result).filter { $0.count > 1 && $0.allSatisfy(\.isNumber) }.allSatisfy(numbers.contains)
  }

  private static func entries(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { line in
      let line = line.drop { $0 == " " }
      return line.hasPrefix("-") || line.hasPrefix("*") || line.hasPrefix("•") || line.first?.isNumber == true
    }
  }

  /// What needs no model; nil where one is needed.
  func withoutModel(_ text: String) -> String? {
    let sentences = Sentences.split(text).map(\.onOneLine)
    switch kind {
    case .list:
      let parts = sentences.count > 1 ? sentences : Self.clauses(text)
      return parts.map { "- \($0)" }.joined(separator: "\n")
    case .shorter:
      guard sentences.count > 1 else { return nil }
      return Self.shortened(sentences)
    case .translate, .simpler, .longer, .correct, .rewrite: return nil
    }
  }

  private static func clauses(_ text: String) -> [String] {
    text.split { ",;\n".contains($0) }.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// About half of the sentences: those whose words the others share.
  static func shortened(_ sentences: [String]) -> String {
    let stems = sentences.map { sentence in
      Set(Question.words(in: sentence).filter { !WordList.stopWords.contains($0) }.map(Relevance.stem))
    }
    var counts: [String: Int] = [:]
    for set in stems { for stem in set { counts[stem, default: 0] += 1 } }
    let weights = stems.enumerated().map { place, set in
      Double(set.reduce(0) { $0 + counts[$1, default: 0] }) / Double(6 + set.count) + (place == 0 ? 0.5 : 0)
    }
    let kept = weights.indices.sorted { weights[$0] > weights[$1] }.prefix(max(1, sentences.count / 2)).sorted()
    return kept.map { sentences[$0] }.joined(separator: " ")
  }
}
