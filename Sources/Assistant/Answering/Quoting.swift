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

    static let fast = Bounds(quotes: 2, longest: 420, gap: 0.9)
    static let deep = Bounds(quotes: 4, longest: 800, gap: 1.5)
  }

  /// Best first; none twice.
  static func quotes(from keys: Evidence.Keys, _ bounds: Bounds) -> [Quote] {
    let usable = keys.ranked.filter { $0.features.instructs == 0 && $0.features.contents == 0 }
    guard let best = usable.first else { return [] }
    var used: Set<Int> = []
    var quotes: [Quote] = []
    for entry in usable where quotes.count < bounds.quotes {
      guard entry.score >= best.score - bounds.gap else { break }
      // A heading leads to what it stands above; by itself it says nothing.
      let span = span(around: entry.candidate, keys.candidates, longest: bounds.longest)
      guard used.isDisjoint(with: span) else { continue }
      used.formUnion(span)
      quotes.append(quote(span, keys.candidates))
    }
    return quotes
  }

  static func quote(_ span: ClosedRange<Int>, _ candidates: [KeySentences.Candidate]) -> Quote {
    let parts = candidates[span]
    return Quote(
      item: parts[span.lowerBound].passage,
      range: parts[span.lowerBound].range.lowerBound..<parts[span.upperBound].range.upperBound,
      sentences: parts.map { $0.text.split(whereSeparator: \.isWhitespace).joined(separator: " ") },
      breaks: parts.map { !$0.continues })
  }

  /// The sentence, the one it points back to, and what it announces.
  static func span(around index: Int, _ candidates: [KeySentences.Candidate], longest: Int) -> ClosedRange<Int> {
    let passage = candidates[index].passage
    var (lower, upper) = (index, index)
    func length(_ from: Int, _ to: Int) -> Int { candidates[to].range.upperBound - candidates[from].range.lowerBound }
    func has(_ place: Int) -> Bool {
      candidates.indices.contains(place) && candidates[place].passage == passage
        && !Instructions.addressesAnswer(candidates[place].text)
    }
    if pointsBack(candidates[index].text), has(index - 1), candidates[index].continues,
      length(index - 1, index) <= longest
    {
      lower -= 1
    }
    var items = 0
    while has(upper + 1), length(lower, upper + 1) <= longest {
      let announces = candidates[upper].text.hasSuffix(":") || items > 0 && items < 8 && isItem(candidates[upper + 1])
      let unfinished = items == 0 && isUnfinished(candidates[upper].text)
      guard announces || unfinished else { break }
      if announces { items += 1 }
      upper += 1
    }
    return lower...upper
  }

  private static func isItem(_ candidate: KeySentences.Candidate) -> Bool { !candidate.continues }

  /// Begins with a word that stands for something said before.
  static func pointsBack(_ text: String) -> Bool {
    let first = text.prefix { $0.isLetter }.lowercased()
    return [
      "it", "its", "this", "that", "these", "those", "they", "their", "he", "she", "such", "however", "therefore",
      "thus", "otherwise", "er", "sie", "es", "dies", "diese", "dieser", "il", "elle", "ils", "cela", "ce",
    ].contains(first)
  }

  /// A heading or the beginning of something: by itself it says nothing.
  static func isUnfinished(_ text: String) -> Bool {
    guard let last = text.last else { return true }
    if text.contains("|") || text.contains(": ") { return false }
    return !".!?;)\"”»".contains(last) && text.split(whereSeparator: \.isWhitespace).count < 10
  }
}
