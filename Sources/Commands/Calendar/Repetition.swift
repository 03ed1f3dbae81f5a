import Core

/// A recurrence rule as our own time expressions write it, taken apart to be said in words. What it comes to in a calendar is
/// counted in the parse worker.
struct Repetition: Sendable, Equatable {
  enum Frequency: String, Sendable {
    case hourly = "HOURLY", minutely = "MINUTELY", daily = "DAILY", weekly = "WEEKLY", monthly = "MONTHLY",
      yearly = "YEARLY"
  }
  struct Weekday: Sendable, Equatable {
    var ordinal: Int
    /// 0 is Monday.
    var day: Int
  }

  var frequency: Frequency
  var interval = 1
  var count: Int?
  /// The last day, as seconds on the wall clock.
  var until: Int?
  var weekdays: [Weekday] = []
  var monthDays: [Int] = []
  var month: Int?

  /// Two days of the week, each of them once.
  var isOnceEach: Bool {
    frequency == .weekly && interval == 1 && until == nil && count == 2 && weekdays.count == 2
  }

  init?(_ rule: String) {
    var parts: [String: String] = [:]
    for part in rule.split(separator: ";") {
      let halves = part.split(separator: "=", maxSplits: 1)
      if halves.count == 2 { parts[halves[0].uppercased()] = halves[1].uppercased() }
    }
    guard let frequency = parts["FREQ"].flatMap(Frequency.init) else { return nil }
    self.frequency = frequency
    interval = max(1, parts["INTERVAL"].flatMap { Int($0) } ?? 1)
    count = parts["COUNT"].flatMap { Int($0) }
    until = parts["UNTIL"].flatMap { Civil.parse(ICalendar.dashed(String($0.prefix(8)))) }
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    weekdays = (parts["BYDAY"] ?? "").split(separator: ",").compactMap { text in
      names.firstIndex(of: String(text.suffix(2))).map { Weekday(ordinal: Int(text.dropLast(2)) ?? 0, day: $0) }
    }
    month = parts["BYMONTH"].flatMap { Int($0) }
    monthDays = (parts["BYMONTHDAY"] ?? "").split(separator: ",").compactMap { Int($0) }
  }
}
