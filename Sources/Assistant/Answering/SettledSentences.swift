import Retrieval

/// Cuts a growing answer into sentences as soon as each is certain to have ended.
struct SettledSentences {
  private var text = ""
  private var taken = 0
  /// Everything before the last sentence that was settled.
  private(set) var beforeLast = ""

  /// Sentences that ended with this piece. The last one is held back, because its full stop may be the one of "3.5".
  mutating func add(_ piece: String) -> [String] {
    text += piece
    return take(keepingLast: true)
  }

  mutating func end() -> [String] { take(keepingLast: false) }

  private mutating func take(keepingLast: Bool) -> [String] {
    let bytes = Array(text.utf8.dropFirst(taken))
    let open = String(decoding: bytes, as: UTF8.self)
    let ranges = Sentences.ranges(in: open)
    let settled = keepingLast ? ranges.dropLast() : ranges[...]
    guard let last = settled.last else { return [] }
    beforeLast = String(decoding: text.utf8.prefix(taken + last.lowerBound), as: UTF8.self)
    taken += last.upperBound
    return settled.map { String(decoding: bytes[$0], as: UTF8.self) }
  }
}
