/// What somebody may have meant who wrote a name wrongly.
package enum Nearest {
  /// The name that takes the fewest changes of a letter, where those are few for its length; nil where nothing is near.
  package static func name(to word: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased())
    guard (2...64).contains(wanted.count) else { return nil }
    let most = max(1, wanted.count / 3)
    let best = names.map { name in (name, changes(wanted, Array(name.lowercased()))) }.min { $0.1 < $1.1 }
    if let (name, count) = best, count <= most { return name }
    // What was begun and not finished, where it can only be one.
    let begun = names.filter { $0.lowercased().hasPrefix(word.lowercased()) }
    if begun.count == 1, wanted.count >= 3 { return begun[0] }
    // Or was begun with a slip, as long names are: the first of those that begin most like it.
    guard wanted.count >= 5 else { return nil }
    let like = names.map { name in (name, steps(wanted, Array(name.lowercased())).min() ?? .max) }.min { $0.1 < $1.1 }
    return like.flatMap { $0.1 <= max(1, wanted.count / 5) ? $0.0 : nil }
  }

  /// Letters that are more, fewer, others, or exchanged with their neighbour.
  static func changes(_ one: [Character], _ other: [Character]) -> Int { steps(one, other)[other.count] }

  /// The same for each beginning of the other, from none of it to all.
  private static func steps(_ one: [Character], _ other: [Character]) -> [Int] {
    var (before, last) = ([Int](), Array(0...other.count))
    for (row, letter) in one.enumerated() {
      var line = [row + 1]
      for (column, second) in other.enumerated() {
        var least = min(line[column] + 1, last[column + 1] + 1, last[column] + (letter == second ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == second {
          least = min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      (before, last) = (last, line)
    }
    return last
  }

  /// As the beginning of a remedy; empty where nothing is near.
  package static func question(_ word: String, among names: some Sequence<String>) -> String {
    name(to: word, among: names).map { "Did you mean \"\($0)\"? " } ?? ""
  }
}
