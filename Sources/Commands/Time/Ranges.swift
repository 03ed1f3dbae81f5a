/// A finding of the grammar before it is written down.
struct Finding {
  var placed: [Placed]
  var length: Length?
  var recurrence: Recurrence?
  var moment: Moment?
  /// Said with a length: "4 pm for half an hour".
  var minutes: Int?
  var doubt = 0.0
  var hasClock = false
}

extension Grammar {
  private static let joints: Set<String> = ["to", "-", "until", "till", "til", "untill", "through", "thru", "/", "~"]

  /// All that may begin at a token and stand as a reading of its own.
  func findings(at index: Int) -> [Hit<Finding>] {
    var found: [Hit<Finding>] = []
    for hit in moments(at: index) where !hit.value.latent || covers(index, hit.end) {
      if let finding = finding(hit.value) { found.append(Hit(value: finding, end: hit.end)) }
    }
    found +=
      ranges(at: index) + bounded(at: index) + lasting(at: index) + recurrences(at: index)
      + wholeDays(at: index) + sameTimes(at: index)
    let preposition = text(index) == "for" ? index + 1 : index
    if let length = length(at: preposition), plausible(length, at: preposition) {
      found.append(
        Hit(value: Finding(placed: [], length: length.value, minutes: length.value.minutes), end: length.end))
    }
    return found
  }

  /// "a second" in "just a second" or "the second" is no length worth reporting on its own.
  private func plausible(_ length: Hit<Length>, at index: Int) -> Bool {
    // "A day trip", "a night out" are things.
    if ["a", "an"].contains(text(index)), length.end == index + 2, length.value.finest >= .day,
      let next = token(length.end),
      next.kind == .word, !Self.afterLength.contains(next.text)
    {
      return false
    }
    // "Twice a day" says how often, "the 80s" when.
    return !(["a", "an"].contains(text(index)) && ["once", "twice", "thrice", "times"].contains(text(index - 1)))
      && !(text(index - 1) == "the" && text(length.end - 1) == "s")
      && !(text(index) == "a" && text(index + 1) == "second") && text(length.end) != "off"
      && !(unit(at: length.end - 1) == .quarter && text(length.end) != "")
  }

  private static let afterLength: Set<String> = [
    "of", "before", "after", "from", "ago", "and", "in", "at", "for", "on", "to", "later", "long", "or", "each",
    "every",
    "per", "with", "starting", "beginning", "until", "till", "hence", "back", "is", "as", "by", "please", "tomorrow",
    "next",
  ]

  /// A doubtful word is taken for a time when nothing else was said.
  private func covers(_ index: Int, _ end: Int) -> Bool {
    tokens[..<index].allSatisfy { $0.kind == .symbol } && tokens[end...].allSatisfy { $0.kind == .symbol }
  }

  func finding(_ moment: Moment) -> Finding? {
    let placed = place(moment)
    guard !placed.isEmpty else { return nil }
    var doubt = moment.doubt
    // The weekday contradicts the date, which then counts alone.
    if let weekday = moment.weekday, moment.dateFields > 1, Civil.weekday(placed[0].period.firstDay) != weekday,
      placed[0].period.grain <= .day
    {
      doubt += 0.6
    }
    return Finding(placed: placed, moment: moment, doubt: doubt, hasClock: moment.hasClock)
  }

  /// "from Monday to Friday", "July 13 to 15", "8 Aug - 12 Aug", "29/30 August".
  private func ranges(at index: Int) -> [Hit<Finding>] {
    let isBetween = text(index) == "between"
    var start = skip(index, ["from", "between", "starting"])
    if text(index) == "later", text(index + 1) == "than" { start = index + 2 }
    var found: [Hit<Finding>] = []
    for first in halves(at: start) where !isMinutesTo(first.end) {
      var at = first.end
      if Self.joints.contains(text(at)) || isBetween && text(at) == "and" || text(at) == "and" && first.value.bareDay
        || text(at) == "&" && first.value.bareDay
      {
        at += 1
      } else if ["but", "and"].contains(text(at)), text(at + 1) == "before" {
        at += 2
      } else {
        continue
      }
      for last in halves(at: at) {
        var (opening, closing) = (first.value, last.value)
        // "24 - 29" and nothing else: no clock shows such hours.
        if let from = opening.day, let until = closing.day, opening.bareDay, closing.bareDay, from < until, until > 24,
          covers(index, last.end)
        {
          (opening.latent, closing.latent) = (false, false)
        }
        guard let range = range(opening, closing) else { continue }
        // "9/30 August" is rarely a range and "2-15" a date: a joint without spaces binds days of one month only.
        if text(first.end) == "/", !tokens[at..<last.end].contains(where: { $0.month != nil }), !last.value.hasClock {
          continue
        }
        found.append(Hit(value: range, end: last.end))
      }
    }
    return found
  }

  private func halves(at index: Int) -> [Hit<Moment>] {
    var found = moments(at: index).filter {
      !$0.value.latent || $0.value.bareDay || $0.value.hasClock || $0.value.weekday != nil || $0.value.month != nil
    }
    let at = skip(index, ["the", "night"])
    if isNumber(at, digits: 1...2), (1...31).contains(tokens[at].value), ![":"].contains(text(at + 1)) {
      var moment = Moment(day: tokens[at].value)
      moment.bareDay = true
      moment.latent = true
      let end = text(at + 1) == "." && glued(at + 1) ? at + 2 : at + 1
      found.append(Hit(value: moment, end: end))
    } else if token(at)?.kind == .word, let number = integer(at: at), (1...31).contains(number.value) {
      var moment = Moment(day: number.value)
      moment.bareDay = true
      moment.latent = true
      found.append(Hit(value: moment, end: number.end))
    }
    return found
  }

  private func range(_ first: Moment, _ last: Moment) -> Finding? {
    var (first, last) = (first, last)
    guard first.clockEnd == nil, last.clockEnd == nil else { return nil }
    if first.bareDay, first.latent, first.clock == nil {
      guard last.day != nil, last.month != nil || last.anchor != nil || !last.latent && last.bareDay else { return nil }
      first.latent = false
    }
    if last.bareDay, last.latent, last.clock == nil {
      guard first.day != nil, first.month != nil || !first.latent else { return nil }
      last.latent = false
    }
    // "From Wed to Fri this week": both days are of that week.
    if first.weekday != nil, first.dateFields == 1, last.weekday != nil, let week = last.anchor, week.grain == .week {
      first.anchor = week
    }
    // Both days lie in one year: the nearer one where it suits as many of the weekdays.
    if let year = commonYear(first, last) { (first.year, last.year) = (year, year) }
    // What one half leaves unsaid the other says: month, year.
    if first.day != nil, first.month == nil, first.anchor == nil, first.weekday == nil || last.month != nil {
      first.month = last.month
    }
    if first.year == nil, first.month != nil, last.year != nil { first.year = last.year }
    if last.day != nil, last.month == nil, last.anchor == nil, let month = first.month {
      last.month = month
      last.year = last.year ?? first.year
    }
    let alike = first.weekday != nil && last.weekday != nil || first.month != nil && last.month != nil
    if first.latent && last.latent && !(first.hasClock && last.hasClock) && !alike { return nil }
    // "12 September - late evening" is one moment.
    if !last.hasDate, last.part != nil, first.part == nil, !first.hasClock { return nil }
    if !first.hasDate, last.hasDate, first.hasClock || first.part != nil {
      guard last.hasClock == first.hasClock || last.part != nil else { return nil }
    }
    // One half a date and the other a time of day do not make a range, unless the date has a time too.
    if first.hasClock != last.hasClock, first.part == nil, last.part == nil, !(first.hasClock && last.hasDate) {
      return nil
    }
    if !first.hasDate, !last.hasDate, first.hasClock, last.hasClock { return nil }
    guard let begin = place(first).first else { return nil }
    if !last.hasDate {
      last.anchor = Period(day: begin.period.firstDay)
      // The day it begins on already is the day after.
      if let shift = first.clock?.dayShift, shift > 0 { last.clock?.dayShift = 0 }
    } else if last.year == nil, last.month != nil, first.year != nil, last.day != nil {
      last.year = first.year
    }
    var floor: Int? = begin.period.start
    if last.anchor != nil && last.dateFields == 1 { floor = nil }
    if last.weekday != nil, last.dateFields == 1, first.weekday == last.weekday { floor = begin.period.end }
    guard var end = place(last, after: floor).first else { return nil }
    // "From eleven tonight to five": the first such time after the beginning.
    if end.period.start < begin.period.start, last.hasClock, last.anchor == Period(day: begin.period.firstDay),
      first.hasClock, last.dateFields == 1
    {
      last.anchor = Period(day: begin.period.firstDay + 1)
      guard let next = place(last).first else { return nil }
      end = next
    }
    let clocks = first.hasClock && last.hasClock
    let grain = min(begin.period.grain, end.period.grain)
    let stop = last.hasClock ? Civil.add(1, grain, to: end.period.start) : end.period.end
    guard stop > begin.period.start, end.period.start >= begin.period.start else { return nil }
    var placed = Placed(period: Period(start: begin.period.start, end: stop, grain: grain), isRange: true)
    if last.hasClock { placed.namedEnd = end.period.start }
    placed.zone = begin.zone
    // "1pm - 2pm tomorrow" is both tomorrow; that reading comes from the clock range.
    let lopsided =
      !first.hasDate && first.hasClock && last.anchor == nil || !first.hasDate && first.hasClock && last.dateFields > 0
      ? 0.5 : 0
    return Finding(placed: [placed], doubt: first.doubt + last.doubt + lopsided, hasClock: clocks)
  }

  private func commonYear(_ first: Moment, _ last: Moment) -> Int? {
    guard first.year == nil, last.year == nil, let opening = first.weekday, let closing = last.weekday,
      let firstMonth = first.month, let lastMonth = last.month, let firstDay = first.day, let lastDay = last.day,
      (firstMonth, firstDay) <= (lastMonth, lastDay)
    else { return nil }
    let this = Civil.date(context.today).year
    func fitting(_ year: Int) -> Int {
      guard Civil.isValid(year, firstMonth, firstDay), Civil.isValid(year, lastMonth, lastDay) else { return -1 }
      let days = [(firstMonth, firstDay, opening), (lastMonth, lastDay, closing)]
      return days.count { Civil.weekday(Civil.day(year, $0.0, $0.1)) == $0.2 }
    }
    let isAhead = Civil.isValid(this, lastMonth, lastDay) && Civil.day(this, lastMonth, lastDay) >= context.today
    return isAhead && fitting(this) >= fitting(this + 1) ? this : nil
  }

  // MARK: - Open ends

  private static let bounds = Phrases<String>([
    ("by|no later than|not later than|by the|by around|by about", "by"),
    (
      "before|until|till|til|up to|up until|prior to|sometimes before|sometime before|anytime before|through|thru|not after|no later|ending",
      "before"
    ),
    (
      "after|since|from|starting|starting from|starting on|starting at|from on|later than|anytime after|sometime after|any time after|beginning|not before|no earlier than|as of|past|onwards from|from the",
      "after"
    ),
  ])

  private func bounded(at index: Int) -> [Hit<Finding>] {
    var found: [Hit<Finding>] = []
    func open(_ placed: Placed, _ direction: Reading.Open, _ moment: Moment, end: Int) {
      var placed = placed
      placed.open = direction
      placed.isRange = false
      found.append(
        Hit(value: Finding(placed: [placed], moment: moment, doubt: moment.doubt, hasClock: moment.hasClock), end: end))
    }
    if text(index) == "asap"
      || text(index) == "as" && text(index + 1) == "soon" && text(index + 2) == "as" && text(index + 3) == "possible"
    {
      open(
        Placed(period: Period(context.now, .second)), .after, Moment(anchor: Period(context.now, .second)),
        end: text(index) == "asap" ? index + 1 : index + 4)
    }
    for lead in Self.bounds.matches(tokens, at: index) {
      let at = skip(lead.end, ["around", "about"])
      for hit in moments(at: at)
      where !hit.value.latent || hit.value.hasClock || hit.value.year != nil && hit.value.month == nil
        || hit.value.month != nil
      {
        if hit.value.clock?.bare == true, hit.value.latent, hit.value.clock?.grain == .hour, unit(at: hit.end) != nil {
          continue
        }
        if hit.value.clockEnd != nil { continue }
        var moment = hit.value
        // "Since Monday" looks back.
        if text(index) == "since", moment.weekday != nil || moment.day != nil || moment.month != nil,
          moment.anchor == nil,
          moment.year == nil
        {
          moment.past = true
        }
        guard let placed = place(moment, after: nil).first else { continue }
        if lead.payload == "by" {
          // Due within a period means by its end; due at a time means by then.
          let fuzzy = placed.isRange || placed.period.grain > .day
          let end = fuzzy && hit.value.hasClock == false ? placed.period.end : placed.period.start
          guard end > context.now else { continue }
          var range = Placed(period: Period(start: context.now, end: end, grain: .second), isRange: true)
          range.namedEnd = hit.value.hasClock || fuzzy ? end : placed.period.end
          range.zone = placed.zone
          range.isDeadline = true
          found.append(
            Hit(
              value: Finding(placed: [range], moment: hit.value, doubt: hit.value.doubt, hasClock: hit.value.hasClock),
              end: hit.end))
        } else if placed.isRange, hit.value.part != nil, lead.payload == "after" {
          var late = placed
          late.period.start = late.period.end - 3600
          late.period = Period(start: placed.period.end, end: placed.period.end + 3600, grain: .hour)
          open(late, .after, hit.value, end: hit.end)
        } else {
          open(placed, lead.payload == "after" ? .after : .before, hit.value, end: hit.end)
        }
      }
    }
    // "6 September after 9 pm", "Monday by early evening": the day stands before its bound.
    for date in moments(at: index)
    where date.value.hasDate && !date.value.hasClock && date.value.part == nil && !date.value.latent {
      for lead in Self.bounds.matches(tokens, at: skip(date.end, [","])) {
        for hit in moments(at: lead.end)
        where !hit.value.hasDate && hit.value.clockEnd == nil && (hit.value.hasClock || hit.value.part != nil) {
          guard let merged = date.value.merged(with: hit.value), let placed = place(merged).first else { continue }
          if placed.isRange, lead.payload == "by" {
            found.append(Hit(value: Finding(placed: [placed], moment: merged, doubt: merged.doubt), end: hit.end))
          } else {
            open(placed, lead.payload == "after" ? .after : .before, merged, end: hit.end)
          }
        }
      }
    }
    for hit in moments(at: index) where !hit.value.latent && hit.value.clockEnd == nil {
      let words = [
        "onwards", "onward", "or later", "or after", "the earliest", "at the earliest", "and later", "or earlier",
        "the latest", "at the latest",
      ]
      for word in words {
        let parts = word.split(separator: " ").map(String.init)
        guard parts.enumerated().allSatisfy({ text(hit.end + $0.offset) == $0.element }),
          let placed = place(hit.value).first
        else { continue }
        open(
          placed, word.hasSuffix("latest") || word == "or earlier" ? .before : .after, hit.value,
          end: hit.end + parts.count)
      }
    }
    return found
  }

  // MARK: - With a length

  /// "4pm for 30 minutes", "for 10 days from 18th Dec", "half an hour starting at noon".
  private func lasting(at index: Int) -> [Hit<Finding>] {
    var found: [Hit<Finding>] = []
    func add(_ moment: Moment, _ length: Length, end: Int) {
      let placed = place(moment).compactMap { start -> Placed? in
        guard !start.isRange, start.period.grain <= .day else { return nil }
        let stop = length.applied(to: start.period.start)
        let grain = min(start.period.grain, length.finest)
        guard stop > start.period.start else { return nil }
        var range = Placed(
          period: Period(start: start.period.start, end: Civil.add(1, grain, to: stop), grain: grain), isRange: true)
        range.namedEnd = stop
        range.weight = start.weight
        range.zone = start.zone
        return range
      }
      guard !placed.isEmpty else { return }
      found.append(
        Hit(
          value: Finding(placed: placed, minutes: length.minutes, doubt: moment.doubt, hasClock: moment.hasClock),
          end: end))
    }
    for hit in moments(at: skip(index, ["from", "starting"]))
    where !hit.value.latent && text(hit.end) == "for" && hit.value.clockEnd == nil {
      let at = skip(hit.end + 1, ["about", "around", "approximately"])
      guard let length = length(at: at) else { continue }
      add(hit.value, length.value, end: length.end)
      // "At ten for an hour tomorrow", "tomorrow for two hours at ten"
      for rest in moments(at: length.end)
      where rest.value.hasDate != hit.value.hasDate && rest.value.hasClock != hit.value.hasClock && !rest.value.latent {
        if let merged = hit.value.merged(with: rest.value) { add(merged, length.value, end: rest.end) }
      }
    }
    let start = skip(index, ["for"])
    if let length = length(at: start) {
      let from = skip(length.end, ["starting", "beginning", "from", ","])
      let isShift = text(length.end) == "from" && start == index
      if !isShift, from > length.end || text(from) == "at" || text(from) == "on" && start > index {
        for hit in moments(at: skip(from, ["from"])) where !hit.value.latent {
          add(hit.value, length.value, end: hit.end)
        }
      }
    }
    return found
  }
}
