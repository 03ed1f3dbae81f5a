import Core

/// What says that something repeats: "every", "daily", "Mondays", "twice a week on …", "the next three Mondays".
extension Grammar {
  func rules(at index: Int) -> [Hit<Base>] {
    let onDays = skip(index, .on)
    return adverbs(at: index) + named(at: onDays) + unmarked(at: onDays) + both(at: onDays) + timesAWeek(at: index)
      + dated(at: onDays) + counted(at: index) + each(at: index) + everyOther(at: index)
  }

  private func hit(_ recurrence: Recurrence, _ end: Int, part: DayPart? = nil) -> Hit<Base> {
    Hit(value: Base(recurrence: recurrence, part: part), end: end)
  }

  /// "The quarterly review" is a name, "review it quarterly" a repetition.
  private func adverbs(at index: Int) -> [Hit<Base>] {
    let next = token(index + 1)
    guard let adverb = language.adverbs.longest(tokens, at: index), !has(index - 1, [.twice, .times]),
      next?.kind != .word || next?.weekday != nil || has(index + 1, [.afterAdverb, .each])
    else { return [] }
    return [hit(adverb.payload.rule, adverb.end, part: adverb.payload.part)]
  }

  /// "weekdays", "weekends", "Mondays and Thursdays"
  private func named(at index: Int) -> [Hit<Base>] {
    var found: [Hit<Base>] = []
    if has(index, .workdays) {
      found.append(hit(Recurrence(frequency: .weekly, weekdays: Recurrence.workdays), index + 1))
    }
    if has(index, .weekends) {
      found.append(hit(Recurrence(frequency: .weekly, weekdays: Recurrence.weekend), index + 1))
    }
    if let plural = weekdayList(at: index, pluralOnly: true) {
      found.append(hit(Recurrence(frequency: .weekly, weekdays: plural.value), plural.end))
    }
    return found
  }

  /// "once a week", "twice a week on Monday and Thursday": twice alone has no rule that says which days.
  private func timesAWeek(at index: Int) -> [Hit<Base>] {
    let per = has(index, .a) && has(index + 1, .times) ? index + 2 : index + 1
    if has(index, .once) || per > index + 1, has(per, [.a, .each, .per]), let unit = unit(at: per + 1),
      let base = frequency(unit, 1)
    {
      return [hit(base, per + 2)]
    }
    let often = has(index, .twice) ? index + 1 : integer(at: index).map(\.end).flatMap { has($0, .times) ? $0 : nil }
    guard let often else { return [] }
    let a = skip(often, .times)
    guard has(a, [.a, .per, .each]), unit(at: a + 1) == .week,
      let list = weekdayList(at: skip(a + 2, [.on, .comma]), pluralOnly: false)
    else { return [] }
    return [hit(Recurrence(frequency: .weekly, weekdays: list.value), list.end)]
  }

  /// "on the ninth of May every year", "on the 15th every month", "on the first of every month"
  private func dated(at index: Int) -> [Hit<Base>] {
    let day = skip(index, .the)
    return monthly(at: day).flatMap { rule -> [Hit<Base>] in
      let wanted = rule.value.recurrence
      let each = has(rule.end, .each) ? unit(at: rule.end + 1) : nil
      let told =
        each.map { (frequency: frequency($0, 1)?.frequency, end: rule.end + 2) }
        ?? language.adverbs.longest(tokens, at: rule.end).map { ($0.payload.rule.frequency, $0.end) }
      var found: [Hit<Base>] = []
      if let told, told.frequency == wanted.frequency { found.append(hit(wanted, told.end)) }
      if (day..<rule.end).contains(where: { has($0, .each) }) { found.append(hit(wanted, rule.end)) }
      return found
    }
  }

  /// "The next three Mondays"
  private func counted(at index: Int) -> [Hit<Base>] {
    let next = skip(skip(index, .for), .the)
    guard has(next, [.next, .following, .coming]), let count = integer(at: next + 1), (2...99).contains(count.value),
      let weekday = token(count.end)?.weekday, has(count.end, .plural)
    else { return [] }
    return [hit(Recurrence(frequency: .weekly, weekdays: [weekday], count: count.value), count.end + 1)]
  }

  // MARK: - Every

  /// "Un lundi sur deux"
  private func everyOther(at index: Int) -> [Hit<Base>] {
    guard has(index, .a), let end = phrase(.alternateBehind, at: index + 2)?.end else { return [] }
    return each(2, at: index + 1).filter { $0.end == index + 2 }.map { Hit(value: $0.value, end: end) }
  }

  private func each(at index: Int) -> [Hit<Base>] {
    guard has(index, [.each, .alternate]) else { return [] }
    let start = skip(skip(index + 1, .the), .single)
    let isSecond = has(start, .second) && (unit(at: start + 1) != nil || token(start + 1)?.weekday != nil)
    if has(index, .alternate) { return each(2, at: start) }
    if has(start, .other) || isSecond && !has(start + 2, [.of, .in]) {
      return each(2, at: start + 1) + monthly(at: skip(start + 1, .the))
    }
    var found: [Hit<Base>] = []
    // "every half hour", "every two and a half hours" count in minutes.
    if let length = length(at: start), length.value.parts.count == 1, let step = length.value.parts.first,
      (1...999).contains(step.count), let base = frequency(step.unit, step.count)
    {
      found.append(hit(base, length.end, part: has(length.end - 1, .night) ? DayPart.night : nil))
    }
    return found + each(1, at: start) + monthly(at: skip(start, .the))
  }

  /// What comes behind "every", once or every second time.
  private func each(_ interval: Int, at: Int) -> [Hit<Base>] {
    var found: [Hit<Base>] = []
    if let unit = unit(at: at), let base = frequency(unit, interval) {
      found.append(hit(base, at + 1, part: has(at, .night) ? DayPart.night : nil))
    }
    if has(at, .fortnight) { found.append(hit(Recurrence(frequency: .weekly, interval: 2), at + 1)) }
    if let end = has(at, .workdays) ? at + 1 : workday(at: at) {
      found.append(hit(Recurrence(frequency: .weekly, weekdays: Recurrence.workdays), end))
    }
    if has(at, .weekend) {
      found.append(hit(Recurrence(frequency: .weekly, interval: interval, weekdays: Recurrence.weekend), at + 1))
    }
    if let list = weekdayList(at: at, pluralOnly: false) {
      found.append(hit(Recurrence(frequency: .weekly, interval: interval, weekdays: list.value), list.end))
    }
    if let part = language.dayParts.longest(tokens, at: at), !part.payload.meal {
      found.append(hit(Recurrence(frequency: .daily, interval: interval), part.end, part: part.payload))
    }
    if let month = token(at)?.month {
      found.append(hit(Recurrence(frequency: .yearly, monthDays: [1], month: month), at + 1))
    }
    return found + feasts(at: at)
  }

  /// "Every Christmas": feasts of a fixed date.
  private func feasts(at index: Int) -> [Hit<Base>] {
    language.holidays.matches(tokens, at: index).compactMap { feast in
      let days = [2026, 2027].compactMap { feast.payload.days($0) }
      let dates = days.map { Civil.date($0.lowerBound) }
      guard dates.count == 2, days[0].count == 1, dates[0].month == dates[1].month, dates[0].day == dates[1].day else {
        return nil
      }
      return hit(Recurrence(frequency: .yearly, monthDays: [dates[0].day], month: dates[0].month), feast.end)
    }
  }
}
