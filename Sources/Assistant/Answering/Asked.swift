import Core
import Foundation
import Retrieval

/// One thing that is asked for, the whole question or one of its parts, and what the sentences that were found are worth for it.
struct Asked: Sendable {
  /// As the person said it.
  var said: String
  /// With what it leans on: "and how long does it take?" says what "it" is.
  var question: String
  var profile: QuestionProfile
  /// What is seen of each sentence by its words.
  var seen: [KeySentences.Features] = []
  /// How near each of these is by itself.
  var plain: [Int: Float] = [:]
  var judged = Judged()
  /// Best first.
  var ranked: [KeySentences.Ranked] = []
  var signals = Signals()
  /// What it insists on and nothing that was found has.
  var lacking: String?
  /// What it names and nothing that was found of the first sentence's document has: that may be about somebody else, or another month.
  var unsaid: String?

  var confidence: Double { Confidence.of(signals) }

  var finding: Finding {
    let curve = Confidence.curve(for: signals)
    if confidence < curve.near || lacking != nil { return .notThere }
    return confidence < curve.sure || unsaid != nil ? .probably : .found
  }

  /// Takes the sentences of each in turn, none twice; the best of each counts as much as the best of all. `best`: how many of the first
  /// are those.
  static func merged(_ asked: [Asked]) -> (ranked: [KeySentences.Ranked], best: Int) {
    let best = asked.compactMap(\.ranked.first?.score).max() ?? 0
    var taken: Set<Int> = []
    var merged: [KeySentences.Ranked] = []
    for rank in 0..<(asked.map(\.ranked.count).max() ?? 0) {
      for one in asked where rank < one.ranked.count && taken.insert(one.ranked[rank].candidate).inserted {
        var entry = one.ranked[rank]
        entry.score += best - one.ranked[0].score
        merged.append(entry)
      }
    }
    return (merged, Set(asked.compactMap(\.ranked.first?.candidate)).count)
  }

  private static let longestWords = 120

  /// The words that answer, by themselves, where the judge is sure of them and reads them out of the sentence that is quoted first.
  var short: String? {
    guard unsaid == nil, let words = judged.words, judged.areWordsSure, ranked.first?.candidate == words.candidate,
      words.text.utf8.count <= Self.longestWords,
      !words.text.contains(where: { "@<>{}`|".contains($0) }), !words.text.contains("://"),
      // What only repeats the question's words says nothing.
      !Set(Question.words(in: words.text)).isSubset(of: Question.words(in: question))
    else { return nil }
    return words.text
  }
}

/// A question that asks for several things, taken apart: each is looked up, read for and decided by itself.
enum QuestionParts {
  private static let most = 3
  /// "And when?" says too little to be looked up.
  private static let fewestWords = 3
  /// What is longer brings a text along, whose questions are not the person's.
  private static let longest = 600

  /// Nothing where it asks for one thing, or was completed from an earlier one.
  static func split(_ question: String) -> [String] {
    guard question.utf8.count <= longest, !question.contains(QuestionProfile.joint) else { return [] }
    let words = question.split(separator: " ")
    var parts: [String] = []
    var part: [Substring] = []
    func end() {
      parts.append(text(part).trimmingCharacters(in: CharacterSet(charactersIn: ",;")))
      part = []
    }
    for (place, word) in words.enumerated() {
      let rest = words[(place + 1)...]
      if isAnd(word), rest.count >= fewestWords, QuestionProfile.isQuestion(text(rest)), asks(part) {
        end()
        continue
      }
      part.append(word)
      if word.hasSuffix("?") || word.hasSuffix(";"), asks(part) { end() }
    }
    // What asks nothing says something of what stands beside it: "I stop paying; how soon is it gone?"
    if asks(part) { end() } else if !part.isEmpty, !parts.isEmpty { parts[parts.count - 1] += " " + text(part) }
    if parts.count > most { parts = parts.prefix(most - 1) + [parts[(most - 1)...].joined(separator: " ")] }
    return parts.count > 1 ? parts : []
  }

  private static func text(_ words: some Sequence<Substring>) -> String { words.joined(separator: " ") }

  private static func isAnd(_ word: Substring) -> Bool { word == "&" || WordList.and.contains(word.lowercased()) }

  private static func asks(_ words: [Substring]) -> Bool {
    words.count >= fewestWords && !Question(text(words)).words.isEmpty
      && text(words).split(whereSeparator: { ",;:.".contains($0) }).contains { QuestionProfile.isQuestion(String($0)) }
  }
}
