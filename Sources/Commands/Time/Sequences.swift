/// Words beside each other that narrow one moment: "at half past seven on Friday the 20th of September".
extension Grammar {
  /// Everything with one meaning of its own.
  func atoms(at index: Int) -> [Hit<Moment>] {
    if let known = atomMemo[index] { return known }
    guard index < tokens.count else { return [] }
    // A rule that comes back to the same token finds nothing there: that ends left recursion.
    atomMemo[index] = []
    var found = calendarDates(at: index) + relatives(at: index) + cycles(at: index)
    for hit in clocks(at: index) {
      var moment = Moment(clock: hit.value, latent: hit.value.bare, isRough: hit.value.isGuess)
      if hit.value.bare, hit.value.grain == .minute, text(hit.end - 1).count == 4 { moment.doubt = 0.1 }
      // "15.10" is a day where days come first.
      if hit.value.bare, context.dayFirst, has(index + 1, .dot), (1...12).contains(hit.value.minute) {
        moment.doubt = 0.5
      }
      found.append(Hit(value: moment, end: hit.end))
      if isMinutesTo(hit.end) { continue }
      found += clockRanges(from: hit, isBetween: false).map { Hit(value: $0.value.doubted(moment.doubt), end: $0.end) }
    }
    // "between 9 and 11", "later than 3 pm but before 6"
    let isBetween = has(skip(index, .in), .between)
    let inner =
      has(index, .later) && has(index + 1, .than)
      ? index + 2 : skip(isBetween ? skip(index, .in) : index, [.between, .from])
    if inner > index {
      for hit in clocks(at: skip(inner, .roughly)) {
        for range in clockRanges(from: hit, isBetween: true) {
          var range = range
          if has(index, .between) { range.value.latent = false }
          range.value.doubt = 0
          found.append(range)
        }
      }
    }
    let day = skip(index, .the)
    for hit in language.dayParts.matches(tokens, at: day) where !isName(index, hit.end) {
      found.append(Hit(value: Moment(part: hit.payload, latent: hit.payload.meal), end: hit.end))
    }
    atomMemo[index] = found
    return found
  }

  /// "Parents evening" and "movie night" are things, not times.
  private func isName(_ index: Int, _ end: Int) -> Bool {
    if isNamed(index, end) { return true }
    guard index > 0, let before = token(index - 1), before.kind == .word, !has(end, .of), !has(index, .the) else {
      return false
    }
    return before.weekday == nil && before.month == nil && before.cardinal == nil && before.ordinal == nil
      && !has(index, .opensPart) && !has(index - 1, .beforePart)
      && language.holidays.longest(tokens, at: index - 1) == nil && Zone.offsets[before.text] == nil
  }

  /// "Remind me about the evening program" names it; "in the evening call mum" says when.
  private func isNamed(_ index: Int, _ end: Int) -> Bool {
    let article = has(index, .the) ? index : index - 1
    guard has(article, .the), article > 0, let next = token(end), next.kind == .word, next.weekday == nil,
      next.month == nil, next.cardinal == nil, next.ordinal == nil, !has(end, .afterPart)
    else { return false }
    return !has(article - 1, [.beforeArticle, .comma])
  }

  /// "At ten to three" is one time, "from ten to three" two.
  func isMinutesTo(_ joint: Int) -> Bool {
    has(joint, .to) && has(joint, .minutesTo) && has(joint - 2, .at) && token(joint - 1)?.kind == .word
      && [5, 10, 20, 25].contains(token(joint - 1)?.cardinal ?? 0)
  }

  /// "9:30 - 11:00", "3 to 4pm", "between 2 and 4".
  private func clockRanges(from first: Hit<Clock>, isBetween: Bool) -> [Hit<Moment>] {
    guard let joint = rangeJoint(first, isBetween: isBetween) else { return [] }
    return clocks(at: skip(skip(joint.end, .at), .roughly)).compactMap { last in
      guard unit(at: last.end) == nil || glued(last.end) else { return nil }
      var (from, until) = (first.value, last.value)
      if from.bare, until.bare, from.grain == .hour, until.grain == .hour, from.hour >= 24 || until.hour >= 24 {
        return nil
      }
      if from.ambiguous, !until.ambiguous, until.hour >= 12 || until.hour > 0 && !until.bare {
        from.hour = hour(of: from, before: until)
        from.ambiguous = false
      }
      var end = last.end
      if text(end) == "+", isNumber(end + 1, digits: 1...1), glued(end + 1) { end += 2 }
      // The end is the first such time after the beginning, which may be said to be a day on itself.
      if from.dayShift > 0 || until.seconds <= from.seconds { until.dayShift = 0 }
      if until.zone != nil, from.zone == nil { from.zone = until.zone }
      var moment = Moment(clock: from, clockEnd: until)
      moment.latent = from.bare && until.bare && !(from.grain == .minute && until.grain == .minute)
      if joint.value { moment.latent = moment.latent || from.bare }
      if from.bare, until.bare, from.grain == .hour, until.grain == .hour { moment.doubt = 1 }
      return Hit(value: moment, end: end)
    }
  }

  /// What joins two clocks to a range, and whether it is one that also joins two times.
  private func rangeJoint(_ first: Hit<Clock>, isBetween: Bool) -> Hit<Bool>? {
    let at = first.end
    let ending = skip(skip(at, .comma), .and)
    if has(at, [.but, .and]), has(at + 1, .before) { return Hit(value: false, end: at + 2) }
    if has(ending, .ends) { return Hit(value: false, end: ending + 1) }
    if has(at, [.to, .dash, .until, .through, .tilde]) { return Hit(value: false, end: skip(at + 1, .dash)) }
    // "At ten am and two pm" are two times.
    return has(at, .and) && isBetween || has(at, .or) && first.value.bare ? Hit(value: true, end: at + 1) : nil
  }

  /// The half that was said plainly decides for the other: "3 to 4pm", "11 to 1 pm", "9am to 11".
  private func hour(of first: Clock, before last: Clock) -> Int {
    let (early, afternoon) = (first.hour % 12, first.hour % 12 + 12)
    let end = last.hour * 60 + last.minute
    if last.hour < 12 { return early * 60 + first.minute < end ? early : afternoon }
    return afternoon * 60 + first.minute < min(end, 24 * 60) ? afternoon : early
  }

  /// All moments that begin at a token, from one atom up to as many as fit together.
  func moments(at index: Int) -> [Hit<Moment>] {
    if let known = momentMemo[index] { return known }
    momentMemo[index] = []
    var found: [Hit<Moment>] = []
    var seen: Set<Int> = []
    var starts = [(index, false)]
    var at = index
    while at < index + 3, let next = afterLead(at) {
      let hasArticle = has(next, .the)
      at = next
      starts.append((at, true))
      if hasArticle { starts.append((at + 1, true)) }
    }
    for (start, led) in starts where seen.insert(start).inserted {
      for atom in atoms(at: start) {
        // "A table for four", "chapter four": no hours.
        if has(start - 1, .counter), let clock = atom.value.clock, clock.bare, clock.grain == .hour,
          atom.value.clockEnd == nil
        {
          continue
        }
        var moment = atom.value
        let isSecond = has(start - 1, .and) && isSecondClock(start, atom.end)
        if (led || has(start - 1, .limit) || isSecond) && !isLong(start, atom) {
          moment.latent = moment.latent && !supports(isSecond ? [.at, .clockLead] : words(start - 1), moment)
        }
        extend(Hit(value: moment, end: atom.end), into: &found, depth: 0)
      }
    }
    momentMemo[index] = found
    return found
  }

  /// "Un minuteur de 2 heures": where a unit also says the clock, a number behind "of" is how long; "à partir de 2 heures" is since when.
  private func isLong(_ start: Int, _ atom: Hit<Moment>) -> Bool {
    guard has(start - 1, .of), unit(at: atom.end - 1) == .hour, atom.value.clock?.bare == true,
      atom.value.clockEnd == nil
    else { return false }
    return !(max(0, start - 4)..<start).contains { from in
      language.bounds.matches(tokens, at: from).contains { $0.end == start }
    }
  }

  /// "At nine and five": the second number is an hour like the first.
  private func isSecondClock(_ start: Int, _ end: Int) -> Bool {
    if let next = token(end), next.kind != .symbol, !has(end, .afterSecondClock) { return false }
    return (max(0, start - 6)..<max(0, start - 1)).contains { first in
      has(first - 1, .at) && clocks(at: first).contains { $0.end == start - 1 }
    }
  }

  /// "Over the weekend", but not "hand it over at five".
  private func afterLead(_ index: Int) -> Int? {
    if let end = phrase(.someTime, at: index)?.end { return end }
    let goesOn = has(index, .soleLead) && has(index + 1, .lead) && !has(index + 1, .this)
    return has(index, .lead) && !goesOn ? index + 1 : nil
  }

  /// Whether the words before make a bare number or a doubtful name a time.
  private func supports(_ lead: WordSet, _ moment: Moment) -> Bool {
    if moment.hasClock, !moment.hasDate { return lead.contains(.clockLead) }
    if moment.bareDay { return lead.contains(.dateLead) }
    if moment.year != nil, moment.month == nil { return lead.contains(.yearLead) }
    return !lead.contains(.like)
  }

  private func extend(_ hit: Hit<Moment>, into found: inout [Hit<Moment>], depth: Int) {
    steps += 1
    guard steps < 20_000, found.count < 400 else { return }
    var hit = hit
    hit.end = skip(hit.end, .exactly)
    found.append(hit)
    if depth == 0, has(hit.end, .time) { found.append(Hit(value: hit.value, end: hit.end + 1)) }
    guard depth < 6 else { return }
    var nexts: [(Int, WordSet)] = [(hit.end, [])]
    var at = hit.end
    while has(at, [.joint, .comma, .bracket, .dot, .slash]), at < hit.end + 4 {
      at += 1
      nexts.append((at, words(at - 1)))
    }
    if has(hit.end, .dash) { nexts.append((hit.end + 1, [.dash])) }
    for (next, joint) in nexts where next < tokens.count {
      for atom in atoms(at: next) {
        guard joins(joint, hit.value, atom.value) else { continue }
        guard fits(hit.value, atom.value, joint: joint, gap: next - hit.end) else { continue }
        var next = atom.value
        if supports(joint, next) && joint != [] { next.latent = false }
        var left = hit.value
        if left.latent, left.clock?.bare == true, next.part != nil || next.anchor?.grain == .day || next.weekday != nil
        {
          left.latent = false
        }
        if left.bareDay, left.latent, next.month != nil || next.anchor != nil || next.weekday != nil {
          left.latent = false
        }
        guard let merged = left.merged(with: next) else { continue }
        extend(Hit(value: merged, end: atom.end), into: &found, depth: depth + 1)
      }
    }
  }

  /// Words between two parts that only some parts go with.
  private func joins(_ joint: WordSet, _ left: Moment, _ right: Moment) -> Bool {
    if joint.contains(.dash) {
      return !right.hasDate && (right.part != nil || right.clockEnd != nil && !left.hasClock)
    }
    if joint.contains(.slash) { return right.part != nil }
    // A word that is more than one of these ("de") joins what any of them joins.
    if joint.contains(.of) { return true }
    if joint.contains(.from) { return right.anchor != nil || right.clockEnd != nil }
    if joint.contains(.for) { return right.hasDate || right.clock?.bare == false }
    return true
  }

  /// Bare numbers join only what makes times of them.
  private func fits(_ left: Moment, _ right: Moment, joint: WordSet, gap: Int) -> Bool {
    let isClose = joint == []
    if let clock = right.clock, clock.bare, right.clockEnd == nil {
      if joint.meets([.at, .roughly, .by]) { return true }
      // "12 Nov 1115", "Friday 8 30": four digits, or minutes, right behind a date.
      guard left.hasDate || left.part != nil else { return false }
      if clock.grain == .minute { return isClose || joint.meets([.comma, .bracket]) }
      return left.part != nil && isClose
    }
    if right.clockEnd != nil, right.latent { return isClose || joint.meets([.from, .at, .roughly, .comma]) }
    // "the third Tuesday" counts Tuesdays.
    if left.bareDay, right.weekday != nil, isClose { return false }
    if right.part?.isEdge == true { return left.hasDate && !joint.contains(.of) }
    if left.part?.isEdge == true {
      return right.anchor?.grain == .day || right.weekday != nil || left.hasDate && right.part != nil
    }
    if let clock = left.clock, clock.bare, left.clockEnd == nil, left.latent {
      // "1 night" is how long.
      if let part = right.part { return part.name != DayPart.night.name || !isClose || right.anchor != nil }
      return gap == 0 && (right.anchor?.grain == .day || right.weekday != nil) || joint.contains(.on)
    }
    if right.bareDay, right.latent { return left.weekday != nil || left.anchor?.grain == .day }
    if right.year != nil, right.month == nil, right.latent {
      return joint.meets([.of, .in, .comma]) || left.yearly != nil || left.month != nil
    }
    if right.part?.meal == true, right.latent { return left.hasDate }
    return true
  }
}
