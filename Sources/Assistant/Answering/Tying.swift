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
    /// Of a quotation: it is this sentence that answers.
    var answers = false

    var verdict: Support.Verdict? { if case .supported(let verdict) = result { verdict } else { nil } }
    var isUnsupported: Bool { if case .unsupported = result { true } else { false } }
  }

  let evidence: [Evidence.Item]
  let finder: Searcher?
  private(set) var sentences: [Checked] = []
  /// Sentences that only say what another is about: their citations come after those that answer.
  private var leads: Set<Int> = []
  private let candidates: [Support.Candidate]

  init(_ evidence: Evidence) {
    self.evidence = evidence.items
    finder = evidence.finder
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
    sentences += quote.sentences.enumerated().map { place, text in
      Checked(text: text, result: .supported(verdict), answers: place == quote.answering)
    }
  }

  /// As it is shown while the answer is written; indices are those of the evidence until `finish`.
  static func shown(_ checked: Checked) -> AnswerSentence {
    AnswerSentence(
      text: checked.text, support: checked.verdict.map { [$0.candidate] } ?? [], supported: checked.verdict != nil,
      answers: checked.answers ? true : nil)
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

/// What becomes of a written answer once all of it was checked.
enum Composition {
  /// The quotation that best stands in for a sentence nothing carries, of those not yet in the answer.
  static func substitute(for sentence: String, _ quotes: [Quote], used: [Quote]) -> Quote? {
    let words = Set(Question.words(in: sentence).filter { !WordList.stopWords.contains($0) }.map(Relevance.stem))
    func shared(_ quote: Quote) -> Int { words.intersection(Relevance.stems(in: quote.text)).count }
    return quotes.filter { !used.contains($0) }.max { shared($0) < shared($1) }
  }
}
