/// What was said and is taken up nowhere. However sure one is of the rest, such a frame is asked about.
extension Extraction {
  func leavesOver(_ found: Found, _ intent: Intent) -> Bool {
    let title = found.places[.title] ?? []
    // Days that were left out, and not where they belong.
    if found.recurrence != nil, title.contains(where: { phrasing.tokens[$0].words.contains(.except) }) { return true }
    guard intent == .addReminder || intent == .createEvent else { return false }
    return isTorn(title, found.timing) || namesBeginning(title, found.timing) || hasTimeLeft(title, found.timing)
      || isBesideAnother(found.timing) || isSomebodyElses(intent) || isConditional(title)
      || asksStill(title, found.timing, intent) || isStretch(title, found.timing) || found.timing.isAfterwards
      || intent == .createEvent && found.recurrence == nil && endsInRepeating(title)
      || phrasing.find(.changed, from: phrasing.body.lowerBound) != nil
  }

  /// "The call at 7 am their time", "the concert on the 12th doors at 7": a name ends where its time begins, but for what a joint
  /// fastens to it.
  private func isTorn(_ title: [Int], _ timing: Timing) -> Bool {
    zip(title, title.dropFirst()).contains { last, next in
      guard next > last + 1, (last + 1..<next).contains(where: { isTime($0, timing) }) else { return false }
      // "The notes of Tuesday to Ben"
      if phrasing.tokens[last].words.contains(.of) { return true }
      return phrasing.tokens[next].kind != .symbol && !Said.goesOn.contains(phrasing.word(next))
    }
  }

  /// "Concert doors 7pm"
  private func namesBeginning(_ title: [Int], _ timing: Timing) -> Bool {
    guard title.count > 1, let last = title.last, Said.begins.contains(phrasing.word(last)) else { return false }
    return phrasing.tokens.indices.contains(last + 1) && isTime(last + 1, timing)
  }

  /// "The second" of something stands before the time, "twice a day" anywhere.
  private func hasTimeLeft(_ title: [Int], _ timing: Timing) -> Bool {
    title.contains { index in
      let token = phrasing.tokens[index]
      if token.unit != nil, phrasing.tokens.indices.contains(index - 2),
        phrasing.tokens[index - 1].words.meets([.a, .per, .each]),
        phrasing.tokens[index - 2].words.meets([.once, .twice, .times])
      {
        return true
      }
      return token.ordinal != nil && phrasing.tokens.indices.contains(index + 1) && isTime(index + 1, timing)
    }
  }

  /// A name in which something is asked or said beside it: "write down the meeting", "send me notice of …", "… please place
  /// this"; or that is none: "off" of "block off Friday", "… down" of "put it down", "meeting for twelve" without any other time.
  private func asksStill(_ title: [Int], _ timing: Timing, _ intent: Intent) -> Bool {
    guard let first = title.first, let last = title.last else { return false }
    let words = title.map { phrasing.word($0) }
    if title.count == 1, Said.leftParticles.contains(words[0]) { return true }
    guard intent == .createEvent else { return false }
    let asked = CommandWords.asked(phrasing.tokens, at: first)?.payload
    if let asked, asked != .createEvent { return true }
    let isRefused = Said.negations.end(phrasing.tokens, at: first) != nil
    if isRefused || words.prefix(2).contains("me") || words.contains(where: Said.pleases.contains) { return true }
    if title.count > 1, Said.pointing.contains(phrasing.word(last)) || Said.putDown.contains(phrasing.word(last)) {
      return true
    }
    if Said.repeating.contains(words[0]) { return true }
    let hasClock = timing.range != nil || timing.point.map { !$0.hasSuffix("T00:00:00") } ?? false
    let isCounted = phrasing.tokens[last].kind == .number || phrasing.tokens[last].cardinal != nil
    guard !hasClock, isCounted, title.count > 2 else { return false }
    let before = phrasing.tokens[title[title.count - 2]].words
    return before.contains(.for) || before.contains(.at)
  }

  /// "At the start of each month"
  private func isStretch(_ title: [Int], _ timing: Timing) -> Bool {
    guard title.count == 1, let at = title.first, Said.stretches.contains(phrasing.word(at)),
      phrasing.tokens.indices.contains(at + 1)
    else { return false }
    return phrasing.tokens[at + 1].words.contains(.of) || isTime(at + 1, timing)
  }

  /// "On Monday, an hour before the dentist": at what time that is was not said.
  private func isBesideAnother(_ timing: Timing) -> Bool {
    timing.minutes != nil && timing.spans.contains { isBeside($0, timing) }
  }

  /// "And set it to repeat": how often was not said.
  private func endsInRepeating(_ title: [Int]) -> Bool {
    title.last.map { Said.repeating.contains(phrasing.word($0)) } ?? false
  }

  /// "Remind Paul to bring the ladder"
  private func isSomebodyElses(_ intent: Intent) -> Bool {
    guard intent == .addReminder, let at = phrasing.find(["remind"], from: phrasing.body.lowerBound) else {
      return false
    }
    let next = phrasing.tokens.indices.contains(at + 1) ? phrasing.tokens[at + 1] : nil
    return next.map { $0.kind == .word && !Said.remindedOf.contains($0.text) && $0.weekday == nil } ?? false
  }

  /// "Remind me if it has not come": nobody looks whether it has.
  private func isConditional(_ title: [Int]) -> Bool {
    title.first.map { Said.conditions.contains(phrasing.word($0)) } ?? false
  }
}
