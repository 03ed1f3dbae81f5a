/// Parts of periods: "the first Monday of March", "the end of the month", "the week of October 6th", "last summer".
extension Grammar {
  func cycles(at index: Int) -> [Hit<Moment>] {
    nthOf(at: index) + severalOf(at: index) + firstWithin(at: index) + beside(at: index) + fuzzy(at: index)
      + weekOf(at: index) + closest(at: index)
      + weekends(at: index)
  }

  /// What "of" may name: any date, and "the month", "the year" for the present one.
  func whole(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, ["the", "this"])
    var found: [Hit<Moment>] = []
    if let unit = unit(at: at), unit >= .day, text(at) != "night" {
      found.append(Hit(value: Moment(anchor: Period(context.now, unit)), end: at + 1))
    }
    found += moments(at: index).filter { $0.value.hasDate && !$0.value.hasClock && $0.value.part == nil }
    return found
  }

  /// The periods a date may name from its last occurrence on.
  private func candidates(_ moment: Moment) -> [Period] {
    guard let first = date(of: moment) else { return [] }
    guard moment.year == nil, moment.anchor == nil else { return [first] }
    if let month = moment.month, moment.day == nil {
      let year = Civil.date(first.firstDay).year
      let years = moment.past ? [year] : [year, year + 1]
      return years.map { Period(Civil.day($0, month, 1) * Civil.secondsPerDay, .month) }
    }
    return [first]
  }

  private func firstAhead(_ moment: Moment, _ find: (Period) -> Period?) -> Period? {
    let found = candidates(moment).compactMap(find)
    if moment.anchor != nil || moment.year != nil || moment.past { return found.first }
    return found.first { $0.lastDay >= context.today } ?? found.last
  }

  private func nthOf(at index: Int) -> [Hit<Moment>] {
    var at = skip(index, ["the"])
    var ordinal: Int
    if text(at) == "last" || text(at) == "final" {
      ordinal = -1
      at += 1
    } else if let number = self.ordinal(at: at) {
      ordinal = number.value
      at = number.end
      if text(at) == "last" || text(at) == "to" && text(at + 1) == "last"
        || text(at) == "from" && text(at + 1) == "last"
      {
        at += text(at) == "last" ? 1 : 2
        ordinal = -ordinal
      }
    } else {
      return []
    }
    guard (1...53).contains(abs(ordinal)) else { return [] }
    let weekday = token(at)?.weekday
    let unit = unit(at: at)
    let isWeekend =
      text(at) == "weekend" || text(at) == "wkend" || text(at) == "week" && text(skip(at + 1, ["-"])) == "end"
      || text(at) == "week-end"
    let workday = workday(at: at)
    guard weekday != nil || unit != nil || isWeekend || workday != nil else { return [] }
    var end = workday ?? (isWeekend && text(at) == "week" ? skip(at + 1, ["-"]) + 1 : at + 1)
    if let weekday, ["after", "before", "following"].contains(text(end)), ordinal > 0 {
      return neighbours(weekday, ordinal, at: end)
    }
    guard ["of", "in", "from"].contains(text(end)) else { return [] }
    end += 1
    var found: [Hit<Moment>] = []
    for hit in whole(at: end) {
      let placed = firstAhead(hit.value) { period in
        guard
          period.grain >= .week || period.end - period.start > 2 * Civil.secondsPerDay
            || unit.map({ $0 < .day }) == true
        else { return nil }
        if let weekday { return nthDay(ordinal, weekday, period) }
        if isWeekend { return nthWeekend(ordinal, period) }
        if workday != nil { return nthWorkday(ordinal, period) }
        return unit.flatMap { nthUnit(ordinal, $0, period) }
      }
      if let placed { found.append(Hit(value: Moment(anchor: placed, anchorIsRange: isWeekend), end: hit.end)) }
    }
    return found
  }

  /// "The first two weeks of January", "the last three days of the month".
  private func severalOf(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, ["the"])
    let isLast = ["last", "final"].contains(text(at))
    guard isLast || text(at) == "first", let count = integer(at: at + 1), (2...30).contains(count.value),
      let unit = unit(at: count.end), unit >= .day, ["of", "in"].contains(text(count.end + 1))
    else { return [] }
    return whole(at: count.end + 2).compactMap { hit in
      let range = firstAhead(hit.value) { period in
        guard period.grain > unit else { return nil }
        let start = isLast ? Civil.add(-count.value, unit, to: period.end) : period.start
        let end = isLast ? period.end : Civil.add(count.value, unit, to: start)
        return start >= period.start && end <= period.end ? Period(start: start, end: end, grain: .day) : nil
      }
      return range.map { Hit(value: Moment(anchor: $0, anchorIsRange: true), end: hit.end) }
    }
  }

  /// "Next month's first Monday", "December's last Friday".
  private func firstWithin(at index: Int) -> [Hit<Moment>] {
    let named = token(index)?.month.map { [Hit(value: Moment(month: $0), end: index + 1)] } ?? []
    let stepped = step(at: index).flatMap { step -> Hit<Moment>? in
      guard unit(at: step.end) == .month else { return nil }
      let far = step.value == .this ? 0 : step.value == .last ? -1 : 1
      let start = Civil.add(far, .month, to: Civil.truncate(context.now, to: .month))
      return Hit(value: Moment(anchor: Period(start, .month)), end: step.end + 1)
    }
    return (named + [stepped].compactMap(\.self)).compactMap { hit in
      guard token(hit.end - 1)?.isContracted == true else { return nil }
      let rank = text(hit.end) == "last" ? Hit(value: -1, end: hit.end + 1) : ordinal(at: hit.end)
      guard let rank, let weekday = token(rank.end)?.weekday,
        let day = firstAhead(hit.value, { nthDay(rank.value, weekday, $0) })
      else { return nil }
      return Hit(value: Moment(anchor: day), end: rank.end + 1)
    }
  }

  /// "the Monday after Easter", "Friday before the 10th".
  private func beside(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, ["the"])
    guard let weekday = token(at)?.weekday, ["after", "before", "following"].contains(text(at + 1)),
      !["next", "last"].contains(text(at + 2))
    else { return [] }
    return neighbours(weekday, 1, at: at + 1)
  }

  /// The nth such weekday on one side of a date, which the joint names.
  private func neighbours(_ weekday: Int, _ ordinal: Int, at joint: Int) -> [Hit<Moment>] {
    let back = text(joint) == "before"
    return moments(at: joint + 1).compactMap { hit in
      guard !hit.value.hasClock, hit.value.part == nil, !hit.value.latent, let day = date(of: hit.value) else {
        return nil
      }
      let from =
        back
        ? day.firstDay - 1 - Civil.modulo(Civil.weekday(day.firstDay - 1) - weekday, 7)
        : day.lastDay + 1 + Civil.modulo(weekday - Civil.weekday(day.lastDay + 1), 7)
      return Hit(value: Moment(anchor: Period(day: from + (ordinal - 1) * (back ? -7 : 7))), end: hit.end)
    }
  }

  private func nthDay(_ ordinal: Int, _ weekday: Int, _ period: Period) -> Period? {
    let day =
      ordinal > 0
      ? period.firstDay + Civil.modulo(weekday - Civil.weekday(period.firstDay), 7) + (ordinal - 1) * 7
      : period.lastDay - Civil.modulo(Civil.weekday(period.lastDay) - weekday, 7) + (ordinal + 1) * 7
    return (period.firstDay...period.lastDay).contains(day) ? Period(day: day) : nil
  }

  private func nthWorkday(_ ordinal: Int, _ period: Period) -> Period? {
    let start = ordinal > 0 ? period.firstDay - 1 : period.lastDay + 1
    let day = start + Civil.workingDays(ordinal, from: start)
    return (period.firstDay...period.lastDay).contains(day) ? Period(day: day) : nil
  }

  private func nthWeekend(_ ordinal: Int, _ period: Period) -> Period? {
    guard let saturday = nthDay(ordinal, 5, period) else { return nil }
    return weekend(before: saturday.firstDay + 2).anchor
  }

  /// Whole units inside the period are counted; a week that only begins in a month is not its last.
  private func nthUnit(_ ordinal: Int, _ unit: Grain, _ period: Period) -> Period? {
    guard unit < period.grain || period.grain == .day && unit < .day else { return nil }
    var first = Civil.truncate(period.start, to: unit)
    if first < period.start { first = Civil.add(1, unit, to: first) }
    var last = Civil.truncate(period.end - 1, to: unit)
    if Civil.add(1, unit, to: last) > period.end { last = Civil.add(-1, unit, to: last) }
    let start = ordinal > 0 ? Civil.add(ordinal - 1, unit, to: first) : Civil.add(ordinal + 1, unit, to: last)
    return start >= period.start && start < period.end ? Period(start, unit) : nil
  }

  /// "the week of October 6th", "week commencing Monday", "the weekend of the 4th of July".
  private func weekOf(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, ["the"])
    guard text(at) == "week" || text(at) == "weekend" else { return [] }
    guard ["of", "commencing", "beginning", "starting", "before", "after"].contains(text(at + 1)) else { return [] }
    var found: [Hit<Moment>] = []
    for hit in moments(at: at + 2) where !hit.value.hasClock {
      guard let day = date(of: hit.value), day.grain == .day else { continue }
      // Who says "the week of Sunday the 6th" means the week that begins then.
      let shift = Civil.weekday(day.firstDay) == 6 ? 1 : 0
      var monday = day.firstDay + shift - Civil.weekday(day.firstDay + shift)
      if text(at) == "weekend" {
        monday += Civil.weekday(day.firstDay) < 2 && text(at + 1) == "of" ? 0 : 7
        if text(at + 1) == "before" { monday -= Civil.weekday(day.firstDay) < 5 ? 7 : 0 }
        found.append(Hit(value: weekend(before: monday), end: hit.end))
      } else {
        if text(at + 1) == "before" { monday -= 7 }
        if text(at + 1) == "after" { monday += 7 }
        found.append(Hit(value: Moment(anchor: Period(monday * Civil.secondsPerDay, .week)), end: hit.end))
      }
    }
    return found
  }

  /// "the closest Monday to Oct 5th", "the second closest xmas to today".
  private func closest(at index: Int) -> [Hit<Moment>] {
    var at = skip(index, ["the"])
    var rank = 1
    if let number = ordinal(at: at), ["closest", "nearest"].contains(text(number.end)) {
      rank = number.value
      at = number.end
    }
    guard ["closest", "nearest"].contains(text(at)) else { return [] }
    var found: [Hit<Moment>] = []
    for wanted in calendarDates(at: at + 1) + relatives(at: at + 1) where ["to", "from"].contains(text(wanted.end)) {
      for target in moments(at: wanted.end + 1) {
        guard let goal = place(target.value).first?.period else { continue }
        var options: [Period] = []
        if let yearly = wanted.value.yearly {
          let year = Civil.date(goal.firstDay).year
          options = occurrences(yearly, years: (year - 12)...(year + 12))
        } else if let weekday = wanted.value.weekday {
          let near = goal.firstDay - Civil.modulo(Civil.weekday(goal.firstDay) - weekday, 7)
          options = (-rank...(rank + 1)).map { Period(day: near + 7 * $0) }
        }
        let sorted = options.sorted { abs($0.firstDay - goal.firstDay) < abs($1.firstDay - goal.firstDay) }
        if sorted.count >= rank { found.append(Hit(value: Moment(anchor: sorted[rank - 1]), end: target.end)) }
      }
    }
    return found
  }

  private func weekends(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, ["the"])
    let end = text(at) == "week" && text(skip(at + 1, ["-"])) == "end" ? skip(at + 1, ["-"]) + 1 : at + 1
    guard text(at) == "weekend" || text(at) == "week" && end > at + 1 else { return [] }
    var found = [Hit(value: weekend(0), end: end)]
    // "the weekend after Easter" is handled as a week; "the weekend in March" is not a thing people say.
    if text(end) == "after" || text(end) == "before" { found += weekOf(at: index) }
    return found
  }

  // MARK: - Beginnings and ends

  private enum Third { case early, middle, late }

  private static let thirds = Phrases<Third>([
    ("beginning of|the beginning of|start of|the start of|early in|early|earlier|early on in|first part of", .early),
    ("middle of|the middle of|mid|mid-|in the middle of", .middle),
    ("end of|the end of|late in|late|close of|towards the end of|the tail end of", .late),
    ("later", .late),
  ])
  private static let ends = Phrases<Grain>([
    (
      "eod|the eod|end of day|the end of day|end of the day|the end of the day|end of play|close of business|cob|close of play|end of business",
      .day
    ),
    ("eom|the eom|end of month|the end of month", .month), ("eoy|the eoy|end of year|the end of year", .year),
    ("eow|the eow|end of week|the end of week", .week),
  ])
  private static let begins = Phrases<Grain>([
    ("bom|the bom|beginning of month|the beginning of month|start of month", .month),
    ("boy|the boy|beginning of year|the beginning of year|start of year", .year),
  ])

  private func fuzzy(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    for hit in Self.ends.matches(tokens, at: index) {
      if hit.payload == .day {
        found.append(Hit(value: Moment(part: DayParts.endOfDay), end: hit.end))
        continue
      }
      if let third = third(.late, Period(context.now, hit.payload)) { found.append(Hit(value: third, end: hit.end)) }
    }
    for hit in Self.begins.matches(tokens, at: index) {
      if let third = third(.early, Period(context.now, hit.payload)) { found.append(Hit(value: third, end: hit.end)) }
    }
    if text(index) == "rest" || text(index) == "the" && text(index + 1) == "rest" || text(index) == "remainder",
      text(skip(index, ["the"]) + 1) == "of"
    {
      for hit in whole(at: skip(index, ["the"]) + 2) {
        guard let period = date(of: hit.value), period.start <= context.now, period.end > context.now else { continue }
        let start = period.grain > .day ? context.today * Civil.secondsPerDay : context.now
        found.append(
          Hit(
            value: Moment(
              anchor: Period(start: start, end: period.end, grain: min(.day, period.grain)), anchorIsRange: true),
            end: hit.end))
      }
      return found
    }
    if text(index) == "midweek" {
      let week = Period(context.now, .week)
      for period in [week, Period(Civil.add(1, .week, to: week.start), .week)] {
        guard let third = third(.middle, period), third.anchor?.lastDay ?? 0 >= context.today else { continue }
        return found + [Hit(value: third, end: index + 1)]
      }
    }
    guard let which = Self.thirds.longest(tokens, at: index) else { return found }
    if text(index) == "earlier", ["this", "today"].contains(text(index + 1)) {
      for hit in whole(at: index + 1) {
        guard let period = date(of: hit.value), period.start < context.now, period.end > context.now else { continue }
        let past = Period(start: period.start, end: context.now, grain: .second)
        found.append(Hit(value: Moment(anchor: past, anchorIsRange: true), end: hit.end))
      }
      return found
    }
    if text(index) == "later" {
      // "later tonight", "later today at five": the words that follow say when.
      for hit in moments(at: index + 1)
      where hit.value.anchor?.firstDay == context.today && (hit.value.part != nil || hit.value.hasClock) {
        found.append(hit)
      }
      // "later today", "later this week": from now to its end.
      for hit in whole(at: skip(index + 1, ["in"]))
      where text(index + 1) == "this" || text(index + 1) == "today" || text(index + 1) == "in" {
        guard let period = date(of: hit.value), period.start <= context.now, period.end > context.now else { continue }
        found.append(
          Hit(
            value: Moment(anchor: Period(start: context.now, end: period.end, grain: .second), anchorIsRange: true),
            end: hit.end))
      }
      return found
    }
    let at = skip(skip(which.end, ["around", "about"]), ["-"])
    for hit in whole(at: at) {
      var chosen: Moment?
      _ = firstAhead(hit.value) { period in
        guard let third = third(which.payload, period), let range = third.anchor else { return nil }
        if range.lastDay >= context.today || chosen == nil || hit.value.anchor != nil {
          chosen = chosen.map { ($0.anchor?.lastDay ?? 0) >= context.today ? $0 : third } ?? third
        }
        return range
      }
      if let chosen { found.append(Hit(value: chosen, end: hit.end)) }
    }
    return found
  }

  private func third(_ which: Third, _ period: Period) -> Moment? {
    let start = period.start
    func days(_ from: Int, _ until: Int?) -> Moment {
      Moment(
        anchor: Period(
          start: Civil.add(from, .day, to: start), end: until.map { Civil.add($0, .day, to: start) } ?? period.end,
          grain: .day),
        anchorIsRange: true)
    }
    func months(_ from: Int, _ until: Int) -> Moment {
      Moment(
        anchor: Period(
          start: Civil.add(from, .month, to: start), end: Civil.add(until, .month, to: start), grain: .month),
        anchorIsRange: true)
    }
    // A season.
    if period.grain == .day, period.end - period.start > 60 * Civil.secondsPerDay {
      let third = (period.end - period.start) / Civil.secondsPerDay / 3
      switch which {
      case .early: return days(0, third)
      case .middle: return days(third, 2 * third)
      case .late: return days(2 * third, nil)
      }
    }
    switch (period.grain, which) {
    case (.month, .early): return days(0, 10)
    case (.month, .middle): return days(10, 20)
    case (.month, .late): return days(20, nil)
    case (.week, .early): return days(0, 3)
    case (.week, .middle): return days(2, 4)
    case (.week, .late): return days(4, nil)
    case (.year, .early): return months(0, 3)
    case (.year, .middle): return months(4, 8)
    case (.year, .late): return months(8, 12)
    case (.quarter, .early): return months(0, 1)
    case (.quarter, .middle): return months(1, 2)
    case (.quarter, .late): return months(2, 3)
    case (.day, let which):
      guard period.end - period.start == Civil.secondsPerDay else { return nil }
      let part =
        switch which {
        case .early: DayPart(name: "earlyday", from: 6, until: 10)
        case .middle: DayPart(name: "midday", from: 11, until: 14)
        case .late: DayParts.endOfDay
        }
      return Moment(anchor: period, part: part, doubt: which == .middle ? 0.2 : 0)
    default: return nil
    }
  }
}
