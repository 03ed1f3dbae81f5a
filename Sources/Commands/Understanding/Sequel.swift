import Core

/// What follows the first command where two are said in one breath: "remind me to buy flowers tomorrow. Also schedule lunch with
/// Ann on Friday". Notes and mails hold whole sentences of any kind, so nothing is cut off from them.
package struct Sequel: Sendable, Equatable {
  package var first: String
  private(set) var second: String?

  private static let ends: Set<String> = [".", "!", "?", ";"]

  package init(_ text: String) {
    first = text
    let phrasing = Phrasing(text)
    let tokens = phrasing.tokens
    let start = phrasing.body.lowerBound
    let opening = CommandWords.asked(tokens, at: start)
    guard tokens.count >= 6, text.utf8.count <= 1000,
      opening.map({ [.addReminder, .createEvent, .readEmail].contains($0.payload) }) ?? true
    else { return }
    let opens = opening != nil || Self.isAlarm(phrasing, start) || Self.isEntry(phrasing, start)
    var at = (opening?.end ?? start) + 1
    while at < phrasing.body.upperBound {
      let isSentence = Self.ends.contains(tokens[at - 1].text) && !tokens[at].glued
      var next = at
      while next < phrasing.body.upperBound, tokens[next].text == "," || Said.sequelJoints.contains(tokens[next].text) {
        next += 1
      }
      // Inside a sentence only several words ask for something: "and email Bob" may be what one is to be reminded of.
      let hit = CommandWords.asked(tokens, at: next)
      let asks =
        hit.map { hit in
          hit.end < phrasing.body.upperBound && hit.end - next > (isSentence && opens ? 0 : 1)
            && (opens || hit.payload == .addReminder)
        } ?? false
      if isSentence || next > at, asks || opens && (Self.isEntry(phrasing, next) || Self.isAlarm(phrasing, next)) {
        let bytes = Array(text.utf8)
        let end = isSentence ? at - 1 : at
        first = String(decoding: bytes[..<tokens[end - 1].end], as: UTF8.self)
        second = String(decoding: bytes[tokens[next].start...], as: UTF8.self)
        return
      }
      at = max(next, at + 1)
    }
  }

  /// "Add eggs to my shopping list": a verb and where it is to be entered; "add it to my calendar" says no more than the first.
  private static func isEntry(_ phrasing: Phrasing, _ start: Int) -> Bool {
    Said.enters.contains(phrasing.word(start)) && Said.asksAgain.end(phrasing.tokens, at: start) == nil
      && phrasing.find(.ownPlaces, from: start + 2) != nil
  }

  /// "Wake me at six", "set an alarm for seven"
  private static func isAlarm(_ phrasing: Phrasing, _ start: Int) -> Bool {
    guard let english = AlarmWords.all.first, let act = english.acts.longest(phrasing.tokens, at: start) else {
      return false
    }
    if act.payload == .wake { return act.end > start + 1 }
    let things = act.end..<min(act.end + 3, phrasing.body.upperBound)
    return act.payload == .set && !things.isEmpty
      && things.contains { english.things.longest(phrasing.tokens, at: $0) != nil }
  }

  /// The second command in words that can be understood by themselves: "remind me an hour before" names the event and its hour.
  package func rest(after frame: Frame, with resolver: TimeResolver) -> String? {
    guard let second else { return nil }
    let tokens = Token.split(second)
    let slots = frame.slots
    guard let title = slots.title else { return second }
    if let about = tokens.indices.first(where: {
      tokens[$0].text == "about" && $0 + 1 < tokens.count && ["it", "that", "this"].contains(tokens[$0 + 1].text)
    }) {
      let bytes = Array(second.utf8)
      return String(decoding: bytes[..<tokens[about].end], as: UTF8.self) + " " + title
        + String(decoding: bytes[tokens[about + 1].end...], as: UTF8.self)
    }
    let isBefore =
      tokens.contains { Said.beforehand.contains($0.text) } || tokens.suffix(3).contains { $0.text == "advance" }
    guard isBefore, !tokens.contains(where: { ["to", "about"].contains($0.text) }),
      let length = resolver.readings(in: second).readings.first(where: { $0.kind == .duration }),
      let start = slots.landing?.start
    else { return second }
    let moment = Civil.iso(start).prefix(16).replacing("T", with: " ")
    return "remind me \(length.text) before \(moment) about \(title)"
  }
}
