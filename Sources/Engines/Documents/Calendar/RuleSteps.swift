import CICal

/// When a rule ends, in whatever form it says so.
struct RuleEnd {
  private enum Form {
    case never
    case wall(WallTime)
    case instant(Int)
  }
  private let form: Form

  init(_ rule: icalrecurrencetype, _ start: CalendarMoment) {
    guard icaltime_is_null_time(rule.until) == 0, let until = WallTime(rule.until) else {
      form = .never
      return
    }
    if rule.until.is_date != 0 || start.isDate {
      form = .wall(until.midnight.moved(by: WallTime.secondsPerDay - 1))
    } else if icaltime_is_utc(rule.until) != 0, !start.isFloating {
      form = .instant(until.seconds)
    } else {
      form = .wall(until)
    }
  }

  func allows(_ moment: CalendarMoment) -> Bool {
    switch form {
    case .never: true
    case .wall(let last): moment.wall <= last
    case .instant(let last): moment.instant <= last
    }
  }
}

/// The times a rule comes to, in order, as libical counts them on the wall clock.
///
/// A few things are added to libical's counting: it loses the interval of hours and smaller units when it is told to begin late
/// or to look at certain hours, and it takes BYSETPOS and days from a month's end into account for months and years alone.
final class RuleSteps {
  private let iterator: OpaquePointer
  private let allowance: CalendarBudget.Entry
  private let first: WallTime
  private let period: Period?
  private let positions: Set<Int>
  private let monthDays: Set<Int>
  private let hours: Set<Int>
  private var left: Int
  private var ready: ArraySlice<WallTime> = []
  private var ahead: WallTime?

  private enum Period {
    case week(start: Int)
    case seconds(Int)

    func number(_ wall: WallTime) -> Int {
      switch self {
      // The 1st of January 1970 was a Thursday, the fourth day after a Sunday.
      case .week(let start): Self.floor(wall.day + 4 - start, 7)
      case .seconds(let length): Self.floor(wall.seconds, length)
      }
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
      value >= 0 ? value / divisor : (value + 1) / divisor - 1
    }
  }

  /// nil for a rule that makes no sense.
  init?(
    _ rule: icalrecurrencetype, from start: WallTime, isDate: Bool, notBefore lower: WallTime,
    _ allowance: CalendarBudget.Entry
  ) {
    var rule = rule
    // Its end is looked after by `RuleEnd`, which knows zones.
    rule.until = icaltime_null_time()
    first = start
    positions = rule.freq.rawValue < ICAL_MONTHLY_RECURRENCE.rawValue ? Self.positions(rule) : []
    period = positions.isEmpty ? nil : Self.period(rule)
    monthDays = Self.monthDays(rule)
    if !monthDays.isEmpty { rule.by_month_day.0 = Self.none }
    hours = Self.hours(rule)
    if !hours.isEmpty { rule.by_hour.0 = Self.none }
    let choosesItself = !positions.isEmpty || !monthDays.isEmpty || !hours.isEmpty
    left = !choosesItself || rule.count <= 0 ? .max : Int(rule.count)
    if choosesItself { rule.count = 0 }
    var begin = start
    if case .week(let weekStart) = period, rule.by_day.0 != Self.none {
      // Positions are those of the whole first week.
      begin = begin.moved(by: -(((start.day + 4 - weekStart) % 7 + 7) % 7) * WallTime.secondsPerDay)
    }
    // Without a count nothing before the span matters.
    let mayLeap = rule.count == 0 && left == .max && lower > begin
    if mayLeap, let unit = Self.unit(rule.freq) {
      let step = unit * max(1, Int(rule.interval))
      begin = begin.moved(by: (lower.seconds - begin.seconds) / step * step)
    }
    guard rule.interval >= 1, let iterator = icalrecur_iterator_new(rule, begin.time(isDate: isDate)) else {
      return nil
    }
    self.iterator = iterator
    self.allowance = allowance
    guard mayLeap, Self.unit(rule.freq) == nil else { return }
    // Positions need the whole of the period before.
    let late = positions.isEmpty ? lower : lower.moved(by: -7 * WallTime.secondsPerDay).midnight
    if late > begin { icalrecur_iterator_set_start(iterator, late.time(isDate: isDate)) }
  }

  deinit { icalrecur_iterator_free(iterator) }

  func next() -> WallTime? {
    guard let period else {
      guard left > 0, let wall = step() else { return nil }
      left -= 1
      return wall
    }
    while ready.isEmpty {
      guard let begin = ahead ?? step() else { return nil }
      var all = [begin]
      ahead = step()
      while let one = ahead, period.number(one) == period.number(begin), all.count < 100_000 {
        all.append(one)
        ahead = step()
      }
      let chosen = all.indices.filter { positions.contains($0 + 1) || positions.contains($0 - all.count) }
      ready = chosen.map { all[$0] }.filter { $0 >= first }[...]
    }
    guard left > 0 else { return nil }
    left -= 1
    return ready.removeFirst()
  }

  private func step() -> WallTime? {
    while allowance.step() {
      let time = icalrecur_iterator_next(iterator)
      guard icaltime_is_null_time(time) == 0, let wall = WallTime(time) else { return nil }
      guard monthDays.isEmpty || wall.daysOfMonth.contains(where: monthDays.contains) else { continue }
      guard hours.isEmpty || hours.contains((wall.seconds - wall.midnight.seconds) / 3600) else { continue }
      if period != nil || wall >= first { return wall }
    }
    return nil
  }

  /// libical's mark behind the last value of a list.
  private static let none = Int16(ICAL_RECURRENCE_ARRAY_MAX.rawValue)

  private static func positions(_ rule: icalrecurrencetype) -> Set<Int> { values(rule.by_set_pos) }

  /// Where libical would not see the days that count from a month's end.
  private static func monthDays(_ rule: icalrecurrencetype) -> Set<Int> {
    let days = values(rule.by_month_day)
    return rule.freq.rawValue <= ICAL_DAILY_RECURRENCE.rawValue && days.contains { $0 < 0 } ? days : []
  }

  private static func hours(_ rule: icalrecurrencetype) -> Set<Int> {
    rule.freq.rawValue <= ICAL_HOURLY_RECURRENCE.rawValue && rule.interval > 1 ? values(rule.by_hour) : []
  }

  private static func values(_ list: some Any) -> Set<Int> {
    withUnsafeBytes(of: list) { bytes in Set(bytes.bindMemory(to: Int16.self).prefix { $0 != none }.map(Int.init)) }
  }

  private static func period(_ rule: icalrecurrencetype) -> Period {
    if rule.freq == ICAL_WEEKLY_RECURRENCE { return .week(start: max(0, Int(rule.week_start.rawValue) - 1)) }
    return .seconds(unit(rule.freq) ?? WallTime.secondsPerDay)
  }

  /// Of frequencies whose interval is a number of seconds.
  private static func unit(_ frequency: icalrecurrencetype_frequency) -> Int? {
    switch frequency {
    case ICAL_HOURLY_RECURRENCE: 3600
    case ICAL_MINUTELY_RECURRENCE: 60
    case ICAL_SECONDLY_RECURRENCE: 1
    default: nil
    }
  }
}
