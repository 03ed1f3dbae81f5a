import Core

/// A date that returns each year, or a rule that finds it.
struct Yearly: Sendable {
  var days: @Sendable (Int) -> Range<Int>?
}

extension Yearly {
  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// A rule as the tables write it:
  /// "12-25" a date, "12-26..1-1" from one to another; "4 thu 11" the fourth Thursday of November, "-1 mon 5" the last Monday of May,
  /// both with "+1" days behind; "easter -2" two days before it, "easter -46..-1" a time around it, "orthodox" for the Eastern one;
  /// "workday 10-16" moves off a weekend to the nearest working day; "mon before 5-25" is the last Monday before it,
  /// "mon before 5-25 -7" the Monday a week before that;
  /// "4-27 unless sun" the day before where that is a Sunday.
  init?(_ rule: String) {
    let words = rule.split(separator: " ").map(String.init)
    let found: (@Sendable (Int) -> Range<Int>?)? =
      switch words.first {
      case "easter": Self.around(words, Civil.easter)
      case "orthodox": Self.around(words, Civil.orthodoxEaster)
      case "workday": words.count == 2 ? Self.workday(words[1]) : nil
      case "tax": Self.taxDay
      case .some where words.count == 1: Self.dates(words[0])
      case .some(let first) where words.count > 2:
        if words[1] == "unless" {
          Self.unless(words[2], first)
        } else if let weekday = Self.weekdays.firstIndex(of: first) {
          Self.before(weekday, words[2], words.count > 3 ? Int(words[3]) ?? 0 : 0)
        } else {
          Self.nth(words)
        }
      default: nil
      }
    guard let found else { return nil }
    days = found
  }

  private static func date(_ text: some StringProtocol) -> (month: Int, day: Int)? {
    let parts = text.split(separator: "-").compactMap { Int($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  private static func dates(_ text: String) -> (@Sendable (Int) -> Range<Int>?)? {
    let ends = text.split(separator: "..").compactMap { date($0) }
    guard let first = ends.first, let last = ends.last else { return nil }
    return { year in
      let start = Civil.day(year, first.month, first.day)
      let end = Civil.day(last.month < first.month ? year + 1 : year, last.month, last.day)
      return start..<(end + 1)
    }
  }

  private static func nth(_ words: [String]) -> (@Sendable (Int) -> Range<Int>?)? {
    guard let rank = Int(words[0]), let weekday = weekdays.firstIndex(of: words[1]), let month = Int(words[2]) else {
      return nil
    }
    let moved = words.count > 3 ? Int(words[3]) ?? 0 : 0
    return { year in Civil.nth(rank, weekday, year, month).map { ($0 + moved)..<($0 + moved + 1) } }
  }

  private static func around(_ words: [String], _ feast: @escaping @Sendable (Int) -> Int)
    -> (@Sendable (Int) -> Range<Int>?)?
  {
    let ends = words.count == 2 ? words[1].split(separator: "..").compactMap { Int($0) } : [0]
    guard let first = ends.first, let last = ends.last else { return nil }
    return { year in (feast(year) + first)..<(feast(year) + last + 1) }
  }

  private static func before(_ weekday: Int, _ text: String, _ moved: Int) -> (@Sendable (Int) -> Range<Int>?)? {
    guard let date = date(text) else { return nil }
    return { year in
      let eve = Civil.day(year, date.month, date.day) - 1
      let found = eve - Civil.modulo(Civil.weekday(eve) - weekday, 7) + moved
      return found..<(found + 1)
    }
  }

  private static func unless(_ name: String, _ text: String) -> (@Sendable (Int) -> Range<Int>?)? {
    guard let date = date(text), let weekday = weekdays.firstIndex(of: name) else { return nil }
    return { year in
      let day = Civil.day(year, date.month, date.day)
      return Civil.weekday(day) == weekday ? (day - 1)..<day : day..<(day + 1)
    }
  }

  private static func workday(_ text: String) -> (@Sendable (Int) -> Range<Int>?)? {
    guard let date = date(text) else { return nil }
    return { year in
      let day = Civil.day(year, date.month, date.day)
      let found = Civil.weekday(day) == 5 ? day - 1 : Civil.weekday(day) == 6 ? day + 1 : day
      return found..<(found + 1)
    }
  }

  /// The fifteenth of April, or the first working day from then on that is not kept for the emancipation of the slaves.
  private static func taxDay(_ year: Int) -> Range<Int>? {
    var day = Civil.day(year, 4, 15)
    let emancipation = workday("4-16")?(year)
    while Civil.weekday(day) > 4 || emancipation?.contains(day) == true { day += 1 }
    return day..<(day + 1)
  }
}
