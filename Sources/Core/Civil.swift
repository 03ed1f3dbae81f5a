/// The proleptic Gregorian calendar on integers. A local time is the number of seconds since 1970-01-01T00:00:00 on the
/// wall clock, whatever the zone; a day is that number divided by 86,400.
package enum Civil {
  @inlinable package static var secondsPerDay: Int { 86_400 }

  @inlinable package static func floorDiv(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }

  @inlinable package static func modulo(_ value: Int, _ divisor: Int) -> Int {
    value - floorDiv(value, divisor) * divisor
  }

  /// Days since 1970-01-01. Months outside 1...12 carry into the year, so callers may add freely.
  @inlinable package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = floorDiv(month - 1, 12)
    let month = month - 12 * years
    // Years begin in March here, so that the leap day is the last of the year and month lengths follow one formula.
    let shifted = year + years - (month > 2 ? 0 : 1)
    let era = floorDiv(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  @inlinable package static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let moved = day + 719_468
    let era = floorDiv(moved, 146_097)
    let dayOfEra = moved - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// 0 is Monday. The 1st of January 1970 was a Thursday.
  package static func weekday(_ day: Int) -> Int { modulo(day + 3, 7) }

  package static func monthLength(_ year: Int, _ month: Int) -> Int { day(year, month + 1, 1) - day(year, month, 1) }

  package static func isValid(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    (1...12).contains(month) && day >= 1 && day <= monthLength(year, month)
  }

  package static func pad(_ value: Int, _ width: Int = 2) -> String {
    let digits = String(abs(value))
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Local ISO 8601 to the second.
  package static func iso(_ time: Int) -> String {
    let day = floorDiv(time, secondsPerDay)
    let date = Civil.date(day)
    let seconds = time - day * secondsPerDay
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { pad($0) }.joined(separator: ":")
    return "\(pad(date.year, 4))-\(pad(date.month))-\(pad(date.day))T\(clock)"
  }
}
