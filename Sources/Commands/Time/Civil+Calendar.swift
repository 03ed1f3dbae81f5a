import Core

/// What people say of local times and days.
extension Civil {
  static func truncate(_ time: Int, to grain: Grain) -> Int {
    let day = floorDiv(time, secondsPerDay)
    let date = Civil.date(day)
    return switch grain {
    case .second: time
    case .minute: floorDiv(time, 60) * 60
    case .hour: floorDiv(time, 3600) * 3600
    case .day: day * secondsPerDay
    case .week: (day - weekday(day)) * secondsPerDay
    case .month: Civil.day(date.year, date.month, 1) * secondsPerDay
    case .quarter: Civil.day(date.year, (date.month - 1) / 3 * 3 + 1, 1) * secondsPerDay
    case .year: Civil.day(date.year, 1, 1) * secondsPerDay
    }
  }

  /// Adds calendar units; a day that the target month lacks becomes its last day.
  static func add(_ count: Int, _ unit: Grain, to time: Int) -> Int {
    switch unit {
    case .second: return time + count
    case .minute: return time + count * 60
    case .hour: return time + count * 3600
    case .day: return time + count * secondsPerDay
    case .week: return time + count * 7 * secondsPerDay
    case .month, .quarter, .year:
      let months = count * (unit == .month ? 1 : unit == .quarter ? 3 : 12)
      let day = floorDiv(time, secondsPerDay)
      let date = Civil.date(day)
      let total = date.year * 12 + date.month - 1 + months
      let (year, month) = (floorDiv(total, 12), modulo(total, 12) + 1)
      let moved = Civil.day(year, month, min(date.day, monthLength(year, month)))
      return moved * secondsPerDay + (time - day * secondsPerDay)
    }
  }

  /// How far away, in days, the nth day from Monday to Friday is.
  static func workingDays(_ count: Int, from day: Int) -> Int {
    guard count != 0 else { return 0 }
    let step = count.signum()
    let weeks = (abs(count) - 1) / 5
    var (far, left) = (weeks * 7 * step, abs(count) - weeks * 5)
    while left > 0 {
      far += step
      if weekday(day + far) < 5 { left -= 1 }
    }
    return far
  }

  /// Sunday of Easter, by the anonymous Gregorian computation.
  static func easter(_ year: Int) -> Int {
    let golden = year % 19
    let century = year / 100
    let rest = year % 100
    let epact = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30
    let sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7
    let correction = (golden + 11 * epact + 22 * sunday) / 451
    let total = epact + sunday - 7 * correction + 114
    return Civil.day(year, total / 31, total % 31 + 1)
  }

  /// Sunday of the Eastern churches' Easter, as a Gregorian day.
  static func orthodoxEaster(_ year: Int) -> Int {
    let moon = (19 * (year % 19) + 15) % 30
    let sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    let total = moon + sunday + 114
    let julian = Civil.day(year, total / 31, total % 31 + 1)
    return julian + year / 100 - year / 400 - 2
  }

  /// The `ordinal`th weekday of a month; a negative ordinal counts from its end.
  static func nth(_ ordinal: Int, _ weekday: Int, _ year: Int, _ month: Int) -> Int? {
    let first = day(year, month, 1)
    let length = monthLength(year, month)
    if ordinal > 0 {
      let found = first + modulo(weekday - Civil.weekday(first), 7) + (ordinal - 1) * 7
      return found < first + length ? found : nil
    }
    let last = first + length - 1
    let found = last - modulo(Civil.weekday(last) - weekday, 7) + (ordinal + 1) * 7
    return found >= first ? found : nil
  }

  /// The years of four digits: what can be written down.
  static let writable = -62_135_596_800...253_402_300_799

  /// An offset from universal time, "+0200" or "+02:00".
  static func offset(_ seconds: Int, separator: String = "") -> String {
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? "-" : "+") + pad(minutes / 60) + separator + pad(minutes % 60)
  }

  /// The inverse of `iso`; the time of day may be absent.
  static func parse(_ text: String) -> Int? {
    let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = halves[0].split(separator: "-").compactMap { Int($0) }
    // A year of so many digits that counting its days would overflow is none.
    guard date.count == 3, (-9_999_999...9_999_999).contains(date[0]), isValid(date[0], date[1], date[2]) else {
      return nil
    }
    var seconds = 0
    if halves.count == 2 {
      let clock = halves[1].prefix(8).split(separator: ":").compactMap { Int($0) }
      guard (2...3).contains(clock.count), (0..<24).contains(clock[0]), clock.dropFirst().allSatisfy((0..<60).contains)
      else { return nil }
      seconds = clock[0] * 3600 + clock[1] * 60 + (clock.count == 3 ? clock[2] : 0)
    }
    return day(date[0], date[1], date[2]) * secondsPerDay + seconds
  }
}
