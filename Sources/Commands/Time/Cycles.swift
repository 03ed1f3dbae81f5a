import Core

/// Parts of periods: "the first Monday of March", "the end of the month", "the week of October 6th", "last summer".
extension Grammar {
  func cycles(at index: Int) -> [Hit<Moment>] {
    nthOf(at: index) + severalOf(at: index) + firstWithin(at: index) + beside(at: index) + fuzzy(at: index)
      + weekOf(at: index)
      + weekends(at: index)
  }

  /// What "of" may name: any date, and "the month", "the year" for the present one.
  func whole(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, [.the, .this])
    var found: [Hit<Moment>] = []
    if let unit = unit(at: at), unit >= .day, !has(at, .night) {
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

  func firstAhead(_ moment: Moment, _ find: (Period) -> Period?) -> Period? {
    let found = candidates(moment).compactMap(find)
    if moment.anchor != nil || moment.year != nil || moment.past { return found.first }
    return found.first { $0.lastDay >= context.today } ?? found.last
  }

  private func nthOf(at index: Int) -> [Hit<Moment>] {
    var at = skip(index, .the)
    var ordinal: Int
    if has(at, .last) {
      ordinal = -1
      at += 1
    } else if let number = self.ordinal(at: at) {
      ordinal = number.value
      at = number.end
      if has(at, .last) || has(at, [.to, .from]) && has(at + 1, .last) {
        at += has(at, .last) ? 1 : 2
        ordinal = -ordinal
      }
    } else {
      return []
    }
    guard (1...53).contains(abs(ordinal)) else { return [] }
    let weekday = token(at)?.weekday
    let unit = unit(at: at)
    let weekend = weekendEnd(at: at)
    let workday = workday(at: at)
    guard weekday != nil || unit != nil || weekend != nil || workday != nil else { return [] }
    let end = workday ?? weekend ?? at + 1
    if let weekday, has(end, [.after, .before, .following]), ordinal > 0 {
      return neighbours(weekday, ordinal, at: end)
    }
    guard has(end, [.of, .in, .from]) else { return [] }
    var found: [Hit<Moment>] = []
    for hit in whole(at: end + 1) {
      let placed = firstAhead(hit.value) { period in
        guard
          period.grain >= .week || period.end - period.start > 2 * Civil.secondsPerDay
            || unit.map({ $0 < .day }) == true
        else { return nil }
        if let weekday { return nthDay(ordinal, weekday, period) }
        if weekend != nil { return nthWeekend(ordinal, period) }
        if workday != nil { return nthWorkday(ordinal, period) }
        return unit.flatMap { nthUnit(ordinal, $0, period) }
      }
      if let placed { found.append(Hit(value: Moment(anchor: placed, anchorIsRange: weekend != nil), end: hit.end)) }
    }
    return found
  }

  /// "The first two weeks of January", "the last three days of the month".
  private func severalOf(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, .the)
    let isLast = has(at, .last)
    guard isLast || token(at)?.ordinal == 1, let count = integer(at: at + 1), (2...30).contains(count.value),
      let unit = unit(at: count.end), unit >= .day, has(count.end + 1, [.of, .in])
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
      let far = step.value.distance
      let start = Civil.add(far, .month, to: Civil.truncate(context.now, to: .month))
      return Hit(value: Moment(anchor: Period(start, .month)), end: step.end + 1)
    }
    return (named + [stepped].compactMap(\.self)).compactMap { hit in
      guard token(hit.end - 1)?.isContracted == true else { return nil }
      let rank = has(hit.end, .last) ? Hit(value: -1, end: hit.end + 1) : ordinal(at: hit.end)
      guard let rank, let weekday = token(rank.end)?.weekday,
        let day = firstAhead(hit.value, { nthDay(rank.value, weekday, $0) })
      else { return nil }
      return Hit(value: Moment(anchor: day), end: rank.end + 1)
    }
  }

  /// "the Monday after Easter", "Friday before the 10th".
  private func beside(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, .the)
    guard let weekday = token(at)?.weekday, has(at + 1, [.after, .before, .following]),
      !has(at + 2, [.next, .last])
    else { return [] }
    return neighbours(weekday, 1, at: at + 1)
  }

  /// The nth such weekday on one side of a date, which the joint names.
  private func neighbours(_ weekday: Int, _ ordinal: Int, at joint: Int) -> [Hit<Moment>] {
    let back = has(joint, .before)
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
    let at = skip(index, .the)
    guard has(at, .week) || has(at, .weekend) else { return [] }
    guard has(at + 1, [.of, .starting, .before, .after]) else { return [] }
    var found: [Hit<Moment>] = []
    for hit in moments(at: at + 2) where !hit.value.hasClock {
      guard let day = date(of: hit.value), day.grain == .day else { continue }
      // Who says "the week of Sunday the 6th" means the week that begins then.
      let shift = Civil.weekday(day.firstDay) == 6 ? 1 : 0
      var monday = day.firstDay + shift - Civil.weekday(day.firstDay + shift)
      if has(at, .weekend) {
        monday += Civil.weekday(day.firstDay) < 2 && has(at + 1, .of) ? 0 : 7
        if has(at + 1, .before) { monday -= Civil.weekday(day.firstDay) < 5 ? 7 : 0 }
        found.append(Hit(value: weekend(before: monday), end: hit.end))
      } else {
        if has(at + 1, .before) { monday -= 7 }
        if has(at + 1, .after) { monday += 7 }
        found.append(Hit(value: Moment(anchor: Period(monday * Civil.secondsPerDay, .week)), end: hit.end))
      }
    }
    return found
  }

  private func weekends(at index: Int) -> [Hit<Moment>] {
    let at = skip(index, .the)
    guard let end = weekendEnd(at: at), !has(at, .weekends) else { return [] }
    var found = [Hit(value: weekend(0), end: end)]
    // "the weekend after Easter" is handled as a week; "the weekend in March" is not a thing people say.
    if has(end, .after) || has(end, .before) { found += weekOf(at: index) }
    return found
  }
}
