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
    if limits.embedding.value, asked.contains(where: { $0.profile.vector != nil }) {
      try await compare(limits.mode.value, finder)
    }
    let left = Self.comparing(limits.mode.value) - (ContinuousClock.now - began).seconds
    for place in asked.indices {
      asked[place].signals = Signals(asked[place].ranked, hasMeaning: !keys.vectors.isEmpty)
    }
    try await judge(limits, house, seconds: JudgePack.seconds(limits.mode.value) + max(0, left))
    for place in asked.indices {
      asked[place].lacking = lack(asked[place])
      asked[place].unsaid = unsaid(asked[place])
    }
    decide()
  }

  /// Each thing that is asked for has its answer or none. Sentences for those that have none are shown only where nothing else is.
  mutating func decide() {
    let answered = asked.filter { $0.finding != .notThere }
    (keys.ranked, keys.best) = Asked.merged(answered.isEmpty ? asked : answered)
    unanswered = answered.isEmpty ? [] : asked.filter { $0.finding == .notThere }.map(\.said)
    // As sure as it is of what it is least sure of.
    guard let least = (answered.isEmpty ? asked : answered).min(by: { $0.confidence < $1.confidence }) else { return }
    (confidence, lacking) = (least.confidence, least.lacking)
    unsaid = answered.compactMap(\.unsaid).first
    finding = unsaid == nil ? least.finding : .probably
    signals = least.signals.named
    signals["words"] = least.judged.words?.chance
    short = asked.count == 1 ? least.short : nil
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

  /// What the words tell, of each thing that is asked for.
  private mutating func see() {
    let words = SentenceWords(
      keys.candidates, contexts: keys.contexts, relevance: items.map(\.passage.relevance), topics: keys.topics)
    for place in asked.indices { asked[place].seen = words.features(for: asked[place].profile) }
  }

  private mutating func rank(by weights: KeySentences.Weights? = nil) {
    for place in asked.indices {
      let one = asked[place]
      asked[place].ranked = KeySentences.rank(
        one.seen, wanted: one.profile.vector, vectors: keys.vectors, plain: one.plain, answers: one.judged.sentences,
        by: weights, cosineWorth: finder?.cosineWorth ?? 1)
    }
    (keys.ranked, keys.best) = Asked.merged(asked)
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
    let worded = asked.map { one in
      items.map { QuestionProfile.less(one.question, naming: $0.passage.document.calling) }
    }
    let questions = Array(Set(worded.joined()).union(asked.map(\.question)))
    guard let vectors = try await finder.vectors(asking: questions) else { return }
    let wanted = Dictionary(uniqueKeysWithValues: zip(questions, vectors))
    for place in asked.indices {
      asked[place].profile.vector = wanted[asked[place].question] ?? asked[place].profile.vector
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
    while !waiting.isEmpty, asked.allSatisfy(\.plain.isEmpty) || isTime() {
      let some = waiting.prefix(Self.comparedAtOnce)
      waiting = waiting.dropFirst(some.count)
      for (index, vector) in zip(some, try await finder.vectors(of: some.map { keys.candidates[$0].text }) ?? []) {
        for place in asked.indices {
          asked[place].plain[index] = wanted[worded[place][keys.candidates[index].passage]].map {
            KeySentences.dot(vector, $0)
          }
        }
      }
    }
    rank()
  }

  // MARK: By reading

  /// Has the stretches around the best sentences judged, where there is a judge, for each thing that is asked for in its share of the
  /// time. What comparing has left of its time it has as well: where the sentences are those of an earlier question it is nearly all.
  private mutating func judge(_ limits: Limits, _ house: any TurnHouse, seconds: Double) async throws {
    let near = asked.indices.filter { asked[$0].signals.hasMeaning && asked[$0].confidence >= Confidence.far }
    guard !near.isEmpty else { return }
    let began = ContinuousClock.now
    let named = names()
    rank(by: KeySentences.toRead)
    for (done, place) in near.enumerated() {
      let windows = JudgedWindow.windows(
        around: asked[place].ranked, keys.candidates, atMost: JudgePack.passages(limits.mode.value) / near.count)
      let passages = windows.map { window in
        let sentences = window.texts(keys.candidates)
        return JudgeRequest.Passage(
          title: items[window.passage].passage.document.title, sentences: sentences,
          otherwise: otherwise(asked[place].question, of: sentences, named: named[window.passage]))
      }
      let left = max(0, seconds - (ContinuousClock.now - began).seconds)
      let judgements = try await house.judge(
        asked[place].question, passages, limits, seconds: left / Double(near.count - done))
      asked[place].judged = Judged(judgements, of: windows, keys.candidates)
    }
    rank()
    for place in near {
      guard let answers = asked[place].judged.answers else { continue }
      asked[place].signals = Signals(asked[place].ranked, hasMeaning: true)
      asked[place].signals.answers = answers
    }
  }

  /// The question in other words: its small words in English, where it is German or French, or without the names of the passage's document.
  private func otherwise(_ question: String, of sentences: [String], named: String) -> String? {
    let language = QuestionLanguage(of: question)
    guard language == .english else { return EnglishFrame.of(question, from: language.rawValue) }
    let less = QuestionProfile.less(question, naming: named, besides: sentences.joined(separator: " "))
    return Question.words(in: less).count < Question.words(in: question).count ? less : nil
  }

  /// By which words a question may name the document of each passage: how it is called, and the names that it begins with. The judge
  /// sees a few of its sentences, which may look like those of another where they do not have the name that the question has: it is
  /// asked with the name and without.
  private func names() -> [String] {
    items.indices.map { item in
      let opening = keys.topics[item].split { !$0.isLetter && !$0.isNumber }.filter { $0.first?.isUppercase == true }
      return items[item].passage.document.calling + " " + opening.joined(separator: " ")
    }
  }

  /// What the question insists on and neither the passages of the best sentences have nor what their documents are called and
  /// begin with: a year, a code, a name.
  private func lack(_ one: Asked) -> String? {
    let best = one.ranked.prefix(Self.judged).map { keys.candidates[$0.candidate].passage }
    guard let first = best.first.map({ items[$0].passage.document.id }) else { return nil }
    // What another document says of 2021 does not make this one's answer that of 2021.
    let own = Set(best.filter { items[$0].passage.document.id == first })
    return one.profile.required.unmet(in: text(own), among: text(Set(items.indices)))
  }

  private func unsaid(_ one: Asked) -> String? {
    guard let first = one.ranked.first.map({ items[keys.candidates[$0.candidate].passage].passage.document.id }) else {
      return nil
    }
    let own = Set(items.indices.filter { items[$0].passage.document.id == first })
    // In German every noun has a capital.
    return one.profile.required.unsaid(in: text(own), names: QuestionLanguage(of: one.question) != .german)
  }

  private func text(_ passages: Set<Int>) -> String {
    passages.sorted().map {
      [items[$0].citation.text, items[$0].passage.heading, keys.topics[$0]].joined(separator: "\n")
    }
    .joined(separator: "\n")
  }

  /// The passages of so many of the best sentences are looked at for what the question insists on.
  private static let judged = 4
}
