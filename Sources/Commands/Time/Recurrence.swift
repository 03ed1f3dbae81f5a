/// A repetition: its RFC 5545 rule and the days it falls on.
struct Recurrence: Equatable {
  enum Frequency: String { case hourly, daily, weekly, monthly, yearly, minutely }

  var frequency: Frequency
  var interval = 1
  /// 0 is Monday.
  var weekdays: [Int] = []
  /// Which of a weekday in its month; negative from the end.
  var ordinals: [Int] = []
  /// Days of the month; negative from its end.
  var monthDays: [Int] = []
  var month: Int?
  var count: Int?
  /// Last day included.
  var untilDay: Int?

  private static let letters = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  var rule: String {
    var parts = ["FREQ=\(frequency.rawValue.uppercased())"]
    if interval > 1 { parts.append("INTERVAL=\(interval)") }
    if let month { parts.append("BYMONTH=\(month)") }
    if !monthDays.isEmpty { parts.append("BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ",")) }
    if !weekdays.isEmpty {
      let which = ordinals.isEmpty ? [""] : ordinals.map(String.init)
      let days = weekdays.flatMap { day in which.map { $0 + Self.letters[day] } }
      parts.append("BYDAY=" + days.joined(separator: ","))
    }
    if let count { parts.append("COUNT=\(count)") }
    if let untilDay {
      let date = Civil.iso(untilDay * Civil.secondsPerDay).prefix(10).filter { $0 != "-" }
      parts.append("UNTIL=\(date)T235959")
    }
    return parts.joined(separator: ";")
  }

  /// Whether it falls on a day; intervals count from the first one found.
  func falls(on day: Int) -> Bool {
    let date = Civil.date(day)
    if let month, date.month != month { return false }
    if !monthDays.isEmpty {
      let length = Civil.monthLength(date.year, date.month)
      guard monthDays.contains(where: { date.day == ($0 < 0 ? length + 1 + $0 : $0) }) else { return false }
    }
    if !weekdays.isEmpty {
      guard weekdays.contains(Civil.weekday(day)) else { return false }
      if !ordinals.isEmpty {
        return ordinals.contains { Civil.nth($0, Civil.weekday(day), date.year, date.month) == day }
      }
    }
    return true
  }
}

extension Grammar {
  private static let adverbs: [String: (Recurrence.Frequency, Int)] = [
    "daily": (.daily, 1), "weekly": (.weekly, 1), "monthly": (.monthly, 1), "yearly": (.yearly, 1),
    "annually": (.yearly, 1),
    "hourly": (.hourly, 1), "fortnightly": (.weekly, 2), "biweekly": (.weekly, 2), "quarterly": (.monthly, 3),
    "nightly": (.daily, 1), "bimonthly": (.monthly, 2),
  ]

  /// "every Monday at nine", "daily", "each month on the 5th", "every other Tuesday", "weekdays at 8".
  func recurrences(at index: Int) -> [Hit<Finding>] {
    var found: [Hit<Finding>] = []
    // "at 9 every Monday": a time may lead.
    for lead in [Hit(value: Moment(), end: index)] + clockLeads(at: index) {
      for base in rules(at: lead.end) {
        found += completed(base, with: lead.value)
      }
    }
    // "Starting Monday every day at nine"
    if ["starting", "beginning", "from"].contains(text(index)) {
      for first in moments(at: index + 1) where first.value.hasDate && !first.value.latent {
        guard let begin = place(first.value).first?.period.start else { continue }
        for base in rules(at: skip(first.end, [",", "on", "onwards"])) {
          found += completed(base, with: Moment(clock: first.value.clock), from: begin)
        }
      }
    }
    return found
  }

  private func clockLeads(at index: Int) -> [Hit<Moment>] {
    guard
      clocks(at: skip(index, ["at", "in", "@", "between", "from"])).isEmpty == false || text(index) == "in"
        || DayParts.phrases.longest(tokens, at: skip(index, ["the"])) != nil
    else { return [] }
    return moments(at: index).filter {
      !$0.value.hasDate && ($0.value.hasClock || $0.value.part != nil)
        && (!$0.value.latent || ["at", "between", "from"].contains(text(index)))
    }
  }

  /// "The quarterly review" is a name, "review it quarterly" a repetition.
  private func isAdverb(_ index: Int) -> Bool {
    guard let next = token(index + 1), next.kind == .word else { return true }
    return next.weekday != nil
      || [
        "except", "but", "excluding", "at", "on", "in", "from", "until", "till", "starting", "for", "and", "to",
        "please", "around", "by", "every",
      ]
      .contains(next.text)
  }

  /// What repeats, before its time of day is known.
  struct Base {
    var recurrence: Recurrence
    var part: DayPart?
    /// Without a time of day it is a stretch of days: "Monday to Friday".
    var needsClock = false
    /// "Every morning next week": the first moment it may fall on.
    var from: Int?
  }

  private func rules(at index: Int) -> [Hit<Base>] {
    var found: [Hit<Base>] = []
    func add(_ recurrence: Recurrence, _ end: Int, part: DayPart? = nil) {
      found.append(Hit(value: Base(recurrence: recurrence, part: part), end: end))
    }
    if let (frequency, interval) = Self.adverbs[text(index)], isAdverb(index),
      !["twice", "thrice", "times"].contains(text(index - 1))
    {
      add(
        Recurrence(frequency: frequency, interval: interval), index + 1,
        part: text(index) == "nightly" ? DayParts.night : nil)
    }
    if text(index) == "everyday" { add(Recurrence(frequency: .daily), index + 1) }
    let onDays = skip(index, ["on"])
    if text(onDays) == "weekdays" || text(onDays) == "workdays" {
      add(Recurrence(frequency: .weekly, weekdays: [0, 1, 2, 3, 4]), onDays + 1)
    }
    if text(onDays) == "weekends" { add(Recurrence(frequency: .weekly, weekdays: [5, 6]), onDays + 1) }
    found += unmarked(at: onDays)
    if let plural = weekdayList(at: onDays, pluralOnly: true) {
      add(Recurrence(frequency: .weekly, weekdays: plural.value), plural.end)
    }
    // "once a week", "twice" has no rule that says which days.
    if text(index) == "once", ["a", "an", "every", "per", "each"].contains(text(index + 1)),
      let unit = unit(at: index + 2), let base = frequency(unit, 1)
    {
      add(base, index + 3)
    }
    // "twice a week on Monday and Thursday"
    let often = ["twice", "thrice"].contains(text(index)) ? index + 1 : integer(at: index).map(\.end)
    if let often, text(often - 1) != "twice" && text(often - 1) != "thrice" ? text(often) == "times" : true {
      let a = text(often) == "times" ? often + 1 : often
      if ["a", "per", "each", "every"].contains(text(a)), unit(at: a + 1) == .week,
        let list = weekdayList(at: skip(a + 2, ["on", ","]), pluralOnly: false)
      {
        add(Recurrence(frequency: .weekly, weekdays: list.value), list.end)
      }
    }
    // "on the ninth of May every year", "on the 15th every month"
    for rule in monthly(at: skip(onDays, ["the"])) {
      let each = ["every", "each"].contains(text(rule.end)) ? unit(at: rule.end + 1) : nil
      let told =
        each.map { (frequency($0, 1)?.frequency, rule.end + 2) }
        ?? Self.adverbs[text(rule.end)].map { ($0.0, rule.end + 1) }
      if let told, told.0 == rule.value.recurrence.frequency { add(rule.value.recurrence, told.1) }
    }
    // "on the first of every month"
    let day = skip(onDays, ["the"])
    for rule in monthly(at: day)
    where tokens[day..<rule.end].contains(where: { $0.text == "every" || $0.text == "each" }) {
      add(rule.value.recurrence, rule.end)
    }
    // "The next three Mondays"
    let next = skip(index, ["for"])
    if ["next", "following", "coming"].contains(text(skip(next, ["the"]))),
      let count = integer(at: skip(next, ["the"]) + 1), (2...99).contains(count.value),
      let weekday = token(count.end)?.weekday, text(count.end).hasSuffix("days")
    {
      add(Recurrence(frequency: .weekly, weekdays: [weekday], count: count.value), count.end + 1)
    }
    guard ["every", "each", "alternate"].contains(text(index)) else { return found }
    var at = skip(index + 1, ["single"])
    var interval = 1
    if text(index) == "alternate" {
      interval = 2
    } else if text(at) == "other" || text(at) == "alternate"
      || text(at) == "second" && (unit(at: at + 1) != nil || token(at + 1)?.weekday != nil) && text(index) == "every"
        && !inMonth(at + 1)
    {
      interval = 2
      at += 1
    } else if let length = length(at: at), length.value.parts.count == 1, let step = length.value.parts.first,
      (1...999).contains(step.count), let base = frequency(step.unit, step.count)
    {
      // "every half hour", "every two and a half hours" count in minutes.
      add(base, length.end, part: ["night", "nights"].contains(text(length.end - 1)) ? DayParts.night : nil)
    }
    if let unit = unit(at: at), let base = frequency(unit, interval) {
      add(base, at + 1, part: ["night", "nights"].contains(text(at)) ? DayParts.night : nil)
    }
    if text(at) == "fortnight" { add(Recurrence(frequency: .weekly, interval: 2), at + 1) }
    if text(at) == "weekday" || text(at) == "workday" || text(at) == "weekdays"
      || ["business", "working", "week", "work", "school"].contains(text(at)) && text(at + 1) == "day"
    {
      add(
        Recurrence(frequency: .weekly, weekdays: [0, 1, 2, 3, 4]),
        ["weekday", "workday", "weekdays"].contains(text(at)) ? at + 1 : at + 2)
    }
    if text(at) == "weekend" { add(Recurrence(frequency: .weekly, interval: interval, weekdays: [5, 6]), at + 1) }
    if let list = weekdayList(at: at, pluralOnly: false) {
      add(Recurrence(frequency: .weekly, interval: interval, weekdays: list.value), list.end)
    }
    if let part = DayParts.phrases.longest(tokens, at: at), !part.payload.meal {
      add(Recurrence(frequency: .daily, interval: interval), part.end, part: part.payload)
    }
    // "Every Christmas": feasts of a fixed date.
    for feast in Holidays.phrases.matches(tokens, at: at) {
      let days = [2026, 2027].compactMap { feast.payload.days($0).map { ($0.count, Civil.date($0.lowerBound)) } }
      guard days.count == 2, days[0].0 == 1, days[0].1.month == days[1].1.month, days[0].1.day == days[1].1.day else {
        continue
      }
      add(Recurrence(frequency: .yearly, monthDays: [days[0].1.day], month: days[0].1.month), feast.end)
    }
    if let month = token(at)?.month { add(Recurrence(frequency: .yearly, monthDays: [1], month: month), at + 1) }
    found += monthly(at: skip(at, ["the"]))
    return found
  }

  private func inMonth(_ index: Int) -> Bool { ["of", "in"].contains(text(index + 1)) }

  /// Adds time of day, days and limits that follow, and finds the next occurrence.
  private func completed(_ base: Hit<Base>, with lead: Moment, from begin: Int? = nil) -> [Hit<Finding>] {
    var variants = [(base.end, base.value, lead)]
    var at = base.end
    // "every week on Monday and Thursday", "every month on the 5th"
    if ["on", "in"].contains(text(at)) || token(at)?.weekday != nil {
      let next = skip(at, ["on"])
      if base.value.recurrence.frequency == .weekly, base.value.recurrence.weekdays.isEmpty,
        let list = weekdayList(at: next, pluralOnly: false)
      {
        var more = base.value
        more.recurrence.weekdays = list.value
        variants.append((list.end, more, lead))
      }
      let bare = skip(next, ["the"])
      if base.value.recurrence.frequency == .monthly, base.value.recurrence.monthDays.isEmpty,
        base.value.recurrence.weekdays.isEmpty
      {
        for rule in monthly(at: bare) where rule.value.recurrence.frequency == .monthly {
          var more = rule.value
          more.recurrence.interval = base.value.recurrence.interval
          variants.append((rule.end, more, lead))
        }
      }
      if base.value.recurrence.frequency == .yearly, base.value.recurrence.monthDays.isEmpty {
        for rule in monthly(at: bare) where rule.value.recurrence.frequency == .yearly {
          var more = rule.value
          more.recurrence.interval = base.value.recurrence.interval
          variants.append((rule.end, more, lead))
        }
      }
    }
    variants += variants.compactMap { end, base, lead in
      without(base, at: end).map { ($0.end, $0.value, lead) }
    }
    variants += variants.compactMap { end, base, lead in
      within(base, at: end).map { ($0.end, $0.value, lead) }
    }
    var found: [Hit<Finding>] = []
    for (end, base, lead) in variants {
      var moments = [Hit(value: lead, end: end)]
      if !lead.hasClock {
        for joint in [end, skip(end, [","]), skip(end, ["from"])] {
          for hit in self.moments(at: joint)
          where !hit.value.hasDate && (hit.value.hasClock || hit.value.part != nil)
            && (!hit.value.latent || ["at", "@"].contains(text(joint))
              || hit.value.clockEnd != nil)
          {
            guard let merged = lead.merged(with: hit.value) else { continue }
            moments.append(Hit(value: merged, end: hit.end))
          }
        }
      }
      for moment in moments where !base.needsClock || moment.value.hasClock {
        var recurrence = base.recurrence
        var stop = moment.end
        if moment.end > end, let rest = without(base, at: stop) {
          (recurrence, stop) = (rest.value.recurrence, rest.end)
        }
        if let count = integer(at: stop), (2...99).contains(count.value), text(count.end) == "times" {
          (recurrence.count, stop) = (count.value, count.end + 1)
        }
        if ["until", "till", "til", "through"].contains(text(stop)) {
          for hit in self.moments(at: stop + 1) where hit.value.hasDate && !hit.value.hasClock {
            guard let last = place(hit.value).first, hit.end > stop else { continue }
            recurrence.untilDay = last.period.lastDay
            at = hit.end
          }
          if recurrence.untilDay != nil { stop = at }
        }
        let lasting = skip(skip(stop + 1, ["the"]), ["next", "following", "coming"])
        let bare =
          lasting > stop + 1
          ? unit(at: lasting).flatMap { Length(1, $0) }.map { Hit(value: $0, end: lasting + 1) } : nil
        if text(stop) == "for", let length = length(at: lasting) ?? bare, length.value.finest >= .day {
          recurrence.untilDay = Civil.floorDiv(length.value.applied(to: context.now), Civil.secondsPerDay) - 1
          stop = length.end
        }
        if recurrence.untilDay == nil, moment.end > end, let rest = within(base, at: stop) {
          (recurrence.untilDay, stop) = (rest.value.recurrence.untilDay, rest.end)
        }
        let begin = begin ?? base.from
        var starts = [(begin.map { $0 - 1 } ?? context.now, stop, begin != nil, moment.value)]
        if ["starting", "from", "beginning"].contains(text(stop)) {
          for hit in self.moments(at: stop + 1) where !hit.value.latent && (hit.value.hasDate || hit.value.hasClock) {
            guard let first = place(hit.value).first else { continue }
            var timed = moment.value
            if timed.clock == nil { timed.clock = hit.value.clock }
            starts.append((first.period.start - 1, hit.end, true, timed))
          }
        }
        for (from, end, isNamed, moment) in starts {
          guard var finding = next(recurrence, moment, part: base.part, from: from, isNamed: isNamed) else { continue }
          found.append(Hit(value: finding, end: end))
          // "… at 9:15 for 15 minutes"
          guard moment.hasClock, moment.clockEnd == nil, text(end) == "for",
            let length = length(at: skip(end + 1, ["about", "around", "approximately"])), length.value.coarsest <= .hour
          else { continue }
          finding.minutes = length.value.minutes
          found.append(Hit(value: finding, end: length.end))
        }
      }
    }
    return found
  }

  /// `isNamed`: the words say with which day it begins.
  private func next(
    _ recurrence: Recurrence, _ moment: Moment, part: DayPart?, from: Int, isNamed: Bool
  ) -> Finding? {
    var rule = recurrence
    if rule.frequency == .hourly || rule.frequency == .minutely {
      let unit: Grain = rule.frequency == .hourly ? .hour : .minute
      let time =
        isNamed
        ? from + 1
        : moment.hasClock
          ? place(moment, after: from).first?.period.start ?? from
          : context.elapse(from, rule.interval * (unit == .hour ? 3600 : 60))
      return Finding(
        placed: [Placed(period: Period(time, unit == .hour ? .minute : .second))], recurrence: rule, hasClock: true)
    }
    var timed = moment
    if timed.part == nil { timed.part = part }
    let today = Civil.floorDiv(from, Civil.secondsPerDay)
    // Without a day of its own a rule begins with the next such day from now.
    let anchored = rule.weekdays.isEmpty && rule.monthDays.isEmpty
    for day in today..<(today + 366 * 8) where rule.falls(on: day) {
      timed.anchor = Period(day: day)
      guard let placed = place(timed, after: day * Civil.secondsPerDay).first else { return nil }
      guard placed.period.start > from || day > today && !timed.hasClock && timed.part == nil else { continue }
      if anchored, !timed.hasClock, timed.part == nil, rule.frequency != .daily {
        // "every week" begins a week from now, "every day" tomorrow.
        let unit: Grain = rule.frequency == .weekly ? .week : rule.frequency == .monthly ? .month : .year
        let start = isNamed ? from + 1 : Civil.add(rule.interval, unit, to: Civil.truncate(from, to: .day))
        return Finding(placed: [Placed(period: Period(start, .day))], recurrence: rule)
      }
      if let last = rule.untilDay, day > last { return nil }
      return Finding(placed: [placed], recurrence: rule, moment: timed, hasClock: timed.hasClock)
    }
    rule.count = 0
    return nil
  }
}
