import Core

/// Beginnings, middles and ends: "late March", "the end of the week", "the rest of the day", "later this week".
extension Grammar {
  enum Third: String { case early, middle, late }

  func fuzzy(at index: Int) -> [Hit<Moment>] {
    if let rest = phrase(.rests, at: index) { return restOf(at: rest.end) }
    let found = abbreviated(at: index) + midweek(at: index)
    guard let which = language.thirds.longest(tokens, at: index) else { return found }
    if has(index, .earlier), has(index + 1, [.this, .today]) { return found + earlier(at: index + 1) }
    if has(index, .later) { return found + later(at: index + 1) }
    return found
      + whole(at: skip(skip(which.end, .roughly), .dash)).compactMap { hit in
        var chosen: Moment?
        _ = firstAhead(hit.value) { period in
          guard let third = third(which.payload, period), let range = third.anchor else { return nil }
          if range.lastDay >= context.today || chosen == nil || hit.value.anchor != nil {
            chosen = chosen.map { ($0.anchor?.lastDay ?? 0) >= context.today ? $0 : third } ?? third
          }
          return range
        }
        return chosen.map { Hit(value: $0, end: hit.end) }
      }
  }

  /// "EOD", "the end of the month", "start of the year"
  private func abbreviated(at index: Int) -> [Hit<Moment>] {
    let ends = language.ends.matches(tokens, at: index).compactMap { hit in
      let moment =
        hit.payload == .day ? Moment(part: DayPart.endOfDay) : third(.late, Period(context.now, hit.payload))
      return moment.map { Hit(value: $0, end: hit.end) }
    }
    return ends
      + language.begins.matches(tokens, at: index).compactMap { hit in
        third(.early, Period(context.now, hit.payload)).map { Hit(value: $0, end: hit.end) }
      }
  }

  private func restOf(at index: Int) -> [Hit<Moment>] {
    whole(at: index).compactMap { hit in
      guard let period = date(of: hit.value), period.start <= context.now, period.end > context.now else { return nil }
      let start = period.grain > .day ? context.today * Civil.secondsPerDay : context.now
      let rest = Period(start: start, end: period.end, grain: min(.day, period.grain))
      return Hit(value: Moment(anchor: rest, anchorIsRange: true), end: hit.end)
    }
  }

  private func midweek(at index: Int) -> [Hit<Moment>] {
    guard has(index, .midweek) else { return [] }
    let week = Period(context.now, .week)
    return [week, Period(Civil.add(1, .week, to: week.start), .week)].compactMap { third(.middle, $0) }
      .first { $0.anchor?.lastDay ?? 0 >= context.today }.map { [Hit(value: $0, end: index + 1)] } ?? []
  }

  /// "Earlier today": what has passed of it.
  private func earlier(at index: Int) -> [Hit<Moment>] {
    whole(at: index).compactMap { hit in
      guard let period = date(of: hit.value), period.start < context.now, period.end > context.now else { return nil }
      let past = Period(start: period.start, end: context.now, grain: .second)
      return Hit(value: Moment(anchor: past, anchorIsRange: true), end: hit.end)
    }
  }

  private func later(at index: Int) -> [Hit<Moment>] {
    // "later tonight", "later today at five": the words that follow say when.
    let told = moments(at: index).filter {
      $0.value.anchor?.firstDay == context.today && ($0.value.part != nil || $0.value.hasClock)
    }
    guard has(index, [.this, .today, .in]) else { return told }
    // "later today", "later this week": from now to its end.
    return told
      + whole(at: skip(index, .in)).compactMap { hit in
        guard let period = date(of: hit.value), period.start <= context.now, period.end > context.now else {
          return nil
        }
        let left = Period(start: context.now, end: period.end, grain: .second)
        return Hit(value: Moment(anchor: left, anchorIsRange: true), end: hit.end)
      }
  }

  /// A third is about when, and no more.
  private func third(_ which: Third, _ period: Period) -> Moment? {
    var moment = exactThird(which, period)
    moment?.isRough = true
    return moment
  }

  private func exactThird(_ which: Third, _ period: Period) -> Moment? {
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
        case .late: DayPart.endOfDay
        }
      return Moment(anchor: period, part: part, doubt: which == .middle ? 0.2 : 0)
    default: return nil
    }
  }
}
