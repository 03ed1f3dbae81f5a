import Commands
import Core
import Foundation
import Retrieval
import Storage

/// A document taken apart for being worked through as a whole: sections, and in each the sentences that say most.
struct Sections: Sendable {
  struct Section: Sendable, Equatable {
    /// The headings above, the document's title left out.
    var heading: String
    /// Of `sentences`.
    var range: Range<Int>
    var bytes: Int
  }

  struct Sentence: Sendable, Equatable {
    /// Which of the chunks, and where in its text.
    var chunk: Int
    var range: Range<Int>
    var text: String
    var continues: Bool
    /// How much it says of its section, and of what was asked for.
    var weight = 0.0
    var focus = 0.0
  }

  let chunks: [Chunk]
  private(set) var sentences: [Sentence] = []
  private(set) var sections: [Section] = []

  /// A section longer than this is worked through in parts.
  static let longest = 6_000

  init(_ chunks: [Chunk], title: String, focus: QuestionProfile? = nil) {
    self.chunks = chunks
    let candidates = KeySentences.candidates(
      in: chunks.map(\.content.text), starts: chunks.map { ($0.document, $0.content.start) })
    sentences = candidates.map {
      Sentence(chunk: $0.passage, range: $0.range, text: $0.text, continues: $0.continues)
    }
    divide(title: title)
    let everywhere = Self.frequencies(sentences.map(\.text))
    for section in sections { weigh(section, everywhere, focus) }
  }

  private mutating func divide(title: String) {
    var heading = ""
    for (index, sentence) in sentences.enumerated() {
      let path = Self.path(chunks[sentence.chunk].content.heading, title: title)
      let isNew =
        sections.isEmpty || path != heading
        || chunks[sentence.chunk].document != chunks[sentences[index - 1].chunk].document
        || sections[sections.count - 1].bytes > Self.longest
      if isNew {
        sections.append(Section(heading: path, range: index..<index, bytes: 0))
        heading = path
      }
      sections[sections.count - 1].range = sections[sections.count - 1].range.lowerBound..<(index + 1)
      sections[sections.count - 1].bytes += sentence.range.count
    }
  }

  private static func path(_ heading: String, title: String) -> String {
    var parts = heading.components(separatedBy: " › ")
    if parts.first == title { parts.removeFirst() }
    return parts.prefix(2).joined(separator: " › ")
  }

  // MARK: What says most

  private static func stems(_ text: String) -> [String] {
    Question.words(in: text).filter { !WordList.stopWords.contains($0) && $0.count > 2 }.map(Relevance.stem)
  }

  private static func frequencies(_ texts: [String]) -> [String: Double] {
    var counts: [String: Double] = [:]
    for text in texts { for stem in Set(stems(text)) { counts[stem, default: 0] += 1 } }
    return counts
  }

  /// Words that are frequent in the section carry its matter; a sentence is worth what its words carry, for its length.
  private mutating func weigh(_ section: Section, _ everywhere: [String: Double], _ focus: QuestionProfile?) {
    let here = Self.frequencies(section.range.map { sentences[$0].text })
    let total = Double(max(1, sentences.count))
    for index in section.range {
      let text = sentences[index].text
      let stems = Set(Self.stems(text))
      let sum = stems.reduce(0) { $0 + log(1 + (here[$1] ?? 0)) * (1 + 0.3 * log(total / (everywhere[$1] ?? 1))) }
      var weight = sum / pow(6 + Double(stems.count), 0.8) / 1.6
      // What comes first in a section usually says what it is about.
      weight += 0.5 / Double(1 + index - section.range.lowerBound)
      let words = text.split(whereSeparator: \.isWhitespace).count
      if words < 6 || Quoting.isUnfinished(text) { weight -= 1.5 }
      if words > 30 { weight -= words > 45 ? 1.2 : 0.5 }
      if text.hasSuffix("?") { weight -= 0.5 }
      if text.hasSuffix(":") { weight -= 0.5 }
      if Quoting.pointsBack(text) { weight -= 0.3 }
      if KeySentences.isContents(text) || Instructions.addressesAnswer(text) { weight -= 4 }
      sentences[index].weight = weight
      sentences[index].focus = focus.map { $0.weights.isEmpty ? 0 : $0.coverage(stems) } ?? 0
    }
  }

  // MARK: Choosing

  /// The sentences of a summary, in the order of the document: the best of each section, the weightier sections where there are
  /// more than `limit`, nothing said twice.
  func points(atMost limit: Int) -> [Int] {
    let usable = sections.compactMap { section -> (index: Int, value: Double)? in
      guard let best = section.range.max(by: { value($0) < value($1) }), sentences[best].weight > -1 else { return nil }
      // Longer sections matter more, and the first says what all is about.
      let first: Double = section.range.lowerBound == 0 ? 1 : 0
      let size: Double = 0.25 * log(1 + Double(section.bytes) / 500)
      return (best, value(best) + size + first)
    }
    var chosen: [Int] = []
    var said: [Set<String>] = []
    func take(_ index: Int) {
      let stems = Set(Self.stems(sentences[index].text))
      let repeats = said.contains {
        Double($0.intersection(stems).count) > 0.6 * Double(max(1, min($0.count, stems.count)))
      }
      guard !repeats, !chosen.contains(index) else { return }
      said.append(stems)
      chosen.append(index)
    }
    for entry in usable.sorted(by: { $0.value > $1.value }) where chosen.count < limit { take(entry.index) }
    // A document with few sections gives more than one sentence of each.
    if chosen.count < limit {
      let rest = sentences.indices.filter { sentences[$0].weight > 0 }.sorted { value($0) > value($1) }
      for index in rest where chosen.count < limit { take(index) }
    }
    return chosen.sorted()
  }

  private func value(_ index: Int) -> Double { sentences[index].weight + 2.5 * sentences[index].focus }

  /// Every sentence that speaks of what is to be listed, in the order of the document.
  func mentions(of shape: ListedThings.Shape) -> [Int] {
    sentences.indices.filter { index in
      let sentence = sentences[index]
      guard !KeySentences.isContents(sentence.text), !Instructions.addressesAnswer(sentence.text) else { return false }
      return sentence.focus > 0 || shape.occurs(in: sentence.text)
    }
  }

  func section(of sentence: Int) -> Int { sections.firstIndex { $0.range.contains(sentence) } ?? 0 }
}

/// What "list all …" asks for.
enum ListedThings {
  enum Shape: Sendable, Equatable {
    case words, dates, amounts, addresses

    func occurs(in text: String) -> Bool {
      switch self {
      case .words: false
      case .dates: Facts.namesDate(text) || ListedThings.dates.contains { text.firstMatch(of: $0) != nil }
      case .amounts: ListedThings.amounts.contains { text.firstMatch(of: $0) != nil }
      case .addresses: text.contains("@") || text.contains("://") || text.contains("www.")
      }
    }
  }

  // Regular expressions are not Sendable; made once, never changed.
  nonisolated(unsafe) private static let dates: [Regex<Substring>] = [
    /\b\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b/, /\b\d{4}-\d{2}-\d{2}\b/, /\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/,
  ]
  nonisolated(unsafe) private static let amounts: [Regex<Substring>] = [
    /[$€£]\s?\d/, /(?i)\b\d[\d.,]*\s?(?:€|eur|euros?|dollars?|usd|gbp|pounds?|chf|percent|%)/,
  ]

  private static let kinds: [(words: QuestionWords, shape: Shape)] = [
    (.dates, .dates), (.amounts, .amounts), (.addresses, .addresses),
  ]

  static func shape(of question: String) -> Shape {
    let words = Question.words(in: question)
    return kinds.first { $0.words.isIn(words) }?.shape ?? .words
  }

  /// What remains of a question about a whole when the request and the document's name are taken out: what it is to be about.
  static func focus(of question: String, title: String) -> String {
    let name = Set(Question.words(in: title))
    return Question.words(in: question).filter {
      !WordList.stopWords.contains($0) && !QuestionWords.wholeRequests.contains($0) && !name.contains($0)
    }.joined(separator: " ")
  }
}
