import Core

/// A repetition: its RFC 5545 rule and the days it falls on.
package struct Recurrence: Sendable, Equatable {
  package enum Frequency: String, Sendable { case hourly, daily, weekly, monthly, yearly, minutely }

  package var frequency: Frequency
  package var interval = 1
  /// 0 is Monday.
  var weekdays: [Int] = []
  /// Which of a weekday in its month; negative from the end.
  var ordinals: [Int] = []
  /// Days of the month; negative from its end.
  package var monthDays: [Int] = []
  var month: Int?
  package var count: Int?
  /// Last day included.
  package var untilDay: Int?

  static let workdays = [0, 1, 2, 3, 4]
  static let weekend = [5, 6]

  static let letters = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// Each of the days of the week, 0 being Monday; ordinal 0: every one of them.
  package var days: [(ordinal: Int, weekday: Int)] {
    weekdays.flatMap { day in (ordinals.isEmpty ? [0] : ordinals).map { ($0, day) } }
  }

  /// Two days of the week, each of them once.
  package var isOnceEach: Bool {
    frequency == .weekly && interval == 1 && untilDay == nil && count == 2 && days.count == 2
  }

  var rule: String {
    var parts = ["FREQ=\(frequency.rawValue.uppercased())"]
    if interval > 1 { parts.append("INTERVAL=\(interval)") }
    if let month { parts.append("BYMONTH=\(month)") }
    if !monthDays.isEmpty { parts.append("BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ",")) }
    if !weekdays.isEmpty {
      let days = days.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + Self.letters[$0.weekday] }
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

extension Recurrence {
  /// A rule as `rule` writes it.
  package init?(_ rule: String) {
    let pairs = rule.uppercased().split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let parts = Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    func list(_ name: String) -> [String] { parts[name]?.split(separator: ",").map(String.init) ?? [] }
    guard let frequency = parts["FREQ"].flatMap({ Frequency(rawValue: $0.lowercased()) }) else { return nil }
    self.init(frequency: frequency)
    interval = max(1, parts["INTERVAL"].flatMap { Int($0) } ?? 1)
    for day in list("BYDAY") {
      guard let weekday = Self.letters.firstIndex(of: String(day.suffix(2))) else { continue }
      if !weekdays.contains(weekday) { weekdays.append(weekday) }
      guard let ordinal = Int(day.dropLast(2)), ordinal != 0 else { continue }
      // No year has more of a weekday.
      guard (-53...53).contains(ordinal) else { return nil }
      if !ordinals.contains(ordinal) { ordinals.append(ordinal) }
    }
    month = parts["BYMONTH"].flatMap { Int($0) }
    monthDays = list("BYMONTHDAY").compactMap { Int($0) }
    count = parts["COUNT"].flatMap { Int($0) }
    untilDay = parts["UNTIL"].flatMap { Civil.parse(ICalendar.dashed(String($0.prefix(8)))) }
      .map { Civil.floorDiv($0, Civil.secondsPerDay) }
  }
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

extension Grammar {
  /// "every Monday at nine", "daily", "each month on the 5th", "every other Tuesday", "weekdays at 8".
  func recurrences(at index: Int) -> [Hit<GrammarFinding>] {
    var found: [Hit<GrammarFinding>] = []
    // "at 9 every Monday": a time may lead.
    for lead in [Hit(value: Moment(), end: index)] + clockLeads(at: index) {
      for base in rules(at: lead.end) { found += completed(base, with: lead.value) }
      guard let length = clockLength(lead.value, at: lead.end) else { continue }
      for base in rules(at: length.end) { found += completed(base, with: lead.value).lasting(length.value) }
    }
    // "Starting Monday every day at nine"
    if has(index, [.starting, .from]) {
      for first in moments(at: index + 1) where first.value.hasDate && !first.value.latent {
        guard let begin = place(first.value).first?.period.start else { continue }
        for base in rules(at: skip(first.end, [.comma, .on])) {
          let lead = Moment(clock: first.value.clock, clockEnd: first.value.clockEnd)
          found += completed(base, with: lead, from: begin)
        }
      }
    }
    return found + begun(at: index)
  }

  private func clockLeads(at index: Int) -> [Hit<Moment>] {
    guard
      !clocks(at: skip(index, [.at, .in, .between, .from])).isEmpty || has(index, .in)
        || language.dayParts.longest(tokens, at: skip(index, .the)) != nil
    else { return [] }
    return moments(at: index).filter {
      !$0.value.hasDate && ($0.value.hasClock || $0.value.part != nil)
        && (!$0.value.latent || has(index, [.at, .between, .from]))
    }
  }

  /// Adds time of day, days and limits that follow, and finds the next occurrence.
  func completed(_ base: Hit<Base>, with lead: Moment, from begin: Int? = nil) -> [Hit<GrammarFinding>] {
    var bases = [base] + onDays(base)
    bases += bases.compactMap { without($0.value, at: $0.end) }
    bases += bases.compactMap { within($0.value, at: $0.end) }
    return bases.flatMap { base in
      timed(lead, at: base.end).filter { !base.value.needsClock || $0.value.hasClock }.flatMap { moment in
        let limited = limited(base, behind: moment.end, from: begin ?? context.now)
        let named = begin == nil ? beginnings(base.value, limited, moment.value) : []
        return (starts(limited, moment.value, begin ?? base.value.from) + named).flatMap { start in
          next(limited.value, start.moment, part: base.value.part, from: start.from, isNamed: start.isNamed)
            .map { lasting($0.doubted(start.doubt), start.moment, end: start.end) } ?? []
        }
      }
    }
  }

  /// "every week on Monday and Thursday", "every month on the 5th"
  private func onDays(_ base: Hit<Base>) -> [Hit<Base>] {
    let at = base.end
    let known = base.value.recurrence
    guard has(at, [.on, .in]) || token(at)?.weekday != nil, known.weekdays.isEmpty, known.monthDays.isEmpty else {
      return []
    }
    let next = skip(at, .on)
    if known.frequency == .weekly {
      return weekdayList(at: next, pluralOnly: false).map { list in
        var more = base.value
        more.recurrence.weekdays = list.value
        return [Hit(value: more, end: list.end)]
      } ?? []
    }
    guard known.frequency == .monthly || known.frequency == .yearly else { return [] }
    return monthly(at: skip(next, .the)).filter { $0.value.recurrence.frequency == known.frequency }.map { rule in
      var more = rule.value
      more.recurrence.interval = known.interval
      return Hit(value: more, end: rule.end)
    }
  }

  /// The time of day that goes with a rule: the one before it, or one that follows.
  private func timed(_ lead: Moment, at end: Int) -> [Hit<Moment>] {
    var found = [Hit(value: lead, end: end)]
    guard !lead.hasClock else { return found }
    for joint in Set([end, skip(end, .comma), skip(end, .from)]).sorted() {
      for hit in moments(at: joint)
      where !hit.value.hasDate && (hit.value.hasClock || hit.value.part != nil)
        && (!hit.value.latent || has(joint, .at) || hit.value.clockEnd != nil)
      {
        if let merged = lead.merged(with: hit.value) { found.append(Hit(value: merged, end: hit.end)) }
      }
    }
    return found
  }

  /// The rule with what is said behind it: "except Sundays", "ten times", "until Christmas", "for six weeks", "this month".
  private func limited(_ base: Hit<Base>, behind end: Int, from begin: Int) -> Hit<Recurrence> {
    var rule = base.value.recurrence
    var stop = end
    if end > base.end, let rest = without(base.value, at: stop) {
      (rule, stop) = (rest.value.recurrence, rest.end)
    }
    if let count = integer(at: stop), (2...99).contains(count.value), has(count.end, .times) {
      (rule.count, stop) = (count.value, count.end + 1)
    }
    let isTwoDays = rule.count != nil && rule.weekdays.count > 1
    if isTwoDays, let again = eachWeek(at: stop) { (rule.count, stop) = (nil, again) }
    let behind = skip(stop, .comma)
    if has(behind, [.until, .through]) {
      let lasts = moments(at: behind + 1).filter { $0.value.hasDate && !$0.value.hasClock }
      if let hit = lasts.max(by: { $0.end < $1.end }), let last = place(hit.value).first {
        (rule.untilDay, stop) = (last.period.lastDay, hit.end)
      }
    }
    let lasting = skip(skip(behind + 1, .the), [.next, .following, .coming])
    let bare =
      lasting > behind + 1
      ? unit(at: lasting).flatMap { Length(1, $0) }.map { Hit(value: $0, end: lasting + 1) } : nil
    if has(behind, .for), let length = length(at: lasting) ?? bare, length.value.finest >= .day {
      rule.untilDay = Civil.floorDiv(length.value.applied(to: begin), Civil.secondsPerDay) - 1
      stop = length.end
    }
    if rule.untilDay == nil, end > base.end, let rest = within(base.value, at: stop) {
      (rule.untilDay, stop) = (rest.value.recurrence.untilDay, rest.end)
    }
    // A rule ends in one way.
    if isTwoDays, rule.untilDay != nil { rule.count = nil }
    return Hit(value: rule, end: stop)
  }

  struct Start {
    var from: Int
    var end: Int
    var isNamed: Bool
    var moment: Moment
    var doubt = 0.0
  }

  /// When it begins: now, or as the words say.
  private func starts(_ rule: Hit<Recurrence>, _ moment: Moment, _ begin: Int?) -> [Start] {
    var starts = [
      Start(from: begin.map { $0 - 1 } ?? context.now, end: rule.end, isNamed: begin != nil, moment: moment)
    ]
    guard has(rule.end, [.starting, .from]) else { return starts }
    for hit in moments(at: rule.end + 1) where !hit.value.latent && (hit.value.hasDate || hit.value.hasClock) {
      guard let first = place(hit.value).first else { continue }
      var timed = moment
      if timed.clock == nil { (timed.clock, timed.clockEnd) = (hit.value.clock, hit.value.clockEnd) }
      // "Starting Monday every day from nine to ten": the hours do not say the day.
      let from = hit.value.hasDate ? first.period.start : begin ?? first.period.start
      starts.append(Start(from: from - 1, end: hit.end, isNamed: true, moment: timed))
    }
    return starts
  }

  /// "… at 9:15 for 15 minutes"
  private func lasting(_ finding: GrammarFinding, _ moment: Moment, end: Int) -> [Hit<GrammarFinding>] {
    let plain = [Hit(value: finding, end: end)]
    guard let length = clockLength(moment, at: end) else { return plain }
    return plain + [Hit(value: finding, end: length.end)].lasting(length.value)
  }

  /// "… for 15 minutes" behind a time of day.
  func clockLength(_ moment: Moment, at end: Int) -> Hit<Length>? {
    guard moment.hasClock, moment.clockEnd == nil, has(end, .for),
      let length = length(at: skip(end + 1, .roughly)), length.value.coarsest <= .hour
    else { return nil }
    return length
  }

  /// `isNamed`: the words say with which day it begins.
  private func next(
    _ recurrence: Recurrence, _ moment: Moment, part: DayPart?, from: Int, isNamed: Bool
  ) -> GrammarFinding? {
    var rule = recurrence
    if rule.frequency == .hourly || rule.frequency == .minutely {
      let unit: Grain = rule.frequency == .hourly ? .hour : .minute
      let time =
        isNamed
        ? from + 1
        : moment.hasClock
          ? place(moment, after: from).first?.period.start ?? from
          : context.elapse(from, rule.interval * (unit == .hour ? 3600 : 60))
      return GrammarFinding(
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
        return GrammarFinding(placed: [Placed(period: Period(start, .day))], recurrence: rule)
      }
      if let last = rule.untilDay, day > last { return nil }
      return GrammarFinding(placed: [placed], recurrence: rule, moment: timed, hasClock: timed.hasClock)
    }
    rule.count = 0
    return nil
  }
}

extension [Hit<GrammarFinding>] {
  /// The same, each so long.
  func lasting(_ length: Length) -> [Hit<GrammarFinding>] {
    map { hit in
      var hit = hit
      hit.value.minutes = length.minutes
      return hit
    }
  }
}
