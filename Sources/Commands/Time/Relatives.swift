import Core

/// Time told from now: "tomorrow", "next week", "in two hours", "three days ago".
extension Grammar {
  func relatives(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    for hit in language.days.matches(tokens, at: index) {
      let day = Moment(anchor: Period(day: context.today + hit.payload))
      found.append(Hit(value: day, end: hit.end))
      if has(hit.end, .week), hit.payload >= 0 {
        found.append(Hit(value: Moment(anchor: Period(day: context.today + hit.payload + 7)), end: hit.end + 1))
      }
    }
    if !has(index - 1, .each), let hit = phrase(.nows, at: index) {
      found.append(Hit(value: Moment(anchor: Period(context.now, .second)), end: hit.end))
    }
    for hit in language.datedParts.matches(tokens, at: index) {
      found.append(
        Hit(value: Moment(anchor: Period(day: context.today + hit.payload.1), part: hit.payload.0), end: hit.end))
    }
    found +=
      inWeeks(at: index) + stepped(at: index) + counted(at: index) + shifted(at: index) + seasons(at: index)
      + feasts(at: index)
    return found
  }

  /// "Heute in einer Woche", "Monday in two weeks", "heute in vierzehn Tagen", "mardi en huit"
  private func inWeeks(at index: Int) -> [Hit<Moment>] {
    var days = language.days.matches(tokens, at: index).map { (day: context.today + $0.payload, end: $0.end) }
    if let weekday = token(index)?.weekday, !has(index, .ambiguous) { days.append((nextDay(weekday), index + 1)) }
    return days.compactMap { day, end in
      guard has(end, .in),
        let length = length(at: end + 1).flatMap({ has($0.end, .of) ? nil : $0 }) ?? bareWeeks(at: end + 1)
      else { return nil }
      let time = length.value.applied(to: day * Civil.secondsPerDay)
      let isWeeks = length.value.finest >= .day && (time / Civil.secondsPerDay - day).isMultiple(of: 7)
      return isWeeks ? Hit(value: Moment(anchor: Period(time, .day)), end: length.end) : nil
    }
  }

  private func bareWeeks(at index: Int) -> Hit<Length>? {
    integer(at: index).flatMap { days in weeks(Double(days.value)).map { Hit(value: $0, end: days.end) } }
  }

  /// The eight of "mardi en huit" is neither an hour nor a day of a month.
  func isCountOfDays(_ index: Int) -> Bool {
    has(index - 1, .in) && token(index - 2)?.weekday != nil && bareWeeks(at: index) != nil
  }

  /// "Easter", "Christmas 2027", "the Easter weekend".
  private func feasts(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    for hit in language.holidays.matches(tokens, at: index) {
      if let year = year(at: skip(hit.end, .in)) {
        found.append(Hit(value: Moment(year: year.value, yearly: hit.payload), end: year.end))
      }
      found.append(Hit(value: Moment(yearly: hit.payload), end: hit.end))
    }
    if let rule = language.holidays.longest(tokens, at: index), let last = weekendEnd(at: rule.end) {
      // From Friday evening to the end of a holiday that makes the weekend long.
      let at = year(at: last)
      if let day = date(of: Moment(year: at?.value, yearly: rule.payload)) {
        let monday = Civil.weekday(day.firstDay) <= 1 ? day.firstDay : day.firstDay + 7 - Civil.weekday(day.firstDay)
        var range = weekend(before: monday - Civil.weekday(monday))
        if let sunday = range.anchor?.end, Civil.weekday(day.firstDay) <= 1 { range.anchor?.end = max(sunday, day.end) }
        found.append(Hit(value: range, end: at?.end ?? last))
      }
    }
    return found
  }

  /// "next three days", "the last 2 weeks", "upcoming two months", "2 upcoming years".
  private func counted(at index: Int) -> [Hit<Moment>] {
    func range(_ step: Step, _ count: Double, _ unit: Grain, end: Int) -> Hit<Moment>? {
      guard count >= 1, count == count.rounded(), count < 10_000 else { return nil }
      let count = Int(count)
      let base = Civil.truncate(context.now, to: unit)
      switch step {
      case .this: return nil
      case .upcoming:
        return Hit(value: Moment(anchor: Period(Civil.add(count, unit, to: base), unit)), end: end)
      case .next, .coming, .afternext:
        // "For the next two hours" begins now.
        let lasts = has(index - 1, .for) && unit < .day
        let start = lasts ? context.now : Civil.add(1, unit, to: base)
        return Hit(
          value: Moment(
            anchor: Period(start: start, end: Civil.add(count, unit, to: start), grain: unit), anchorIsRange: true),
          end: end)
      case .last:
        return Hit(
          value: Moment(
            anchor: Period(start: Civil.add(-count, unit, to: base), end: base, grain: unit), anchorIsRange: true),
          end: end)
      }
    }
    if let step = step(at: index), let count = quantity(at: step.end) {
      if let unit = unit(at: count.end), !has(count.end + 1, .of) {
        return [range(step.value, count.value, unit, end: count.end + 1)].compactMap { $0 }
      }
      // "the next two Fridays" begins with the first of them.
    }
    if let count = integer(at: index),
      let step = step(at: count.end), step.value != .this, step.end == count.end + 1, let unit = unit(at: step.end)
    {
      return [range(step.value == .coming ? .upcoming : step.value, Double(count.value), unit, end: count.end + 2)]
        .compactMap { $0 }
    }
    return []
  }

  /// "in two hours", "three weeks ago", "10 minutes from now", "a week after Easter", "an hour before noon".
  private func shifted(at index: Int) -> [Hit<Moment>] {
    if has(index, [.in, .within]) { return ahead(at: index) }
    if let hit = weekdaysAway(at: index) { return [hit] }
    // "Vor drei Tagen", "il y a trois jours"
    if let lead = phrase(.agoLeads, at: index), let length = length(at: lead.end) {
      return [Hit(value: moved(length.value, -1), end: length.end)]
    }
    if has(index, .after), let length = length(at: index + 1), !has(length.end, [.from, .after, .before, .of]),
      !clocks(at: index + 1).contains(where: { !$0.value.bare && $0.end >= length.end })
    {
      return [Hit(value: moved(length.value, 1), end: length.end)]
    }
    return (weeksBeyond(at: index) ?? []) + lengthAway(at: index) + partAway(at: index)
  }

  /// "The evening before the third", "am Abend vor Ostern": a part of the day before.
  private func partAway(at index: Int) -> [Hit<Moment>] {
    language.dayParts.matches(tokens, at: skip(index, .the)).flatMap { part -> [Hit<Moment>] in
      guard !part.payload.meal, has(part.end, [.before, .after]) else { return [] }
      let ahead = has(part.end, .before) ? -1 : 1
      return moments(at: part.end + 1).compactMap { hit in
        guard !hit.value.latent, hit.value.dateFields > 0, let day = date(of: hit.value), day.grain <= .day else {
          return nil
        }
        return Hit(value: Moment(anchor: Period(day: day.firstDay + ahead), part: part.payload), end: hit.end)
      }
    }
  }

  /// "in about an hour", "in two Fridays", "within a week"
  private func ahead(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    let isPoint = !has(index, .within)
    let at = phrase(.fillers, at: index + 1)?.end ?? index + 1
    if let count = integer(at: at), (1...60).contains(count.value), let weekday = token(count.end)?.weekday {
      let day = nextDay(weekday) + 7 * (count.value - 1)
      return [Hit(value: Moment(anchor: Period(day: day)), end: count.end + 1)]
    }
    // "In 20", "in twenty, to check the oven": minutes, for an hour is not named so.
    if isPoint, let number = integer(at: at), (2...90).contains(number.value), endsPhrase(number.end),
      let length = Length(Double(number.value), .minute)
    {
      found.append(Hit(value: moved(length, 1), end: number.end))
    }
    guard let length = vagueLength(at: at) ?? length(at: at) ?? misheardLength(at: at),
      !has(length.end, .of) || language.isInfinitive(token(length.end + 1))
    else {
      return found
    }
    let isVague = has(length.end, .or) && has(length.end + 1, .so)
    let end = isVague ? length.end + 2 : skip(length.end, .time)
    guard isPoint else {
      let limit = Civil.truncate(shift(length.value, 1), to: length.value.finest.finer)
      let period = Period(start: context.now, end: limit, grain: .second)
      return found + [Hit(value: Moment(anchor: period, anchorIsRange: true), end: end)]
    }
    var moment = moved(length.value, 1)
    moment.isRough = quantity(at: at) == nil
    found.append(Hit(value: moment, end: has(end, .from) && has(end + 1, .now) ? end + 2 : end))
    return found
  }

  /// "Two Fridays from now", "three Mondays ago"
  private func weekdaysAway(at index: Int) -> Hit<Moment>? {
    guard let count = integer(at: index), let weekday = token(count.end)?.weekday, (1...60).contains(count.value) else {
      return nil
    }
    if has(count.end + 1, .from), has(count.end + 2, [.now, .today]) {
      return Hit(value: Moment(anchor: Period(day: nextDay(weekday) + 7 * (count.value - 1))), end: count.end + 3)
    }
    guard has(count.end + 1, .ago) else { return nil }
    let last = context.today - 1 - Civil.modulo(Civil.weekday(context.today - 1) - weekday, 7)
    return Hit(value: Moment(anchor: Period(day: last - 7 * (count.value - 1))), end: count.end + 2)
  }

  /// "Three days ago", "two hours later", "a week after Easter", "an hour before noon"
  private func lengthAway(at index: Int) -> [Hit<Moment>] {
    let at = has(index, .the) && has(index + 1, .day) ? index + 1 : index
    let told = length(at: index)
    let bare = unit(at: at).flatMap {
      $0 >= .day && !has(at, .quarter) && !has(at + 1, .of) ? Length(1, $0) : nil
    }.map { Hit(value: $0, end: at + 1) }
    guard let length = told ?? bare else { return [] }
    let end = length.end
    let grain = length.value.coarsest
    if told != nil {
      if has(end, .ago) { return [Hit(value: moved(length.value, -1), end: end + 1)] }
      if has(end, .later) { return [Hit(value: moved(length.value, 1), end: end + 1)] }
      if has(end, .from), has(end + 1, .now) { return [Hit(value: moved(length.value, 1), end: end + 2)] }
    }
    guard has(end, .shiftJoint) else { return [] }
    if has(end, .on), grain != .week, !isFortnight(length) { return [] }
    if has(end, .past), grain < .day || grain == .quarter { return [] }
    let next = has(end, .prior) ? skip(end + 1, .to) : end + 1
    // "A quarter after two" is no three months.
    if grain == .quarter, !clocks(at: next).isEmpty { return [] }
    let isBack = has(end, [.before, .prior])
    return moments(at: next).filter { !$0.value.latent || $0.value.hasClock }.compactMap { hit in
      moved(length.value, isBack ? -1 : 1, from: hit.value).map { Hit(value: $0, end: hit.end) }
    }
  }

  /// What follows says what is to happen, or nothing follows.
  private func endsPhrase(_ index: Int) -> Bool {
    guard let next = token(index) else { return true }
    if has(index, [.to, .and]) { return integer(at: index + 1) == nil && quantity(at: index + 1) == nil }
    return has(index, [.endsPhrase, .comma]) || ["!", "?"].contains(next.text) || has(index, .dot) && !glued(index + 1)
  }

  /// "In an hour or two", "in ten to fifteen minutes", "in 5-10 minutes": the first of the two.
  private func vagueLength(at index: Int) -> Hit<Length>? {
    func joint(_ at: Int) -> Int? { has(at, [.or, .to, .dash]) ? at + 1 : nil }
    if let first = quantity(at: index), let second = joint(first.end).flatMap({ quantity(at: $0) }),
      second.value > first.value, let unit = unit(at: second.end), let length = Length(first.value, unit)
    {
      return Hit(value: length, end: second.end + 1)
    }
    guard let first = length(at: index), has(first.end, .or), let second = quantity(at: first.end + 1),
      second.value > 1
    else { return nil }
    return Hit(value: first.value, end: unit(at: second.end) == nil ? second.end : second.end + 1)
  }

  /// Speech recognition writes "in for hours" for four of them.
  private func misheardLength(at index: Int) -> Hit<Length>? {
    guard let count = language.misheard[text(index)], let unit = unit(at: index + 1),
      unit <= .month, let length = Length(Double(count), unit)
    else { return nil }
    return Hit(value: length, end: index + 2)
  }

  /// "A week tomorrow", "two weeks Friday", "a fortnight today".
  private func weeksBeyond(at index: Int) -> [Hit<Moment>]? {
    let bare = has(index, .fortnight) ? Length(2, .week).map { Hit(value: $0, end: index + 1) } : nil
    guard !has(index - 1, .for), let length = bare ?? length(at: index), length.value.parts.count == 1,
      let part = length.value.parts.first, part.unit == .week || isFortnight(length)
    else { return nil }
    let ahead = part.count * (part.unit == .week ? 7 : 1)
    guard (7...420).contains(ahead) else { return nil }
    var days = language.days.matches(tokens, at: length.end).filter { (0...2).contains($0.payload) }
      .map { (day: context.today + $0.payload, end: $0.end) }
    if let weekday = token(length.end)?.weekday, !has(length.end, .ambiguous) {
      days.append((nextDay(weekday), length.end + 1))
    }
    return days.map { Hit(value: Moment(anchor: Period(day: $0.day + ahead)), end: $0.end) }
  }

  private func isFortnight(_ length: Hit<Length>) -> Bool { has(length.end - 1, .fortnight) }

  private func shift(_ length: Length, _ sign: Int) -> Int {
    length.finest <= .hour && length.coarsest <= .hour
      ? context.elapse(context.now, length.applied(to: 0, sign: sign)) : length.applied(to: context.now, sign: sign)
  }

  /// From now; exact to the unit below the one that was named.
  private func moved(_ length: Length, _ sign: Int) -> Moment {
    let time = shift(length, sign)
    var moment = Moment(anchor: Period(time, length.finest.finer))
    if length.finest >= .day { moment.wide = Period(time, length.coarsest) }
    return moment
  }

  /// From another moment: "three days after Easter".
  private func moved(_ length: Length, _ sign: Int, from moment: Moment) -> Moment? {
    if let yearly = moment.yearly, moment.year == nil, !moment.past, moment.dateFields == 1, !moment.hasClock {
      let year = Civil.date(context.today).year
      for period in occurrences(yearly, years: (year - 3)...(year + 8)) {
        let time = length.applied(to: period.start, sign: sign)
        if time >= context.today * Civil.secondsPerDay { return Moment(anchor: Period(time, min(.day, length.finest))) }
      }
      return nil
    }
    guard let base = place(moment).first?.period else { return nil }
    let time = length.applied(to: base.start, sign: sign)
    let grain = base.grain == .second ? .second : min(base.grain, length.finest)
    return Moment(anchor: Period(start: time, end: Civil.add(1, grain, to: time), grain: grain))
  }
}
