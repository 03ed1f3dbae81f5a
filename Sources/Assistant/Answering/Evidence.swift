import Core
import Foundation
import Inference
import Resources
import Retrieval
import Storage

/// What the library holds on a question: passages to answer from, their sentences in the order in which they answer, and the
/// decision whether they answer at all.
struct Evidence: Sendable {
  struct Item: Sendable {
    var passage: Passage
    var citation: Citation
  }

  /// The sentences of the passages; ranges are bytes of the citation's text.
  struct Keys: Sendable {
    var candidates: [KeySentences.Candidate] = []
    /// Best first. Where several things are asked for, the first `best` of them are the best for one each.
    var ranked: [KeySentences.Ranked] = []
    var best = 1
    var vectors: [Int: [Float]] = [:]
    /// What each sentence stands under.
    var contexts: [String] = []
    /// What the document of each passage is called and begins with.
    var topics: [String] = []

    /// What belongs to some of the passages, which then have other numbers; their sentences stand as they stood.
    func keeping(_ passages: [Int: Int]) -> Keys {
      let kept = candidates.indices.filter { passages[candidates[$0].passage] != nil }
        .sorted { (passages[candidates[$0].passage]!, $0) < (passages[candidates[$1].passage]!, $1) }
      let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
      func moved<Value>(_ values: [Int: Value]) -> [Int: Value] {
        Dictionary(uniqueKeysWithValues: values.compactMap { old, value in places[old].map { ($0, value) } })
      }
      var keys = Keys()
      keys.candidates = kept.map {
        var candidate = candidates[$0]
        candidate.passage = passages[candidate.passage]!
        return candidate
      }
      keys.ranked = ranked.compactMap { entry in
        places[entry.candidate].map { KeySentences.Ranked(candidate: $0, score: entry.score, features: entry.features) }
      }
      keys.best = best
      (keys.vectors, keys.contexts) = (moved(vectors), kept.map { contexts[$0] })
      keys.topics = passages.sorted { $0.value < $1.value }.map { topics[$0.key] }
      return keys
    }
  }

  var items: [Item] = []
  var finding = Finding.found
  var confidence: Double?
  /// What the question insists on and nothing that was found has.
  var lacking: String?
  /// What it names and the first that is quoted does not.
  var unsaid: String?
  var keys = Keys()
  var profile = QuestionProfile("")
  /// The question, or each of its parts where it asks for several things.
  var asked: [Asked] = []
  var signals: [String: Double] = [:]
  /// The words that answer, by themselves, where there are such.
  var short: String?
  /// Of several things that are asked for, as the person said them, what nothing answers.
  var unanswered: [String] = []
  /// What was looked up, and by whom: vectors are compared with those of the same pack.
  var searched: [String] = []
  var finder: Searcher?
  /// What was looked for instead of a word that stands nowhere, and what was left out.
  var notes: [DropNote] = []

  /// The passages. What they are worth is seen by `weigh`, after they have been shown.
  static func find(_ question: String, in scope: Scope, limits: Limits, house: any TurnHouse) async throws -> Evidence {
    var depth = limits.mode.value == .deep ? Depth.deep : .fast
    depth.passages = limits.passages.value
    depth.threshold = limits.threshold.value
    let finder = await house.finder(for: question)
    var evidence = Evidence()
    evidence.finder = finder
    let whole = try await finder.search(question, depth: depth, scope: scope)
    (evidence.profile, evidence.searched) = (whole.profile, [question])
    var found = [whole]
    let parts = QuestionParts.split(question)
    for part in parts {
      let completed = part == parts[0] ? part : FollowUp.completed(part, after: [parts[0]]) ?? part
      let more = try await finder.search(completed, depth: depth, scope: scope)
      found.append(more)
      evidence.asked.append(Asked(said: part, question: more.meant, profile: more.profile))
      evidence.searched.append(completed)
    }
    if parts.isEmpty { evidence.asked = [Asked(said: question, question: whole.meant, profile: whole.profile)] }
    if found.allSatisfy(\.passages.isEmpty) {
      evidence.finding = .notThere
      (depth.threshold, depth.passages) = (0, 3)
      found = [try await finder.search(question, depth: depth, scope: scope)]
    }
    let citing = Citing(shelf: house.documents)
    for passage in merged(found.map(\.passages), atMost: depth.passages) {
      let place = CitationPlace(document: passage.document.id, range: passage.start..<passage.end)
      evidence.items.append(
        Item(
          passage: passage,
          citation: try await citing.citation(place, of: passage.document, score: passage.relevance)))
    }
    var citations = evidence.items.map(\.citation)
    Citing.tellApart(&citations)
    for (place, citation) in citations.enumerated() { evidence.items[place].citation = citation }
    for (word, instead) in whole.corrections.sorted(by: { $0.key < $1.key }) {
      evidence.notes.append(
        DropNote(
          what: "the word \"\(word)\"", reason: "it stands nowhere; \(instead.joined(separator: ", ")) was looked for"))
    }
    return evidence
  }

  /// Takes from each list in turn, each place once.
  static func merged(_ lists: [[Passage]], atMost limit: Int) -> [Passage] {
    var taken: [Passage] = []
    for rank in 0..<(lists.map(\.count).max() ?? 0) {
      for list in lists where rank < list.count && taken.count < limit {
        let next = list[rank]
        let known = taken.contains { $0.document.id == next.document.id && $0.start < next.end && next.start < $0.end }
        if !known { taken.append(next) }
      }
    }
    return taken
  }

  /// So many passages are shown and cited; more are weighed.
  static let shown = 8

  /// Keeps the passages of the best sentences, best first.
  mutating func keepBest() {
    var order: [Int] = []
    for entry in keys.ranked {
      let passage = keys.candidates[entry.candidate].passage
      if order.count < Self.shown, !order.contains(passage) { order.append(passage) }
    }
    let passages = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    items = order.map { items[$0] }
    keys = keys.keeping(passages)
  }

  /// How the sentences were weighed, best first.
  var considered: [Ask.Considered] {
    keys.ranked.prefix(200).map { entry in
      Ask.Considered(
        passage: keys.candidates[entry.candidate].passage, text: keys.candidates[entry.candidate].text,
        score: entry.score, features: entry.features.named)
    }
  }

  /// Keeps the best passages that fit a budget of tokens.
  static func fitting(_ counts: [Int], _ budget: Int) -> [Int] {
    var used = 0
    var kept: [Int] = []
    for (index, count) in counts.enumerated() {
      // One always stays: an answer from a part of the evidence beats none.
      if used + count <= budget || kept.isEmpty {
        kept.append(index)
        used += count
      }
    }
    return kept
  }

  /// The best sentences, those of one passage together.
  var best: [Prompt.Evidence] {
    let chosen = keys.ranked.filter { $0.features.instructs == 0 && $0.features.contents == 0 }.prefix(6)
      .map { keys.candidates[$0.candidate] }
    var order: [Int] = []
    for passage in chosen.map(\.passage) where !order.contains(passage) { order.append(passage) }
    return order.map { passage in
      Prompt.Evidence(
        label: items[passage].citation.title,
        text: chosen.filter { $0.passage == passage }.map(\.text).joined(separator: " "))
    }
  }

  /// Every passage whole, as a model is shown them.
  var whole: [Prompt.Evidence] { items.map { Prompt.Evidence(label: $0.citation.label, text: $0.citation.text) } }
}

extension StoredDocument {
  /// Its title and the name of its file: what it is about, as far as its names say.
  var calling: String { title + " " + ((name as NSString).lastPathComponent as NSString).deletingPathExtension }
}
