/// Turns hypotheses that change with every pass into text that settles: a word shown as confirmed never changes again.
///
/// A word is confirmed once two hypotheses in a row agree on it and on everything before it.
package struct Stabiliser: Sendable, Equatable {
  package private(set) var confirmed: [String] = []
  package private(set) var tail: [String] = []
  private var previous: [String] = []  // the last hypothesis behind the confirmed words

  package init() {}

  package mutating func take(_ hypothesis: [String]) {
    let rest = Array(hypothesis.dropFirst(matched(hypothesis)))
    // The newest word is often half a word, so it waits for another pass even if both agree.
    let agreed = zip(rest, previous).prefix { Guard.bare($0) == Guard.bare($1) }.count
    let settled = min(agreed, max(0, rest.count - 1))
    confirmed += rest.prefix(settled)
    tail = Array(rest.dropFirst(settled))
    previous = tail
  }

  /// How many words of a hypothesis correspond to the confirmed ones: where the alignment with the fewest changes ends.
  private func matched(_ hypothesis: [String]) -> Int {
    guard !confirmed.isEmpty else { return 0 }
    let old = confirmed.map(Guard.bare)
    let new = hypothesis.map(Guard.bare)
    var row = Array(0...new.count)
    for (index, word) in old.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in new.indices {
        let cost = min(diagonal + (new[place] == word ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        diagonal = row[place + 1]
        row[place + 1] = cost
      }
    }
    // Among equals the one nearest to as many words as were confirmed.
    return row.indices.min { (row[$0], abs($0 - old.count)) < (row[$1], abs($1 - old.count)) } ?? old.count
  }
}
