import Core

/// People correct themselves while they speak: "at three, sorry, at four", "tomorrow, I mean Friday, at three".
extension Timing {
  /// The later of two times between which the speaker took the first one back; what the later leaves open the first still says.
  mutating func repaired(_ groups: [[TimeReading]], _ text: [UInt8]) -> [[TimeReading]] {
    for (place, next) in groups.enumerated().dropFirst() {
      let before = groups[place - 1]
      guard let marker = Self.marker(in: text[before[0].end..<next[0].start]) else { continue }
      let settled = next.map { Self.completed($0, by: before[0]) }
      spans += [before[0].start..<before[0].end, marker..<next[0].start]
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

  /// Where the words begin that take something back, if they stand right before the second time.
  private static func marker(in gap: ArraySlice<UInt8>) -> Int? {
    let tokens = Token.split(String(decoding: gap, as: UTF8.self))
    let words = tokens.indices.filter { tokens[$0].kind != .symbol }
    let longest = (1...4).reversed().first { count in
      words.count >= count
        && Said.takingBack.contains(words.suffix(count).map { tokens[$0].text }.joined(separator: " "))
    }
    guard let longest else { return nil }
    var first = words[words.count - longest]
    while first > 0, tokens[first - 1].kind == .symbol { first -= 1 }
    return gap.startIndex + tokens[first].start
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
