/// One list of what was found and how well it fits, best first.
package struct Ranking: Sendable, Equatable {
  package var entries: [(id: Int64, score: Double)]

  package init(_ entries: [(id: Int64, score: Double)]) { self.entries = entries }

  /// Best first, whatever their order; of two alike the older one.
  init(ordering entries: [(id: Int64, score: Double)]) {
    self.entries = entries.sorted { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id }
  }

  /// Adds a part of the best score to some entries.
  func raising(_ chosen: Set<Int64>, by part: Double) -> Ranking {
    guard !chosen.isEmpty, let best = entries.first?.score else { return self }
    return Ranking(ordering: entries.map { ($0.id, $0.score + (chosen.contains($0.id) ? best * part : 0)) })
  }

  package static func == (first: Ranking, second: Ranking) -> Bool {
    first.entries.count == second.entries.count
      && zip(first.entries, second.entries).allSatisfy { $0.id == $1.id && $0.score == $1.score }
  }
}

/// Makes one ranking of two: everything that either found, by its cosine and a part of its BM25. How far cosines lie apart is another
/// matter with each encoder, so words weigh by that; where no words fit, or all fit alike, meaning decides by itself.
package enum Fusion {
  /// What a unit of BM25 weighs, as a part of how far the cosines spread. From 0.2 on, words that a question shares with what answers gain,
  /// and questions in other words lose (Benchmarks/answers.md).
  package static let lexicalWeight = 0.3
  /// Of a few chunks the cosines may all be alike, and words still tell.
  static let leastSpread = 0.05

  /// `limit` is how long a list can be: what is missing from a full one is taken to be as good as its last. What is missing from
  /// one that is not full has no vector yet, and may mean anything.
  package static func fuse(lexical: Ranking, dense: Ranking, limit: Int) -> Ranking {
    guard let nearest = dense.entries.first?.score, let last = dense.entries.last?.score else { return lexical }
    let unknown = dense.entries.count < limit ? (nearest + last) / 2 : last
    let least = lexical.entries.count < limit ? 0 : lexical.entries.last?.score ?? 0
    let words = Dictionary(lexical.entries.map { ($0.id, $0.score) }, uniquingKeysWith: max)
    let meaning = Dictionary(dense.entries.map { ($0.id, $0.score) }, uniquingKeysWith: max)
    let weight = lexicalWeight * max(leastSpread, spread(of: dense.entries.map(\.score)))
    return Ranking(
      ordering: Set(words.keys).union(meaning.keys).map {
        ($0, (meaning[$0] ?? unknown) + weight * (words[$0] ?? least))
      })
  }

  /// The standard deviation.
  static func spread(of values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(max(1, values.count))
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, values.count))).squareRoot()
  }
}
