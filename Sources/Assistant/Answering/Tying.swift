import Core
import Foundation
import Retrieval
import Storage

/// Ties the sentences of an answer to the evidence, and narrows each citation to the words that carry it, with what stands around them.
struct Tying: Sendable {
  /// One sentence and what was found on it.
  struct Checked: Sendable, Equatable {
    var text: String
    var result: Support.Result

    var verdict: Support.Verdict? { if case .supported(let verdict) = result { verdict } else { nil } }
    var isUnsupported: Bool { if case .unsupported = result { true } else { false } }
  }

  let evidence: [Evidence.Item]
  private(set) var sentences: [Checked] = []
  /// Sentences that only say what another is about: their citations come after those that answer.
  private var leads: Set<Int> = []
  private let candidates: [Support.Candidate]

  init(_ evidence: Evidence) {
    self.evidence = evidence.items
    candidates = evidence.items.indices.map { item in
      // In the order of `KeySentences.pieces`; a place that another passage holds too has its vector there.
      let known = evidence.keys.candidates.indices.filter { evidence.keys.candidates[$0].passage == item }
      let vectors = Dictionary(
        known.map { (evidence.keys.candidates[$0].range, evidence.keys.vectors[$0] ?? []) },
        uniquingKeysWith: { first, _ in first })
      let text = evidence.items[item].citation.text
      return Support.Candidate(
        id: item, text: text, vectors: KeySentences.pieces(of: text).map { vectors[$0] ?? [] })
    }
  }

  /// Of an answer that consists of these parts.
  init(_ evidence: Evidence, of parts: [AnswerPart]) {
    self.init(evidence)
    for part in parts {
      switch part {
      case .written(let sentence): sentences.append(sentence)
      case .quoted(let quote): keep(quote)
      }
    }
  }

  func check(_ sentence: String, vector: [Float]? = nil) -> Checked {
    Checked(text: sentence, result: Support.check(sentence, vector: vector, against: candidates))
  }

  /// A quotation rests on itself: all its sentences on the one place.
  private mutating func keep(_ quote: Quote) {
    let verdict = Support.Verdict(candidate: quote.item, range: quote.range, score: 1)
    if quote.isLead { leads.formUnion(sentences.count..<sentences.count + quote.sentences.count) }
    sentences += quote.sentences.map { Checked(text: $0, result: .supported(verdict)) }
  }

  /// As it is shown while the answer is written; indices are those of the evidence until `finish`.
  static func shown(_ checked: Checked) -> AnswerSentence {
    AnswerSentence(
      text: checked.text, support: checked.verdict.map { [$0.candidate] } ?? [], supported: checked.verdict != nil)
  }

  /// Final sentences and citations: what carries a sentence first, in the order of the answer, then what was consulted besides.
  func finish(_ citing: Citing) async throws -> (sentences: [AnswerSentence], citations: [Citation]) {
    var final = sentences.map(Self.shown)
    var citations: [Citation] = []
    var used: Set<Int> = []
    let order = sentences.indices.filter { !leads.contains($0) } + leads.sorted()
    for index in order {
      guard let verdict = sentences[index].verdict else { continue }
      let item = evidence[verdict.candidate]
      used.insert(verdict.candidate)
      let start = item.citation.start + verdict.range.lowerBound
      let place = CitationPlace(document: item.passage.document.id, range: start..<(start + verdict.range.count))
      if let known = citations.firstIndex(where: { $0.id == place.id }) {
        final[index].support = [known]
      } else {
        citations.append(
          try await citing.citation(
            place, of: item.passage.document, score: item.passage.relevance, widely: true))
        final[index].support = [citations.count - 1]
      }
    }
    // "Yes." rests on what its neighbour rests on.
    for index in final.indices where sentences[index].result == .nothingToSupport {
      let neighbours = [index + 1, index - 1].filter(final.indices.contains)
      if let near = neighbours.first(where: { !final[$0].support.isEmpty }) {
        final[index].support = final[near].support
        final[index].supported = true
      }
    }
    citations += evidence.enumerated().filter { !used.contains($0.offset) }.map(\.element.citation)
    return (final, citations)
  }
}

/// What a pack may add to the documents' own words. It is held to the sentences that answer best; only one of many parameters may
/// say more, and what nothing carries is marked.
struct Gate: Sendable {
  /// From so many parameters on a pack tells what a whole document says.
  static let summaries: Int64 = 1_000_000_000
  /// From so many on its own words may stand. One of 1.5 billion invents an answer to nearly every question that has none, of
  /// words that are all in the passages (Benchmarks/answers.md).
  static let ownWords: Int64 = 4_000_000_000

  let isStrict: Bool
  private let sought: Sought
  private let keys: Evidence.Keys
  /// What stands above each passage: headings, and what its document is called and begins with.
  private let above: [String]
  private let places: [Int: [Range<Int>]]

  init(_ evidence: Evidence, isStrict: Bool) {
    self.isStrict = isStrict && !evidence.items.isEmpty
    (sought, keys) = (evidence.sought, evidence.keys)
    above = evidence.items.indices.map { item in
      [evidence.items[item].passage.heading, item < evidence.keys.topics.count ? evidence.keys.topics[item] : ""]
        .joined(separator: "\n")
    }
    var places: [Int: [Range<Int>]] = [:]
    for entry in keys.ranked.prefix(4) where entry.features.instructs == 0 && entry.features.contents == 0 {
      let candidate = keys.candidates[entry.candidate]
      places[candidate.passage, default: []].append(candidate.range)
    }
    self.places = places
  }

  /// `isFirst` where nothing else was written that passed: the first sentence must hold the kind of thing that is asked for.
  func passes(_ checked: Tying.Checked, isFirst: Bool) -> Bool {
    guard isStrict else { return true }
    guard let verdict = checked.verdict, !Instructions.addressesAnswer(checked.text) else { return false }
    guard !isFirst || sought.isMeasured(in: checked.text) else { return false }
    return places[verdict.candidate, default: []].contains { $0.overlaps(verdict.range) }
      && sought.isBorneOut(checked.text, by: around(verdict))
  }

  /// The words that carry a sentence, with those that stand around them and above.
  private func around(_ verdict: Support.Verdict) -> String {
    let carrying = keys.candidates.indices.filter {
      keys.candidates[$0].passage == verdict.candidate && keys.candidates[$0].range.overlaps(verdict.range)
    }
    guard let first = carrying.first, let last = carrying.last else { return "" }
    let texts = keys.candidates[first...last].map(\.text)
    return (texts + [above[verdict.candidate]]).joined(separator: " ")
  }
}

/// What becomes of a written answer once all of it was checked.
enum Composition {
  /// The quotation that has to stand behind what was written, with what it hangs on: the best one, unless something written
  /// rests on its words and says them.
  static func missing(_ written: [Tying.Checked], _ quotes: [Quote]) -> [Quote] {
    guard let place = quotes.firstIndex(where: { !$0.isLead }) else { return [] }
    let best = quotes[place]
    let covered = written.contains { checked in
      guard let verdict = checked.verdict else { return false }
      return verdict.candidate == best.item && verdict.range.overlaps(best.range) && Self.says(checked.text, best)
    }
    return covered ? [] : Array(quotes[0...place])
  }

  /// Whether a sentence says nearly all that the quotation says.
  private static func says(_ text: String, _ quote: Quote) -> Bool {
    let said = Set(Question.words(in: text).map(Relevance.stem))
    let words = Question.words(in: quote.text).filter { !StopWords.all.contains($0) }.map(Relevance.stem)
    guard !words.isEmpty else { return true }
    return Double(words.count(where: said.contains)) / Double(words.count) >= 0.8
  }

  /// The quotation that best stands in for a sentence nothing carries, of those not yet in the answer.
  static func substitute(for sentence: String, _ quotes: [Quote], used: [Quote]) -> Quote? {
    let words = Set(Question.words(in: sentence).filter { !StopWords.all.contains($0) }.map(Relevance.stem))
    func shared(_ quote: Quote) -> Int { words.intersection(Question.words(in: quote.text).map(Relevance.stem)).count }
    return quotes.filter { !used.contains($0) }.max { shared($0) < shared($1) }
  }
}
