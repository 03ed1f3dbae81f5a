/// A rule of repetition (RFC 5545, 3.3.10) as it is written. libical's own reading of rules is not used: it keeps intervals in
/// sixteen bits and leaves out days that other programs show.
struct RepeatingRule {
  enum Frequency: Int {
    case yearly, monthly, weekly, daily, hourly, minutely, secondly
  }

  /// A day of the week from Monday (0), and which of them in its month or year; nil: each.
  struct Day: Hashable {
    var weekday: Int
    var place: Int?
  }

  private enum End {
    case never
    case day(WallTime)
    case wall(WallTime)
    case instant(WallTime)
  }

  private(set) var frequency = Frequency.daily
  private(set) var interval = 1
  private(set) var count: Int?
  private(set) var weekStart = 0
  private(set) var months: Set<Int> = []
  private(set) var weeks: Set<Int> = []
  private(set) var yearDays: Set<Int> = []
  private(set) var monthDays: Set<Int> = []
  private(set) var days: Set<Day> = []
  private(set) var hours: Set<Int> = []
  private(set) var minutes: Set<Int> = []
  private(set) var seconds: Set<Int> = []
  private(set) var positions: Set<Int> = []
  private var end = End.never

  private static let frequencies = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
  private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// nil for what cannot be understood, rules of other calendars among it.
  init?(_ text: String) {
    var named: Set<String> = []
    for part in text.uppercased().split(separator: ";") {
      let halves = part.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
      guard halves.count == 2 else { return nil }
      // Where it is said twice it is not known which holds.
      guard named.insert(halves[0]).inserted, take(halves[0], halves[1]) else { return nil }
    }
    guard named.contains("FREQ") else { return nil }
  }

  private mutating func take(_ name: String, _ value: String) -> Bool {
    func numbers(_ range: ClosedRange<Int>, fromEnd: Bool = false) -> Set<Int>? {
      let values = value.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard values.allSatisfy({ $0.map { range.contains(fromEnd ? Int(clamping: $0.magnitude) : $0) } ?? false }) else {
        return nil
      }
      return Set(values.compactMap(\.self))
    }
    func set(_ place: WritableKeyPath<Self, Set<Int>>, _ values: Set<Int>?) -> Bool {
      self[keyPath: place] = values ?? []
      return values != nil
    }
    switch name {
    case "FREQ":
      guard let found = Self.frequencies.firstIndex(of: value).flatMap(Frequency.init(rawValue:)) else { return false }
      frequency = found
    case "INTERVAL":
      guard let number = Int(value), (1...1_000_000_000).contains(number) else { return false }
      interval = number
    case "COUNT":
      guard let number = Int(value), number >= 1 else { return false }
      count = number
    case "UNTIL":
      guard let end = Self.end(value) else { return false }
      self.end = end
    case "WKST":
      guard let day = Self.weekdays.firstIndex(of: value) else { return false }
      weekStart = day
    case "BYDAY":
      let found = value.split(separator: ",", omittingEmptySubsequences: false).map(Self.day)
      days = Set(found.compactMap(\.self))
      return found.allSatisfy { $0 != nil }
    case "BYMONTH": return set(\.months, numbers(1...12))
    case "BYWEEKNO": return set(\.weeks, numbers(1...53, fromEnd: true))
    case "BYYEARDAY": return set(\.yearDays, numbers(1...366, fromEnd: true))
    case "BYMONTHDAY": return set(\.monthDays, numbers(1...31, fromEnd: true))
    case "BYHOUR": return set(\.hours, numbers(0...23))
    case "BYMINUTE": return set(\.minutes, numbers(0...59))
    case "BYSECOND": return set(\.seconds, numbers(0...60).map { Set($0.map { min(59, $0) }) })
    case "BYSETPOS": return set(\.positions, numbers(1...366, fromEnd: true))
    default: return name.hasPrefix("X-")
    }
    return true
  }

  /// "TU", "1SU", "-2MO".
  private static func day(_ text: Substring) -> Day? {
    guard let weekday = weekdays.firstIndex(of: String(text.suffix(2))) else { return nil }
    let place = text.dropLast(2)
    guard !place.isEmpty else { return Day(weekday: weekday) }
    guard let number = Int(place), (1...53).contains(number.magnitude) else { return nil }
    return Day(weekday: weekday, place: number)
  }

  /// "19971224", "19971224T090000", "19971224T090000Z".
  private static func end(_ text: String) -> End? {
    guard let match = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?/) else { return nil }
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
    let time = WallTime(
      number(match.1), number(match.2), number(match.3), number(match.4), number(match.5), number(match.6))
    guard let time else { return nil }
    if match.4 == nil { return .day(time) }
    return match.7 == "Z" ? .instant(time) : .wall(time)
  }

  /// Whether it has not ended by then.
  func allows(_ moment: CalendarMoment) -> Bool {
    switch end {
    case .never: true
    case .day(let last): moment.wall.day <= last.day
    case .wall(let last), .instant(let last):
      if moment.isDate {
        moment.wall.day <= last.day
      } else if case .instant = end, !moment.isFloating {
        moment.instant <= last.seconds
      } else {
        moment.wall <= last
      }
    }
  }
}
