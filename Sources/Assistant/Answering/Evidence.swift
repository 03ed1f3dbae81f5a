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
    var ranked: [KeySentences.Ranked] = []
    var vectors: [Int: [Float]] = [:]
    /// What the document of each passage is called and begins with.
    var topics: [String] = []
    var judged = Judged()
  }

  var items: [Item] = []
  var finding = Finding.found
  var confidence: Double?
  /// What the question insists on and nothing that was found has.
  var lacking: String?
  var keys = Keys()
  var sought = QuestionProfile("")
  /// Where it asks for several things, each by itself.
  var parts: [QuestionProfile] = []
  var signals = Signals()
  /// What was looked up.
  var searched: [String] = []
  /// What was looked for instead of a word that stands nowhere, and what was left out.
  var notes: [DropNote] = []

  /// The passages. What they are worth is seen by `weigh`, after they have been shown.
  static func find(_ question: String, in scope: Scope, limits: Limits, house: any TurnHouse) async throws -> Evidence {
    var depth = limits.mode.value == .deep ? Depth.deep : .fast
    depth.passages = limits.passages.value
    depth.threshold = limits.threshold.value
    let finder = await house.finder()
    var evidence = Evidence()
    let whole = try await finder.search(question, depth: depth, scope: scope)
    (evidence.sought, evidence.searched) = (whole.sought, [question])
    var found = [whole]
    if limits.mode.value == .deep {
      for part in QuestionParts.split(question) {
        let more = try await finder.search(part, depth: depth, scope: scope)
        found.append(more)
        evidence.parts.append(more.sought)
        evidence.searched.append(part)
      }
    }
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

  /// How many sentences are compared by meaning: what a fraction of a second allows.
  private static func compared(_ mode: Mode) -> Int { mode == .deep ? 60 : 36 }

  /// Ranks the sentences and decides whether they answer. Where the device can bear no vectors words alone are compared.
  mutating func weigh(_ limits: Limits, in house: any TurnHouse) async throws {
    let (finder, meaning, mode) = (await house.finder(), limits.embedding.value, limits.mode.value)
    let texts = items.map(\.citation.text)
    keys.candidates = KeySentences.candidates(
      in: texts, starts: items.map { ($0.passage.document.id, $0.citation.start) })
    let contexts = KeySentences.contexts(of: keys.candidates, headings: items.map(\.passage.heading))
    let names = items.map(\.passage.document.calling)
    let openings = try await finder.openings(of: items.map(\.passage.document))
    keys.topics = zip(items, names).map { [$1, openings[$0.passage.document.id] ?? ""].joined(separator: "\n") }
    var plain: [Int: Float] = [:]
    func ranked(for sought: QuestionProfile) -> [KeySentences.Ranked] {
      KeySentences.rank(
        keys.candidates, for: sought, contexts: contexts, relevance: items.map(\.passage.relevance),
        topics: keys.topics,
        vectors: keys.vectors, plain: plain)
    }
    func ranked() -> [KeySentences.Ranked] {
      var whole = ranked(for: sought)
      // Each thing that was asked for has its best sentence among the first.
      for part in parts.reversed() {
        guard let best = ranked(for: part).first?.candidate, let score = whole.first?.score,
          let place = whole.firstIndex(where: { $0.candidate == best })
        else { continue }
        var entry = whole.remove(at: place)
        entry.score = score
        whole.insert(entry, at: 0)
      }
      return whole
    }
    keys.ranked = ranked()
    if meaning, sought.vector != nil {
      let chosen = keys.ranked.prefix(Self.compared(mode)).map(\.candidate)
      // Passages of one document share what is asked of it.
      let asked = names.map { QuestionProfile.less(searched[0], naming: $0) }
      let questions = Array(Set(asked))
      let texts =
        chosen.map { "\(contexts[$0]): \(keys.candidates[$0].text)" } + chosen.map { keys.candidates[$0].text }
      if let vectors = try await finder.vectors(of: texts + questions) {
        let wanted = Dictionary(uniqueKeysWithValues: zip(questions, vectors.suffix(questions.count)))
        keys.vectors = Dictionary(uniqueKeysWithValues: zip(chosen, vectors))
        for (index, vector) in zip(chosen, vectors.dropFirst(chosen.count)) {
          plain[index] = wanted[asked[keys.candidates[index].passage]].map { KeySentences.dot(vector, $0) }
        }
        keys.ranked = ranked()
      }
    }
    signals = Signals(keys.ranked, hasMeaning: !keys.vectors.isEmpty)
    if signals.hasMeaning, Confidence.of(signals) >= Confidence.far {
      try await judge(limits, house)
      signals.answers = keys.judged.answers
    }
    let (confidence, curve) = (Confidence.of(signals), Confidence.curve(for: signals))
    self.confidence = confidence
    lacking = lack()
    finding =
      confidence < curve.near || lacking != nil ? .notThere : confidence < curve.sure ? .probably : .found
  }

  /// Has the passages with the best sentences judged, where there is a judge.
  private mutating func judge(_ limits: Limits, _ house: any TurnHouse) async throws {
    let windows = JudgedWindow.windows(
      around: keys.ranked, keys.candidates, atMost: JudgePack.passages(limits.mode.value))
    let passages = windows.map {
      JudgeRequest.Passage(title: items[$0.passage].passage.document.title, sentences: $0.texts(keys.candidates))
    }
    keys.judged = Judged(try await house.judge(searched[0], passages, limits), of: windows, keys.candidates)
  }

  /// What the question insists on and neither the passages of the best sentences have nor what their documents are called and
  /// begin with: a year, a code, a name.
  private func lack() -> String? {
    let best = keys.ranked.prefix(Self.judged).map { keys.candidates[$0.candidate].passage }
    guard let first = best.first.map({ items[$0].passage.document.id }) else { return nil }
    func text(_ passages: Set<Int>) -> String {
      passages.sorted().map {
        [items[$0].citation.text, items[$0].passage.heading, keys.topics[$0]].joined(separator: "\n")
      }
      .joined(separator: "\n")
    }
    // What another document says of 2021 does not make this one's answer that of 2021.
    let own = Set(best.filter { items[$0].passage.document.id == first })
    return sought.demand.unmet(in: text(own), among: text(Set(items.indices)))
  }

  /// The passages of so many of the best sentences are looked at for what the question insists on.
  private static let judged = 4

  /// How the sentences were weighed, best first.
  var considered: [Ask.Considered] {
    keys.ranked.prefix(80).map { entry in
      Ask.Considered(
        passage: keys.candidates[entry.candidate].passage, text: keys.candidates[entry.candidate].text,
        score: entry.score, features: entry.features.named)
    }
  }

  /// The words that answer, by themselves, where the judge reads them out of the sentence that is quoted first.
  var short: String? {
    guard let words = keys.judged.words, keys.ranked.first?.candidate == words.candidate,
      words.text.utf8.count <= Self.longestWords,
      !words.text.contains(where: { "@<>{}`|".contains($0) }), !words.text.contains("://"),
      // What only repeats the question's words says nothing.
      !Set(Question.words(in: words.text)).isSubset(of: Question.words(in: searched.first ?? ""))
    else { return nil }
    return words.text
  }

  private static let longestWords = 120

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

/// A question that asks for several things, taken apart for looking up.
enum QuestionParts {
  private static let beginnings: Set<String> = [
    "what", "when", "where", "who", "which", "why", "how", "is", "are", "does", "do", "can", "must", "may", "should",
    "was", "were", "did", "was", "wer", "wann", "wo", "wie", "warum", "welche", "que", "quand", "où", "qui", "comment",
  ]

  /// Nothing where it asks for one thing.
  static func split(_ question: String) -> [String] {
    var parts: [String] = [""]
    let words = question.split(separator: " ")
    for (place, word) in words.enumerated() {
      let next = place + 1 < words.count ? Question.words(in: String(words[place + 1])).first ?? "" : ""
      let isJoint = ["and", "und", "et", "&"].contains(word.lowercased()) && beginnings.contains(next)
      if isJoint {
        parts.append("")
        continue
      }
      parts[parts.count - 1] += (parts[parts.count - 1].isEmpty ? "" : " ") + word
      if word.hasSuffix("?") || word.hasSuffix(";") { parts.append("") }
    }
    let telling = parts.filter { Question($0).words.count > 0 && $0.split(separator: " ").count > 2 }
    return telling.count > 1 ? Array(telling.prefix(3)) : []
  }
}
