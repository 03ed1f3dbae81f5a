/// Repetitions beside the day that they begin with: "tomorrow from two to three every week", "every week tomorrow at nine".
extension Grammar {
  /// The day comes first, with its time of day or without.
  func begun(at index: Int) -> [Hit<GrammarFinding>] {
    var known: [Int: [Hit<Base>]] = [:]
    func rules(_ at: Int) -> [Hit<Base>] {
      let found = known[at] ?? self.rules(at: at)
      known[at] = found
      return found
    }
    return moments(at: index).flatMap { day -> [Hit<GrammarFinding>] in
      guard day.value.hasDate, !day.value.latent else { return [] }
      let lead = Moment(clock: day.value.clock, clockEnd: day.value.clockEnd, part: day.value.part)
      let length = clockLength(lead, at: day.end)
      var found: [Hit<GrammarFinding>] = []
      for (end, length) in [(day.end, nil), (length?.end, length?.value)] {
        guard let end else { continue }
        for base in rules(skip(end, .comma)) {
          guard let begin = firstDay(day.value), begins(base.value, on: begin) else { continue }
          let whole = completed(base, with: lead, from: begin.start)
          found += length.map(whole.lasting) ?? whole
        }
      }
      return found.map { hit in
        let isDated = [.monthly, .yearly].contains(hit.value.recurrence?.frequency)
        return Hit(value: hit.value.doubted(isDated ? Self.lessSaid : Self.moreSaid), end: hit.end)
      }
    }
  }

  /// A rule that names its days says more than one that only begins with one: "July 4th every year".
  private static let lessSaid = 0.1
  /// A word that is a day as well as a part of one is the day here: "morgen um zehn jede Woche".
  private static let moreSaid = -0.05

  /// The day follows, without a word like "starting" between.
  func beginnings(_ base: Base, _ rule: Hit<Recurrence>, _ moment: Moment) -> [Start] {
    guard rule.value.weekdays.isEmpty, rule.value.monthDays.isEmpty, !has(rule.end, [.starting, .from]) else {
      return []
    }
    return moments(at: skip(rule.end, .on)).filter(\.value.hasDate).compactMap { hit in
      guard let day = firstDay(hit.value), begins(base, on: day), !(moment.hasClock && hit.value.hasClock) else {
        return nil
      }
      var timed = moment
      if timed.clock == nil { (timed.clock, timed.clockEnd) = (hit.value.clock, hit.value.clockEnd) }
      if timed.part == nil { timed.part = hit.value.part }
      return Start(from: day.start - 1, end: hit.end, isNamed: true, moment: timed, doubt: Self.lessSaid)
    }
  }

  /// The day that something may begin with: one that was said, and is not over.
  private func firstDay(_ moment: Moment) -> Period? {
    guard moment.hasDate, !moment.latent, !moment.anchorIsRange, let period = place(moment).first?.period,
      period.grain <= .day, period.firstDay >= context.today
    else { return nil }
    return Period(day: period.firstDay)
  }

  /// Whether it is one of the rule's days: what comes on Mondays does not begin with any other day.
  private func begins(_ base: Base, on day: Period) -> Bool {
    let rule = base.recurrence
    return base.from == nil && ![.hourly, .minutely].contains(rule.frequency) && rule.falls(on: day.firstDay)
  }
}
