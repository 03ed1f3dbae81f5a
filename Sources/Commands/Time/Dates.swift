import Core

extension Grammar {
  /// Dates by their names and numbers: weekdays, months, days, years, in words and digits.
  func calendarDates(at index: Int) -> [Hit<Moment>] {
    var found =
      writtenDates(at: index) + numericDates(at: index) + quarters(at: index) + halves(at: index) + years(at: index)
    guard let token = token(index) else { return found }
    if let weekday = token.weekday {
      var end = index + 1
      if has(end, .dot), glued(end), token.text.count <= 5 { end += 1 }
      var moment = Moment(weekday: weekday)
      moment.latent = token.words.contains(.ambiguous)
      // "Mondays" are rarely one of them.
      if token.words.contains(.plural) { moment.doubt = 0.6 }
      // "Tuesday 19", "Tuesday the 19th"
      let day = skip(skip(end, .comma), .the)
      if let ordinal = ordinal(at: day), (1...31).contains(ordinal.value), unit(at: ordinal.end) == nil {
        var dated = moment
        dated.day = ordinal.value
        dated.latent = false
        found.append(Hit(value: dated, end: ordinal.end))
      } else if isNumber(day, digits: 1...2), (1...31).contains(tokens[day].value),
        !followsClock(day + 1), !has(day + 1, [.slash, .dash, .to, .dot]),
        self.token(day + 1)?.month == nil, unit(at: day + 1) == nil
      {
        var dated = moment
        dated.day = tokens[day].value
        dated.latent = false
        dated.doubt = 0.3
        found.append(Hit(value: dated, end: day + 1))
      }
      // "Monday week"
      if has(end, .week), !has(index, .ambiguous) {
        found.append(Hit(value: Moment(anchor: Period(day: nextDay(weekday) + 7)), end: end + 1))
      }
      if has(end, .fortnight) {
        found.append(Hit(value: Moment(anchor: Period(day: nextDay(weekday) + 14)), end: end + 1))
      }
      found.append(Hit(value: moment, end: end))
    }
    return found
  }

  /// The first such weekday after today.
  func nextDay(_ weekday: Int) -> Int {
    context.today + 1 + Civil.modulo(weekday - Civil.weekday(context.today + 1), 7)
  }

  /// A day of the month as people say it before or after a month: "the 15th", "15", "fifteenth".
  private func dayNumber(at index: Int) -> Hit<Int>? {
    if isCountOfDays(index) { return nil }
    let at = skip(index, .the)
    if let ordinal = ordinal(at: at), (1...31).contains(ordinal.value) { return ordinal }
    if isNumber(at, digits: 1...2), (1...31).contains(tokens[at].value) {
      return Hit(value: tokens[at].value, end: at + 1)
    }
    if self.token(at)?.kind == .word, let spoken = integer(at: at), (1...31).contains(spoken.value) { return spoken }
    return nil
  }

  /// Whole years after a date: "2015", ", 2015", "'15", "two thousand eighteen", "twenty twenty six".
  func year(at index: Int) -> Hit<Int>? {
    let at = skip(skip(index, .comma), [.of, .in])
    if isNumber(at, digits: 4...4), (1000...2999).contains(tokens[at].value), !has(at + 1, .colon),
      text(at + 1) != "h"
    {
      // "12 Nov 1115" is a time; years people name in commands are near.
      guard (1900...2100).contains(tokens[at].value) || has(index, .comma) else { return nil }
      return Hit(value: tokens[at].value, end: at + 1)
    }
    if text(at) == "'", isNumber(at + 1, digits: 2...2), glued(at + 1) {
      return Hit(value: 2000 + tokens[at + 1].value, end: at + 2)
    }
    guard token(at)?.kind == .word else { return nil }
    if let thousands = integer(at: at), (1900...2100).contains(thousands.value) { return thousands }
    if let century = token(at)?.cardinal, century == 19 || century == 20, let rest = integer(at: at + 1),
      (10...99).contains(rest.value)
    {
      return Hit(value: century * 100 + rest.value, end: rest.end)
    }
    return nil
  }

  /// "march 3rd 2015", "15 of february", "1.Jun", "October 2014", "March".
  private func writtenDates(at index: Int) -> [Hit<Moment>] {
    monthFirst(at: index) + dayFirst(at: index)
  }

  /// A clock goes on here: "3 pm", "14:30".
  private func followsClock(_ index: Int) -> Bool {
    has(index, [.colon, .am, .pm, .hours, .hourMark]) || text(index) == "h"
      || (text(index) == "a" || text(index) == "p") && glued(index)
  }

  /// A day of a month, with the year that may follow.
  private func dated(_ month: Int, _ day: Int, end: Int) -> [Hit<Moment>] {
    var found: [Hit<Moment>] = []
    var moment = Moment(month: month, day: day)
    if let year = year(at: end) {
      found.append(Hit(value: Moment(year: year.value, month: month, day: day), end: year.end))
    }
    found.append(Hit(value: moment, end: end))
    if isNumber(end, digits: 2...2), (10...60).contains(tokens[end].value), !glued(end), !followsClock(end + 1),
      !has(end + 1, [.dot, .dash, .slash, .to]), unit(at: end + 1) == nil
    {
      moment.year = 2000 + tokens[end].value
      moment.doubt = 0.1
      found.append(Hit(value: moment, end: end + 1))
    }
    return found
  }

  private func monthFirst(at index: Int) -> [Hit<Moment>] {
    guard let month = token(index)?.month else { return [] }
    var found: [Hit<Moment>] = []
    let end = has(index + 1, .dot) && glued(index + 1) ? index + 2 : index + 1
    let next = skip(end, [.comma, .on, .dash])
    if let day = dayNumber(at: next) {
      // "March 3 pm" keeps its three for the clock, "April 14:30" and "March nine thirty" too.
      let isDigits = token(skip(next, .the))?.kind == .number
      let isSpoken = token(next)?.kind == .word && !has(next, .the) && ordinal(at: next) == nil
      let isClock =
        isDigits
        ? followsClock(day.end)
        : isSpoken && (token(day.end)?.cardinal != nil || phrase(.oclock, at: day.end) != nil)
      if !isClock { found += dated(month, day.value, end: day.end) }
    }
    if let year = year(at: end) { found.append(Hit(value: Moment(year: year.value, month: month), end: year.end)) }
    var alone = Moment(month: month)
    alone.latent = has(index, .ambiguous)
    // "February 30th" is no day, and not February either.
    if !isImpossible(month, beside: index, next), !isPerson(index) { found.append(Hit(value: alone, end: end)) }
    return found
  }

  private func dayFirst(at index: Int) -> [Hit<Moment>] {
    guard let day = dayNumber(at: index) else { return [] }
    var found: [Hit<Moment>] = []
    let number = skip(index, .the)
    let at = skip(skip(day.end, .day), [.of, .dot, .dash, .slash])
    let isDigits = token(number)?.kind == .number
    if let month = token(at)?.month ?? (isDigits ? Language.foreignMonths[text(at)] : nil) {
      var end = at + 1
      if has(end, .dot), glued(end), !isNumber(end + 1) || !glued(end + 1) { end += 1 }
      found += dated(month, day.value, end: end)
      if has(end, [.dash, .slash, .dot]), isNumber(end + 1, digits: 2...4), glued(end + 1), tokens[end + 1].digits != 3
      {
        found.append(Hit(value: Moment(year: fullYear(tokens[end + 1]), month: month, day: day.value), end: end + 2))
      }
    }
    // "Am zwölften zwölften", as German says dates without the name of their month.
    if language.dotsOrdinals, at == day.end, !isDigits, token(at)?.kind == .word, let month = ordinal(at: at),
      (1...12).contains(month.value)
    {
      found += dated(month.value, day.value, end: month.end)
    }
    if let month = token(at)?.month, day.value > Civil.monthLength(2000, month) { return found }
    // The day alone: "the 15th" says a date, "15th" and "the 15" may.
    let isOrdinal = ordinal(at: number) != nil
    if isOrdinal || has(index, .the) || has(day.end, .of) || has(day.end, .dot) && context.dayFirst,
      unit(at: day.end) == nil || has(day.end, .night)
    {
      var moment = Moment(day: day.value)
      moment.latent = token(number)?.kind == .word || !isOrdinal || !has(index, .the)
      moment.bareDay = true
      if !isOrdinal, !has(index, .the), has(day.end, .dot) { moment.doubt = 0.4 }
      var end = day.end
      let month = skip(end + 1, .the)
      if has(end, .of), has(month, .month) {
        end = month + 1
        moment.latent = false
      }
      found.append(Hit(value: moment, end: end))
    }
    return found
  }

  /// A day that the month never has stands before or behind it.
  private func isImpossible(_ month: Int, beside index: Int, _ next: Int) -> Bool {
    let length = Civil.monthLength(2000, month)
    if let day = dayNumber(at: next), day.value > length { return true }
    return (max(0, index - 3)..<index).contains { start in
      dayNumber(at: start).map { skip($0.end, .of) == index && $0.value > length } ?? false
    }
  }

  /// "Call April", "lunch with June".
  private func isPerson(_ index: Int) -> Bool {
    has(index, .nameMonth) && has(index - 1, .callsPerson)
  }

  func fullYear(_ token: Token) -> Int {
    token.digits == 4 ? token.value : token.value < 70 ? 2000 + token.value : 1900 + token.value
  }

  /// "Q4 2018", "2018Q4", "third quarter", "4th qtr 2018".
  private func quarters(at index: Int) -> [Hit<Moment>] {
    func quarter(_ number: Int, _ year: Int?, end: Int) -> Hit<Moment>? {
      guard (1...4).contains(number) else { return nil }
      let resolved = year ?? Civil.date(context.today).year
      var moment = Moment(anchor: Period(Civil.day(resolved, number * 3 - 2, 1) * Civil.secondsPerDay, .quarter))
      if year == nil { moment.doubt = 0.1 }
      return Hit(value: moment, end: end)
    }
    if isNumber(index, digits: 4...4), text(index + 1) == "q", isNumber(index + 2, digits: 1...1) {
      return [quarter(tokens[index + 2].value, tokens[index].value, end: index + 3)].compactMap { $0 }
    }
    let start = skip(index, .the)
    var number: Hit<Int>?
    if text(start) == "q", isNumber(start + 1, digits: 1...1), glued(start + 1) {
      number = Hit(value: tokens[start + 1].value, end: start + 2)
    } else if let ordinal = ordinal(at: start), unit(at: ordinal.end) == .quarter {
      number = Hit(value: ordinal.value, end: ordinal.end + 1)
    }
    guard let number else { return [] }
    let dated = yearTold(at: number.end).flatMap { quarter(number.value, $0.value, end: $0.end) }
    return [dated, quarter(number.value, nil, end: number.end)].compactMap { $0 }
  }

  /// "2027", "next year": whose quarter or half it is.
  private func yearTold(at index: Int) -> Hit<Int>? {
    if let year = year(at: index) { return year }
    let at = skip(index, [.of, .in])
    guard let step = step(at: at), unit(at: step.end) == .year else { return nil }
    let distance = step.value.distance
    return Hit(value: Civil.date(context.today).year + distance, end: step.end + 1)
  }

  /// "H1 2027", "the second half of next year", "the first half of December".
  private func halves(at index: Int) -> [Hit<Moment>] {
    func year(_ half: Int, _ year: Int, end: Int) -> Hit<Moment> {
      let start = Civil.day(year, half == 1 ? 1 : 7, 1) * Civil.secondsPerDay
      let period = Period(start: start, end: Civil.add(6, .month, to: start), grain: .month)
      return Hit(value: Moment(anchor: period, anchorIsRange: true), end: end)
    }
    let at = skip(index, .the)
    if text(at) == "h", isNumber(at + 1, digits: 1...1), glued(at + 1), (1...2).contains(tokens[at + 1].value) {
      let told = yearTold(at: at + 2)
      return [year(tokens[at + 1].value, told?.value ?? Civil.date(context.today).year, end: told?.end ?? at + 2)]
    }
    guard let which = ordinal(at: at), (1...2).contains(which.value), has(which.end, .half) else { return [] }
    if let told = yearTold(at: which.end + 1) { return [year(which.value, told.value, end: told.end)] }
    guard has(which.end + 1, .of) else { return [] }
    return whole(at: which.end + 2).compactMap { hit in
      guard let period = date(of: hit.value), period.grain > .day else { return nil }
      if period.grain == .year { return year(which.value, Civil.date(period.firstDay).year, end: hit.end) }
      let days = (period.end - period.start) / Civil.secondsPerDay
      // A month's first half ends with the 15th, a week's on Wednesday.
      let middle = Civil.add(days > 27 && days < 32 ? 15 : days / 2, .day, to: period.start)
      let half =
        which.value == 1
        ? Period(start: period.start, end: middle, grain: .day) : Period(start: middle, end: period.end, grain: .day)
      return Hit(value: Moment(anchor: half, anchorIsRange: true), end: hit.end)
    }
  }

  /// "2014", "in 14 A.D.", "twenty twenty six".
  private func years(at index: Int) -> [Hit<Moment>] {
    if let number = integer(at: index), number.value > 0 {
      if let era = phrase(.eras, at: number.end) {
        return [Hit(value: Moment(year: number.value), end: skip(era.end, .dot))]
      }
    }
    if has(index, .week), isNumber(index + 1, digits: 1...2), (1...53).contains(tokens[index + 1].value) {
      // ISO week numbers: week 1 holds January 4th.
      func monday(_ year: Int) -> Int {
        let day = Civil.day(year, 1, 4)
        return day - Civil.weekday(day) + (tokens[index + 1].value - 1) * 7
      }
      let this = Civil.date(context.today).year
      if let year = year(at: index + 2) {
        return [Hit(value: Moment(anchor: Period(monday(year.value) * Civil.secondsPerDay, .week)), end: year.end)]
      }
      let next = monday(this) + 6 >= context.today ? monday(this) : monday(this + 1)
      return [Hit(value: Moment(anchor: Period(next * Civil.secondsPerDay, .week)), end: index + 2)]
    }
    guard !has(index, [.of, .in, .comma]), let year = year(at: index), text(index) != "'" else { return [] }
    var moment = Moment(year: year.value)
    moment.latent = true
    return [Hit(value: moment, end: year.end)]
  }
}
