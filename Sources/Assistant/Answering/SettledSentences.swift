import Retrieval

/// Cuts a growing answer into sentences as soon as each is certain to have ended.
struct SettledSentences {
  struct Sentence: Equatable {
    var text: String
    /// UTF-8 bytes of the answer before it.
    var start: Int
  }

  private var text = ""
  private var taken = 0

  /// Sentences that ended with this piece. The last one is held back, because its full stop may be the one of "3.5".
  mutating func add(_ piece: String) -> [Sentence] {
    text += piece
    return take(keepingLast: true)
  }

  mutating func end() -> [Sentence] { take(keepingLast: false) }

  private mutating func take(keepingLast: Bool) -> [Sentence] {
    let bytes = Array(text.utf8.dropFirst(taken))
    let ranges = Sentences.ranges(in: String(decoding: bytes, as: UTF8.self))
    let settled = keepingLast ? ranges.dropLast() : ranges[...]
    guard let last = settled.last else { return [] }
    defer { taken += last.upperBound }
    return settled.map { Sentence(text: String(decoding: bytes[$0], as: UTF8.self), start: taken + $0.lowerBound) }
  }
}
