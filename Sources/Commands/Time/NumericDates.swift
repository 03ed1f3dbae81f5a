import Core

/// Dates in digits alone.
extension Grammar {
  /// "2015-03-03", "3/4/2015", "11.9.", "10 31 1974", "2/15"; which part is the day follows the locale, unless only one
  /// order is possible.
  func numericDates(at index: Int) -> [Hit<Moment>] {
    guard isNumber(index), let first = token(index), let middle = separator(after: index) else { return [] }
    return monthAndYear(first, middle) ?? dayMonthYear(at: index, first, middle)
  }

  /// "2/2013", "2014-10"
  private func monthAndYear(_ first: Token, _ middle: Hit<String>) -> [Hit<Moment>]? {
    guard middle.value == "/" || middle.value == "-", glued(middle.end - 1), glued(middle.end), isNumber(middle.end),
      separator(after: middle.end)?.value != middle.value
    else { return nil }
    let other = tokens[middle.end]
    for (month, year) in [(first, other), (other, first)]
    where year.digits == 4 && (1900...2100).contains(year.value) && month.digits <= 2
      && (1...12).contains(month.value) && (year.value != first.value || month.digits == 2)
    {
      return [Hit(value: Moment(year: year.value, month: month.value), end: middle.end + 1)]
    }
    return nil
  }

  /// What may be meant by month and day, the likelier order first; a day that the month does not have only where no order gives one.
  private func numeric(
    _ year: Int?, _ orders: some Sequence<(Int, Int)>, end: Int, doubt: Double = 0
  ) -> [Hit<Moment>] {
    let found = orders.enumerated().compactMap { rank, order -> Hit<Moment>? in
      guard (1...12).contains(order.0), (1...31).contains(order.1) else { return nil }
      var moment = Moment(year: year, month: order.0, day: order.1)
      moment.doubt = doubt + Double(rank) * 0.6
      return Hit(value: moment, end: end)
    }
    let valid = found.filter { !$0.value.isNoDay }
    return valid.isEmpty ? found : valid
  }

  private func dayMonthYear(at index: Int, _ first: Token, _ middle: Hit<String>) -> [Hit<Moment>] {
    guard isNumber(middle.end, digits: 1...2) else { return [] }
    let second = tokens[middle.end]
    let last = separator(after: middle.end)
    if first.digits == 4 {
      guard middle.value != " ", let last, isNumber(last.end, digits: 1...2) else { return [] }
      let end = text(last.end + 1) == "t" && glued(last.end + 1) && isNumber(last.end + 2) ? last.end + 2 : last.end + 1
      return numeric(first.value, [(second.value, tokens[last.end].value)], end: end)
    }
    guard first.digits <= 2 else { return [] }
    let dotted = middle.value == "."
    var orders = [(first.value, second.value), (second.value, first.value)]
    if dotted || context.dayFirst { orders.reverse() }
    if let last, last.value == middle.value, !dotted || glued(last.end), isNumber(last.end, digits: 2...4),
      tokens[last.end].digits != 3
    {
      let year = fullYear(tokens[last.end])
      if middle.value != " " || tokens[last.end].digits == 4, (1900...2100).contains(year) {
        let found = numeric(year, orders, end: last.end + 1)
        if !found.isEmpty { return found }
      }
    }
    guard middle.value != " " else { return [] }
    var end = middle.end + 1
    var doubt = middle.value == "-" && !glued(index + 1) ? 0.7 : 0
    if dotted {
      // "At 9.30." is a time at the end of a sentence; "11.9." is a date, "9.30" could be a time as well.
      guard glued(index + 1), glued(middle.end), !has(index - 1, .at) else { return [] }
      if has(end, .dot), glued(end) { end += 1 }
      doubt = !has(end - 1, .dot) && !context.dayFirst ? 0.5 : 0
    }
    // Dates that are written with points have the day first.
    return numeric(nil, orders.prefix(dotted ? 1 : 2), end: end, doubt: doubt)
  }

  private func separator(after index: Int) -> Hit<String>? {
    let mark = text(index + 1)
    if ["-", "/", "."].contains(mark) { return Hit(value: mark, end: index + 2) }
    return isNumber(index + 1) && !glued(index + 1) ? Hit(value: " ", end: index + 1) : nil
  }
}
