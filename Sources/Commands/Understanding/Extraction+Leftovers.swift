/// What was said and is taken up nowhere. However sure one is of the rest, such a frame is asked about.
extension Extraction {
  func leavesOver(_ found: Found, _ intent: Intent) -> Bool {
    let title = found.places[.title] ?? []
    // Days that were left out, and not where they belong.
    if found.recurrence != nil, title.contains(where: { phrasing.tokens[$0].words.contains(.except) }) { return true }
    guard intent == .addReminder || intent == .createEvent else { return false }
    return isTorn(title, found.timing) || namesBeginning(title, found.timing) || hasTimeLeft(title, found.timing)
      || isBesideAnother(found.timing) || isSomebodyElses(intent) || isConditional(title)
      || found.timing.isAfterwards || intent == .createEvent && found.recurrence == nil && endsInRepeating(title)
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
