/// Drafts the next tokens by finding where the text's last tokens stood before: grounded answers copy from their evidence.
///
/// How far to draft is chosen anew each time from what was accepted so far and from what batches were measured to cost, so
/// that drafting stops where it does not pay.
struct Lookup {
  private(set) var drafted = 0
  private(set) var accepted = 0

  static let longestDraft = 16
  /// Chance that a drafted token is right, by length of the match that led to it; moving averages.
  private var chance: [Double] = [0.4, 0.6, 0.85]
  /// Milliseconds per batch of n tokens, moving averages; 0 is not yet measured.
  private(set) var cost: [Double]
  private var matchClass = 0
  private var quietFor = 0

  static let shortestMatch = 2

  /// `cost`: what earlier answers of the same model measured.
  init(cost: [Double] = []) {
    let sizes = Self.longestDraft + 2
    self.cost = cost.count == sizes ? cost : [Double](repeating: 0, count: sizes)
  }

  /// The tokens that probably follow `text`; empty where none are worth trying. At most `room`.
  mutating func draft(after text: [TokenID], room: Int) -> ArraySlice<TokenID> {
    if quietFor > 0 {
      quietFor -= 1
      return []
    }
    guard room > 0, let (start, length) = Self.earlierPlace(in: text) else { return [] }
    matchClass = length >= 6 ? 2 : length >= 4 ? 1 : 0
    let count = min(bestLength(chance[matchClass]), room, text.count - start)
    return text[start..<start + max(0, count)]
  }

  /// What became of a batch of one token and `drafted` more.
  mutating func learn(drafted count: Int, accepted right: Int, milliseconds: Double) {
    let tokens = count + 1
    if tokens < cost.count { cost[tokens] = cost[tokens] == 0 ? milliseconds : cost[tokens] * 0.8 + milliseconds * 0.2 }
    guard count > 0 else { return }
    drafted += count
    accepted += right
    // Tokens after the first wrong one were never judged.
    for index in 0..<min(right + 1, count) {
      chance[matchClass] = chance[matchClass] * 0.9 + (index < right ? 0.1 : 0)
    }
    if right == 0 { quietFor = chance[matchClass] < 0.2 ? 8 : 0 }
  }

  /// The draft length with the most tokens expected per millisecond.
  private func bestLength(_ chance: Double) -> Int {
    var best = (length: 0, rate: 1 / estimate(1))
    var expected = 1.0
    var reached = 1.0
    for length in 1...Self.longestDraft {
      reached *= chance
      expected += reached
      let rate = expected / estimate(length + 1)
      // A small gain is not worth the risk that the estimate is wrong.
      if rate > best.rate * (best.length == 0 ? 1.05 : 1) { best = (length, rate) }
    }
    return best.length
  }

  /// The measured cost of a batch, else one drawn from the nearest measured ones.
  private func estimate(_ tokens: Int) -> Double {
    if cost[tokens] > 0 { return cost[tokens] }
    let single = cost[1] > 0 ? cost[1] : 1
    if tokens == 1 { return single }
    if let larger = ((tokens + 1)..<cost.count).first(where: { cost[$0] > 0 }) { return max(single, cost[larger]) }
    guard let smaller = (2..<tokens).last(where: { cost[$0] > 0 }) else {
      return single * (1 + 0.15 * Double(tokens - 1))
    }
    let slope = max(0, cost[smaller] - single) / Double(smaller - 1)
    return cost[smaller] + slope * Double(tokens - smaller)
  }

  /// Where the longest earlier copy of the text's end is followed by something; the latest among equals.
  static func earlierPlace(in text: [TokenID]) -> (start: Int, length: Int)? {
    text.withUnsafeBufferPointer { text in
      let count = text.count
      guard count > shortestMatch else { return nil }
      let last = text[count - 1]
      let longest = 12
      var best: (start: Int, length: Int)?
      var place = count - 2
      while place >= shortestMatch - 1 {
        if text[place] == last {
          var length = 1
          while length < longest, place - length >= 0, text[place - length] == text[count - 1 - length] { length += 1 }
          if length >= shortestMatch, length > best?.length ?? 0 {
            best = (place + 1, length)
            if length == longest { break }
          }
        }
        place -= 1
      }
      return best
    }
  }
}
