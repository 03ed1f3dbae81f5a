/// What follows the first command where two are said in one breath: "remind me to buy flowers tomorrow. Also schedule lunch with
/// Ann on Friday". Notes and mails hold whole sentences of any kind, so nothing is cut off from them.
package struct Sequel: Sendable, Equatable {
  package var first: String
  package var rest: String?

  private static let joints: Set<String> = ["and", "also", "then", "plus", "oh", "please", "afterwards", ","]
  private static let ends: Set<String> = [".", "!", "?", ";"]

  package init(_ text: String) {
    first = text
    let phrasing = Phrasing(text)
    let tokens = phrasing.tokens
    let start = phrasing.body.lowerBound
    let opening = Triggers.openings.longest(tokens, at: start)
    guard tokens.count >= 6, text.utf8.count <= 1000,
      opening.map({ [.addReminder, .createEvent, .readEmail].contains($0.payload) })
        ?? ["put", "add", "enter"].contains(phrasing.word(start))
    else { return }
    var at = (opening?.end ?? start) + 1
    while at < phrasing.body.upperBound {
      let isSentence = Self.ends.contains(tokens[at - 1].text) && !tokens[at].glued
      var next = at
      while next < phrasing.body.upperBound, Self.joints.contains(tokens[next].text) { next += 1 }
      // Inside a sentence only several words ask for something: "and email Bob" may be what one is to be reminded of.
      if isSentence || next > at, let hit = Triggers.openings.longest(tokens, at: next), hit.end < tokens.count,
        hit.end - next > (isSentence ? 0 : 1), !asksForTheSame(tokens, hit.end)
      {
        let bytes = Array(text.utf8)
        let end = isSentence ? at - 1 : at
        first = String(decoding: bytes[..<tokens[end - 1].end], as: UTF8.self)
        rest = String(decoding: bytes[tokens[next].start...], as: UTF8.self)
        return
      }
      at = max(next, at + 1)
    }
  }

  /// "… and remind me an hour before" speaks of the event itself.
  private func asksForTheSame(_ tokens: [Token], _ index: Int) -> Bool {
    tokens[index...].prefix(6).contains {
      ["before", "beforehand", "ahead", "advance", "earlier", "prior"].contains($0.text)
    }
      || tokens[index].text == "about" && ["it", "this", "that"].contains(tokens.last?.text)
  }
}
