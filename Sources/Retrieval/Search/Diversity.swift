/// Maximal marginal relevance: what is taken next should be relevant and say something new.
package enum Diversity {
  /// The order in which to take `limit` of the candidates. `likeness` is between 0 (nothing shared) and 1 (the same);
  /// `relevance` between 0 and 1. `weight` 1 keeps the order of relevance.
  package static func order(
    relevance: [Double], limit: Int, weight: Double, likeness: (Int, Int) -> Double
  ) -> [Int] {
    var left = Array(relevance.indices)
    var taken: [Int] = []
    var nearest = [Double](repeating: 0, count: relevance.count)
    while taken.count < limit, !left.isEmpty {
      func value(_ index: Int) -> Double { weight * relevance[index] - (1 - weight) * nearest[index] }
      var best = 0
      for place in left.indices where value(left[place]) > value(left[best]) { best = place }
      let chosen = left.remove(at: best)
      taken.append(chosen)
      for other in left { nearest[other] = max(nearest[other], likeness(chosen, other)) }
    }
    return taken
  }
}
