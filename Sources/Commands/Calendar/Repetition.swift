/// A recurrence rule, as far as calendars of people use them: by day, week, month or year, with interval, count, end, days of
/// the week, days of the month and months.
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
  /// The last moment, in the form of the start.
  var until: Int?
  var weekdays: [Weekday] = []
  var monthDays: [Int] = []
  var months: [Int] = []

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
    until = parts["UNTIL"].flatMap { text in
      // A date means its whole day; universal time may be off by the zone, which a day's grace covers.
      CalendarLine.moment(text).map { text.count == 8 ? $0 + 86_399 : $0 + (text.hasSuffix("Z") ? 50_400 : 0) }
    }
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    weekdays = (parts["BYDAY"] ?? "").split(separator: ",").compactMap { text in
      names.firstIndex(of: String(text.suffix(2))).map { Weekday(ordinal: Int(text.dropLast(2)) ?? 0, day: $0) }
    }
    func numbers(_ name: String) -> [Int] { (parts[name] ?? "").split(separator: ",").compactMap { Int($0) } }
    monthDays = numbers("BYMONTHDAY")
    months = numbers("BYMONTH")
  }

  /// The moments within a span, counted from the first one. At most a thousand: nobody looks at more.
  func moments(from anchor: Int, within span: Range<Int>) -> [Int] {
    let clock = Civil.modulo(anchor, Civil.secondsPerDay)
    if frequency == .hourly || frequency == .minutely {
      let step = (frequency == .hourly ? 3600 : 60) * interval
      let skipped = max(0, Civil.floorDiv(span.lowerBound - anchor + step - 1, step))
      var result: [Int] = []
      var at = anchor + skipped * step
      var index = skipped
      while at < span.upperBound, result.count < 1000, at <= until ?? Int.max, index < count ?? Int.max {
        result.append(at)
        at += step
        index += 1
      }
      return result
    }
    var result: [Int] = []
    var seen = 0
    // Without a count nothing before the span matters: whole periods are leapt over.
    var period = count == nil ? max(0, periods(from: anchor, to: span.lowerBound) - 1) : 0
    for _ in 0..<20_000 {
      for day in days(of: period, from: anchor) {
        let moment = day * Civil.secondsPerDay + clock
        if moment < anchor { continue }
        if moment > until ?? Int.max || seen >= count ?? Int.max || moment >= span.upperBound || result.count >= 1000 {
          return result
        }
        seen += 1
        if moment >= span.lowerBound { result.append(moment) }
      }
      if start(of: period, from: anchor) >= span.upperBound { return result }
      period += 1
    }
    return result
  }

  /// How many periods lie between two moments, rounded down.
  private func periods(from anchor: Int, to moment: Int) -> Int {
    guard moment > anchor else { return 0 }
    let days = (moment - anchor) / Civil.secondsPerDay
    let length =
      switch frequency {
      case .weekly: 7
      case .monthly: 31
      case .yearly: 366
      default: 1
      }
    return days / length / interval
  }

  private func start(of period: Int, from anchor: Int) -> Int {
    let grain: Grain =
      switch frequency {
      case .weekly: .week
      case .monthly: .month
      case .yearly: .year
      default: .day
      }
    return Civil.add(period * interval, grain, to: Civil.truncate(anchor, to: grain))
  }

  /// The days of one period, in order.
  private func days(of period: Int, from anchor: Int) -> [Int] {
    let first = Civil.floorDiv(start(of: period, from: anchor), Civil.secondsPerDay)
    let own = Civil.date(Civil.floorDiv(anchor, Civil.secondsPerDay))
    let date = Civil.date(first)
    switch frequency {
    case .weekly:
      let days = weekdays.isEmpty ? [Civil.weekday(Civil.floorDiv(anchor, Civil.secondsPerDay))] : weekdays.map(\.day)
      return days.sorted().map { first + $0 }.filter(fitsMonth)
    case .monthly: return month(date.year, date.month, day: own.day).filter(fitsMonth)
    case .yearly:
      let among = months.isEmpty && weekdays.isEmpty && monthDays.isEmpty ? [own.month] : months
      return (among.isEmpty ? [own.month] : among.sorted()).filter { (1...12).contains($0) }
        .flatMap { month(date.year, $0, day: own.day) }
    default:
      return [first].filter { day in
        fitsMonth(day) && (weekdays.isEmpty || weekdays.contains { $0.day == Civil.weekday(day) })
          && (monthDays.isEmpty || monthDays.contains(Civil.date(day).day))
      }
    }
  }

  private func fitsMonth(_ day: Int) -> Bool { months.isEmpty || months.contains(Civil.date(day).month) }

  private func month(_ year: Int, _ month: Int, day: Int) -> [Int] {
    let first = Civil.day(year, month, 1)
    let length = Civil.monthLength(year, month)
    if !weekdays.isEmpty {
      let found = weekdays.flatMap { weekday -> [Int] in
        if weekday.ordinal != 0 { return [Civil.nth(weekday.ordinal, weekday.day, year, month)].compactMap(\.self) }
        return (0..<length).map { first + $0 }.filter { Civil.weekday($0) == weekday.day }
      }
      return found.sorted().filter { monthDays.isEmpty || monthDays.contains($0 - first + 1) }
    }
    // A month without the day is skipped, as RFC 5545 has it.
    let days = monthDays.isEmpty ? [day] : monthDays.map { $0 < 0 ? length + 1 + $0 : $0 }
    return days.filter { (1...length).contains($0) }.sorted().map { first + $0 - 1 }
  }
}
