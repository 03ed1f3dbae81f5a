import Core

extension Grammar {
  /// Times of day: "3pm", "15:30", "half seven", "nine fifty nine a m", "1530", "noon", and bare hours.
  func clocks(at index: Int) -> [Hit<Clock>] {
    if let known = clockMemo[index] { return known }
    if isCountOfDays(index) { return [] }
    var found: [Hit<Clock>] = []
    for hit in named(at: index) + past(at: index) + marked(at: index) + digital(at: index)
      + spoken(at: index)
    {
      found.append(finished(hit))
    }
    clockMemo[index] = found
    return found
  }

  /// Adds what may follow any clock: am or pm, "o'clock", a zone, "sharp".
  private func finished(_ hit: Hit<Clock>) -> Hit<Clock> {
    var clock = hit.value
    var end = hit.end
    if text(end) == "h" || has(end, .hours), !clock.ambiguous || clock.grain == .minute,
      unit(at: end) == nil || clock.grain == .minute
    {
      end += 1
    }
    if let after = phrase(.oclock, at: end) {
      clock.bare = false
      end = after.end
    }
    let suffix = skip(end, .dash)
    if has(suffix, .ish) {
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
    return Hit(value: clock, end: skip(phrase(.exactly, at: end)?.end ?? end, .exactly))
  }

  private func meridiem(at index: Int, after clock: Clock) -> Hit<Clock>? {
    // "8 in the morning": said with the hour, so that it also settles the ends of ranges.
    if let said = language.meridiems.longest(tokens, at: index), said.payload != .evening || clock.hour != 12 {
      return settled(clock, said.payload != .am, end: said.end)
    }
    guard text(index) == "a" || text(index) == "p" else { return nil }
    let pm = text(index) == "p"
    if has(index + 1, .dot), text(index + 2) == "m" { return settled(clock, pm, end: skip(index + 3, .dot)) }
    if text(index + 1) == "m" { return settled(clock, pm, end: index + 2) }
    // "9a"
    return glued(index) && tokens[index - 1].kind == .number ? settled(clock, pm, end: index + 1) : nil
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
    language.namedClocks.longest(tokens, at: index).map { withMinutes(Clock(hour: $0.payload), end: $0.end) } ?? []
  }

  /// "14 Uhr 30", "trois heures et demie": a word parts hours and minutes.
  private func marked(at index: Int) -> [Hit<Clock>] {
    guard let hour = integer(at: index), (0...24).contains(hour.value), has(hour.end, .hourMark) else { return [] }
    var clock = Clock(hour: hour.value, ambiguous: (1...12).contains(hour.value))
    // Where the word also says how long, the time needs company.
    clock.bare = unit(at: hour.end) == .hour
    return withMinutes(clock, end: hour.end + 1)
  }

  /// An hour, with the minutes that may follow: "et demie", "moins dix", "trente".
  private func withMinutes(_ clock: Clock, end: Int) -> [Hit<Clock>] {
    var found = [Hit(value: clock, end: end)]
    if let part = language.minuteParts.longest(tokens, at: end) {
      found.append(Hit(value: moved(clock, by: part.payload), end: part.end))
    }
    let isMinus = has(end, .minus)
    if let minute = integer(at: isMinus ? end + 1 : end), (0...59).contains(minute.value), has(end - 1, .hourMark),
      !(has(end, .a) && minute.end == end + 1),
      unit(at: minute.end) ?? .minute == .minute, token(minute.end)?.month == nil, !has(minute.end, .hourMark),
      isWhole(minute)
    {
      let end = unit(at: minute.end) == .minute ? minute.end + 1 : minute.end
      found.append(Hit(value: moved(clock, by: isMinus ? -minute.value : minute.value), end: end))
    }
    return found
  }

  /// No dot behind it makes another number of it, or the third of "um 10 Uhr 3. Mai"; one behind a word ends what is said.
  private func isWhole(_ number: Hit<Int>) -> Bool {
    guard has(number.end, .dot), token(number.end + 1) != nil else { return true }
    return token(number.end - 1)?.kind == .word && !isNumber(number.end + 1)
  }

  /// "quarter past three", "20 to 5", "half seven", "15 minutes past 3pm".
  private func past(at index: Int) -> [Hit<Clock>] {
    // "Dreiviertel drei" is a quarter to three.
    if language.halfIsBefore, language.quantities[text(index)] == 0.75, let hour = hour(at: index + 1) {
      return [Hit(value: moved(hour.value, by: -15), end: hour.end)]
    }
    let half = skip(index, .a)
    var minutes = 30
    var at = half + 1
    if has(half, .half) {
      if !has(at, [.minutesPast, .minutesTo]) {
        guard let hour = hour(at: at), hour.value.ambiguous || !hour.value.bare, named(at: at).isEmpty else {
          return []
        }
        return [Hit(value: moved(hour.value, by: language.halfIsBefore ? -30 : 30), end: hour.end)]
      }
    } else if has(half, .quarter) {
      minutes = 15
    } else {
      guard let number = integer(at: index), (1...59).contains(number.value) else { return [] }
      minutes = number.value
      at = skip(number.end, .minutes)
    }
    let isBack = has(at, .minutesTo)
    guard isBack || has(at, .minutesPast) || has(at, .from) && has(at - 1, .minutes) else { return [] }
    // "9 to 5" is a range; minutes to an hour come in fives or are named.
    if isBack, minutes % 5 != 0 || has(at, .of) && !isAlone(index, after: at + 1), !has(at - 1, .minutes),
      !has(half, .quarter)
    {
      return []
    }
    guard let hour = hour(at: at + 1) ?? halfHour(at: at + 1) else { return [] }
    if hour.value.ambiguous, isBack, has(at, [.to, .until]), text(at - 1) == text(index), isNumber(index),
      isNumber(at + 1), minutes <= 12
    {
      return []  // "10 to 12", "5 to 7"
    }
    return [Hit(value: moved(hour.value, by: isBack ? -minutes : minutes), end: hour.end)]
  }

  /// "Fünf vor halb vier": where the half hour is told before the hour, minutes are told from it.
  private func halfHour(at index: Int) -> Hit<Clock>? {
    language.halfIsBefore && has(index, .half) ? past(at: index).max { $0.end < $1.end } : nil
  }

  /// "Ten of four" tells the time where nothing else is said, or where an hour is expected.
  private func isAlone(_ index: Int, after hour: Int) -> Bool {
    index == 0 && hour + 1 == tokens.count
      || has(index - 1, [.at, .until, .before, .by, .roughly])
  }

  private func hour(at index: Int) -> Hit<Clock>? {
    (named(at: index) + marked(at: index) + digital(at: index) + spoken(at: index)).map(finished).filter {
      $0.value.grain == .hour
    }
    .max { $0.end < $1.end }
  }

  private func moved(_ clock: Clock, by minutes: Int) -> Clock {
    var clock = clock
    let total = Civil.modulo(clock.hour * 60 + clock.minute + minutes, 24 * 60)
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
        if has(index + 3, .colon) || (has(index + 3, .dot) && glued(index + 4)), isNumber(index + 4, digits: 2...2),
          tokens[index + 4].value < 60
        {
          var end = index + 5
          if has(end, .dot), isNumber(end + 1), glued(end + 1) { end += 2 }
          add(first.value, minute, second: tokens[index + 4].value, .second, end: end, twelve: false)
          if first.value <= 12, !leading { found[found.endIndex - 1].value.ambiguous = first.value > 0 }
        } else {
          add(first.value, minute, .minute, end: index + 3, twelve: !leading)
        }
      }
      if separator == "h", glued(index + 1) || first.value > 12 || minutesFollow {
        if minutesFollow, glued(index + 2) || !glued(index + 1) {
          add(first.value, tokens[index + 2].value, .minute, end: index + 3, twelve: false)
        } else {
          add(first.value, 0, .hour, end: index + 2, twelve: false)
        }
      }
      if separator == ".", minutesFollow, glued(index + 1), glued(index + 2),
        !has(index + 3, .dot) || !isNumber(index + 4)
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
    if let misheard = language.misheard[text(index)] {
      let isLed = has(index - 1, .at) && !has(index, [.to, .for])
      guard isLed || has(index + 1, [.am, .pm]) || phrase(.oclock, at: index + 1) != nil else { return [] }
      return [Hit(value: Clock(hour: misheard, ambiguous: true, isGuess: true), end: index + 1)]
    }
    var military = false
    if has(index, .zero), text(index) != "o", token(index + 1)?.cardinal ?? 20 < 10 {
      index += 1
      military = true
    }
    var found: [Hit<Clock>] = []
    var hours: [Hit<Int>] = []
    if language.joinsTens, let joined = integer(at: index), (17...19).contains(joined.value) {
      hours.append(joined)
    } else if let one = token(index)?.cardinal, one <= 20 {
      hours.append(Hit(value: one, end: index + 1))
    }
    if token(index)?.cardinal == 20, let rest = token(skip(index + 1, .dash))?.cardinal, (1...4).contains(rest) {
      hours.append(Hit(value: 20 + rest, end: skip(index + 1, .dash) + 1))
    }
    for hour in hours where hour.value > 0 || has(index, .zero) {
      let ambiguous = (1...12).contains(hour.value) && !military
      // "Eight hundred a.m."
      if has(hour.end, .hundred), ambiguous, has(hour.end + 1, [.am, .pm]) {
        found.append(Hit(value: Clock(hour: hour.value, grain: .minute, ambiguous: true), end: hour.end + 1))
        continue
      }
      if has(hour.end, .hundred), unit(at: hour.end + 1) == .hour || military {
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
    if has(index, .zero), let units = token(index + 1)?.cardinal, (1...9).contains(units) {
      return Hit(value: units, end: index + 2)
    }
    guard token(index)?.kind == .word, let minute = integer(at: index), (10...59).contains(minute.value) else {
      return nil
    }
    return minute
  }
}
