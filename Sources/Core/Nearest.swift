/// What somebody may have meant who wrote a name wrongly.
package enum Nearest {
  /// The name that takes the fewest changes of a letter, where those are few for its length; nil where nothing is near.
  package static func name(to word: String, among names: some Sequence<String>) -> String? {
    let wanted = word.lowercased()
    guard (2...64).contains(wanted.count) else { return nil }
    let limit = max(1, wanted.count / 3)
    let best = names.map { ($0, distance(wanted, $0.lowercased(), limit: limit)) }.min { $0.1 < $1.1 }
    if let (name, count) = best, count <= limit { return name }
    // What was begun and not finished, where it can only be one.
    let begun = names.filter { $0.lowercased().hasPrefix(wanted) }
    return begun.count == 1 && wanted.count >= 3 ? begun[0] : nil
  }

  /// How many slips (a letter wrong, missing, doubled, or two swapped) two words are apart, up to `limit` + 1.
  package static func distance(_ first: String, _ second: String, limit: Int) -> Int {
    let (a, b) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var older = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var current = [Int](repeating: i, count: b.count + 1)
      for j in 1...b.count {
        let same = a[i - 1] == b[j - 1]
        current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { current[j] = min(current[j], older[j - 2] + 1) }
      }
      if current.min()! > limit { return limit + 1 }
      (older, previous) = (previous, current)
    }
    return previous[b.count]
  }

  /// As the beginning of a remedy; empty where nothing is near.
  package static func question(_ word: String, among names: some Sequence<String>) -> String {
    name(to: word, among: names).map { "Did you mean \"\($0)\"? " } ?? ""
  }
}
