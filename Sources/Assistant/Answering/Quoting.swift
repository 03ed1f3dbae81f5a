import Core
import Foundation
import Retrieval

/// A stretch of a passage in its own words: the sentence that answers, with what is needed to understand it.
struct Quote: Sendable, Equatable {
  /// Which of the evidence.
  var item: Int
  /// UTF-8 bytes of the citation's text.
  var range: Range<Int>
  /// Its sentences, on one line each.
  var sentences: [String]
  /// Whether each begins a line of its own.
  var breaks: [Bool]
  /// Only says what the next one is about.
  var isLead = false
  /// Which of the sentences answers, where it is the best one found; the others are what stands beside it.
  var answering: Int?

  var text: String {
    zip(sentences, breaks).enumerated().map { index, part in
      (index == 0 ? "" : part.1 ? "\n" : " ") + part.0
    }.joined()
  }
}

/// Chooses what to quote. The answer without a model, and the one that stands behind what a model writes.
enum Quoting {
  struct Bounds: Sendable {
    var quotes: Int
    /// UTF-8 bytes of one quotation.
    var longest: Int
    /// How far below the best a further sentence may score.
    var gap: Double

    static let fast = Bounds(quotes: 3, longest: 420, gap: 1.5)
    static let deep = Bounds(quotes: 5, longest: 800, gap: 2.6)
  }

  /// What a part of the question that is not yet answered weighs, beside the scores of sentences.
  private static let rest = 3.0

  /// Best first; none twice. What a sentence hangs on stands before it, as a quotation of its own where it is not next to it.
  static func quotes(from keys: Evidence.Keys, for profile: QuestionProfile, _ bounds: Bounds) -> [Quote] {
    var waiting = keys.ranked.filter { $0.features.instructs == 0 && $0.features.contents == 0 }
    let barred = Set(keys.ranked.map(\.candidate)).subtracting(waiting.map(\.candidate))
    guard let best = waiting.first else { return [] }
    let bests = Set(waiting.prefix(keys.best).map(\.candidate))
    let stems = keys.candidates.map { Relevance.stems(in: $0.text) }
    var used: Set<Int> = []
    var held: Set<String> = []
    var said: Set<String> = []
    var quotes: [Quote] = []
    var chosen = 0
    /// A further sentence counts for more if it says what the others leave open.
    func worth(_ entry: KeySentences.Ranked) -> Double {
      entry.score + (chosen == 0 ? 0 : Self.rest * profile.coverage(stems[entry.candidate].subtracting(held)))
    }
    while chosen < bounds.quotes, let place = waiting.indices.min(by: { worth(waiting[$0]) > worth(waiting[$1]) }) {
      let entry = waiting.remove(at: place)
      guard worth(entry) >= best.score - bounds.gap else { break }
      let span = span(around: entry.candidate, keys.candidates, profile, longest: bounds.longest, barred: barred)
      guard used.isDisjoint(with: span) else { continue }
      let lead = lead(of: span, keys.candidates)
      // Another document that says the very same adds nothing.
      let whole = ([lead].compactMap(\.self) + span).map { keys.candidates[$0].text.onOneLine }
      guard said.insert(whole.joined(separator: "\n")).inserted else { continue }
      used.formUnion(span)
      for index in span { held.formUnion(stems[index]) }
      let isBest = bests.contains(entry.candidate)
      chosen += 1
      if let lead, used.insert(lead).inserted {
        var above = quote(lead...lead, keys.candidates)
        above.isLead = true
        quotes.append(above)
      }
      var quoted = quote(span, keys.candidates)
      if isBest, span.count > 1 || keys.best > 1 { quoted.answering = entry.candidate - span.lowerBound }
      quotes.append(quoted)
    }
    return quotes
  }

  /// What says whom or what a sentence is about, where it does not say it itself: the line above a list, the first row of a table, or
  /// the beginning of the paragraph.
  static func lead(of span: ClosedRange<Int>, _ candidates: [KeySentences.Candidate]) -> Int? {
    let start = span.lowerBound
    let passage = candidates[start].passage
    if KeySentences.isListed(candidates[start].text) {
      for place in stride(from: start - 1, through: max(0, start - 24), by: -1)
      where candidates[place].passage == passage {
        if candidates[place].text.hasSuffix(":") || KeySentences.isHeading(candidates[place]) {
          return candidates[place].text.utf8.count < 160 ? place : nil
        }
      }
      return nil
    }
    if isRow(candidates[start].text) {
      var header = start
      while header > 0, candidates[header - 1].passage == passage, isRow(candidates[header - 1].text) { header -= 1 }
      return header < start && candidates[header].text.utf8.count <= 240 ? header : nil
    }
    guard pointsBack(candidates[start].text) else { return nil }
    let first = KeySentences.first(of: start, candidates)
    return first < start && start - first <= 8 && !pointsBack(candidates[first].text)
      && candidates[first].text.utf8.count <= 240 ? first : nil
  }

  /// Of a table whose first row says what the others hold.
  private static func isRow(_ text: String) -> Bool { text.contains(" | ") }

  static func quote(_ span: ClosedRange<Int>, _ candidates: [KeySentences.Candidate]) -> Quote {
    let parts = candidates[span]
    return Quote(
      item: parts[span.lowerBound].passage,
      range: parts[span.lowerBound].range.lowerBound..<parts[span.upperBound].range.upperBound,
      sentences: parts.map(\.text.onOneLine),
      breaks: parts.map { !$0.continues })
  }

  /// So much a quotation says at least where its paragraph has so much: about two sentences. What stands before the sentence that
  /// answers keeps a person waiting for it, so only a few words are taken from there.
  private static let least = 240, leastAbove = 100

  /// The sentence, the one it points back to, what it announces, and its neighbours where it is short.
  static func span(
    around index: Int, _ candidates: [KeySentences.Candidate], _ profile: QuestionProfile, longest: Int,
    barred: Set<Int> = []
  ) -> ClosedRange<Int> {
    let passage = candidates[index].passage
    var (lower, upper) = (index, index)
    func length(_ from: Int, _ to: Int) -> Int { candidates[to].range.upperBound - candidates[from].range.lowerBound }
    func has(_ place: Int) -> Bool {
      candidates.indices.contains(place) && candidates[place].passage == passage && !barred.contains(place)
        && !Instructions.addressesAnswer(candidates[place].text) && !KeySentences.isContents(candidates[place].text)
    }
    func stems(_ place: Int) -> Set<String> {
      Relevance.stems(in: candidates[place].text).intersection(profile.weights.keys)
    }
    if pointsBack(candidates[index].text), has(index - 1), candidates[index].continues,
      length(index - 1, index) <= longest
    {
      lower -= 1
    }
    // An entry that says nothing of the question itself was found by what stands above all of its list.
    func isBeside(_ place: Int) -> Bool { has(place) && KeySentences.isListed(candidates[place].text) }
    if isBeside(index), stems(index).isEmpty {
      while isBeside(lower - 1), length(lower - 1, upper) <= longest { lower -= 1 }
      while isBeside(upper + 1), length(lower, upper + 1) <= longest { upper += 1 }
    }
    var items = 0
    while has(upper + 1), length(lower, upper + 1) <= longest {
      let announces = candidates[upper].text.hasSuffix(":") || items > 0 && items < 8 && isItem(candidates[upper + 1])
      let unfinished = items == 0 && isUnfinished(candidates[upper].text)
      let goesOn = upper > index && isBeside(upper) && isBeside(upper + 1)
      guard announces || unfinished || goesOn else { break }
      if announces { items += 1 }
      upper += 1
    }
    // One short sentence seldom says all: the rest of what is meant often stands beside it, in other words than the question's.
    while length(lower, upper) < least {
      let grown = (lower, upper)
      if has(upper + 1), candidates[upper + 1].continues, length(lower, upper + 1) <= longest { upper += 1 }
      if length(lower, upper) < leastAbove, candidates[lower].continues, has(lower - 1),
        length(lower - 1, upper) <= longest
      {
        lower -= 1
      }
      if grown == (lower, upper) { break }
    }
    return lower...upper
  }

  private static func isItem(_ candidate: KeySentences.Candidate) -> Bool { !candidate.continues }

  /// Begins with a word that stands for something said before.
  static func pointsBack(_ text: String) -> Bool {
    WordList.pointingBack.contains(text.prefix { $0.isLetter }.lowercased())
  }

  /// A heading or the beginning of something: by itself it says nothing.
  static func isUnfinished(_ text: String) -> Bool {
    guard let last = text.last else { return true }
    if text.contains("|") || text.contains(": ") { return false }
    return !".!?;)\"”»".contains(last) && text.split(whereSeparator: \.isWhitespace).count < 10
  }
}
