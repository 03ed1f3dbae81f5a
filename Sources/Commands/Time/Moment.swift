import Core

/// A stretch of local time with the exactness it was named with. The end is exclusive.
struct Period: Equatable {
  var start: Int
  var end: Int
  var grain: Grain
}

extension Period {
  init(_ time: Int, _ grain: Grain) {
    let start = Civil.truncate(time, to: grain)
    self.init(start: start, end: Civil.add(1, grain, to: start), grain: grain)
  }

  init(day: Int) {
    self.init(start: day * Civil.secondsPerDay, end: (day + 1) * Civil.secondsPerDay, grain: .day)
  }

  var firstDay: Int { Civil.floorDiv(start, Civil.secondsPerDay) }
  var lastDay: Int { Civil.floorDiv(end - 1, Civil.secondsPerDay) }
}

/// A time of day as it was said.
struct Clock: Equatable {
  var hour: Int
  var minute = 0
  var second = 0
  var grain = Grain.hour
  /// Twelve-hour speech without am or pm.
  var ambiguous = false
  /// A number that may have been misheard.
  var isGuess = false
  /// A bare number, which is a time only in company.
  var bare = false
  var zone: Zone?
  /// "2305-0715+1"
  var dayShift = 0

  var seconds: Int { hour * 3600 + minute * 60 + second }
}

/// A named part of the day, in hours of that day. The windows are conventions (docs/time.md); a clock time beside one of them settles
/// am and pm.
struct DayPart: Equatable {
  var name: String
  var from: Int
  var until: Int
  /// Meals name the time only in company: "lunch with Ann" is what happens, not when.
  var meal = false
  /// "Early", "late": edges of the day that only a day gives a meaning.
  var isEdge = false

  static let night = DayPart(name: "night", from: 18, until: 24)
  static let lateNight = DayPart(name: "latenight", from: 21, until: 24)
  static let endOfDay = DayPart(name: "endofday", from: 17, until: 24)

  init(name: String, from: Int, until: Int, meal: Bool = false) {
    (self.name, self.from, self.until, self.meal) = (name, from, until, meal)
  }

  /// "lunch 12-14 in company", "early 0-9 edge"
  init?(_ key: String) {
    let words = key.split(separator: " ").map(String.init)
    let hours = words.count > 1 ? words[1].split(separator: "-").compactMap { Int($0) } : []
    guard hours.count == 2 else { return nil }
    self.init(name: words[0], from: hours[0], until: hours[1], meal: words.count > 2)
    isEdge = words.last == "edge"
  }
}

/// What is known of a moment before the reference decides which one is meant. Words add to it; merging fails when they
/// contradict each other.
struct Moment {
  var year: Int?
  var month: Int?
  var day: Int?
  var weekday: Int?
  var yearly: Yearly?
  /// Already placed in time: "tomorrow", "next week", "in two hours".
  var anchor: Period?
  /// The wider period `anchor` may stand for: "March in a year" is March of that year.
  var wide: Period?
  /// The anchor is a range of its own and not one unit of its grain.
  var anchorIsRange = false
  var clock: Clock?
  var clockEnd: Clock?
  var part: DayPart?
  var past = false
  /// Needs company to be a time at all.
  var latent = false
  /// "9th", "the 9": may be half of a range, or a date.
  var bareDay = false
  /// Only about when was said, or a number may have been misheard.
  var isRough = false
  /// Lowers the confidence: an unusual order, a guess.
  var doubt = 0.0

  var hasDate: Bool {
    year != nil || month != nil || day != nil || weekday != nil || yearly != nil || anchor != nil
  }
  var hasClock: Bool { clock != nil }
  var dateFields: Int {
    [year != nil, month != nil, day != nil, weekday != nil, yearly != nil, anchor != nil].filter { $0 }.count
  }

  /// "February 30th", "29 February 2027".
  var isNoDay: Bool {
    guard let month, let day else { return false }
    return day > Civil.monthLength(year ?? 2000, month)
  }

  func doubted(_ more: Double) -> Moment {
    var copy = self
    copy.doubt += more
    return copy
  }

  /// Both at once, or nil where they contradict each other.
  func merged(with other: Moment) -> Moment? {
    var result = self
    func join<Value: Equatable>(_ path: WritableKeyPath<Moment, Value?>) -> Bool {
      guard let theirs = other[keyPath: path] else { return true }
      if let ours = self[keyPath: path] { return ours == theirs }
      result[keyPath: path] = theirs
      return true
    }
    guard join(\.year), join(\.month), join(\.day), join(\.weekday), join(\.clock), join(\.clockEnd) else { return nil }
    if clock != nil, other.clock != nil { return nil }
    if let theirs = other.part {
      if let ours = part, ours.name != theirs.name {
        // "this evening, late evening" narrows; "morning evening" contradicts.
        let (from, until) = (max(ours.from, theirs.from), min(ours.until, theirs.until))
        guard from < until else { return nil }
        // "Late on Friday" and "night" are the late night.
        let isLate = ours == DayPart.endOfDay && theirs == DayPart.night
        result.part = isLate ? DayPart.lateNight : DayPart(name: theirs.name, from: from, until: until)
      } else {
        result.part = theirs
      }
    }
    if let theirs = other.yearly {
      guard yearly == nil, month == nil, day == nil else { return nil }
      result.yearly = theirs
    }
    if yearly != nil, other.month != nil || other.day != nil { return nil }
    if let theirs = other.anchor {
      if let ours = anchor {
        if theirs.start >= ours.start, theirs.end <= ours.end {
          result.anchor = theirs
          result.anchorIsRange = other.anchorIsRange
        } else if !(ours.start >= theirs.start && ours.end <= theirs.end) {
          return nil
        }
      } else {
        result.anchor = theirs
        result.anchorIsRange = other.anchorIsRange
      }
      result.wide = other.wide ?? wide
      if anchor != nil, other.anchor?.grain ?? .day <= .hour, anchor?.grain ?? .day <= .hour { return nil }
    }
    if let anchor = result.anchor, anchor.grain < .day, result.clock != nil {
      // "In three days at four" is told in days; "in three hours at four" contradicts itself.
      guard let wide = result.wide, wide.grain >= .day else { return nil }
      result.anchor = Period(day: anchor.firstDay)
    }
    result.past = past || other.past
    result.isRough = isRough || other.isRough
    result.latent = latent && other.latent
    result.bareDay = false
    result.doubt = doubt + other.doubt
    // Two bare hours beside a date are hours.
    if result.clockEnd != nil, result.hasDate { result.doubt = min(result.doubt, 0.2) }
    return result
  }
}

/// A moment placed on the calendar.
struct Placed: Equatable {
  var period: Period
  var isRange = false
  /// Where the speaker would say a range ends: "until six" is six, though at the grain of hours the sixth hour is in it.
  var namedEnd: Int?
  var open: TimeReading.Open?
  /// "By Friday": the range ends when the thing is due.
  var isDeadline = false
  var zone: Int?
  /// Another day than some of the words say: no Monday, or not the next such date.
  var isContradicted = false
  /// Among the readings of the same words.
  var weight = 1.0
}
