import Core

/// "This", "next", "last", and what they go with: "next week", "mardi prochain", "the weekend after next".
extension Grammar {
  enum Step: String {
    case this, next, last, upcoming, coming, afternext

    /// How many units from the present one.
    var distance: Int { self == .this ? 0 : self == .last ? -1 : self == .afternext ? 2 : 1 }
  }

  func step(at index: Int) -> Hit<Step>? {
    // "The plumber's coming Thursday"
    if has(index, .coming), token(index - 1)?.isContracted == true || has(index - 1, .isBeing) { return nil }
    return language.steps.longest(tokens, at: index).map { Hit(value: $0.payload, end: skip($0.end, .roughly)) }
  }

  /// "this", "next", "last" and what they go with, on either side.
  func stepped(at index: Int) -> [Hit<Moment>] {
    if let step = step(at: index) { return afterNext(at: step.end) + stepped(step.value, at: step.end) }
    let at = skip(index, .the)
    // "Mardi prochain", "la semaine dernière"
    let behind = (at + 1..<at + 4).flatMap { end in
      language.stepsBehind.longest(tokens, at: end).map { step in
        stepped(step.payload, at: at).filter { $0.end == end }.map { Hit(value: $0.value, end: step.end) }
      } ?? []
    }
    // "Friday after next", "the weekend after next", "week before last"
    return behind + afterNext(at: at)
  }

  private func stepped(_ step: Step, at: Int) -> [Hit<Moment>] {
    var found = steppedUnit(step, at: at) + steppedWeekday(step, at: at)
    let today = context.today
    if step != .this, let end = workday(at: at) {
      let day = today + Civil.workingDays(step == .last ? -1 : 1, from: today)
      found.append(Hit(value: Moment(anchor: Period(day: day)), end: end))
    }
    if let month = token(at)?.month {
      var moment = Moment(month: month, past: step == .last)
      if step == .next, Civil.date(today).month == month { moment.year = Civil.date(today).year + 1 }
      found.append(Hit(value: moment, end: at + 1))
    }
    if let end = weekendEnd(at: at) {
      found.append(Hit(value: weekend([.next, .last, .afternext].contains(step) ? step.distance : 0), end: end))
    }
    for hit in language.holidays.matches(tokens, at: at) {
      found.append(Hit(value: Moment(yearly: hit.payload, past: step == .last), end: hit.end))
    }
    if [.this, .next, .last].contains(step) {
      for hit in language.dayParts.matches(tokens, at: at) where !hit.payload.meal || step == .this {
        found.append(Hit(value: Moment(anchor: Period(day: today + step.distance), part: hit.payload), end: hit.end))
      }
    }
    return found
  }

  private func steppedUnit(_ step: Step, at: Int) -> [Hit<Moment>] {
    guard let unit = unit(at: at), !has(at, .night), !has(at, .second) || step != .this,
      // "The last week of November" is none before this one.
      !has(at + 1, .of) || step != .last, unit >= .day || step != .this || unit == .hour
    else { return [] }
    let distance = step.distance
    let moved = Civil.add(distance, unit, to: Civil.truncate(context.now, to: unit))
    return [Hit(value: Moment(anchor: Period(moved, unit)), end: at + 1)]
  }

  private func steppedWeekday(_ step: Step, at: Int) -> [Hit<Moment>] {
    guard let weekday = token(at)?.weekday else { return [] }
    let (first, today) = (nextDay(weekday), context.today)
    func day(_ day: Int, doubt: Double = 0) -> Hit<Moment> {
      Hit(value: Moment(anchor: Period(day: day), doubt: doubt), end: at + 1)
    }
    switch step {
    case .next:
      // The one of next week in English, the first ahead in the others; the other way to take it comes second.
      let later = today - Civil.weekday(today) + 7 + weekday
      let (one, two) = language.nextIsFirstAhead ? (first, later) : (later, first)
      return first == later ? [day(one)] : [day(one), day(two, doubt: 0.5)]
    case .afternext: return [day(first + 7)]
    case .last: return [day(today - 1 - Civil.modulo(Civil.weekday(today - 1) - weekday, 7))]
    default: return [day(first)]
    }
  }

  /// Where "weekend", "week-end", "weekends" ends.
  func weekendEnd(at index: Int) -> Int? {
    if has(index, [.weekend, .weekends]) { return index + 1 }
    let end = skip(index + 1, .dash)
    return has(index, .week) && has(end, .end) ? end + 1 : nil
  }

  /// "working day", "weekday": any day from Monday to Friday.
  func workday(at index: Int) -> Int? {
    if has(index, .workday) { return index + 1 }
    // "Jours ouvrables"
    if unit(at: index) == .day, has(index + 1, .working), unit(at: index + 1) == nil { return index + 2 }
    return has(index, .working) && has(index + 1, .day) ? index + 2 : nil
  }

  /// Friday evening until Monday, of this week or another.
  func weekend(_ distance: Int) -> Moment {
    let monday = context.today - Civil.weekday(context.today) + distance * 7
    return weekend(before: monday + 7)
  }

  func weekend(before monday: Int) -> Moment {
    let end = monday * Civil.secondsPerDay
    return Moment(
      anchor: Period(start: end - 2 * Civil.secondsPerDay - 6 * 3600, end: end, grain: .hour), anchorIsRange: true)
  }

  private func afterNext(at index: Int) -> [Hit<Moment>] {
    var end = index + 1
    let isWeekend = has(index, .weekend)
    guard token(index)?.weekday != nil || token(index)?.month != nil || token(index)?.unit != nil || isWeekend else {
      return []
    }
    let ahead: Bool
    if has(end, .after), has(end + 1, .next) {
      ahead = true
      end += 2
    } else if has(end, .before), has(end + 1, .last) {
      ahead = false
      end += 2
    } else {
      return []
    }
    if let weekday = token(index)?.weekday {
      let day =
        ahead ? nextDay(weekday) + 7 : context.today - 8 - Civil.modulo(Civil.weekday(context.today - 1) - weekday, 7)
      return [Hit(value: Moment(anchor: Period(day: day)), end: end)]
    }
    if isWeekend { return [Hit(value: weekend(ahead ? 2 : -2), end: end)] }
    if let unit = unit(at: index) {
      let moved = Civil.add(ahead ? 2 : -2, unit, to: Civil.truncate(context.now, to: unit))
      return [Hit(value: Moment(anchor: Period(moved, unit)), end: end)]
    }
    guard let month = token(index)?.month, let first = date(of: Moment(month: month, past: !ahead)) else { return [] }
    return [Hit(value: Moment(anchor: Period(Civil.add(ahead ? 1 : -1, .year, to: first.start), .month)), end: end)]
  }
}
