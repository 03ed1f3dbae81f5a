extension Grammar {
  /// Times of day: "3pm", "15:30", "half seven", "nine fifty nine a m", "1530", "noon", and bare hours.
  func clocks(at index: Int) -> [Hit<Clock>] {
    if let known = clockMemo[index] { return known }
    var found: [Hit<Clock>] = []
    for hit in named(at: index) + past(at: index) + digital(at: index) + spoken(at: index) {
      found.append(finished(hit))
    }
    clockMemo[index] = found
    return found
  }

  /// Adds what may follow any clock: am or pm, "o'clock", a zone, "sharp".
  private func finished(_ hit: Hit<Clock>) -> Hit<Clock> {
    var clock = hit.value
    var end = hit.end
    if ["h", "hours", "hrs", "uhr"].contains(text(end)), !clock.ambiguous || clock.grain == .minute,
      unit(at: end) == nil || clock.grain == .minute
    {
      end += 1
    }
    if text(end) == "oclock" || text(end) == "o" && text(end + 1) == "clock" {
      clock.bare = false
      end += text(end) == "o" ? 2 : 1
    }
    let suffix = text(end) == "-" ? end + 1 : end
    if text(suffix) == "ish" {
      clock.bare = false
      end = suffix + 1
    }
    if let meridiem = meridiem(at: end, after: clock) {
      clock = meridiem.value
      end = meridiem.end
    }
    if let zone = zone(at: end, isBare: clock.bare) {
      clock.zone = zone.value
      clock.grain = min(clock.grain, .minute)
      clock.bare = false
      end = zone.end
    }
    // "3:40 AM+1": the day after.
    if !clock.bare, text(end) == "+", glued(end), isNumber(end + 1, digits: 1...1), glued(end + 1) {
      clock.dayShift = tokens[end + 1].value
      end += 2
    }
    if text(end) == "or", text(end + 1) == "so" { end += 2 }
    if text(end) == "on", text(end + 1) == "the", text(end + 2) == "dot" { end += 3 }
    if ["sharp", "exactly", "approximately", "approx", "ish", "onwards"].contains(text(end)), text(end) != "onwards" {
      end += 1
    }
    return Hit(value: clock, end: end)
  }

  private func meridiem(at index: Int, after clock: Clock) -> Hit<Clock>? {
    var at = index
    if text(at) == ".", text(at + 1) == "p" || text(at + 1) == "a" { return nil }
    at = skip(at, ["in"])
    if at > index { at = skip(at, ["the"]) }
    let pm: Bool
    var end = at + 1
    if at == index + 2 {
      // "8 in the morning": said with the hour, so that it also settles the ends of ranges.
      switch text(at) {
      case "morning": return settled(clock, false, end: end)
      case "afternoon": return settled(clock, true, end: end)
      case "evening" where clock.hour != 12: return settled(clock, true, end: end)
      default: break
      }
    }
    switch text(at) {
    case "am": pm = false
    case "pm": pm = true
    case "a", "p":
      pm = text(at) == "p"
      if text(at + 1) == ".", text(at + 2) == "m" {
        end = text(at + 3) == "." ? at + 4 : at + 3
      } else if text(at + 1) == "m" {
        end = at + 2
      } else {
        // "9a"
        guard glued(at), tokens[at - 1].kind == .number else { return nil }
      }
    default: return nil
    }
    return settled(clock, pm, end: end)
  }

  private func settled(_ clock: Clock, _ pm: Bool, end: Int) -> Hit<Clock>? {
    var clock = clock
    clock.bare = false
    guard clock.hour <= 12 else { return clock.hour < 24 && pm ? Hit(value: clock, end: end) : nil }
    clock.ambiguous = false
    clock.hour = clock.hour % 12 + (pm ? 12 : 0)
    return Hit(value: clock, end: end)
  }

  private func named(at index: Int) -> [Hit<Clock>] {
    switch text(index) {
    case "noon", "midday", "noontime": [Hit(value: Clock(hour: 12), end: index + 1)]
    case "12", "twelve":
      if text(index + 1) == "noon" {
        [Hit(value: Clock(hour: 12), end: index + 2)]
      } else if text(index + 1) == "midnight" {
        [Hit(value: Clock(hour: 24), end: index + 2)]
      } else {
        []
      }
    case "mid":
      text(skip(index + 1, ["-"])) == "day" ? [Hit(value: Clock(hour: 12), end: skip(index + 1, ["-"]) + 1)] : []
    case "midnight": [Hit(value: Clock(hour: 24), end: index + 1)]
    default: []
    }
  }

  /// "quarter past three", "20 to 5", "half seven", "15 minutes past 3pm".
  private func past(at index: Int) -> [Hit<Clock>] {
    var minutes: Int
    var at: Int
    let half = skip(index, ["a"])
    if text(half) == "half" {
      minutes = 30
      at = half + 1
      if text(at) != "past", text(at) != "after", text(at) != "to" {
        guard let hour = hour(at: at), hour.value.ambiguous || !hour.value.bare, hour.value.grain == .hour,
          named(at: at).isEmpty
        else { return [] }
        return [Hit(value: moved(hour.value, by: 30), end: hour.end)]
      }
    } else if text(half) == "quarter" {
      minutes = 15
      at = half + 1
    } else {
      guard let number = integer(at: index), (1...59).contains(number.value) else { return [] }
      minutes = number.value
      at = skip(number.end, ["minutes", "minute", "mins", "min"])
    }
    let back: Bool
    switch text(at) {
    case "past", "after": back = false
    case "from" where text(at - 1).hasPrefix("min"): back = false
    case "to", "till", "til", "before", "of", "until":
      back = true
      // "9 to 5" is a range; minutes to an hour come in fives or are named.
      if minutes % 5 != 0 || text(at) == "of" && !isAlone(index, after: at + 1), !text(at - 1).hasPrefix("min"),
        text(half) != "quarter"
      {
        return []
      }
    default: return []
    }
    guard let hour = hour(at: at + 1), hour.value.grain == .hour else { return [] }
    if hour.value.ambiguous, back, text(at - 1) == text(index), isNumber(index), isNumber(at + 1), minutes <= 12 {
      return []  // "10 to 12", "5 to 7"
    }
    return [Hit(value: moved(hour.value, by: back ? -minutes : minutes), end: hour.end)]
  }

  /// "Ten of four" tells the time where nothing else is said, or where an hour is expected.
  private func isAlone(_ index: Int, after hour: Int) -> Bool {
    index == 0 && hour + 1 == tokens.count
      || ["at", "@", "until", "till", "before", "by", "around"].contains(text(index - 1))
  }

  private func hour(at index: Int) -> Hit<Clock>? {
    (named(at: index) + digital(at: index) + spoken(at: index)).map(finished).filter { $0.value.grain == .hour }
      .max { $0.end < $1.end }
  }

  private func moved(_ clock: Clock, by minutes: Int) -> Clock {
    var clock = clock
    let total = Civil.modulo(clock.hour * 60 + minutes, 24 * 60)
    (clock.hour, clock.minute) = (total / 60, total % 60)
    if clock.ambiguous, clock.hour == 0 { clock.hour = 12 }
    clock.grain = .minute
    clock.bare = false
    return clock
  }

  /// Digits: "15:30:20", "15h30", "17.30", "0745", "3 15", "3".
  private func digital(at index: Int) -> [Hit<Clock>] {
    guard isNumber(index, digits: 1...4), let first = token(index) else { return [] }
    var found: [Hit<Clock>] = []
    func add(_ hour: Int, _ minute: Int, second: Int = 0, _ grain: Grain, end: Int, bare: Bool = false, twelve: Bool) {
      guard hour <= 24, minute < 60, second < 60, hour < 24 || minute == 0 else { return }
      let ambiguous = twelve && (1...12).contains(hour)
      found.append(
        Hit(
          value: Clock(hour: hour, minute: minute, second: second, grain: grain, ambiguous: ambiguous, bare: bare),
          end: end)
      )
    }
    if first.digits <= 2 {
      let leading = first.digits == 2 && first.value < 10
      let separator = text(index + 1)
      let minutesFollow = isNumber(index + 2, digits: 2...2) && tokens[index + 2].value < 60
      if separator == ":", minutesFollow {
        let minute = tokens[index + 2].value
        if text(index + 3) == ":" || (text(index + 3) == "." && glued(index + 4)), isNumber(index + 4, digits: 2...2),
          tokens[index + 4].value < 60
        {
          var end = index + 5
          if text(end) == ".", isNumber(end + 1), glued(end + 1) { end += 2 }
          add(first.value, minute, second: tokens[index + 4].value, .second, end: end, twelve: false)
          if first.value <= 12, !leading { found[found.endIndex - 1].value.ambiguous = first.value > 0 }
        } else {
          add(first.value, minute, .minute, end: index + 3, twelve: !leading)
        }
      }
      if separator == "h", glued(index + 1) || first.value > 12 {
        if minutesFollow, glued(index + 2) {
          add(first.value, tokens[index + 2].value, .minute, end: index + 3, twelve: false)
        } else {
          add(first.value, 0, .hour, end: index + 2, twelve: false)
        }
      }
      if separator == ".", minutesFollow, glued(index + 1), glued(index + 2),
        text(index + 3) != "." || !isNumber(index + 4)
      {
        add(first.value, tokens[index + 2].value, .minute, end: index + 3, bare: true, twelve: !leading)
      }
      if isNumber(index + 1, digits: 2...2), !glued(index + 1), tokens[index + 1].value < 60, unit(at: index + 2) == nil
      {
        add(first.value, tokens[index + 1].value, .minute, end: index + 2, bare: true, twelve: !leading)
      }
      add(first.value, 0, .hour, end: index + 1, bare: true, twelve: !leading)
    } else {
      let named = first.value >= 1900 && first.value < 2060
      add(
        first.value / 100, first.value % 100, .minute, end: index + 1, bare: true,
        twelve: first.digits == 3 || (first.value >= 1000 && !named))
    }
    return found
  }

  /// Words: "seven", "seven thirty", "nine oh five", "twenty one fifteen".
  private func spoken(at index: Int) -> [Hit<Clock>] {
    guard token(index)?.kind == .word else {
      // "7 thirty"
      guard isNumber(index, digits: 1...2), let token = token(index), (1...24).contains(token.value),
        let minute = spokenMinute(at: index + 1), self.token(index + 1)?.kind == .word
      else { return [] }
      return [
        Hit(
          value: Clock(
            hour: token.value, minute: minute.value, grain: .minute, ambiguous: token.value <= 12, bare: true),
          end: minute.end)
      ]
    }
    var index = index
    // Speech recognition writes "to" for "two" and "for" for "four"; only "pm" or "o'clock" behind them proves it.
    if let misheard = ["to": 2, "too": 2, "for": 4, "won": 1, "ate": 8][text(index)] {
      let isLed = text(index - 1) == "at" && ["ate", "won"].contains(text(index))
      guard isLed || ["pm", "am", "oclock"].contains(text(index + 1)) else { return [] }
      return [Hit(value: Clock(hour: misheard, ambiguous: true), end: index + 1)]
    }
    var military = false
    if text(index) == "oh" || text(index) == "zero", token(index + 1)?.cardinal ?? 20 < 10 {
      index += 1
      military = true
    }
    var found: [Hit<Clock>] = []
    var hours: [Hit<Int>] = []
    if let one = token(index)?.cardinal, one <= 20 { hours.append(Hit(value: one, end: index + 1)) }
    if token(index)?.cardinal == 20, let rest = token(skip(index + 1, ["-"]))?.cardinal, (1...4).contains(rest) {
      hours.append(Hit(value: 20 + rest, end: skip(index + 1, ["-"]) + 1))
    }
    for hour in hours where hour.value > 0 || text(index) == "zero" {
      let ambiguous = (1...12).contains(hour.value) && !military
      if text(hour.end) == "hundred", unit(at: hour.end + 1) == .hour || military {
        found.append(
          Hit(
            value: Clock(hour: hour.value, grain: .minute),
            end: hour.end + (military && unit(at: hour.end + 1) != .hour ? 1 : 2)))
        continue
      }
      if let minute = spokenMinute(at: hour.end), unit(at: minute.end) == nil {
        found.append(
          Hit(
            value: Clock(hour: hour.value, minute: minute.value, grain: .minute, ambiguous: ambiguous, bare: true),
            end: minute.end))
      }
      found.append(Hit(value: Clock(hour: hour.value, ambiguous: ambiguous, bare: true), end: hour.end))
    }
    return found
  }

  private func spokenMinute(at index: Int) -> Hit<Int>? {
    if ["oh", "o"].contains(text(index)), let units = token(index + 1)?.cardinal, (1...9).contains(units) {
      return Hit(value: units, end: index + 2)
    }
    guard token(index)?.kind == .word, let minute = integer(at: index), (10...59).contains(minute.value) else {
      return nil
    }
    return minute
  }
}
