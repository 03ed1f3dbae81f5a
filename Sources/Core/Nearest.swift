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
    if begun.count == 1, wanted.count >= 3 { return begun[0] }
    // Or was begun with a slip, as long names are: the first of those that begin most like it.
    guard wanted.count >= 5 else { return nil }
    let few = max(1, wanted.count / 5)
    let like = names.map { ($0, steps(scalars(wanted), scalars($0.lowercased()), limit: few)?.min() ?? .max) }
      .min { $0.1 < $1.1 }
    return like.flatMap { $0.1 <= few ? $0.0 : nil }
  }

  /// How many slips (a letter wrong, missing, doubled, or two swapped) two words are apart, up to `limit` + 1.
  package static func distance(_ first: String, _ second: String, limit: Int) -> Int {
    let (a, b) = (scalars(first), scalars(second))
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    return steps(a, b, limit: limit)?[b.count] ?? limit + 1
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

  /// The same from the first word to each beginning of the second, from none of it to all; nil where all are over the limit.
  private static func steps(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int) -> [Int]? {
    var (older, previous) = ([Int](), Array(0...b.count))
    for i in a.indices {
      var current = [i + 1]
      for j in b.indices {
        var least = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, older[j - 1] + 1) }
        current.append(least)
      }
      if current.allSatisfy({ $0 > limit }) { return nil }
      (older, previous) = (previous, current)
    }
    return previous
  }

  /// As the beginning of a remedy; empty where nothing is near.
  package static func question(_ word: String, among names: some Sequence<String>) -> String {
    name(to: word, among: names).map { "Did you mean \"\($0)\"? " } ?? ""
  }
}
