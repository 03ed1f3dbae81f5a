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
    let finder = await house.finder()
    try await takeApart(finder)
    see()
    rank()
    if limits.embedding.value, profile.vector != nil { try await compare(limits.mode.value, finder) }
    signals = Signals(keys.ranked, hasMeaning: !keys.vectors.isEmpty)
    if signals.hasMeaning, Confidence.of(signals) >= Confidence.far { try await judge(limits, house) }
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

  private mutating func rank() {
    keys.ranked = ranked(keys.seen[0], profile)
    // Each thing that was asked for has its best sentence among the first.
    for (part, features) in zip(parts, keys.seen.dropFirst()).reversed() {
      guard let best = ranked(features, part).first?.candidate, let score = keys.ranked.first?.score,
        let place = keys.ranked.firstIndex(where: { $0.candidate == best })
      else { continue }
      var entry = keys.ranked.remove(at: place)
      entry.score = score
      keys.ranked.insert(entry, at: 0)
    }
  }

  private func ranked(_ seen: [KeySentences.Features], _ profile: QuestionProfile) -> [KeySentences.Ranked] {
    KeySentences.rank(
      seen, wanted: profile.vector, vectors: keys.vectors, plain: keys.plain, answers: keys.judged.sentences)
  }

  // MARK: By meaning

  /// So many sentences are compared by meaning at most, for about so many seconds.
  private static func mostCompared(_ mode: Mode) -> Int { mode == .deep ? 144 : 96 }
  private static func comparing(_ mode: Mode) -> Double { mode == .deep ? 0.8 : 0.25 }
  private static let comparedAtOnce = 24
  /// Of each passage some come first: the one that answers may have none of the question's words.
  private static let comparedOfEach = 4

  /// How many there is time for is seen while they are compared: it goes by the device and by what else is going on.
  private mutating func compare(_ mode: Mode, _ finder: Searcher) async throws {
    // Passages of one document share what is asked of it.
    let asked = items.map { QuestionProfile.less(searched[0], naming: $0.passage.document.calling) }
    let questions = Array(Set(asked + searched))
    var wanted: [String: [Float]] = [:]
    var waiting = compared(mode)[...]
    let began = ContinuousClock.now
    while !waiting.isEmpty, keys.vectors.isEmpty || (ContinuousClock.now - began).seconds < Self.comparing(mode) {
      let some = waiting.prefix(Self.comparedAtOnce)
      waiting = waiting.dropFirst(some.count)
      let texts =
        some.map { "\(keys.contexts[$0]): \(keys.candidates[$0].text)" } + some.map { keys.candidates[$0].text }
      guard let vectors = try await finder.vectors(of: texts) else { return }
      if wanted.isEmpty {
        wanted = Dictionary(uniqueKeysWithValues: zip(questions, try await finder.vectors(asking: questions) ?? []))
        profile.vector = wanted[searched[0]] ?? profile.vector
        for (part, text) in zip(parts.indices, searched.dropFirst()) {
          parts[part].vector = wanted[text] ?? parts[part].vector
        }
      }
      for (index, vector) in zip(some, vectors) { keys.vectors[index] = vector }
      for (index, vector) in zip(some, vectors.dropFirst(some.count)) {
        keys.plain[index] = wanted[asked[keys.candidates[index].passage]].map { KeySentences.dot(vector, $0) }
      }
    }
    rank()
  }

  /// The sentences that are compared by meaning, those first that matter most.
  private func compared(_ mode: Mode) -> [Int] {
    var counts: [Int: Int] = [:]
    var (first, rest): ([Int], [Int]) = ([], [])
    for candidate in keys.ranked.map(\.candidate) {
      let count = counts[keys.candidates[candidate].passage, default: 0] + 1
      counts[keys.candidates[candidate].passage] = count
      if count <= Self.comparedOfEach { first.append(candidate) } else { rest.append(candidate) }
    }
    return Array((first + rest).prefix(Self.mostCompared(mode)))
  }

  // MARK: By reading

  /// Has the stretches around the best sentences judged, where there is a judge.
  private mutating func judge(_ limits: Limits, _ house: any TurnHouse) async throws {
    let windows = JudgedWindow.windows(
      around: keys.ranked, keys.candidates, atMost: JudgePack.passages(limits.mode.value))
    let passages = windows.map {
      JudgeRequest.Passage(title: items[$0.passage].passage.document.title, sentences: $0.texts(keys.candidates))
    }
    keys.judged = Judged(try await house.judge(searched[0], passages, limits), of: windows, keys.candidates)
    guard let answers = keys.judged.answers else { return }
    rank()
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
