import Core
import Storage

/// Finds the word a person meant when what they wrote stands nowhere.
package enum Typos {
  /// Longer words are not corrected.
  private static let longest = 64

  /// So many words that are near are looked for in the documents that are asked.
  private static let mostNear = 32

  /// A word of a vocabulary, and by how many letters it is another one.
  private struct Near {
    var word: String
    var distance: Int
    var chunks: Int
  }

  /// The nearest words of a vocabulary, the commoner first among equally near ones; none if the word is too short to judge.
  package static func corrections(of word: String, in vocabulary: [(word: String, chunks: Int)]) -> [String] {
    best(of: near(word, in: vocabulary))
  }

  private static func near(_ word: String, in vocabulary: [(word: String, chunks: Int)]) -> [Near] {
    let limit = word.count >= 8 ? 2 : word.count >= 4 ? 1 : 0
    guard limit > 0, !word.contains(where: \.isNumber) else { return [] }
    var found: [Near] = []
    for (candidate, chunks) in vocabulary {
      let distance = Nearest.distance(word, candidate, limit: limit)
      if distance <= limit, distance > 0 {
        found.append(Near(word: candidate, distance: distance, chunks: chunks))
      }
    }
    // A word that exists may be a slip of a name, but "sofa" is none of "soft".
    if CommonWords.isKnown(word) { found.removeAll { CommonWords.holds($0.word) } }
    return found.sorted { ($0.distance, $1.chunks, $0.word) < ($1.distance, $0.chunks, $1.word) }
  }

  private static func best(of near: [Near]) -> [String] {
    near.filter { $0.distance == near[0].distance }.prefix(2).map(\.word)
  }

  /// What to look for instead of the words that stand in no chunk. One of the most usual words is no slip, whatever else is near to it.
  /// `documents`: those that are asked; nil: all there are. A word that stands elsewhere alone is not told, for it may be none that
  /// whoever asks may know of.
  static func corrections(
    _ question: Question, in words: WordShelf, _ documents: Set<Int64>?
  ) async throws -> [String: [String]] {
    func nearest(_ word: String, prefix: String) async throws -> [String] {
      var all = near(word, in: try await words.vocabulary(prefix: prefix))
      if let documents {
        var here: [Near] = []
        for one in all.prefix(mostNear) where try await words.occurs(one.word, in: documents) { here.append(one) }
        all = here
      }
      return best(of: all)
    }
    var corrected: [String: [String]] = [:]
    for word in question.words where (4...longest).contains(word.count) && !word.contains(where: \.isNumber) {
      if CommonWords.holds(word) { continue }
      if try await words.occurs(word, in: documents) { continue }
      // People seldom get the first letter wrong; when they do, the whole vocabulary is read.
      var best = try await nearest(word, prefix: String(word.prefix(1)))
      if best.isEmpty { best = try await parts(of: word, in: words, documents) }
      if best.isEmpty { best = try await nearest(word, prefix: "") }
      if !best.isEmpty { corrected[word] = best }
    }
    return corrected
  }

  /// The text with the words that were meant in the place of its slips. What a compound ends with is another word and no slip of it.
  static func mended(_ text: String, by corrections: [String: [String]]) -> String {
    guard !corrections.isEmpty else { return text }
    var (mended, rest) = ("", text[...])
    while let first = rest.first {
      let word = rest.prefix { $0.isLetter }
      guard !word.isEmpty else {
        mended.append(first)
        rest.removeFirst()
        continue
      }
      let meant = corrections[word.lowercased()]?.first { Nearest.distance(word.lowercased(), $0, limit: 2) <= 2 }
      mended += meant ?? String(word)
      rest = rest[word.endIndex...]
    }
    return mended
  }

  /// A compound's two words, where both stand in the library: "Zählertausch" is the "Tausch" of a "Zähler". Of a long one the word it
  /// ends with, a "Kündigungsfrist" is a "Frist", or else the one it begins with.
  static func parts(
    of word: String, in words: WordShelf, _ documents: Set<Int64>?
  ) async throws -> [String] {
    var (begin, end) = ("", "")
    for (first, second) in cuts(of: word) {
      let stands = (
        try await words.occurs(first, in: documents), try await words.occurs(second, in: documents)
      )
      if stands == (true, true) { return [first, second] }
      if stands.0, first.count > begin.count { begin = first }
      if stands.1, second.count > end.count { end = second }
    }
    return [end, begin].first { $0.count >= 5 && word.count >= 11 }.map { [$0] } ?? []
  }

  /// Where a compound may be cut, the longest first word first; the letters that join may be left out.
  static func cuts(of word: String) -> [(String, String)] {
    guard word.count >= 9 else { return [] }
    return (4...word.count - 4).reversed().flatMap { length -> [(String, String)] in
      let (first, second) = (String(word.prefix(length)), String(word.dropFirst(length)))
      let joints = ["s", "n", "es", "en"].filter { first.hasSuffix($0) && first.count - $0.count >= 4 }
      return [(first, second)] + joints.map { (String(first.dropLast($0.count)), second) }
    }
  }
}
