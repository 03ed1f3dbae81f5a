import Core

/// A finding of the grammar before it is written down.
struct GrammarFinding {
  var placed: [Placed]
  var length: Length?
  var recurrence: Recurrence?
  var moment: Moment?
  /// Said with a length: "4 pm for half an hour".
  var minutes: Int?
  var doubt = 0.0
  var hasClock = false

  /// It was understood, and there is no such time.
  var isImpossible: Bool { placed.isEmpty && length == nil }

  func doubted(_ more: Double) -> GrammarFinding {
    var copy = self
    copy.doubt += more
    return copy
  }
}

extension Grammar {
  /// All that may begin at a token and stand as a reading of its own.
  func findings(at index: Int) -> [Hit<GrammarFinding>] {
    var found: [Hit<GrammarFinding>] = []
    for hit in moments(at: index) where !hit.value.latent || covers(index, hit.end) {
      if let finding = finding(hit.value) { found.append(Hit(value: finding, end: hit.end)) }
    }
    found +=
      ranges(at: index) + bounded(at: index) + lasting(at: index) + recurrences(at: index)
      + wholeDays(at: index) + sameTimes(at: index)
    let preposition = has(index, .for) ? index + 1 : index
    if let length = length(at: preposition), plausible(length, at: preposition) {
      found.append(
        Hit(value: GrammarFinding(placed: [], length: length.value, minutes: length.value.minutes), end: length.end))
    }
    if isMinus(index), length(at: index + 1) != nil {
      found += findings(at: index + 1).map { Hit(value: GrammarFinding(placed: []), end: $0.end) }
    }
    return found
  }

  /// "-5 minutes", "minus five minutes"; not of "5-10 minutes", "at noon - 30 minutes", "sept heures moins dix minutes".
  private func isMinus(_ index: Int) -> Bool {
    guard has(index, .minus) || has(index, .dash) && glued(index + 1) && !glued(index) else { return false }
    guard let before = token(index - 1) else { return true }
    return before.kind != .number && before.cardinal == nil && before.unit == nil
      && !has(index - 1, [.hourMark, .hours])
  }

  /// "a second" in "just a second" or "the second" is no length worth reporting on its own.
  private func plausible(_ length: Hit<Length>, at index: Int) -> Bool {
    // "A day trip", "a night out" are things.
    if has(index, .a), length.end == index + 2, length.value.finest >= .day,
      let next = token(length.end),
      next.kind == .word, !next.words.contains(.afterLength)
    {
      return false
    }
    // "Twice a day" says how often, "the 80s" when.
    return !(has(index, .a) && has(index - 1, [.once, .twice, .times]))
      && !(has(index - 1, .the) && text(length.end - 1) == "s")
      && !(has(index, .a) && has(index + 1, .second))
      && !(unit(at: length.end - 1) == .quarter && token(length.end) != nil)
  }

  /// A doubtful word is taken for a time when nothing else was said.
  private func covers(_ index: Int, _ end: Int) -> Bool {
    tokens[..<index].allSatisfy { $0.kind == .symbol } && tokens[end...].allSatisfy { $0.kind == .symbol }
  }

  func finding(_ moment: Moment) -> GrammarFinding? {
    let placed = place(moment)
    guard !placed.isEmpty else {
      return moment.isNoDay ? GrammarFinding(placed: [], moment: moment, doubt: moment.doubt) : nil
    }
    var doubt = moment.doubt
    // The weekday contradicts the date, which then counts alone.
    if let weekday = moment.weekday, moment.dateFields > 1, Civil.weekday(placed[0].period.firstDay) != weekday,
      placed[0].period.grain <= .day
    {
      doubt += 0.6
    }
    return GrammarFinding(placed: placed, moment: moment, doubt: doubt, hasClock: moment.hasClock)
  }

  /// "from Monday to Friday", "July 13 to 15", "8 Aug - 12 Aug", "29/30 August".
  private func ranges(at index: Int) -> [Hit<GrammarFinding>] {
    let isBetween = has(index, .between)
    var start = skip(index, [.from, .between, .starting])
    if has(index, .later), has(index + 1, .than) { start = index + 2 }
    var found: [Hit<GrammarFinding>] = []
    for first in halves(at: start) where !isMinutesTo(first.end) {
      var at = first.end
      if has(at, [.to, .dash, .until, .through, .slash, .tilde]) && !isInDate(at) || isBetween && has(at, .and)
        || has(at, .and) && first.value.bareDay
      {
        at += 1
      } else if has(at, [.but, .and]), has(at + 1, .before) {
        at += 2
      } else {
        continue
      }
      for last in halves(at: at) {
        var (opening, closing) = (first.value, last.value)
        // "24 - 29" and nothing else: no clock shows such hours.
        if let from = opening.day, let until = closing.day, opening.bareDay, closing.bareDay, from < until, until > 24,
          covers(index, last.end)
        {
          (opening.latent, closing.latent) = (false, false)
        }
        // "Samedi matin à 9h": where one word means at and to, a time of day tells when.
        if has(first.end, .at), closing.hasClock, !opening.hasClock { continue }
        // "The 29th and 30th" are one stretch of days, "the 15th and the 17th" two days.
        if has(first.end, .and), !isBetween, let from = opening.day, let until = closing.day, until != from + 1 {
          continue
        }
        guard let range = range(opening, closing) else { continue }
        // "9/30 August" is rarely a range and "2-15" a date: a joint without spaces binds days of one month only.
        if has(first.end, .slash), !tokens[at..<last.end].contains(where: { $0.month != nil }), !last.value.hasClock {
          continue
        }
        found.append(Hit(value: range, end: last.end))
      }
    }
    return found
  }

  /// The first sign of "2026-12-03", which is no "two days before 2026 - December 3".
  private func isInDate(_ index: Int) -> Bool {
    isNumber(index - 1, digits: 4...4) && numericDates(at: index - 1).contains { $0.end > index + 2 }
  }

  private func halves(at index: Int) -> [Hit<Moment>] {
    var found = moments(at: index).filter {
      !$0.value.latent || $0.value.bareDay || $0.value.hasClock || $0.value.weekday != nil || $0.value.month != nil
    }
    let at = skip(index, [.the, .night])
    if isNumber(at, digits: 1...2), (1...31).contains(tokens[at].value), !has(at + 1, .colon) {
      var moment = Moment(day: tokens[at].value)
      moment.bareDay = true
      moment.latent = true
      let end = has(at + 1, .dot) && glued(at + 1) ? at + 2 : at + 1
      found.append(Hit(value: moment, end: end))
    } else if token(at)?.kind == .word, let number = integer(at: at), (1...31).contains(number.value) {
      var moment = Moment(day: number.value)
      moment.bareDay = true
      moment.latent = true
      found.append(Hit(value: moment, end: number.end))
    }
    return found
  }

  private func range(_ first: Moment, _ last: Moment) -> GrammarFinding? {
    guard let (opening, closing) = completed(first, last), isRange(opening, closing),
      let begin = place(opening).first, let end = end(of: opening, closing, from: begin)
    else { return nil }
    let grain = min(begin.period.grain, end.period.grain)
    let stop = closing.hasClock ? Civil.add(1, grain, to: end.period.start) : end.period.end
    guard stop > begin.period.start, end.period.start >= begin.period.start else { return nil }
    var placed = Placed(period: Period(start: begin.period.start, end: stop, grain: grain), isRange: true)
    if closing.hasClock { placed.namedEnd = end.period.start }
    placed.zone = begin.zone
    placed.isContradicted = begin.isContradicted || end.isContradicted
    // "1pm - 2pm tomorrow" is both tomorrow; that reading comes from the clock range.
    let isLopsided = !opening.hasDate && opening.hasClock
    return GrammarFinding(
      placed: [placed], doubt: opening.doubt + closing.doubt + (isLopsided ? 0.5 : 0),
      hasClock: opening.hasClock && closing.hasClock)
  }

  /// What one half leaves unsaid the other says: month, year, week.
  private func completed(_ first: Moment, _ last: Moment) -> (Moment, Moment)? {
    var (first, last) = (first, last)
    guard first.clockEnd == nil, last.clockEnd == nil else { return nil }
    if first.bareDay, first.latent, first.clock == nil {
      guard last.day != nil, last.month != nil || last.anchor != nil || !last.latent && last.bareDay else { return nil }
      first.latent = false
    }
    if last.bareDay, last.latent, last.clock == nil {
      guard first.day != nil, first.month != nil || !first.latent else { return nil }
      last.latent = false
    }
    // "From Wed to Fri this week": both days are of that week.
    if first.weekday != nil, first.dateFields == 1, last.weekday != nil, let week = last.anchor, week.grain == .week {
      first.anchor = week
    }
    // Both days lie in one year: the nearer one where it suits as many of the weekdays.
    if let year = commonYear(first, last) { (first.year, last.year) = (year, year) }
    if first.day != nil, first.month == nil, first.anchor == nil, first.weekday == nil || last.month != nil {
      first.month = last.month
    }
    if first.year == nil, first.month != nil, last.year != nil { first.year = last.year }
    if last.day != nil, last.month == nil, last.anchor == nil, let month = first.month {
      last.month = month
      last.year = last.year ?? first.year
    }
    return (first, last)
  }

  /// Whether two halves are a range, and not a moment and something beside it.
  private func isRange(_ first: Moment, _ last: Moment) -> Bool {
    let isAlike = first.weekday != nil && last.weekday != nil || first.month != nil && last.month != nil
    if first.latent && last.latent && !(first.hasClock && last.hasClock) && !isAlike { return false }
    // "12 September - late evening" is one moment.
    if !last.hasDate, last.part != nil, first.part == nil, !first.hasClock { return false }
    if !first.hasDate, last.hasDate, first.hasClock || first.part != nil {
      guard last.hasClock == first.hasClock || last.part != nil else { return false }
    }
    // One half a date and the other a time of day do not make a range, unless the date has a time too.
    if first.hasClock != last.hasClock, first.part == nil, last.part == nil, !(first.hasClock && last.hasDate) {
      return false
    }
    return first.hasDate || last.hasDate || !first.hasClock || !last.hasClock
  }

  private func end(of first: Moment, _ last: Moment, from begin: Placed) -> Placed? {
    var last = last
    if !last.hasDate {
      last.anchor = Period(day: begin.period.firstDay)
      // The day it begins on already is the day after.
      if let shift = first.clock?.dayShift, shift > 0 { last.clock?.dayShift = 0 }
    } else if last.year == nil, last.month != nil, first.year != nil, last.day != nil {
      last.year = first.year
    }
    var floor: Int? = begin.period.start
    if last.anchor != nil && last.dateFields == 1 { floor = nil }
    if last.weekday != nil, last.dateFields == 1, first.weekday == last.weekday { floor = begin.period.end }
    guard let end = place(last, after: floor).first else { return nil }
    // "From eleven tonight to five": the first such time after the beginning.
    if end.period.start < begin.period.start, last.hasClock, last.anchor == Period(day: begin.period.firstDay),
      first.hasClock, last.dateFields == 1
    {
      last.anchor = Period(day: begin.period.firstDay + 1)
      return place(last).first
    }
    return end
  }

  private func commonYear(_ first: Moment, _ last: Moment) -> Int? {
    guard first.year == nil, last.year == nil, let opening = first.weekday, let closing = last.weekday,
      let firstMonth = first.month, let lastMonth = last.month, let firstDay = first.day, let lastDay = last.day,
      (firstMonth, firstDay) <= (lastMonth, lastDay)
    else { return nil }
    let this = Civil.date(context.today).year
    func fitting(_ year: Int) -> Int {
      guard Civil.isValid(year, firstMonth, firstDay), Civil.isValid(year, lastMonth, lastDay) else { return -1 }
      let days = [(firstMonth, firstDay, opening), (lastMonth, lastDay, closing)]
      return days.count { Civil.weekday(Civil.day(year, $0.0, $0.1)) == $0.2 }
    }
    let isAhead = Civil.isValid(this, lastMonth, lastDay) && Civil.day(this, lastMonth, lastDay) >= context.today
    return isAhead && fitting(this) >= fitting(this + 1) ? this : nil
  }
}
