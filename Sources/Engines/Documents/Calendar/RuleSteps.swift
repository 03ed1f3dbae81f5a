import Core

/// The times a rule comes to on the wall clock, in order.
///
/// A rule goes from period to period (years, months, weeks, ... seconds), each so many after the one before. The days of a period
/// that the rule's lists leave over are joined with the times of day that they leave over, and of those its positions are taken.
struct RuleSteps {
  private let rule: RepeatingRule
  private let start: WallTime
  private let upper: WallTime
  private let allowance: CalendarBudget.Entry
  private let months: Set<Int>
  private let monthDays: Set<Int>
  private let plain: Set<Int>
  private let placed: Set<RepeatingRule.Day>
  private let clock: (hours: [Int], minutes: [Int], seconds: [Int])
  private var number: Int
  private var left: Int
  private var ready: ArraySlice<WallTime> = []

  /// `lower`: nobody asks for what comes before. nil for a rule that makes no sense.
  init?(
    _ rule: RepeatingRule, from start: WallTime, isDate: Bool, within bounds: ClosedRange<WallTime>,
    _ allowance: CalendarBudget.Entry
  ) {
    let frequency = rule.frequency
    if isDate, frequency.rawValue > RepeatingRule.Frequency.daily.rawValue { return nil }
    (self.rule, self.start, self.allowance, upper) = (rule, start, allowance, bounds.upperBound)
    let date = Civil.date(start.day)
    // What the lists do not say is as at the start.
    let choosesDays = !(rule.weeks.isEmpty && rule.yearDays.isEmpty && rule.monthDays.isEmpty && rule.days.isEmpty)
    months = !choosesDays && frequency == .yearly && rule.months.isEmpty ? [date.month] : rule.months
    monthDays =
      !choosesDays && frequency.rawValue <= RepeatingRule.Frequency.monthly.rawValue ? [date.day] : rule.monthDays
    let placesDays = frequency.rawValue <= RepeatingRule.Frequency.monthly.rawValue
    placed = placesDays ? rule.days.filter { $0.place != nil } : []
    plain =
      !choosesDays && frequency == .weekly
      ? [Civil.weekday(start.day)] : Set(rule.days.filter { !placesDays || $0.place == nil }.map(\.weekday))
    let ofDay = start.seconds - start.midnight.seconds
    func times(_ list: Set<Int>, _ own: Int, _ finest: RepeatingRule.Frequency) -> [Int] {
      if isDate { return [0] }
      return list.isEmpty && frequency.rawValue < finest.rawValue ? [own] : list.sorted()
    }
    clock = (
      times(rule.hours, ofDay / 3600, .hourly), times(rule.minutes, ofDay / 60 % 60, .minutely),
      times(rule.seconds, ofDay % 60, .secondly)
    )
    left = rule.count ?? .max
    number = 0
    guard rule.count == nil, bounds.lowerBound > start else { return }
    // Without a count nothing before matters.
    let passed: Int
    let late = Civil.date(bounds.lowerBound.day)
    switch frequency {
    case .yearly: passed = late.year - date.year
    case .monthly: passed = (late.year - date.year) * 12 + late.month - date.month
    default: passed = (bounds.lowerBound.seconds - start.seconds) / Self.unit(frequency)
    }
    number = max(0, passed / rule.interval - 1)
  }

  mutating func next() -> WallTime? {
    guard left > 0 else { return nil }
    while ready.isEmpty {
      guard let times = period() else { return nil }
      ready = chosen(times).filter { $0 >= start }[...]
    }
    left -= 1
    return ready.removeFirst()
  }

  private func chosen(_ times: [WallTime]) -> [WallTime] {
    guard !rule.positions.isEmpty else { return times }
    return times.indices.filter { rule.positions.contains($0 + 1) || rule.positions.contains($0 - times.count) }
      .map { times[$0] }
  }

  /// The times of the next period; nil when there is none any more.
  private mutating func period() -> [WallTime]? {
    guard allowance.step() else { return nil }
    let (days, begin) = days(number)
    guard begin <= upper, Civil.date(begin.day).year <= 9999 else { return nil }
    var hours = clock.hours
    var (minutes, seconds) = (clock.minutes, clock.seconds)
    if rule.frequency.rawValue > RepeatingRule.Frequency.daily.rawValue {
      let ofDay = begin.seconds - begin.midnight.seconds
      let (hour, minute, second) = (ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
      // What lies between here and the next day, hour or minute that may be meant is passed over.
      if !fits(begin.day) { return pass(to: begin.midnight.moved(by: Civil.secondsPerDay)) }
      if !hours.isEmpty, !hours.contains(hour) { return pass(to: begin.moved(by: 3600 - ofDay % 3600)) }
      hours = [hour]
      if rule.frequency != .hourly {
        if !minutes.isEmpty, !minutes.contains(minute) { return pass(to: begin.moved(by: 60 - second)) }
        minutes = [minute]
      }
      if rule.frequency == .secondly {
        if !seconds.isEmpty, !seconds.contains(second) { return pass(to: begin.moved(by: 1)) }
        seconds = [second]
      }
    }
    number += 1
    var times: [WallTime] = []
    for day in days {
      guard allowance.step() else { return nil }
      guard fits(day) else { continue }
      for hour in hours {
        for minute in minutes {
          for second in seconds {
            guard allowance.step() else { return nil }
            times.append(WallTime(seconds: day * Civil.secondsPerDay + hour * 3600 + minute * 60 + second))
          }
        }
      }
    }
    return times
  }

  /// On to the first period that does not begin before `time`.
  private mutating func pass(to time: WallTime) -> [WallTime] {
    let step = Self.unit(rule.frequency) * rule.interval
    let origin = begin(0).seconds
    number = max(number + 1, (time.seconds - origin + step - 1) / step)
    return []
  }

  private static func unit(_ frequency: RepeatingRule.Frequency) -> Int {
    switch frequency {
    case .yearly, .monthly, .daily: Civil.secondsPerDay
    case .weekly: 7 * Civil.secondsPerDay
    case .hourly: 3600
    case .minutely: 60
    case .secondly: 1
    }
  }

  /// Where a period of a fixed length begins.
  private func begin(_ number: Int) -> WallTime {
    let first: WallTime
    switch rule.frequency {
    case .weekly:
      first = start.midnight.moved(
        by: -((Civil.weekday(start.day) - rule.weekStart + 7) % 7) * Civil.secondsPerDay)
    case .hourly: first = start.moved(by: -(start.seconds - start.midnight.seconds) % 3600)
    case .minutely: first = start.moved(by: -(start.seconds - start.midnight.seconds) % 60)
    case .secondly: first = start
    case .yearly, .monthly, .daily: first = start.midnight
    }
    let (moved, isTooFar) = (number * rule.interval).multipliedReportingOverflow(by: Self.unit(rule.frequency))
    return isTooFar ? WallTime(seconds: .max / 2) : first.moved(by: moved)
  }

  /// The days of a period, whatever the lists say of them, and where it begins.
  private func days(_ number: Int) -> (Range<Int>, begin: WallTime) {
    let date = Civil.date(start.day)
    let never = (0..<0, begin: WallTime(seconds: .max / 2))
    switch rule.frequency {
    case .yearly:
      guard let first = WallTime(date.year + number * rule.interval, 1, 1) else { return never }
      return (first.day..<first.day + WallTime.length(of: date.year + number * rule.interval), first)
    case .monthly:
      let month = date.month - 1 + number * rule.interval
      guard let first = WallTime(date.year + month / 12, month % 12 + 1, 1) else { return never }
      return (first.day..<first.day + Civil.monthLength(date.year + month / 12, month % 12 + 1), first)
    case .weekly:
      let begin = begin(number)
      return (begin.day..<begin.day + 7, begin)
    case .daily, .hourly, .minutely, .secondly:
      let begin = begin(number)
      return (begin.day..<begin.day + 1, begin)
    }
  }

  /// Whether every list of days lets this one through.
  private func fits(_ day: Int) -> Bool {
    let date = Civil.date(day)
    if !months.isEmpty, !months.contains(date.month) { return false }
    if !monthDays.isEmpty {
      guard monthDays.contains(date.day) || monthDays.contains(date.day - Civil.monthLength(date.year, date.month) - 1)
      else {
        return false
      }
    }
    let (ofYear, length) = (day - Civil.day(date.year, 1, 1) + 1, WallTime.length(of: date.year))
    if !rule.yearDays.isEmpty {
      guard rule.yearDays.contains(ofYear) || rule.yearDays.contains(ofYear - length - 1) else { return false }
    }
    if !rule.weeks.isEmpty {
      let (week, weeks) = WallTime.week(of: day, startingOn: rule.weekStart)
      guard rule.weeks.contains(week) || rule.weeks.contains(week - weeks - 1) else { return false }
    }
    if plain.isEmpty, placed.isEmpty { return true }
    let weekday = Civil.weekday(day)
    if plain.contains(weekday) { return true }
    // The second Monday is that of the year, or of the month where months are named.
    let isOfMonth = rule.frequency == .monthly || !rule.months.isEmpty
    let (place, last) = isOfMonth ? (date.day, Civil.monthLength(date.year, date.month)) : (ofYear, length)
    return placed.contains(.init(weekday: weekday, place: (place - 1) / 7 + 1))
      || placed.contains(.init(weekday: weekday, place: -((last - place) / 7 + 1)))
  }
}
