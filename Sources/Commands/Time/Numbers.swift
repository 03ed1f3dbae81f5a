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
      guard text(index) == "a" || text(index) == "one", text(index + 1) == "hundred" else { return nil }
      return Hit(value: 100, end: index + 2)
    }
    var value = first
    var end = index + 1
    if first >= 20, let unit = self.token(dash(end))?.cardinal, (1...9).contains(unit) {
      value += unit
      end = dash(end) + 1
    }
    if value < 100, text(end) == "hundred" {
      value *= 100
      end += 1
    } else if value < 100, text(end) == "thousand" {
      value *= 1000
      end += 1
      if text(end) == "and", integer(at: end + 1) != nil { end += 1 }
      if let rest = integer(at: end), rest.value < 1000 {
        value += rest.value
        end = rest.end
      }
    }
    return Hit(value: value, end: end)
  }

  private func dash(_ index: Int) -> Int { text(index) == "-" ? index + 1 : index }

  /// "3rd", "third", "twenty-first".
  func ordinal(at index: Int) -> Hit<Int>? {
    guard let token = token(index) else { return nil }
    if token.kind == .number {
      guard ["st", "nd", "rd", "th"].contains(text(index + 1)), token.digits <= 2 else { return nil }
      return Hit(value: token.value, end: index + 2)
    }
    if let value = token.ordinal { return Hit(value: value, end: index + 1) }
    if let tens = token.cardinal, tens == 20 || tens == 30, let unit = self.token(dash(index + 1))?.ordinal, unit < 10 {
      return Hit(value: tens + unit, end: dash(index + 1) + 1)
    }
    return nil
  }

  /// "two", "a couple of", "half an", "3/4", "two and a half": how many of a unit.
  func quantity(at index: Int) -> Hit<Double>? {
    let skipArticle = { [self] (at: Int) in
      let at = text(at) == "of" ? at + 1 : at
      return ["a", "an"].contains(text(at)) ? at + 1 : at
    }
    switch text(index) {
    case "half": return Hit(value: 0.5, end: skipArticle(index + 1))
    case "few", "several": return Hit(value: 3, end: index + 1)
    case "couple", "pair": return Hit(value: 2, end: text(index + 1) == "of" ? index + 2 : index + 1)
    case "dozen": return Hit(value: 12, end: index + 1)
    case "a", "an":
      if text(index + 1) == "quarter", text(index + 2) == "of" || unit(at: index + 2) == .hour {
        return Hit(value: 0.25, end: skipArticle(index + 2))
      }
      if ["half", "few", "couple", "pair", "dozen"].contains(text(index + 1)) { return quantity(at: index + 1) }
      if text(index + 1) == "hundred" { return Hit(value: 100, end: index + 2) }
      return Hit(value: 1, end: index + 1)
    case "quarter" where text(index + 1) == "of" || unit(at: index + 1) == .hour:
      return Hit(value: 0.25, end: skipArticle(index + 1))
    default: break
    }
    guard let whole = integer(at: index) else { return nil }
    let end = whole.end
    if token(index)?.kind == .number {
      if text(end) == "/", let below = token(end + 1), below.kind == .number, (2...10).contains(below.value) {
        let value = Double(whole.value) / Double(below.value)
        return value < 1 ? Hit(value: value, end: skipArticle(end + 2)) : nil
      }
      if text(end) == ".", let after = token(end + 1), after.kind == .number, after.glued, after.digits <= 3 {
        var scale = 1.0
        for _ in 0..<after.digits { scale *= 10 }
        return Hit(value: Double(whole.value) + Double(after.value) / scale, end: end + 2)
      }
    }
    if ["quarter", "quarters"].contains(text(end == index + 1 && text(end) == "-" ? end + 1 : end)) {
      let after = text(end) == "-" ? end + 2 : end + 1
      if text(after) == "of" { return Hit(value: Double(whole.value) / 4, end: skipArticle(after)) }
    }
    if text(end) == "and" {
      let half = ["a", "an"].contains(text(end + 1)) ? end + 2 : end + 1
      if text(half) == "half" { return Hit(value: Double(whole.value) + 0.5, end: half + 1) }
    }
    return Hit(value: Double(whole.value), end: end)
  }

  func unit(at index: Int) -> Grain? { token(index)?.unit }

  /// "two hours and 30 minutes", "1h30", "an hour and a half", "15'", "a fortnight".
  func length(at index: Int) -> Hit<Length>? {
    guard let first = simpleLength(at: index) else { return nil }
    var value = first.value
    var end = first.end
    if text(end) == "and", ["a", "an"].contains(text(end + 1)), text(end + 2) == "half", value.parts.count == 1,
      let half = Length(Double(value.parts[0].count) + 0.5, value.parts[0].unit)
    {
      return Hit(value: half, end: end + 3)
    }
    if text(end) == "and", ["a", "an"].contains(text(end + 1)), text(end + 2) == "quarter", value.finest == .hour,
      let more = Length(Double(value.parts[0].count) + 0.25, .hour)
    {
      return Hit(value: more, end: end + 3)
    }
    while value.parts.count < 6 {
      let next = ["and", ","].contains(text(end)) ? end + 1 : end
      guard let more = simpleLength(at: next), more.value.coarsest < value.finest else { break }
      value.parts += more.value.parts
      end = more.end
    }
    // "1h30" and "1 hour 30": bare minutes after hours.
    if value.finest == .hour, let minutes = token(end), minutes.kind == .number, minutes.digits == 2,
      minutes.value < 60,
      unit(at: end + 1) == nil, token(end - 1)?.glued == true, minutes.glued
    {
      value.parts.append(Length.Part(count: minutes.value, unit: .minute))
      end += 1
    }
    return Hit(value: value, end: end)
  }

  private func simpleLength(at index: Int) -> Hit<Length>? {
    guard let count = quantity(at: index) else { return nil }
    var end = count.end
    var isWorking = false
    while ["more", "full", "whole", "business", "working", "work", "-"].contains(text(end)), unit(at: end + 1) != nil {
      isWorking = isWorking || text(end).hasPrefix("work") || text(end) == "business"
      end += 1
    }
    if isWorking || ["workday", "workdays", "weekday", "weekdays"].contains(text(end)),
      unit(at: end) ?? .day == .day, var days = Length(count.value, .day)
    {
      days.isWorking = true
      return Hit(value: days, end: end + 1)
    }
    if text(end) == "of", unit(at: end + 1) != nil { end += 1 }
    if text(end) == "or", text(end + 1) == "so", unit(at: end + 2) != nil { end += 2 }
    if text(end) == "fortnight" || text(end) == "fortnights" {
      return Length(count.value * 14, .day).map { Hit(value: $0, end: end + 1) }
    }
    if let years = ["decade": 10.0, "decades": 10, "century": 100, "centuries": 100][text(end)] {
      return Length(count.value * years, .year).map { Hit(value: $0, end: end + 1) }
    }
    if let unit = unit(at: end) {
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
