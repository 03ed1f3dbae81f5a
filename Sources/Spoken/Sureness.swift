import Foundation

/// How likely it is that all words are right, from how sure the engine was of each.
///
/// A logistic fit over Debian's human prompts, whose texts are published: the least sure word tells most, and every word adds a
/// chance to be wrong. The engine's own numbers are far too sure of themselves where a word is doubtful.
package enum Sureness {
  private static let base = 1.978
  private static let least = 0.778
  private static let sum = 0.521

  package static func allRight(_ words: [Word]) -> Double {
    guard !words.isEmpty else { return 0 }
    let logs = words.map { log(min(max($0.confidence, 1e-4), 1 - 1e-4)) }
    let lowest = logs.min() ?? 0
    return 1 / (1 + exp(-(base + least * lowest + sum * logs.reduce(0, +))))
  }
}
