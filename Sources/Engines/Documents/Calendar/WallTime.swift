import CICal
import Core

/// A date and a time of day on a wall clock, as seconds since 1970 there.
struct WallTime: Hashable, Comparable {
  var seconds: Int

  init(seconds: Int) { self.seconds = seconds }

  /// nil for what no calendar has: a 31st of June, a year beyond 9999.
  init?(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
    guard (1...9999).contains(year), Civil.isValid(year, month, day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    // A leap second is the last of its minute.
    seconds = Civil.day(year, month, day) * Civil.secondsPerDay + hour * 3600 + minute * 60 + min(59, second)
  }

  init?(_ time: icaltimetype) {
    let (year, month, day) = (Int(time.year), Int(time.month), Int(time.day))
    if time.is_date != 0 {
      self.init(year, month, day)
    } else {
      self.init(year, month, day, Int(time.hour), Int(time.minute), Int(time.second))
    }
  }

  static func < (first: WallTime, second: WallTime) -> Bool { first.seconds < second.seconds }

  var day: Int { Civil.floorDiv(seconds, Civil.secondsPerDay) }
  var midnight: WallTime { WallTime(seconds: day * Civil.secondsPerDay) }

  func moved(by seconds: Int) -> WallTime { WallTime(seconds: self.seconds + seconds) }

  func time(isDate: Bool) -> icaltimetype {
    let (year, month, day) = Civil.date(day)
    let rest = seconds - self.day * Civil.secondsPerDay
    var time = icaltime_null_time()
    (time.year, time.month, time.day) = (CInt(clamping: year), CInt(month), CInt(day))
    time.is_date = isDate ? 1 : 0
    if !isDate {
      (time.hour, time.minute, time.second) = (CInt(rest / 3600), CInt(rest / 60 % 60), CInt(rest % 60))
    }
    return time
  }

  /// Local ISO 8601; a date alone for whole days.
  func iso(isDate: Bool) -> String {
    let text = Civil.iso(seconds)
    return isDate ? String(text.prefix { $0 != "T" }) : text
  }

  static func length(of year: Int) -> Int { Civil.day(year + 1, 1, 1) - Civil.day(year, 1, 1) }

  /// The number of a day's week and how many weeks the year has that it is counted in: the first has at least four days of the year.
  static func week(of day: Int, startingOn first: Int) -> (number: Int, of: Int) {
    func begin(_ year: Int) -> Int {
      let fourth = Civil.day(year, 1, 4)
      return fourth - (Civil.weekday(fourth) - first + 7) % 7
    }
    let year = Civil.date(day).year
    let own = day < begin(year) ? year - 1 : day >= begin(year + 1) ? year + 1 : year
    return ((day - begin(own)) / 7 + 1, (begin(own + 1) - begin(own)) / 7)
  }
}
