import Core

/// Deciding which day and which instant a moment means.
extension Grammar {
  /// The readings of a moment, likeliest first. `floor` is a local time the result may not precede (the start of a range
  /// whose end this is).
  func place(_ moment: Moment, after floor: Int? = nil) -> [Placed] {
    var placed = placedPlainly(moment, after: floor)
    if !placed.isEmpty, isContradicted(moment, after: floor) {
      for at in placed.indices { placed[at].isContradicted = true }
    }
    return placed
  }

  /// "Monday the 16th" where the next one is a Wednesday, "February 29th" where the next February has none: whichever day is taken,
  /// some of the words say otherwise.
  private func isContradicted(_ moment: Moment, after floor: Int?) -> Bool {
    guard moment.anchor == nil, let found = date(of: moment, after: floor)?.firstDay else { return false }
    let isOfNoYear = moment.year == nil && moment.month != nil && moment.day != nil
    if isOfNoYear, found > context.today + 366 { return true }
    guard let weekday = moment.weekday, moment.day != nil || moment.yearly != nil else { return false }
    var plain = moment
    plain.weekday = nil
    return Civil.weekday(found) != weekday || date(of: plain, after: floor)?.firstDay != found
  }

  private func placedPlainly(_ moment: Moment, after floor: Int?) -> [Placed] {
    if moment.clock == nil, moment.part == nil {
      guard let period = date(of: moment, after: floor) else { return [] }
      return [
        Placed(
          period: period,
          isRange: moment.anchorIsRange && moment.dateFields == 1 || moment.anchor == period && moment.anchorIsRange
            || period.grain == .day && period.lastDay > period.firstDay)
      ]
    }
    var day: Int?
    if moment.hasDate {
      guard let period = date(of: moment, after: floor) else { return [] }
      day = period.firstDay
    }
    guard let clock = moment.clock else {
      guard let part = moment.part else { return [] }
      return [Placed(period: window(part, on: day, after: floor), isRange: true)]
    }
    var found: [Placed] = []
    for choice in instants(clock, part: moment.part, day: day, after: floor, isRange: moment.clockEnd != nil) {
      var start = choice.time
      let zone = clock.zone?.offset(at: start)
      if let zone { start += context.offset(start) - zone }
      var placed = Placed(
        period: Period(start: start, end: Civil.add(1, clock.grain, to: start), grain: clock.grain), zone: zone,
        weight: choice.weight)
      if var last = moment.clockEnd {
        last = inherit(last, from: clock)
        let grain = min(clock.grain, last.grain)
        guard let end = self.end(last, after: choice.time) else { continue }
        let shifted = (last.zone ?? clock.zone)?.offset(at: end)
        let named = end + (shifted.map { context.offset(end) - $0 } ?? 0)
        placed.namedEnd = named
        placed.period = Period(start: start, end: Civil.add(1, grain, to: named), grain: grain)
        placed.isRange = true
      }
      found.append(placed)
    }
    return found
  }

  private func inherit(_ last: Clock, from first: Clock) -> Clock {
    var last = last
    // "15:00 to 6:30": in a day that is told in 24 hours the second time is not meant in twelve.
    if !first.ambiguous, first.hour > 12 || first.hour == 0, last.grain == .minute, last.ambiguous,
      last.hour * 60 + last.minute > first.hour * 60
    {
      last.ambiguous = false
    }
    return last
  }

  /// The first such time after the beginning of a range.
  private func end(_ clock: Clock, after start: Int) -> Int? {
    let midnight = Civil.truncate(start, to: .day)
    var hours = clock.ambiguous ? [clock.hour % 12, clock.hour % 12 + 12, clock.hour % 12 + 24] : [clock.hour]
    hours += hours.map { $0 + 24 }
    return hours.map { midnight + $0 * 3600 + clock.minute * 60 + clock.second + clock.dayShift * Civil.secondsPerDay }
      .first { $0 > start }
  }

  private func window(_ part: DayPart, on day: Int?, after floor: Int?) -> Period {
    func on(_ day: Int) -> Period {
      Period(
        start: day * Civil.secondsPerDay + part.from * 3600, end: day * Civil.secondsPerDay + part.until * 3600,
        grain: .hour)
    }
    if let day { return on(day) }
    let today = on(Civil.floorDiv(floor ?? context.now, Civil.secondsPerDay))
    // "In the morning", said at ten, is tomorrow's; "this morning" has its day.
    let hour = Civil.modulo(context.now, Civil.secondsPerDay) / 3600
    if floor == nil, part.from == 0, part.until == 12, (9..<12).contains(hour) { return on(today.firstDay + 1) }
    return today.end > (floor ?? context.now) ? today : on(today.firstDay + 1)
  }

  /// The instants a clock may mean on a day, or next from now.
  private func instants(_ clock: Clock, part: DayPart?, day: Int?, after floor: Int?, isRange: Bool) -> [(
    time: Int, weight: Double
  )] {
    func at(_ day: Int, _ hour: Int) -> Int {
      day * Civil.secondsPerDay + hour * 3600 + clock.minute * 60 + clock.second + clock.dayShift * Civil.secondsPerDay
    }
    let now = floor ?? context.now
    let today = Civil.floorDiv(now, Civil.secondsPerDay)
    if let part {
      let hour = settled(clock, part)
      if let day { return [(at(day, hour), 1)] }
      let time = at(today, hour)
      return [(time > now ? time : at(today + 1, hour), 1)]
    }
    let hours = clock.ambiguous ? [clock.hour % 12, clock.hour % 12 + 12] : [clock.hour]
    var options: [(time: Int, weight: Double)]
    if let day, day != today || floor != nil {
      options = hours.map { (at(day, $0), likely($0, clock)) }
    } else if day != nil {
      options = hours.map { hour in
        let time = at(today, hour)
        return (time, time > now ? (isNight(hour, now) ? 0.3 : 0.8) - Double(hour) / 100 : 0.1 + Double(hour) / 1000)
      }
    } else {
      let upcoming = [0, 1, 2].flatMap { offset in hours.map { (at(today + offset, $0), $0) } }.filter { $0.0 > now }
      let soon = upcoming.prefix(hours.count)
      options = soon.enumerated().map { rank, option in
        (
          option.0,
          isRange
            ? likely(option.1, clock) : (isNight(option.1, now) ? 0.3 : 0.8) - Double(rank) / 10 + evening(option.1)
        )
      }
    }
    let total = options.reduce(0) { $0 + $1.weight }
    return options.map { ($0.time, total > 0 ? $0.weight / total : 1) }.sorted { $0.weight > $1.weight }
  }

  /// Said by day, "at three" is three in the afternoon.
  private func isNight(_ hour: Int, _ now: Int) -> Bool {
    (1...5).contains(hour) && Civil.modulo(now, Civil.secondsPerDay) >= 6 * 3600
  }

  /// Dinners and concerts are in the evening.
  private func evening(_ hour: Int) -> Double { context.isEvening && hour >= 17 ? 0.3 : 0 }

  /// On another day "at seven" is the morning and "at five" the afternoon.
  private func likely(_ hour: Int, _ clock: Clock) -> Double {
    guard clock.ambiguous else { return 1 }
    if context.isMorning { return hour < 12 ? 0.8 : 0.2 }
    if context.isEvening, (5...11).contains(clock.hour) { return hour >= 12 ? 0.75 : 0.25 }
    return (7...18).contains(hour) ? 0.8 : 0.2
  }

  /// The hour of the day that agrees with a part of it; beyond 24 for the small hours of a night.
  private func settled(_ clock: Clock, _ part: DayPart) -> Int {
    let hour = clock.hour
    // "Demain soir à 8h": written as of twenty-four, said as of twelve.
    if !clock.ambiguous, (6..<12).contains(hour), part.from > 12 { return hour + 12 }
    switch part.until {
    case ...12: return clock.ambiguous ? hour % 12 : hour
    case 24:
      if hour == 12, clock.ambiguous { return 24 }
      if clock.ambiguous { return part.name.hasSuffix("night") && hour < 5 ? hour + 24 : hour + 12 }
      return hour <= 5 ? hour + 24 : hour
    default: return clock.ambiguous ? (hour == 11 ? 11 : hour % 12 + 12) : hour
    }
  }

  // MARK: - Dates

  /// The period the date words name: the first that is not past, unless the words say otherwise.
  func date(of moment: Moment, after floor: Int? = nil) -> Period? {
    let from = floor.map { Civil.floorDiv($0, Civil.secondsPerDay) } ?? context.today
    if let anchor = moment.anchor {
      guard moment.dateFields > 1 else { return anchor }
      for place in [anchor, moment.wide].compactMap({ $0 }) {
        if let found = inside(place, moment) { return found }
      }
      return nil
    }
    if let yearly = moment.yearly {
      return occurrence(yearly, of: moment, from: from)
    }
    if moment.day != nil || moment.weekday != nil {
      return day(of: moment, from: from, strictly: floor == nil)
    }
    let year = Civil.date(from).year
    if let month = moment.month {
      guard let named = moment.year else {
        let this = Period(Civil.day(year, month, 1) * Civil.secondsPerDay, .month)
        if moment.past {
          return this.end <= context.now ? this : Period(Civil.day(year - 1, month, 1) * Civil.secondsPerDay, .month)
        }
        return this.lastDay >= from ? this : Period(Civil.day(year + 1, month, 1) * Civil.secondsPerDay, .month)
      }
      return Period(Civil.day(named, month, 1) * Civil.secondsPerDay, .month)
    }
    return moment.year.map { Period(Civil.day($0, 1, 1) * Civil.secondsPerDay, .year) }
  }

  private func matches(_ moment: Moment, _ day: Int) -> Bool {
    if let weekday = moment.weekday, Civil.weekday(day) != weekday { return false }
    guard moment.day != nil || moment.month != nil || moment.year != nil else { return true }
    let date = Civil.date(day)
    if let wanted = moment.day, date.day != wanted { return false }
    if let wanted = moment.month, date.month != wanted { return false }
    if let wanted = moment.year, date.year != wanted { return false }
    return true
  }

  private func inside(_ place: Period, _ moment: Moment) -> Period? {
    if let yearly = moment.yearly {
      return occurrences(yearly, years: Civil.date(place.firstDay).year...Civil.date(place.lastDay).year)
        .first {
          $0.start >= place.start && $0.end <= place.end
            || place.grain <= .day && $0.start <= place.start && $0.end >= place.end
        }
    }
    guard moment.day != nil || moment.weekday != nil || place.grain <= .day else {
      // A month or a year within something: "March next year".
      var candidate = moment
      candidate.anchor = nil
      candidate.wide = nil
      let date = Civil.date(place.firstDay)
      if candidate.month != nil {
        candidate.year = candidate.year ?? date.year
        guard let found = self.date(of: candidate) else { return nil }
        return found.start >= place.start && found.end <= place.end
          ? found : place.start >= found.start && place.end <= found.end ? place : nil
      }
      return candidate.year == date.year ? place : nil
    }
    // Words that only confirm the anchor ("today, Monday") leave it as exact as it was.
    if place.firstDay == place.lastDay { return matches(moment, place.firstDay) ? place : nil }
    for day in place.firstDay...min(place.lastDay, place.firstDay + 400) where matches(moment, day) {
      return Period(day: day)
    }
    return nil
  }

  private func day(of moment: Moment, from: Int, strictly: Bool) -> Period? {
    var moment = moment
    if let year = moment.year {
      let first = Civil.day(year, moment.month ?? 1, 1)
      let count = moment.month == nil ? 366 : 31
      for day in first..<(first + count) where matches(moment, day) { return Period(day: day) }
      // The weekday contradicts the date: the date counts.
      guard moment.weekday != nil, moment.day != nil else { return nil }
      moment.weekday = nil
      return self.day(of: moment, from: from, strictly: strictly)
    }
    if moment.past {
      for day in stride(from: from - 1, to: from - 1500, by: -1) where matches(moment, day) { return Period(day: day) }
      return nil
    }
    // "On Tuesday", said on a Tuesday, is a week away; "on the 12th", said on the 12th, is today.
    let onlyWeekday = moment.day == nil && moment.month == nil
    let start = onlyWeekday && strictly ? from + 1 : from
    if let month = moment.month, let number = moment.day {
      let year = Civil.date(from).year
      if moment.weekday != nil {
        // "Fri, Jul 18" finds its year among this and the next, or just passed; otherwise the weekday was a slip.
        for candidate in year...(year + 1) where Civil.isValid(candidate, month, number) {
          let day = Civil.day(candidate, month, number)
          if day >= start || day > start - 60, matches(moment, day) { return Period(day: day) }
        }
      }
      for candidate in year...(year + 8) where Civil.isValid(candidate, month, number) {
        let day = Civil.day(candidate, month, number)
        if day >= start { return Period(day: day) }
      }
      return nil
    }
    for day in start..<(start + 3000) where matches(moment, day) { return Period(day: day) }
    return nil
  }

  // MARK: - Yearly dates

  func occurrences(_ yearly: Yearly, years: ClosedRange<Int>) -> [Period] {
    years.compactMap { year in
      yearly.days(year).map {
        Period(
          start: $0.lowerBound * Civil.secondsPerDay, end: $0.upperBound * Civil.secondsPerDay, grain: .day)
      }
    }
  }

  private func occurrence(_ yearly: Yearly, of moment: Moment, from: Int) -> Period? {
    if let year = moment.year { return occurrences(yearly, years: year...year).first }
    let year = Civil.date(from).year
    if moment.past { return occurrences(yearly, years: (year - 8)...year).last { $0.lastDay < from } }
    let all = occurrences(yearly, years: (year - 12)...(year + 8))
    return all.first {
      $0.lastDay >= from && (moment.weekday == nil || Civil.weekday($0.firstDay) == moment.weekday)
    } ?? all.last
  }
}
