import Core
import Foundation
import Resources
import Retrieval
import Storage

/// What the library holds on a question: passages to answer from, or the nearest ones and the decision to abstain.
struct Evidence: Sendable {
  struct Item: Sendable {
    var passage: Passage
    var citation: Citation
  }

  var items: [Item] = []
  var abstains = false
  /// What was looked for instead of a word that stands nowhere.
  var notes: [DropNote] = []

  static func find(
    _ question: String, in collection: String?, limits: Limits, house: House
  ) async throws -> Evidence {
    var depth = limits.mode.value == .deep ? Depth.deep : .fast
    depth.passages = limits.passages.value
    depth.threshold = limits.threshold.value
    let scope: Scope = collection.map { .collections([$0]) } ?? .everything
    let finder = await house.finder()
    var found = try await finder.search(question, depth: depth, scope: scope)
    var evidence = Evidence()
    if case .abstain = Abstention.decide(found.signals) { evidence.abstains = true }
    if found.passages.isEmpty || evidence.abstains {
      evidence.abstains = true
      depth.threshold = 0
      depth.passages = 3
      found = try await finder.search(question, depth: depth, scope: scope)
    }
    let citing = Citing(shelf: house.vault.documents)
    for passage in found.passages {
      let place = CitationPlace(document: passage.document.id, range: passage.start..<passage.end)
      evidence.items.append(
        Item(
          passage: passage,
          citation: try await citing.citation(place, of: passage.document, score: passage.relevance)))
    }
    for (word, instead) in found.corrections.sorted(by: { $0.key < $1.key }) {
      evidence.notes.append(
        DropNote(
          what: "the word \"\(word)\"", reason: "it stands nowhere; \(instead.joined(separator: ", ")) was looked for"))
    }
    return evidence
  }

  /// Keeps the best passages that fit a budget of tokens; what had to go is named.
  mutating func fit(_ budget: Int, counts: [Int], reason: String) {
    var used = 0
    var kept: [Item] = []
    for (item, count) in zip(items, counts) {
      // One passage always stays: an answer from a part of the evidence beats none.
      if used + count <= budget || kept.isEmpty {
        kept.append(item)
        used += count
      }
    }
    let dropped = items.count - kept.count
    if dropped > 0 {
      notes.append(DropNote(what: dropped == 1 ? "one passage" : "\(dropped) passages", reason: reason))
    }
    items = kept
  }
}

/// Ties the sentences of an answer to the evidence, and narrows each citation to the words that carry it.
struct Tying: Sendable {
  let evidence: [Evidence.Item]
  private(set) var sentences: [AnswerSentence] = []
  private var verdicts: [Support.Verdict?] = []
  private var saysNothing: [Bool] = []
  private let candidates: [Support.Candidate]

  init(_ evidence: [Evidence.Item]) {
    self.evidence = evidence
    candidates = evidence.enumerated().map { Support.Candidate(id: $0.offset, text: $0.element.citation.text) }
  }

  /// The sentence with its support; indices are those of the evidence until `finish`.
  mutating func add(_ sentence: String) -> AnswerSentence {
    let result: AnswerSentence
    switch Support.check(sentence, against: candidates) {
    case .supported(let verdict):
      result = AnswerSentence(text: sentence, support: [verdict.candidate], supported: true)
      verdicts.append(verdict)
      saysNothing.append(false)
    case .unsupported:
      result = AnswerSentence(text: sentence, support: [], supported: false)
      verdicts.append(nil)
      saysNothing.append(false)
    case .nothingToSupport:
      result = AnswerSentence(text: sentence, support: [], supported: false)
      verdicts.append(nil)
      saysNothing.append(true)
    }
    sentences.append(result)
    return result
  }

  var anySupported: Bool { verdicts.contains { $0 != nil } }

  /// Final sentences and citations: what carries a sentence first, in the order of the answer, then what was consulted besides.
  func finish(_ citing: Citing) async throws -> (sentences: [AnswerSentence], citations: [Citation]) {
    var final = sentences
    var citations: [Citation] = []
    var used: Set<Int> = []
    for (index, verdict) in verdicts.enumerated() {
      guard let verdict else { continue }
      let item = evidence[verdict.candidate]
      used.insert(verdict.candidate)
      let start = item.citation.start + verdict.range.lowerBound
      let place = CitationPlace(
        document: item.passage.document.id, range: start..<(start + verdict.range.count))
      if let known = citations.firstIndex(where: { $0.id == place.id }) {
        final[index].support = [known]
      } else {
        citations.append(try await citing.citation(place, of: item.passage.document, score: item.passage.relevance))
        final[index].support = [citations.count - 1]
      }
    }
    // "Yes." rests on what its neighbour rests on.
    for index in final.indices where saysNothing[index] {
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

/// The provider without a model: the sentences of the evidence that say most about the question, in their own words.
enum Extractive {
  static func sentences(for question: String, from evidence: [Evidence.Item], atMost limit: Int) -> [String] {
    let wanted = Set(Question(question).words.map(Relevance.stem))
    var scored: [(text: String, place: Int, score: Double)] = []
    for (place, item) in evidence.enumerated() {
      for sentence in Sentences.split(item.citation.text) where sentence.utf8.count >= 12 {
        let words = Set(Question.words(in: sentence).map(Relevance.stem))
        let shared = Double(words.intersection(wanted).count) / Double(max(1, wanted.count))
        scored.append((sentence, scored.count, shared + 0.3 * item.passage.relevance - 0.02 * Double(place)))
      }
    }
    let best = scored.sorted { $0.score > $1.score }.prefix(limit)
    return best.sorted { $0.place < $1.place }.map(\.text)
  }
}
