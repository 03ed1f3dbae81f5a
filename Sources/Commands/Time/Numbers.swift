import Core

/// A value found in the tokens, and the index after it.
struct Hit<Value> {
  var value: Value
  var end: Int
}

/// A length of time in calendar units.
struct Length: Equatable {
  var parts: [Part]
  /// Days are counted from Monday to Friday.
  var isWorking = false

  struct Part: Equatable {
    var count: Int
    var unit: Grain
  }

  /// `count` may have a fraction, which becomes units of a finer kind.
  init?(_ count: Double, _ unit: Grain) {
    guard count.isFinite, count >= 0, count < 1e6 else { return nil }
    let whole = Int(count)
    let rest = count - Double(whole)
    parts = whole > 0 || rest == 0 ? [Part(count: whole, unit: unit)] : []
    guard rest > 0 else { return }
    let (size, finer): (Double, Grain) =
      switch unit {
      case .second: (1, .second)
      case .minute: (60, .second)
      case .hour: (60, .minute)
      case .day: (24, .hour)
      case .week: (7, .day)
      case .month: (30, .day)
      case .quarter: (3, .month)
      case .year: (12, .month)
      }
    parts.append(Part(count: Int((rest * size).rounded()), unit: finer))
    // "2.5 hours" is 150 minutes: exact to the finer unit throughout.
    if whole > 0, unit == .hour { parts = [Part(count: whole * 60 + Int((rest * 60).rounded()), unit: .minute)] }
  }

  var finest: Grain { parts.map(\.unit).min() ?? .second }
  var coarsest: Grain { parts.map(\.unit).max() ?? .second }

  func applied(to time: Int, sign: Int = 1) -> Int {
    parts.reduce(time) {
      isWorking && $1.unit == .day
        ? $0 + Civil.workingDays(sign * $1.count, from: Civil.floorDiv($0, Civil.secondsPerDay)) * Civil.secondsPerDay
        : Civil.add(sign * $1.count, $1.unit, to: $0)
    }
  }

  /// Whole minutes of a length whose units have fixed sizes; months and years have none.
  var minutes: Int? {
    guard coarsest <= .week, !isWorking else { return nil }
    return applied(to: 0) / 60
  }

  var iso: String {
    var date: [Grain: Int] = [:]
    for part in parts {
      date[part.unit == .quarter ? .month : part.unit, default: 0] += part.count * (part.unit == .quarter ? 3 : 1)
    }
    var text = "P"
    if let minutes = date[.minute], minutes >= 60 {
      date[.hour, default: 0] += minutes / 60
      date[.minute] = minutes % 60
    }
    for (unit, letter) in [(Grain.year, "Y"), (.month, "M"), (.week, "W"), (.day, "D")] {
      if let count = date[unit], count > 0 { text += "\(count)\(letter)" }
    }
    let clock = [(Grain.hour, "H"), (.minute, "M"), (.second, "S")].compactMap { unit, letter in
      date[unit].flatMap { $0 > 0 ? "\($0)\(letter)" : nil }
    }
    if !clock.isEmpty { text += "T" + clock.joined() }
    return text == "P" ? "PT0S" : text
  }
}

extension Grammar {
  /// "12", "twelve", "twenty-five", "two hundred".
  func integer(at index: Int) -> Hit<Int>? {
    guard let token = token(index) else { return nil }
    if token.kind == .number { return token.digits <= 6 ? Hit(value: token.value, end: index + 1) : nil }
    guard let first = token.cardinal else {
      guard has(index, .a), has(index + 1, .hundred) else { return nil }
      return Hit(value: 100, end: index + 2)
    }
    var value = first
    var end = index + 1
    if let more = behindTens(first, at: tensJoint(end)) {
      value += more.value
      end = more.end
    }
    if value < 100, has(end, .hundred) {
      value *= 100
      end += 1
    } else if value < 100, has(end, .thousand) {
      value *= 1000
      end += 1
      if has(end, .and), integer(at: end + 1) != nil { end += 1 }
      if let rest = integer(at: end), rest.value < 1000 {
        value += rest.value
        end = rest.end
      }
    }
    return Hit(value: value, end: end)
  }

  /// The five of "twenty-five"; the eight of "dix-huit" and the eighteen of "soixante-dix-huit".
  private func behindTens(_ tens: Int, at index: Int) -> Hit<Int>? {
    guard let unit = token(index)?.cardinal else { return nil }
    if language.joinsTens, tens == 10 { return (7...9).contains(unit) ? Hit(value: unit, end: index + 1) : nil }
    if language.joinsTens, [60, 80].contains(tens), (10...16).contains(unit) { return integer(at: index) }
    return tens >= 20 && (1...9).contains(unit) ? Hit(value: unit, end: index + 1) : nil
  }

  /// "Twenty-five", "vingt et un".
  private func tensJoint(_ index: Int) -> Int { skip(index, language.joinsTens ? [.dash, .and] : [.dash]) }

  /// "3rd", "third", "twenty-first".
  func ordinal(at index: Int) -> Hit<Int>? {
    guard let token = token(index) else { return nil }
    if token.kind == .number {
      // "3rd", "1er"; "3." where days are written so.
      guard token.digits <= 2, has(index + 1, .rank) || language.dotsOrdinals && isOrdinalDot(index + 1) else {
        return nil
      }
      return Hit(value: token.value, end: index + 2)
    }
    if let value = token.ordinal { return Hit(value: value, end: index + 1) }
    let next = tensJoint(index + 1)
    if let tens = token.cardinal, tens == 20 || tens == 30, let unit = self.token(next)?.ordinal, unit < 10 {
      return Hit(value: tens + unit, end: next + 1)
    }
    return nil
  }

  /// The point of "3. Mai", and not that of "3.5." or of a sentence's end.
  private func isOrdinalDot(_ index: Int) -> Bool {
    has(index, .dot) && glued(index) && !(isNumber(index + 1) && glued(index + 1)) && token(index + 1) != nil
  }

  /// "two", "a couple of", "half an", "3/4", "two and a half": how many of a unit.
  func quantity(at index: Int) -> Hit<Double>? {
    func article(_ at: Int) -> Int { skip(skip(at, .of), .a) }
    func isQuarter(_ at: Int) -> Bool { has(at, .quarter) && (has(at + 1, .of) || unit(at: at + 1) == .hour) }
    if has(index, .half) { return Hit(value: 0.5, end: article(index + 1)) }
    if isQuarter(index) { return Hit(value: 0.25, end: article(index + 1)) }
    if let count = language.quantities[text(index)] {
      return Hit(value: count, end: count == 2 ? skip(index + 1, .of) : index + 1)
    }
    if has(index, .a) {
      if isQuarter(index + 1) { return Hit(value: 0.25, end: article(index + 2)) }
      if has(index + 1, .half) || language.quantities[text(index + 1)] != nil { return quantity(at: index + 1) }
      return Hit(value: has(index + 1, .hundred) ? 100 : 1, end: has(index + 1, .hundred) ? index + 2 : index + 1)
    }
    guard let whole = integer(at: index) else { return nil }
    let end = whole.end
    if token(index)?.kind == .number {
      if has(end, .slash), let below = token(end + 1), below.kind == .number, (2...10).contains(below.value) {
        let value = Double(whole.value) / Double(below.value)
        return value < 1 ? Hit(value: value, end: article(end + 2)) : nil
      }
      if has(end, .dot), let after = token(end + 1), after.kind == .number, after.glued, after.digits <= 3 {
        var scale = 1.0
        for _ in 0..<after.digits { scale *= 10 }
        return Hit(value: Double(whole.value) + Double(after.value) / scale, end: end + 2)
      }
    }
    if has(end == index + 1 && has(end, .dash) ? end + 1 : end, .quarter) {
      let after = has(end, .dash) ? end + 2 : end + 1
      if has(after, .of) { return Hit(value: Double(whole.value) / 4, end: article(after)) }
    }
    if has(end, .and) {
      let half = skip(end + 1, .a)
      if has(half, .half) { return Hit(value: Double(whole.value) + 0.5, end: half + 1) }
    }
    return Hit(value: Double(whole.value), end: end)
  }

  func unit(at index: Int) -> Grain? { token(index)?.unit }

  /// "two hours and 30 minutes", "1h30", "an hour and a half", "15'", "a fortnight".
  func length(at index: Int) -> Hit<Length>? {
    guard let first = simpleLength(at: index) else { return nil }
    var value = first.value
    var end = first.end
    if value.parts.count == 1, let part = value.parts.first, let share = share(at: end, of: part.unit),
      let more = Length(Double(part.count) + share.value, part.unit)
    {
      return Hit(value: more, end: share.end)
    }
    while value.parts.count < 6 {
      let next = has(end, [.and, .comma]) ? end + 1 : end
      guard let more = simpleLength(at: next), more.value.coarsest < value.finest else { break }
      value.parts += more.value.parts
      end = more.end
    }
    if value.finest == .hour, let minutes = bareMinutes(at: end) {
      value.parts.append(Length.Part(count: minutes.value, unit: .minute))
      end = minutes.end
    }
    return Hit(value: value, end: end)
  }

  /// "An hour and a half", "an hour and three quarters", "une heure et quart"
  private func share(at index: Int, of unit: Grain) -> Hit<Double>? {
    guard has(index, .and) else { return nil }
    let part = skip(index + 1, .a)
    if has(part, .half) { return Hit(value: 0.5, end: part + 1) }
    guard unit == .hour else { return nil }
    if has(part, .quarter) { return Hit(value: 0.25, end: part + 1) }
    guard let count = integer(at: part), count.value == 3, has(count.end, .quarter) else { return nil }
    return Hit(value: 0.75, end: count.end + 1)
  }

  /// "1h30"; with a space, as in "1 h 30" and "an hour thirty", only where what the number counts cannot follow.
  private func bareMinutes(at index: Int) -> Hit<Int>? {
    if isNumber(index, digits: 2...2), tokens[index].glued, token(index - 1)?.glued == true {
      return tokens[index].value < 60 && unit(at: index + 1) == nil
        ? Hit(value: tokens[index].value, end: index + 1) : nil
    }
    guard isNumber(index, digits: 2...2) || token(index)?.kind == .word, let minutes = integer(at: index),
      (10...59).contains(minutes.value)
    else { return nil }
    let isLast = token(minutes.end).map { $0.kind == .symbol && ".,;!?".contains($0.text) && !has(minutes.end, .colon) }
    let isNumbered = isNumber(minutes.end + 1) && tokens[minutes.end + 1].glued
    return (isLast ?? true) && !isNumbered || has(minutes.end, .for) ? minutes : nil
  }

  /// Eight days are a week and fifteen two, in languages that count both ends: "in acht Tagen", "dans quinze jours", "mardi en huit".
  func weeks(_ days: Double) -> Length? {
    guard language.countsBothEnds else { return nil }
    return days == 8 ? Length(1, .week) : days == 15 ? Length(2, .week) : nil
  }

  private func simpleLength(at index: Int) -> Hit<Length>? {
    guard let count = quantity(at: index) else { return nil }
    var end = count.end
    var isWorking = false
    while has(end, [.more, .working, .dash]), unit(at: end + 1) != nil {
      isWorking = isWorking || has(end, .working)
      end += 1
    }
    if isWorking || has(end, [.workday, .workdays]),
      unit(at: end) ?? .day == .day, var days = Length(count.value, .day)
    {
      days.isWorking = true
      return Hit(value: days, end: end + 1)
    }
    if has(end, .of), unit(at: end + 1) != nil { end += 1 }
    if has(end, .or), has(end + 1, .so), unit(at: end + 2) != nil { end += 2 }
    if let span = language.spans[text(end)] {
      return Length(count.value * Double(span.count), span.unit).map { Hit(value: $0, end: end + 1) }
    }
    if let unit = unit(at: end) {
      // In digits they are what they say.
      if unit == .day, token(index)?.kind == .word, let weeks = weeks(count.value) {
        return Hit(value: weeks, end: end + 1)
      }
      // "one second" and "a quarter" are lengths, "the 2 second" is not worth guessing about.
      return Length(count.value, unit).map { Hit(value: $0, end: end + 1) }
    }
    guard token(index)?.kind == .number else { return nil }
    if text(end) == "'" { return Length(count.value, .minute).map { Hit(value: $0, end: end + 1) } }
    let letters: [String: Grain] = ["h": .hour, "m": .minute, "s": .second, "d": .day, "w": .week, "y": .year]
    guard let unit = letters[text(end)], token(end)?.glued == true || text(end) == "h" else { return nil }
    return Length(count.value, unit).map { Hit(value: $0, end: end + 1) }
  }
}
