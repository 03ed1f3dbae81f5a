/// The days that a repetition falls on, as they are told: by the month, by the week, by both.
extension Grammar {
  /// Repetitions that no "every" marks: "weekday mornings", "Tuesday and Thursday evenings", "Mon-Fri 9-5", "Mon, Wed, Fri at 7".
  func unmarked(at index: Int) -> [Hit<Base>] {
    if text(index) == "weeknights" {
      let rule = Recurrence(frequency: .weekly, weekdays: [0, 1, 2, 3, 4])
      return [Hit(value: Base(recurrence: rule, part: DayParts.night), end: index + 1)]
    }
    let named: [String: [Int]] = ["weekday": [0, 1, 2, 3, 4], "weekend": [5, 6]]
    guard
      let days = named[text(index)].map({ Hit(value: $0, end: index + 1) }) ?? weekdayList(at: index, pluralOnly: false)
    else { return [] }
    let rule = Recurrence(frequency: .weekly, weekdays: days.value)
    if let part = DayParts.phrases.longest(tokens, at: days.end), text(part.end - 1).hasSuffix("s"), !part.payload.meal
    {
      return [Hit(value: Base(recurrence: rule, part: part.payload), end: part.end)]
    }
    let isWorkWeek = days.value == [0, 1, 2, 3, 4]
    guard days.value.count > 2, isWorkWeek || days.end - index > 3, named[text(index)] == nil else { return [] }
    return [Hit(value: Base(recurrence: rule, needsClock: true), end: days.end)]
  }

  /// "the 5th of the month", "first Monday of the month", "last day of the month", "March 3rd".
  func monthly(at index: Int) -> [Hit<Base>] {
    var found: [Hit<Base>] = []
    func ends(_ at: Int) -> Int? {
      guard ["of", "in"].contains(text(at)) else { return nil }
      let month = skip(at + 1, ["the", "each", "every", "a"])
      return text(month) == "month" ? month + 1 : nil
    }
    let last = text(index) == "last"
    if last || ordinal(at: index) != nil {
      let number = last ? -1 : ordinal(at: index)?.value ?? 1
      let at = last ? index + 1 : ordinal(at: index)?.end ?? index + 1
      if let weekday = token(at)?.weekday, (-1...5).contains(number) {
        found.append(
          Hit(
            value: Base(recurrence: Recurrence(frequency: .monthly, weekdays: [weekday], ordinal: number)),
            end: ends(at + 1) ?? at + 1))
      }
      if text(at) == "day", let end = ends(at + 1) {
        found.append(Hit(value: Base(recurrence: Recurrence(frequency: .monthly, monthDays: [number])), end: end))
      }
      if let days = monthDays(at: index) {
        let rule = Recurrence(frequency: .monthly, monthDays: days.value)
        found.append(Hit(value: Base(recurrence: rule), end: ends(days.end) ?? days.end))
      }
    }
    for hit in calendarDates(at: index) {
      if let month = hit.value.month, let day = hit.value.day, hit.value.year == nil, hit.value.weekday == nil {
        found.append(
          Hit(value: Base(recurrence: Recurrence(frequency: .yearly, monthDays: [day], month: month)), end: hit.end))
      }
    }
    return found
  }

  /// "the 5th", "the 1st and the 15th".
  private func monthDays(at index: Int) -> Hit<[Int]>? {
    var days: [Int] = []
    var end = index
    var next = index
    while days.count < 31, let day = ordinal(at: skip(next, ["the"])), (1...31).contains(day.value) {
      if !days.contains(day.value) { days.append(day.value) }
      end = day.end
      next = skip(end, [","])
      next = skip(next, ["and", "&"])
      if next == end { break }
    }
    return days.isEmpty ? nil : Hit(value: days.sorted(), end: end)
  }

  func frequency(_ unit: Grain, _ interval: Int) -> Recurrence? {
    switch unit {
    case .second: nil
    case .minute: Recurrence(frequency: .minutely, interval: interval)
    case .hour: Recurrence(frequency: .hourly, interval: interval)
    case .day: Recurrence(frequency: .daily, interval: interval)
    case .week: Recurrence(frequency: .weekly, interval: interval)
    case .month: Recurrence(frequency: .monthly, interval: interval)
    case .quarter: Recurrence(frequency: .monthly, interval: interval * 3)
    case .year: Recurrence(frequency: .yearly, interval: interval)
    }
  }

  /// "Monday, Wednesday and Friday", "mondays", "monday to friday".
  func weekdayList(at index: Int, pluralOnly: Bool) -> Hit<[Int]>? {
    func isPlural(_ at: Int) -> Bool { text(at).hasSuffix("days") }
    guard let first = token(index)?.weekday, !pluralOnly || isPlural(index) else { return nil }
    var days = [first]
    var end = index + 1
    if ["to", "through", "-", "thru", "until"].contains(text(end)), let last = token(end + 1)?.weekday, last > first {
      return Hit(value: Array(first...last), end: end + 2)
    }
    while true {
      var at = skip(end, [","])
      at = skip(at, ["and", "&", "or"])
      at = skip(at, ["every"])
      guard let next = token(at)?.weekday, !pluralOnly || isPlural(at) else { break }
      if !days.contains(next) { days.append(next) }
      end = at + 1
    }
    return Hit(value: days.sorted(), end: end)
  }
}
