import Foundation

/// The two measures of a ranking, as trec_eval computes them.
enum Metrics {
  /// Gains are the grades themselves.
  static func ndcg(_ ranked: [String], _ grades: [String: Int], at depth: Int = 10) -> Double {
    func gain(_ grades: some Sequence<Int>) -> Double {
      zip(grades, 1...).reduce(0) { $0 + Double(max(0, $1.0)) / log2(Double($1.1) + 1) }
    }
    let ideal = gain(grades.values.sorted(by: >).prefix(depth))
    return ideal > 0 ? gain(ranked.prefix(depth).map { grades[$0] ?? 0 }) / ideal : 0
  }

  static func recall(_ ranked: [String], _ grades: [String: Int], at depth: Int = 100) -> Double {
    let relevant = Set(grades.filter { $0.value > 0 }.keys)
    return relevant.isEmpty ? 0 : Double(relevant.intersection(ranked.prefix(depth)).count) / Double(relevant.count)
  }

  static func mean(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count) }

  static func percentile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
