import Core

/// People correct themselves while they speak: "at three, sorry, at four", "tomorrow, I mean Friday, at three".
extension Timing {
  /// The later of two times between which the speaker took the first one back; what the later leaves open the first still says.
  mutating func repaired(_ groups: [[TimeReading]], _ text: [UInt8], _ resolver: TimeResolver) -> [[TimeReading]] {
    for (place, next) in groups.enumerated().dropFirst() {
      let before = groups[place - 1]
      guard let marker = Self.marker(in: text[before[0].end..<next[0].start], resolver) else { continue }
      let settled = next.map { Self.completed(Self.nearer($0, to: before[0], resolver), by: before[0]) }
      spans += [before[0].start..<before[0].end, marker..<Self.tail(behind: next[0], in: text, resolver)]
      hasRivals = true
      return groups[..<(place - 1)] + [settled] + groups[(place + 1)...]
    }
    return groups
  }

  /// "Every weekday at five remind me to log my hours, except on Fridays": the days left out belong to the rule.
  mutating func excepted(_ groups: [[TimeReading]], _ text: [UInt8], _ resolver: TimeResolver) -> [[TimeReading]] {
    for (place, next) in groups.enumerated().dropFirst() {
      let rule = groups[place - 1]
      guard rule[0].rrule != nil, rule[0].end < next[0].start else { continue }
      let gap = Token.split(String(decoding: text[rule[0].end..<next[0].start], as: UTF8.self))
      guard let except = gap.last, except.words.contains(.except) else { continue }
      let said = "\(rule[0].text) except \(next[0].text)"
      var whole = resolver.readings(in: said).readings.filter { $0.start == 0 && $0.end == said.utf8.count }
      guard !whole.isEmpty else { continue }
      for at in whole.indices { (whole[at].start, whole[at].end) = (rule[0].start, rule[0].end) }
      spans.append((rule[0].end + except.start)..<next[0].end)
      return groups[..<(place - 1)] + [whole] + groups[(place + 1)...]
    }
    return groups
  }

  /// "At ten, no, half past ten": of the two in a day the one that is nearer to the first.
  private static func nearer(_ reading: TimeReading, to other: TimeReading, _ resolver: TimeResolver) -> TimeReading {
    guard let old = other.moment, other.kind == .point, other.hasClock, reading.kind == .point, reading.hasClock,
      !reading.hasDate, let new = Reply.beside(reading.text, on: old, resolver)
    else { return reading }
    var nearer = reading
    (nearer.moment, nearer.value) = (new.start, Civil.iso(new.start))
    return nearer
  }

  /// "Lunch at twelve, no wait, make it eleven": a number alone, or what else would be a length, is another time of that day behind what
  /// takes the first one back.
  mutating func replaced(
    _ times: [[TimeReading]], _ lengths: [TimeReading], _ text: ArraySlice<UInt8>, _ resolver: TimeResolver
  ) -> [[TimeReading]] {
    guard let last = times.last?.first, last.kind == .point, last.hasClock, let old = last.moment,
      let words = RequestWords.of(resolver.language)
    else { return times }
    let rest = text[last.end...]
    let tokens = Token.split(String(decoding: rest, as: UTF8.self), words.language.vocabulary)
    for place in tokens.indices.dropFirst() {
      let start = rest.startIndex + tokens[place].start
      let length = lengths.first { $0.start == start }
      let isNumber = tokens[place].kind == .number || tokens[place].cardinal != nil
      let end =
        length?.end
        ?? (isNumber && words.areFillers(tokens[(place + 1)...]) ? rest.startIndex + tokens[place].end : nil)
      guard let end, let marker = Self.marker(in: Array(tokens[..<place]), words),
        let new = Reply.beside(String(decoding: text[start..<end], as: UTF8.self), on: old, resolver)
      else { continue }
      var settled = last
      (settled.moment, settled.value) = (new.start, Civil.iso(new.start))
      spans.append((rest.startIndex + tokens[marker].start)..<end)
      if length != nil { minutes = nil }
      hasRivals = true
      return times.dropLast() + [[settled]]
    }
    return times
  }

  /// Where what follows the second time and says nothing of its own ends: "no, Thursday, same time".
  private static func tail(behind reading: TimeReading, in text: [UInt8], _ resolver: TimeResolver) -> Int {
    guard let words = RequestWords.of(resolver.language) else { return reading.end }
    let tokens = Token.split(String(decoding: text[reading.end...], as: UTF8.self), words.language.vocabulary)
    let start = tokens.first?.text == "," ? 1 : 0
    return words.end(.newTimeTails, tokens, at: start).map { reading.end + tokens[$0 - 1].end } ?? reading.end
  }

  /// Where the words begin that take something back, if they stand right before the second time.
  private static func marker(in gap: ArraySlice<UInt8>, _ resolver: TimeResolver) -> Int? {
    guard let words = RequestWords.of(resolver.language) else { return nil }
    let tokens = Token.split(String(decoding: gap, as: UTF8.self), words.language.vocabulary)
    return marker(in: tokens, words).map { gap.startIndex + tokens[$0].start }
  }

  /// From which on all takes back what was said before, says nothing or leads up to another time.
  private static func marker(in tokens: [Token], _ words: RequestWords) -> Int? {
    tokens.indices.first { start in
      words.areFillers(tokens[start...]) && (start..<tokens.count).contains { words.takesBack(tokens, at: $0) != nil }
    }
  }

  /// "Today and tomorrow at nine": once on each of two days of one week, from the earlier one on.
  static func both(_ reading: TimeReading, _ other: TimeReading) -> TimeReading {
    let first = completed(reading, by: other)
    guard reading.kind == .point, other.kind == .point, reading.hasDate, other.hasDate, reading.open == nil,
      other.open == nil, !(reading.hasClock && other.hasClock), let one = first.moment,
      let two = completed(other, by: reading).moment, one % Civil.secondsPerDay == two % Civil.secondsPerDay,
      max(reading.grain, other.grain) <= .day
    else { return first }
    let days = [one, two].map { Civil.floorDiv($0, Civil.secondsPerDay) }
    guard (1...6).contains(abs(days[0] - days[1])) else { return first }
    var both = first
    both.moment = min(one, two)
    both.value = Civil.iso(min(one, two))
    both.rrule = Recurrence(frequency: .weekly, weekdays: days.map(Civil.weekday).sorted(), count: 2).rule
    return both
  }

  static func completed(_ reading: TimeReading, by other: TimeReading) -> TimeReading {
    guard let moment = reading.moment, let old = other.moment, reading.kind == .point,
      reading.hasDate != other.hasDate
        || reading.hasClock != other.hasClock
    else { return reading }
    let day = Civil.secondsPerDay
    var result = reading
    if !reading.hasDate, other.hasDate {
      result.moment = Civil.floorDiv(old, day) * day + Civil.modulo(moment, day)
      result.hasDate = true
    } else if !reading.hasClock, other.hasClock {
      result.moment = Civil.floorDiv(moment, day) * day + Civil.modulo(old, day)
      result.hasClock = true
    }
    result.value = Civil.iso(result.moment ?? moment)
    return result
  }
}
