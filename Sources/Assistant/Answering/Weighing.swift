import Core
import Foundation
import Inference
import Resources
import Retrieval
import Storage

/// What the sentences of the found passages are worth: by their words, then by their meaning, then by what the judge reads, each as
/// far as the device bears it and there is time.
extension Evidence {
  /// Ranks the sentences and decides whether they answer.
  mutating func weigh(_ limits: Limits, in house: any TurnHouse) async throws {
    guard let finder else { return }  // nothing was looked up
    try await takeApart(finder)
    see()
    rank()
    let began = ContinuousClock.now
    if limits.embedding.value, profile.vector != nil { try await compare(limits.mode.value, finder) }
    let left = Self.comparing(limits.mode.value) - (ContinuousClock.now - began).seconds
    signals = Signals(keys.ranked, hasMeaning: !keys.vectors.isEmpty)
    if signals.hasMeaning, Confidence.of(signals) >= Confidence.far {
      try await judge(limits, house, seconds: JudgePack.seconds(limits.mode.value) + max(0, left))
    }
    let (confidence, curve) = (Confidence.of(signals), Confidence.curve(for: signals))
    self.confidence = confidence
    lacking = lack()
    finding =
      confidence < curve.near || lacking != nil ? .notThere : confidence < curve.sure ? .probably : .found
  }

  private mutating func takeApart(_ finder: Searcher) async throws {
    keys.candidates = KeySentences.candidates(
      in: items.map(\.citation.text), starts: items.map { ($0.passage.document.id, $0.citation.start) })
    keys.contexts = KeySentences.contexts(of: keys.candidates, headings: items.map(\.passage.heading))
    let openings = try await finder.openings(of: items.map(\.passage.document))
    keys.topics = items.map {
      [$0.passage.document.calling, openings[$0.passage.document.id] ?? ""].joined(separator: "\n")
    }
  }

  // MARK: In which order

  /// What the words tell, of the question and of each of its parts.
  private mutating func see() {
    let words = SentenceWords(
      keys.candidates, contexts: keys.contexts, relevance: items.map(\.passage.relevance), topics: keys.topics)
    keys.seen = ([profile] + parts).map(words.features)
  }

  private mutating func rank(by weights: KeySentences.Weights? = nil) {
    keys.ranked = ranked(keys.seen[0], profile, weights)
    // Each thing that was asked for has its best sentence among the first.
    for (part, features) in zip(parts, keys.seen.dropFirst()).reversed() {
      guard let best = ranked(features, part, weights).first?.candidate, let score = keys.ranked.first?.score,
        let place = keys.ranked.firstIndex(where: { $0.candidate == best })
      else { continue }
      var entry = keys.ranked.remove(at: place)
      entry.score = score
      keys.ranked.insert(entry, at: 0)
    }
  }

  private func ranked(
    _ seen: [KeySentences.Features], _ profile: QuestionProfile, _ weights: KeySentences.Weights?
  ) -> [KeySentences.Ranked] {
    KeySentences.rank(
      seen, wanted: profile.vector, vectors: keys.vectors, plain: keys.plain, answers: keys.judged.sentences,
      by: weights, cosineWorth: finder?.cosineWorth ?? 1)
  }

  // MARK: By meaning

  /// So many sentences are compared by meaning at most, for about so many seconds.
  private static func mostCompared(_ mode: Mode) -> Int { mode == .deep ? 144 : 96 }
  private static func comparing(_ mode: Mode) -> Double { mode == .deep ? 0.8 : 0.25 }
  private static let comparedAtOnce = 24

  /// First with what they stand under, in the order that the words give; then the best of these alone. How many there is time for is
  /// seen while they are compared: it goes by the device and by what else is going on.
  private mutating func compare(_ mode: Mode, _ finder: Searcher) async throws {
    let began = ContinuousClock.now
    func isTime() -> Bool { (ContinuousClock.now - began).seconds < Self.comparing(mode) }
    // Passages of one document share what is asked of it.
    let asked = items.map { QuestionProfile.less(searched[0], naming: $0.passage.document.calling) }
    let questions = Array(Set(asked + searched))
    guard let vectors = try await finder.vectors(asking: questions) else { return }
    let wanted = Dictionary(uniqueKeysWithValues: zip(questions, vectors))
    profile.vector = wanted[searched[0]] ?? profile.vector
    for (part, text) in zip(parts.indices, searched.dropFirst()) {
      parts[part].vector = wanted[text] ?? parts[part].vector
    }

    var waiting = keys.ranked.prefix(Self.mostCompared(mode)).map(\.candidate)[...]
    while !waiting.isEmpty, keys.vectors.isEmpty || isTime() {
      let some = waiting.prefix(Self.comparedAtOnce)
      waiting = waiting.dropFirst(some.count)
      let texts = some.map { "\(keys.contexts[$0]): \(keys.candidates[$0].text)" }
      for (index, vector) in zip(some, try await finder.vectors(of: texts) ?? []) { keys.vectors[index] = vector }
    }
    rank()
    waiting = keys.ranked.map(\.candidate).filter { keys.vectors[$0] != nil }[...]
    while !waiting.isEmpty, keys.plain.isEmpty || isTime() {
      let some = waiting.prefix(Self.comparedAtOnce)
      waiting = waiting.dropFirst(some.count)
      for (index, vector) in zip(some, try await finder.vectors(of: some.map { keys.candidates[$0].text }) ?? []) {
        keys.plain[index] = wanted[asked[keys.candidates[index].passage]].map { KeySentences.dot(vector, $0) }
      }
    }
    rank()
  }

  // MARK: By reading

  /// Has the stretches around the best sentences judged, where there is a judge. What comparing has left of its time it has as well:
  /// where the sentences are those of an earlier question it is nearly all.
  private mutating func judge(_ limits: Limits, _ house: any TurnHouse, seconds: Double) async throws {
    rank(by: KeySentences.toRead)
    let windows = JudgedWindow.windows(
      around: keys.ranked, keys.candidates, atMost: JudgePack.passages(limits.mode.value))
    let passages = windows.map {
      JudgeRequest.Passage(title: items[$0.passage].passage.document.title, sentences: $0.texts(keys.candidates))
    }
    let judgements = try await house.judge(searched[0], passages, limits, seconds: seconds)
    keys.judged = Judged(judgements, of: windows, keys.candidates)
    rank()
    guard let answers = keys.judged.answers else { return }
    signals = Signals(keys.ranked, hasMeaning: true)
    signals.answers = answers
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
    return profile.required.unmet(in: text(own), among: text(Set(items.indices)))
  }

  /// The passages of so many of the best sentences are looked at for what the question insists on.
  private static let judged = 4
}
