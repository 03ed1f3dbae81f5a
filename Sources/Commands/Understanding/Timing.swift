import Core

/// The time an utterance means, put together from the resolver's readings.
struct Timing {
  var point: String?
  var range: String?
  var minutes: Int?
  var rrule: String?
  /// Byte ranges of the words that said it.
  var spans: [Range<Int>] = []
  /// How clear the choice was: 1 when nothing else was possible.
  var clarity = 1.0
  /// Another time was said that does not belong to the chosen one: "at noon and again at 5".
  var hasRivals = false

  /// What is over cannot be reminded of; that it was meant so is worth a question.
  func isPast(at now: Int) -> Bool {
    guard rrule == nil, let last = (range?.split(separator: "/").last.map(String.init) ?? point).flatMap(Civil.parse)
    else { return false }
    let isDay = range == nil && last % Civil.secondsPerDay == 0
    return (isDay ? last + Civil.secondsPerDay : last) < now
  }

  /// "At the end of the month", a number that may have been misheard: about when, and no more.
  var isRough = false
  /// "The photos from Sunday", "since Monday": what it was taken from as well as when.
  var isAfterwards = false
  /// "By Friday", "before six": until when, and not when.
  var isBound = false
  var grain: Grain?
  /// A week or a month was said, and no day of it.
  var isVague: Bool { point != nil && minutes == nil && grain.map { $0 >= .week } ?? false }

  /// An afternoon, an evening: within it, and nobody said for how long.
  private(set) var isPartOfDay = false

  /// Two days of a week, each of them once.
  var isOnceEach: Bool { rrule.flatMap { Recurrence($0) }?.isOnceEach ?? false }

  /// A time was said that there is none of, so it is not known when.
  private(set) var isImpossible = false
  private(set) var hasDate = false
  private(set) var hasClock = false

  var isEmpty: Bool { point == nil && range == nil && rrule == nil && !isImpossible }

  init() {}

  /// Chooses among the readings that lie in a part of the utterance.
  ///
  /// `lead` is where the thing itself begins: "remind me tomorrow to book a table for Friday" is about tomorrow. In a reminder "an
  /// hour before …" says when to ring.
  init(
    _ result: TimeResult, in bytes: Range<Int>, of text: [UInt8], with resolver: TimeResolver, lead: Int? = nil,
    isReminder: Bool = false
  ) {
    defer { leave(result.impossible.filter { $0.clamped(to: bytes) == $0 }) }
    var groups: [[TimeReading]] = []
    for reading in result.readings where reading.start >= bytes.lowerBound && reading.end <= bytes.upperBound {
      if let at = groups.firstIndex(where: { $0[0].start == reading.start && $0[0].end == reading.end }) {
        groups[at].append(reading)
      } else {
        groups.append([reading])
      }
    }
    groups.sort { $0[0].start < $1[0].start }
    var times = groups.filter { $0[0].kind != .duration }
    if let length = groups.first(where: { $0[0].kind == .duration && ($0[0].minutes ?? 0) > 0 }) {
      minutes = length[0].minutes
      spans.append(length[0].start..<length[0].end)
    }
    if isReminder, let ahead = ahead(groups, times, text, lead) {
      take(ahead)
      return
    }
    let named = times.count > 1 ? times.filter { Self.isNamed($0[0], text) } : []
    let unnamed = times.filter { group in !named.contains { $0[0].start == group[0].start } }
    // "The Christmas party at eight" may be on that day; it is asked about, and the name keeps it.
    let isOnly = !named.isEmpty && !unnamed.contains { $0[0].hasDate }
    if isOnly { hasRivals = true } else if !unnamed.isEmpty { times = unnamed }
    defer { if isOnly { spans.removeAll { span in named.contains { $0[0].start == span.lowerBound } } } }
    if times.count > 1 { times = excepted(times, text, resolver) }
    if times.count > 1 { times = repaired(times, text, resolver) }
    times = replaced(
      times, groups.filter { $0[0].kind == .duration }.map { $0[0] }, text[..<bytes.upperBound], resolver)
    if times.count > 1 { times = conjoined(times, text) }
    if times.count > 1 { times = joined(times, text, resolver) }
    if times.count == 1, let timed = timed(times[0], text[..<bytes.upperBound], resolver) { times = [timed] }
    let leading = lead.map { lead in times.filter { $0[0].end <= lead } } ?? []
    guard let chosen = (leading.isEmpty ? times : leading).max(by: { worth($0[0]) < worth($1[0]) }) else { return }
    if times.count > 1 {
      clarity = 0.5
      hasRivals = true
      // What was said before the thing itself is no part of it.
      spans += leading.filter { $0[0].start != chosen[0].start }.map { $0[0].start..<$0[0].end }
    }
    take(chosen)
  }

  /// "On February 30th at nine": nine o'clock of which day nobody knows.
  private mutating func leave(_ impossible: [Range<Int>]) {
    guard !impossible.isEmpty else { return }
    spans += impossible
    (hasRivals, isImpossible) = (true, true)
    if !hasDate { (point, range, rrule) = (nil, nil, nil) }
  }

  private mutating func take(_ group: [TimeReading]) {
    let best = group[0]
    (hasDate, hasClock) = (best.hasDate, best.hasClock)
    grain = best.grain
    isRough = best.isRough
    isBound = best.isDeadline || best.open == .before
    isAfterwards = best.open == .after && Token.split(best.text).first?.words.meets([.from, .since]) ?? false
    // "At three or four" leaves the choice to us.
    if best.text.lowercased().contains(" or ") { hasRivals = true }
    let rival = group.dropFirst().first { $0.value != best.value }
    clarity *= rival.map { best.confidence / (best.confidence + $0.confidence) } ?? 1
    clarity *= min(1, best.confidence + 0.03)
    spans.append(best.start..<best.end)
    if let length = best.minutes, [.range, .recurrence].contains(best.kind), let moment = best.moment {
      minutes = length
      point = Civil.iso(moment)
    } else if best.isDeadline, let until = best.until {
      // "By Friday" is due on Friday, not when Saturday begins.
      point = Civil.iso(!best.hasClock && until % Civil.secondsPerDay == 0 ? until - Civil.secondsPerDay : until)
    } else if best.kind == .range, let moment = best.moment, let until = best.until, until > moment {
      range = Civil.iso(moment) + "/" + Civil.iso(until)
      isPartOfDay = !best.hasClock && until - moment < Civil.secondsPerDay
    } else if let moment = best.moment {
      point = Civil.iso(moment)
    }
    rrule = best.rrule
    // "Each Monday from 10 to 10:30"
    if rrule != nil, best.hasClock, let moment = best.moment, let until = best.until, until > moment, minutes == nil {
      minutes = (until - moment) / 60
    }
  }

  /// "On Friday … at three": a day and a time that other words keep apart are one time.
  private mutating func joined(_ groups: [[TimeReading]], _ text: [UInt8], _ resolver: TimeResolver) -> [[TimeReading]]
  {
    for (index, first) in groups.enumerated() {
      for last in groups[(index + 1)...] where first[0].hasClock != last[0].hasClock {
        for pair in [(first, last), (last, first)] {
          let words = pair.0[0].text + " " + pair.1[0].text
          let whole = resolver.readings(in: words, of: String(decoding: text, as: UTF8.self)).readings
          guard let best = whole.first, best.start == 0, best.end == words.utf8.count, best.hasClock else { continue }
          // Two days that agree are one: "on Friday … the 20th at three".
          let days = [first[0], last[0], best].map { Civil.floorDiv($0.moment ?? 0, Civil.secondsPerDay) }
          if first[0].hasDate, last[0].hasDate, !days[..<2].contains(days[2]) { continue }
          var group = whole.filter { $0.start == 0 && $0.end == words.utf8.count }
          for at in group.indices {
            group[at].start = last[0].start
            group[at].end = last[0].end
          }
          spans.append(first[0].start..<first[0].end)
          return groups.filter { $0[0].start != first[0].start && $0[0].start != last[0].start } + [group]
        }
      }
    }
    return groups
  }

  /// "On Thursday the doctor 11.30": a number with a point, at the end of what has a day, is an hour.
  private mutating func timed(
    _ group: [TimeReading], _ text: ArraySlice<UInt8>, _ resolver: TimeResolver
  ) -> [TimeReading]? {
    guard group[0].hasDate, !group[0].hasClock, group[0].kind == .point, group[0].grain <= .day,
      let last = text[group[0].end...].split(separator: UInt8(ascii: " ")).last
    else { return nil }
    let number = String(decoding: last, as: UTF8.self)
    guard number.wholeMatch(of: /[0-2]?[0-9]\.[0-5][0-9]/) != nil else { return nil }
    let said = "\(group[0].text) at \(number)"
    let whole = resolver.readings(in: said, of: String(decoding: text, as: UTF8.self)).readings.filter {
      $0.start == 0 && $0.end == said.utf8.count && $0.hasClock
    }
    guard !whole.isEmpty else { return nil }
    // It may be a price or a version as well, so it is asked about.
    hasRivals = true
    spans.append(last.startIndex..<last.endIndex)
    return whole.map { reading in
      var reading = reading
      (reading.start, reading.end) = (group[0].start, group[0].end)
      return reading
    }
  }

  /// "The fifteenth for the Christmas party": the feast is what it is called, not when it is.
  private static func isNamed(_ reading: TimeReading, _ text: [UInt8]) -> Bool {
    let words = Token.split(reading.text)
    guard let feast = Language.all[0].holidays.longest(words, at: 0) else { return false }
    if feast.end < words.count { return Said.feastThings.contains(words[feast.end].stem) }
    return Token.split(String(decoding: text[reading.end...].prefix(40), as: UTF8.self)).first.map {
      Said.feastThings.contains($0.stem)
    }
      ?? false
  }

  /// "At eight and at noon", "on Saturday and Sunday": the first is taken, and asked about; none of them is part of the title.
  private mutating func conjoined(_ groups: [[TimeReading]], _ text: [UInt8]) -> [[TimeReading]] {
    for (place, next) in groups.enumerated().dropFirst() {
      let before = groups[place - 1]
      guard before[0].end <= next[0].start, before[0].kind != .recurrence, next[0].kind != .recurrence else { continue }
      let gap = Token.split(String(decoding: text[before[0].end..<next[0].start], as: UTF8.self)).map(\.text)
      guard gap.contains("and") || gap.contains("or"), gap.allSatisfy({ $0 == "," || Said.conjoining.contains($0) })
      else {
        continue
      }
      spans.append(before[0].start..<next[0].end)
      hasRivals = true
      // "Tuesday and Thursday at four": the hour is that of both days.
      let first = before.map { gap.contains("and") ? Self.both($0, next[0]) : Self.completed($0, by: next[0]) }
      return groups[..<(place - 1)] + [first] + groups[(place + 1)...]
    }
    return groups
  }

  /// "An hour before the game at eight": the game is at eight, and an hour before is when to ring.
  private mutating func ahead(
    _ groups: [[TimeReading]], _ times: [[TimeReading]], _ text: [UInt8], _ lead: Int?
  ) -> [TimeReading]? {
    for group in groups where group[0].kind == .duration {
      guard let minutes = group[0].minutes,
        let event = times.first(where: {
          // "A fortnight before the birthday on the 14th" is a day as well.
          $0[0].start > group[0].end && $0[0].kind == .point
            && ($0[0].hasClock || $0[0].hasDate && minutes % (24 * 60) == 0)
        })
      else { continue }
      let joint = Token.split(String(decoding: text[group[0].end..<event[0].start], as: UTF8.self))
      guard let first = joint.first, Said.rings.contains(first.text), joint.count > 1 else {
        continue
      }
      let isNamed = lead.map { $0 > event[0].end } ?? false
      spans =
        isNamed
        ? [group[0].start..<event[0].end]
        : [group[0].start..<(group[0].end + first.end), event[0].start..<event[0].end]
      self.minutes = nil
      return event.map { reading in
        var reading = reading
        reading.moment = reading.moment.map { $0 + minutes * (first.text == "after" ? 60 : -60) }
        reading.value = reading.moment.map(Civil.iso) ?? reading.value
        return reading
      }
    }
    return nil
  }

  /// A time of day says more than a date, and a rule more than a single day; what comes later in the utterance wins a tie.
  private func worth(_ reading: TimeReading) -> Double {
    (reading.hasClock ? 2 : 0) + (reading.hasDate ? 0.5 : 0) + (reading.kind == .recurrence ? 3 : 0)
      + reading.confidence + Double(reading.start)
      / 10_000
      - (reading.open != nil ? 1 : 0)
  }
}
