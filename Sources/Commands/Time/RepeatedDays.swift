import Core

/// The days that a repetition falls on, as they are told: by the month, by the week, by both.
extension Grammar {
  /// Repetitions that no "every" marks: "weekday mornings", "Tuesday and Thursday evenings", "Mon-Fri 9-5", "Mon, Wed, Fri at 7".
  func unmarked(at index: Int) -> [Hit<Base>] {
    if has(index, .weeknights) {
      let rule = Recurrence(frequency: .weekly, weekdays: Recurrence.workdays)
      return [Hit(value: Base(recurrence: rule, part: DayPart.night), end: index + 1)]
    }
    let isNamed = has(index, [.workday, .weekend])
    let named = has(index, .weekend) ? Recurrence.weekend : Recurrence.workdays
    guard let days = isNamed ? Hit(value: named, end: index + 1) : weekdayList(at: index, pluralOnly: false) else {
      return []
    }
    let rule = Recurrence(frequency: .weekly, weekdays: days.value)
    if let part = language.dayParts.longest(tokens, at: days.end), has(part.end - 1, .plural), !part.payload.meal {
      return [Hit(value: Base(recurrence: rule, part: part.payload), end: part.end)]
    }
    let isWorkWeek = days.value == Recurrence.workdays
    guard days.value.count > 2, isWorkWeek || days.end - index > 3, !isNamed else { return [] }
    return [Hit(value: Base(recurrence: rule, needsClock: true), end: days.end)]
  }

  /// "On Monday and Wednesday at nine": once on each of both days, from next week on where it says "next Monday and Wednesday".
  func both(at index: Int) -> [Hit<Base>] {
    let step = step(at: index)
    let start = step?.end ?? index
    guard step.map({ [.this, .next, .coming, .upcoming].contains($0.value) }) ?? true,
      let first = token(start)?.weekday, !has(start, .plural)
    else { return [] }
    let and = skip(start + 1, .comma)
    let last = skip(and + 1, .on)
    guard has(and, .and), let second = token(last)?.weekday, second != first, !has(last, .plural),
      // With a third day it is a list that repeats.
      token(skip(skip(last + 1, .comma), .and))?.weekday == nil
    else { return [] }
    let rule = Recurrence(frequency: .weekly, weekdays: [first, second].sorted(), count: 2)
    // A weekday that is named is never today.
    let isLater = step?.value == .next && !language.nextIsFirstAhead
    let unit: Grain = isLater ? .week : .day
    let from = Civil.add(1, unit, to: Civil.truncate(context.now, to: unit))
    return [Hit(value: Base(recurrence: rule, needsClock: true, from: from), end: last + 1)]
  }

  /// "On Monday and Wednesday at nine every week": what says behind two days that they come again.
  func eachWeek(at index: Int) -> Int? {
    let unit = skip(index + 1, .the)
    if has(index, .each), self.unit(at: unit) == .week { return unit + 1 }
    guard let adverb = language.adverbs.longest(tokens, at: index),
      adverb.payload.rule == Recurrence(frequency: .weekly)
    else { return nil }
    return adverb.end
  }

  /// "every day except Sunday", "every weekday but Friday", "daily except weekends".
  func without(_ base: Base, at index: Int) -> Hit<Base>? {
    var at = skip(index, .comma)
    guard has(at, .except) else { return nil }
    at = skip(skip(at + 1, [.for, .from, .not]), [.on, .at, .the])
    let left = base.recurrence.weekdays.isEmpty ? Array(0...6) : base.recurrence.weekdays
    guard
      base.recurrence.frequency == .weekly && !base.recurrence.weekdays.isEmpty || base.recurrence.frequency == .daily,
      base.recurrence.interval == 1, base.recurrence.ordinals.isEmpty
    else { return nil }
    let weekend = has(at, [.weekend, .weekends]) ? Hit(value: Recurrence.weekend, end: at + 1) : nil
    guard let days = weekend ?? weekdayList(at: at, pluralOnly: false) else { return nil }
    let kept = left.filter { !days.value.contains($0) }
    guard !kept.isEmpty else { return nil }
    var result = base
    result.recurrence.frequency = .weekly
    result.recurrence.weekdays = kept
    return Hit(value: result, end: days.end)
  }

  /// "every day this week", "every morning next week": it ends with the period.
  func within(_ base: Base, at index: Int) -> Hit<Base>? {
    guard let step = step(at: index), step.value == .this || step.value == .next, let unit = unit(at: step.end),
      unit == .week || unit == .month, [.daily, .weekly].contains(base.recurrence.frequency)
    else { return nil }
    let start = Civil.add(step.value == .this ? 0 : 1, unit, to: Civil.truncate(context.now, to: unit))
    var result = base
    if base.recurrence.count == nil {
      result.recurrence.untilDay = Period(start, unit).lastDay
    } else if unit != .week || step.value == .this && base.recurrence.weekdays.contains(where: isOver) {
      return nil
    }
    if step.value == .next { result.from = start }
    return Hit(value: result, end: step.end + 1)
  }

  /// A weekday of this week that has come.
  private func isOver(_ weekday: Int) -> Bool { weekday <= Civil.weekday(context.today) }

  /// "the 5th of the month", "first Monday of the month", "last day of the month", "March 3rd".
  func monthly(at index: Int) -> [Hit<Base>] {
    var found: [Hit<Base>] = []
    func ends(_ at: Int) -> Int? {
      guard has(at, [.of, .in]) else { return nil }
      let month = skip(at + 1, [.the, .each, .a])
      return has(month, .month) ? month + 1 : nil
    }
    if let ranks = ranks(at: index) {
      let at = ranks.end
      if let weekday = token(at)?.weekday, ranks.value.allSatisfy((-1...5).contains) {
        let rule = Recurrence(frequency: .monthly, weekdays: [weekday], ordinals: ranks.value)
        found.append(Hit(value: Base(recurrence: rule), end: ends(at + 1) ?? at + 1))
      }
      if has(at, .day), let end = ends(at + 1) ?? (ranks.value == [-1] ? at + 1 : nil) {
        found.append(Hit(value: Base(recurrence: Recurrence(frequency: .monthly, monthDays: ranks.value)), end: end))
      }
      if let days = monthDays(at: index) {
        let rule = Recurrence(frequency: .monthly, monthDays: days.value)
        found.append(Hit(value: Base(recurrence: rule), end: ends(days.end) ?? days.end))
      }
    }
    // "Le 15 de chaque mois": days of the month without an ending.
    if language.isDayFirst, let day = integer(at: index), (1...31).contains(day.value), let end = ends(day.end) {
      found.append(Hit(value: Base(recurrence: Recurrence(frequency: .monthly, monthDays: [day.value])), end: end))
    }
    for hit in calendarDates(at: index) {
      if let month = hit.value.month, let day = hit.value.day, hit.value.year == nil, hit.value.weekday == nil {
        found.append(
          Hit(value: Base(recurrence: Recurrence(frequency: .yearly, monthDays: [day], month: month)), end: hit.end))
      }
    }
    return found
  }

  /// "the 5th", "the 1st and the 15th".
  private func monthDays(at index: Int) -> Hit<[Int]>? {
    ranks(at: index).flatMap {
      $0.value.allSatisfy((1...31).contains) ? Hit(value: $0.value.sorted(), end: $0.end) : nil
    }
  }

  /// "first", "last", "first and third", "the 1st and the 15th".
  private func ranks(at index: Int) -> Hit<[Int]>? {
    var ranks: [Int] = []
    var end = index
    var next = index
    while ranks.count < 31 {
      let at = skip(next, .the)
      guard let rank = has(at, .last) ? Hit(value: -1, end: at + 1) : ordinal(at: at) else { break }
      if !ranks.contains(rank.value) { ranks.append(rank.value) }
      end = rank.end
      next = skip(end, .comma)
      next = skip(next, .and)
      if next == end { break }
    }
    return ranks.isEmpty ? nil : Hit(value: ranks, end: end)
  }

  func frequency(_ unit: Grain, _ interval: Int) -> Recurrence? {
    switch unit {
    case .second: nil
    case .minute: Recurrence(frequency: .minutely, interval: interval)
    case .hour: Recurrence(frequency: .hourly, interval: interval)
    case .day: Recurrence(frequency: .daily, interval: interval)
    case .week: Recurrence(frequency: .weekly, interval: interval)
    case .month: Recurrence(frequency: .monthly, interval: interval)
    case .quarter: Recurrence(frequency: .monthly, interval: interval * 3)
    case .year: Recurrence(frequency: .yearly, interval: interval)
    }
  }

  /// "Monday, Wednesday and Friday", "mondays", "monday to friday".
  func weekdayList(at index: Int, pluralOnly: Bool) -> Hit<[Int]>? {
    func isPlural(_ at: Int) -> Bool { has(at, .plural) }
    guard let first = token(index)?.weekday, !pluralOnly || isPlural(index) else { return nil }
    var days = [first]
    var end = index + 1
    if has(end, [.to, .through, .dash, .until]), let last = token(end + 1)?.weekday, last > first {
      return Hit(value: Array(first...last), end: end + 2)
    }
    while true {
      var at = skip(end, .comma)
      at = skip(at, [.and, .or])
      at = skip(at, .each)
      guard let next = token(at)?.weekday, !pluralOnly || isPlural(at) else { break }
      if !days.contains(next) { days.append(next) }
      end = at + 1
    }
    return Hit(value: days.sorted(), end: end)
  }
}
