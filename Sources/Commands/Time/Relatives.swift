/// Time told from now: "tomorrow", "next week", "in two hours", "three days ago".
extension Grammar {
  private static let days = Phrases<Int>([
    ("today|todays|this day|the same day", 0),
    ("tomorrow|tomorrows|tomorow|tommorow|tommorrow|tmrw|tmr|2moro|2morrow|2mrw|the next day|the following day", 1),
    ("yesterday|yesterdays", -1), ("the day after tomorrow|day after tomorrow|overmorrow", 2),
    ("the day before yesterday|day before yesterday", -2),
  ])
  private static let nows = Phrases<Bool>([
    (
      "now|right now|just now|at the moment|at this moment|immediately|right away|straight away|this moment|this second|this instant|atm",
      true
    )
  ])

  enum Step { case this, next, last, upcoming, coming }

  private static let steps = Phrases<Step>([
    ("this|the current|current|this current|this very", .this), ("next|the next|the following|following", .next),
    ("last|the last|past|the past|previous|the previous|this past|this last|the preceding", .last),
    ("upcoming|the upcoming|this upcoming", .upcoming), ("coming|the coming|this coming", .coming),
  ])

  func relatives(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    for hit in Self.days.matches(tokens, at: index) {
      let day = Moment(anchor: Period(day: context.today + hit.payload))
      found.append(Hit(value: day, end: hit.end))
      if text(hit.end) == "week", hit.payload >= 0 {
        found.append(Hit(value: Moment(anchor: Period(day: context.today + hit.payload + 7)), end: hit.end + 1))
      }
    }
    if text(index - 1) != "every", let hit = Self.nows.longest(tokens, at: index) {
      found.append(Hit(value: Moment(anchor: Period(context.now, .second)), end: hit.end))
    }
    for hit in DayParts.dated.matches(tokens, at: index) {
      found.append(
        Hit(value: Moment(anchor: Period(day: context.today + hit.payload.1), part: hit.payload.0), end: hit.end))
    }
    found += stepped(at: index) + counted(at: index) + shifted(at: index) + seasons(at: index)
    for hit in Holidays.phrases.matches(tokens, at: index) {
      let moment = Moment(yearly: hit.payload)
      let at = skip(hit.end, ["in"])
      if let year = year(at: at) {
        var dated = moment
        dated.year = year.value
        found.append(Hit(value: dated, end: year.end))
      }
      found.append(Hit(value: moment, end: hit.end))
    }
    if let rule = Holidays.phrases.longest(tokens, at: index),
      text(rule.end) == "weekend" || text(rule.end) == "week" && text(rule.end + 2) == "end"
    {
      // From Friday evening to the end of a holiday that makes the weekend long.
      let last = text(rule.end) == "week" ? rule.end + 3 : rule.end + 1
      let at = year(at: last)
      if let day = date(of: Moment(year: at?.value, yearly: rule.payload)) {
        let monday = Civil.weekday(day.firstDay) <= 1 ? day.firstDay : day.firstDay + 7 - Civil.weekday(day.firstDay)
        var range = weekend(before: monday - Civil.weekday(monday))
        if let sunday = range.anchor?.end, Civil.weekday(day.firstDay) <= 1 { range.anchor?.end = max(sunday, day.end) }
        found.append(Hit(value: range, end: at?.end ?? last))
      }
    }
    if text(index) == "earth", text(index + 1) == "hour" {
      let rule = Yearly { year in
        // The last Saturday of March, or the one before when that is Easter's eve.
        guard let last = Civil.nth(-1, 5, year, 3) else { return nil }
        let day = last == Civil.easter(year) - 1 ? last - 7 : last
        return day..<(day + 1)
      }
      var moment = Moment(yearly: rule)
      moment.clock = Clock(hour: 20, minute: 30, grain: .minute)
      moment.clockEnd = Clock(hour: 21, minute: 30, grain: .minute)
      found.append(Hit(value: moment, end: index + 2))
    }
    return found
  }

  func step(at index: Int) -> Hit<Step>? {
    // "The plumber's coming Thursday"
    if text(index) == "coming", token(index - 1)?.isContracted == true || ["is", "are", "be"].contains(text(index - 1))
    {
      return nil
    }
    return Self.steps.longest(tokens, at: index).map { Hit(value: $0.payload, end: skip($0.end, ["around", "about"])) }
  }

  /// "this", "next", "last" and what may follow them.
  private func stepped(at index: Int) -> [Hit<Moment>] {
    guard let step = step(at: index) else {
      // "Friday after next", "the weekend after next", "week before last"
      return afterNext(at: skip(index, ["the"]))
    }
    var found = afterNext(at: step.end)
    let at = step.end
    let today = context.today
    if let unit = unit(at: at), text(at) != "night", text(at) != "nights", text(at) != "second" || step.value != .this {
      let distance = step.value == .this ? 0 : step.value == .last ? -1 : 1
      let moved = Civil.add(distance, unit, to: Civil.truncate(context.now, to: unit))
      // "The last week of November" is none before this one.
      if text(at + 1) != "of" || step.value != .last, unit >= .day || step.value != .this || unit == .hour {
        found.append(Hit(value: Moment(anchor: Period(moved, unit)), end: at + 1))
      }
    }
    if let weekday = token(at)?.weekday {
      let next = nextDay(weekday)
      let week = today - Civil.weekday(today)
      switch step.value {
      case .next:
        found.append(Hit(value: Moment(anchor: Period(day: week + 7 + weekday)), end: at + 1))
        if next != week + 7 + weekday {
          found.append(Hit(value: Moment(anchor: Period(day: next), doubt: 0.5), end: at + 1))
        }
      case .last:
        let last = today - 1 - Civil.modulo(Civil.weekday(today - 1) - weekday, 7)
        found.append(Hit(value: Moment(anchor: Period(day: last)), end: at + 1))
      default: found.append(Hit(value: Moment(anchor: Period(day: next)), end: at + 1))
      }
    }
    if step.value != .this, let end = workday(at: at) {
      let day = today + Civil.workingDays(step.value == .last ? -1 : 1, from: today)
      found.append(Hit(value: Moment(anchor: Period(day: day)), end: end))
    }
    if let month = token(at)?.month {
      var moment = Moment(month: month, past: step.value == .last)
      if step.value == .next, Civil.date(today).month == month { moment.year = Civil.date(today).year + 1 }
      found.append(Hit(value: moment, end: at + 1))
    }
    if ["weekend", "weekends", "wkend"].contains(text(at)) || text(at) == "week" && text(skip(at + 1, ["-"])) == "end" {
      let end = text(at) == "week" ? skip(at + 1, ["-"]) + 1 : at + 1
      let distance = step.value == .next ? 1 : step.value == .last ? -1 : 0
      found.append(Hit(value: weekend(distance), end: end))
    }
    for hit in Holidays.phrases.matches(tokens, at: at) {
      let moment = Moment(yearly: hit.payload, past: step.value == .last)
      found.append(Hit(value: moment, end: hit.end))
    }
    if step.value == .this || step.value == .next || step.value == .last {
      for hit in DayParts.phrases.matches(tokens, at: at) where !hit.payload.meal || step.value == .this {
        let day = step.value == .this ? 0 : step.value == .next ? 1 : -1
        found.append(Hit(value: Moment(anchor: Period(day: today + day), part: hit.payload), end: hit.end))
      }
    }
    return found
  }

  /// "working day", "weekday": any day from Monday to Friday.
  func workday(at index: Int) -> Int? {
    if ["weekday", "workday"].contains(text(index)) { return index + 1 }
    return ["working", "business", "work"].contains(text(index)) && text(index + 1) == "day" ? index + 2 : nil
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
    let isWeekend = text(index) == "weekend"
    guard token(index)?.weekday != nil || token(index)?.month != nil || token(index)?.unit != nil || isWeekend else {
      return []
    }
    let ahead: Bool
    if text(end) == "after", text(end + 1) == "next" {
      ahead = true
      end += 2
    } else if text(end) == "before", text(end + 1) == "last" {
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
      case .next, .coming:
        // "For the next two hours" begins now.
        let lasts = text(index - 1) == "for" && unit < .day
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
      if let unit = unit(at: count.end), text(count.end + 1) != "of" {
        return [range(step.value, count.value, unit, end: count.end + 1)].compactMap { $0 }
      }
      // "the next two Fridays" begins with the first of them.
    }
    if let count = integer(at: index),
      ["upcoming", "coming", "next", "last", "past", "previous"].contains(text(count.end)),
      let unit = unit(at: count.end + 1), let step = step(at: count.end)
    {
      return [range(step.value == .coming ? .upcoming : step.value, Double(count.value), unit, end: count.end + 2)]
        .compactMap { $0 }
    }
    return []
  }

  /// "in two hours", "three weeks ago", "10 minutes from now", "a week after Easter", "an hour before noon".
  private func shifted(at index: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    if text(index) == "in" || text(index) == "within" {
      // "in about an hour"
      var at = skip(
        index + 1,
        ["about", "around", "approximately", "roughly", "another", "just", "exactly", "like", "maybe", "say"])
      at = skip(at, ["under"])
      if text(at) == "less", text(at + 1) == "than" { at += 2 }
      // "In two Fridays"
      if let count = integer(at: at), (1...60).contains(count.value), let weekday = token(count.end)?.weekday {
        let day = nextDay(weekday) + 7 * (count.value - 1)
        return [Hit(value: Moment(anchor: Period(day: day)), end: count.end + 1)]
      }
      // "In 20", "in twenty, to check the oven": nobody names an hour so.
      if text(index) == "in", let number = integer(at: at), (2...90).contains(number.value), endsPhrase(number.end),
        let length = Length(Double(number.value), .minute)
      {
        found.append(Hit(value: moved(length, 1), end: number.end))
      }
      if let length = vagueLength(at: at) ?? length(at: at) ?? misheardLength(at: at), text(length.end) != "of" {
        let isVague = text(length.end) == "or" && text(length.end + 1) == "so"
        let end = isVague ? length.end + 2 : skip(length.end, ["time"])
        if text(index) == "in" {
          found.append(
            Hit(value: moved(length.value, 1), end: text(end) == "from" && text(end + 1) == "now" ? end + 2 : end))
        } else {
          found.append(
            Hit(
              value: Moment(
                anchor: Period(
                  start: context.now, end: Civil.truncate(shift(length.value, 1), to: length.value.finest.finer),
                  grain: .second), anchorIsRange: true), end: end))
        }
      }
      return found
    }
    if let hit = weeksBeyond(at: index) { found += hit }
    if let count = integer(at: index), let weekday = token(count.end)?.weekday, (1...60).contains(count.value) {
      if text(count.end + 1) == "from", text(count.end + 2) == "now" || text(count.end + 2) == "today" {
        return [Hit(value: Moment(anchor: Period(day: nextDay(weekday) + 7 * (count.value - 1))), end: count.end + 3)]
      }
      if text(count.end + 1) == "ago" || text(count.end + 1) == "back" {
        let last = context.today - 1 - Civil.modulo(Civil.weekday(context.today - 1) - weekday, 7)
        return [Hit(value: Moment(anchor: Period(day: last - 7 * (count.value - 1))), end: count.end + 2)]
      }
    }
    if text(index) == "after", let length = length(at: index + 1),
      !["from", "after", "before", "of"].contains(text(length.end))
    {
      return [Hit(value: moved(length.value, 1), end: length.end)]
    }
    let at = text(index) == "the" && text(index + 1) == "day" ? index + 1 : index
    let bare = unit(at: at).flatMap {
      $0 >= .day && text(at) != "quarter" && text(at + 1) != "of" ? Length(1, $0) : nil
    }.map {
      Hit(value: $0, end: at + 1)
    }
    guard let length = length(at: index) ?? bare else { return found }
    let end = length.end
    let counted = bare == nil || self.length(at: index) != nil
    switch text(end) {
    case "ago" where counted, "back" where counted: found.append(Hit(value: moved(length.value, -1), end: end + 1))
    case "hence" where counted, "later" where counted: found.append(Hit(value: moved(length.value, 1), end: end + 1))
    case "from" where counted && text(end + 1) == "now": found.append(Hit(value: moved(length.value, 1), end: end + 2))
    case "from", "after", "before", "on", "following", "prior", "past":
      if text(end) == "on", length.value.coarsest != .week, !isFortnight(length) { break }
      if text(end) == "past", length.value.coarsest < .day || length.value.coarsest == .quarter { break }
      let next = text(end) == "prior" ? skip(end + 1, ["to"]) : end + 1
      // "A quarter after two" is no three months.
      if length.value.coarsest == .quarter, !clocks(at: next).isEmpty { break }
      let back = text(end) == "before" || text(end) == "prior"
      for hit in moments(at: next) where !hit.value.latent || hit.value.hasClock {
        if let shifted = moved(length.value, back ? -1 : 1, from: hit.value) {
          found.append(Hit(value: shifted, end: hit.end))
        }
      }
    default: break
    }
    return found
  }

  /// What follows says what is to happen, or nothing follows.
  private func endsPhrase(_ index: Int) -> Bool {
    guard let next = token(index) else { return true }
    if ["to", "and"].contains(next.text) { return integer(at: index + 1) == nil && quantity(at: index + 1) == nil }
    return ["that", "please", ",", "!", "?"].contains(next.text) || next.text == "." && !glued(index + 1)
  }

  /// "In an hour or two", "in ten to fifteen minutes", "in 5-10 minutes": the first of the two.
  private func vagueLength(at index: Int) -> Hit<Length>? {
    func joint(_ at: Int) -> Int? { ["or", "to", "-"].contains(text(at)) ? at + 1 : nil }
    if let first = quantity(at: index), let second = joint(first.end).flatMap({ quantity(at: $0) }),
      second.value > first.value, let unit = unit(at: second.end), let length = Length(first.value, unit)
    {
      return Hit(value: length, end: second.end + 1)
    }
    guard let first = length(at: index), text(first.end) == "or", let second = quantity(at: first.end + 1),
      second.value > 1
    else { return nil }
    return Hit(value: first.value, end: unit(at: second.end) == nil ? second.end : second.end + 1)
  }

  /// Speech recognition writes "in for hours" for four of them.
  private func misheardLength(at index: Int) -> Hit<Length>? {
    guard let count = ["to": 2.0, "too": 2, "for": 4, "won": 1, "ate": 8][text(index)], let unit = unit(at: index + 1),
      unit <= .month, let length = Length(count, unit)
    else { return nil }
    return Hit(value: length, end: index + 2)
  }

  /// "A week tomorrow", "two weeks Friday", "a fortnight today".
  private func weeksBeyond(at index: Int) -> [Hit<Moment>]? {
    let bare = text(index) == "fortnight" ? Length(2, .week).map { Hit(value: $0, end: index + 1) } : nil
    guard text(index - 1) != "for", let length = bare ?? length(at: index), length.value.parts.count == 1,
      let part = length.value.parts.first, part.unit == .week || isFortnight(length)
    else { return nil }
    let ahead = part.count * (part.unit == .week ? 7 : 1)
    guard (7...420).contains(ahead) else { return nil }
    var days = Self.days.matches(tokens, at: length.end).filter { (0...2).contains($0.payload) }
      .map { (day: context.today + $0.payload, end: $0.end) }
    if let weekday = token(length.end)?.weekday, !Lexicon.ambiguous.contains(text(length.end)) {
      days.append((nextDay(weekday), length.end + 1))
    }
    return days.map { Hit(value: Moment(anchor: Period(day: $0.day + ahead)), end: $0.end) }
  }

  private func isFortnight(_ length: Hit<Length>) -> Bool { text(length.end - 1).hasPrefix("fortnight") }

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
