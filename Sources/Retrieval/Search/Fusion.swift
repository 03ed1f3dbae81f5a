/// One list of what was found and how well it fits, best first.
package struct Ranking: Sendable, Equatable {
  package var entries: [(id: Int64, score: Double)]

  package init(_ entries: [(id: Int64, score: Double)]) { self.entries = entries }

  /// Adds a part of the best score to some entries.
  func raising(_ chosen: Set<Int64>, by part: Double) -> Ranking {
    guard !chosen.isEmpty, let best = entries.first?.score else { return self }
    return Ranking(
      entries.map { (id: $0.id, score: $0.score + (chosen.contains($0.id) ? best * part : 0)) }
        .sorted { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id })
  }

  package static func == (first: Ranking, second: Ranking) -> Bool {
    first.entries.count == second.entries.count
      && zip(first.entries, second.entries).allSatisfy { $0.id == $1.id && $0.score == $1.score }
  }
}

/// Makes one ranking of two.
package enum Fusion: Sendable, Equatable {
  /// Reciprocal ranks: 1 / (k + rank), summed.
  case ranks(k: Double, lexicalWeight: Double)
  /// Scores brought to a common scale by what each list's best scores are, then weighted.
  case scores(lexicalWeight: Double)

  package func fuse(lexical: Ranking, dense: Ranking) -> Ranking {
    var fused: [Int64: Double] = [:]
    switch self {
    case .ranks(let k, let weight):
      for (list, weight) in [(lexical, weight), (dense, 1 - weight)] {
        for (rank, entry) in list.entries.enumerated() {
          fused[entry.id, default: 0] += weight / (k + Double(rank + 1))
        }
      }
    case .scores(let weight):
      for (list, weight) in [(lexical, weight), (dense, 1 - weight)] {
        let scaled = Self.scaled(list)
        for entry in scaled { fused[entry.id, default: 0] += weight * entry.score }
      }
    }
    return Ranking(
      fused.map { (id: $0.key, score: $0.value) }.sorted { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id })
  }

  /// From 0 (the last of the list, or absent) to 1 (the first).
  private static func scaled(_ list: Ranking) -> [(id: Int64, score: Double)] {
    guard let best = list.entries.first?.score, let least = list.entries.last?.score else { return [] }
    let span = best - least
    return list.entries.map { (id: $0.id, score: span > 0 ? ($0.score - least) / span : 1) }
  }
}
