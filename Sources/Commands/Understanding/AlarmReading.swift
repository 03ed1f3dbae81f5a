import Core

/// An utterance about alarms and timers: what is to be done, with which, and when. Every word of it has to be one that such an
/// utterance is made of, or part of a name ("for the pasta", "the pasta timer"); what holds others is not understood as a whole,
/// so that "the timer in chapter 3 of the manual" sets nothing.
struct AlarmReading: Sendable {
  var act = AlarmWords.Act.set
  var kind = AlarmKind.alarm
  var title: [Int] = []
  /// Without words that nothing here explains.
  var isWhole = false
  var isAll = false
  /// Where the words stand that ask.
  var asking: Range<Int>?
  private(set) var timing: Timing
  /// How long, where a length was said and no time of day.
  private(set) var seconds: Int?
  /// When it rings.
  private(set) var point: String?
  /// The time of day that was said, on whichever day.
  private(set) var clock: Int?
  private(set) var rule: String?
  /// Understood by a guess: "a timer for five" may be minutes.
  private(set) var isGuess = false
  private let tokens: [Token]

  private enum Role { case time, thing, act, around, lead, name, other }

  /// The reading in one of the languages that explains most; nil where none speaks of alarms or timers.
  static func best(_ phrasing: Phrasing, _ resolver: TimeResolver) -> AlarmReading? {
    let found = AlarmWords.all.compactMap { AlarmReading(phrasing, $0, resolver) }
    return found.first(where: \.isWhole) ?? found.first
  }

  init?(_ phrasing: Phrasing, _ words: AlarmWords, _ resolver: TimeResolver) {
    guard let first = phrasing.tokens[phrasing.body].first, let last = phrasing.tokens[phrasing.body].last else {
      return nil
    }
    let body = first.start..<last.end
    let tokens = Token.split(phrasing.text, words.language.vocabulary).filter { body.contains($0.start) }
    self.tokens = tokens
    guard tokens.count <= Self.most else { return nil }
    // Finding times is work; most of what is said holds nothing that rings.
    let places = tokens.indices
    guard places.contains(where: { words.things.longest(tokens, at: $0) != nil || Self.wakes(words, tokens, $0) }),
      !places.contains(where: { words.others.longest(tokens, at: $0) != nil })
    else { return nil }
    var resolver = resolver
    resolver.language = words.language
    let times = resolver.readings(in: phrasing.text)
    timing = Timing(times, in: body, of: phrasing.bytes, with: resolver, isReminder: true)
    let length = times.readings.filter { $0.kind == .duration && body.contains($0.start) }
      .max { $0.text.utf8.count < $1.text.utf8.count }
    if let length {
      seconds = Self.seconds(length.value)
      timing.spans.append(length.start..<length.end)
    }
    guard read(words) else { return nil }
    settle(times, resolver, words)
    if kind == .alarm, rule != nil, seconds == nil { preferMorning(in: phrasing.text, times, resolver) }
  }

  /// When it rings. A length counts from now; of an hour that the clock shows twice the morning is meant, which is asked about where
  /// nobody spoke of waking or of a day.
  private mutating func settle(_ times: TimeResult, _ resolver: TimeResolver, _ words: AlarmWords) {
    (point, rule) = (timing.point, timing.rrule)
    // "A daily alarm": the word before it says how often.
    let habits = CommandWords.english?.habits ?? [:]
    if rule == nil, let at = title.first(where: { habits[tokens[$0].text] != nil }) {
      rule = habits[tokens[at].text]
      title.removeAll { $0 == at }
    }
    let chosen = times.readings.first {
      ($0.isDeadline ? $0.until : $0.moment).map(Civil.iso) == point && $0.kind != .duration
    }
    let hasClock = point != nil && chosen?.hasClock ?? true
    clock = hasClock && chosen?.moment != resolver.now ? point.flatMap(Civil.parse) : nil
    if kind == .timer, seconds == nil, let number = bareNumber,
      point == nil || !hasClock || timing.spans.count == 1 && title.isEmpty
    {
      (seconds, isGuess, title) = (number * 60, true, title.filter { !isNumber($0) })
    } else if kind == .alarm, !hasClock, !title.isEmpty, title.allSatisfy(isNumber),
      let again = clockReadings(words, resolver), let best = again.readings.first
    {
      (seconds, title, rule) = (nil, [], best.rrule)
      point = best.moment.map(Civil.iso)
      preferMorning(best, again, resolver)
    } else if kind == .alarm, !hasClock, let clock = spokenClock(words) {
      seconds = nil
      let day = Civil.secondsPerDay
      let today = Civil.floorDiv(resolver.now, day) * day
      let date = point.flatMap(Civil.parse) ?? (today + clock > resolver.now ? today : today + day)
      point = Civil.iso(date + clock)
    } else if !timing.isEmpty, !(kind == .timer && isLength(chosen, times)) {
      seconds = nil
      if kind == .alarm, let chosen { preferMorning(chosen, times, resolver) }
      // "A timer for 1:30" may be meant to run for so long.
      if kind == .timer, hasClock, chosen?.hasDate == false, chosen?.isDeadline == false { isGuess = true }
    }
    if let seconds { point = Civil.iso(Walls(zone: resolver.zone).add(seconds, to: resolver.now)) }
  }

  /// "1h30" is a time of day as well as a length; a timer runs for a length.
  private func isLength(_ chosen: TimeReading?, _ times: TimeResult) -> Bool {
    guard let chosen, seconds != nil, rule == nil, !chosen.hasDate else { return false }
    return times.readings.contains { $0.kind == .duration && ($0.start, $0.end) == (chosen.start, chosen.end) }
  }

  private mutating func preferMorning(_ chosen: TimeReading, _ times: TimeResult, _ resolver: TimeResolver) {
    // "By six" is meant as six.
    func moment(_ reading: TimeReading) -> Int { (reading.isDeadline ? reading.until : reading.moment) ?? 0 }
    func half(_ reading: TimeReading) -> Int { Civil.modulo(moment(reading), Civil.secondsPerDay) / 43_200 }
    let other = times.readings.first {
      ($0.start, $0.end) == (chosen.start, chosen.end) && $0.kind == chosen.kind && half($0) != half(chosen)
        && Civil.modulo(moment($0) - moment(chosen), 43_200) == 0
    }
    guard chosen.hasClock, let other, moment(other) > resolver.now else { return }
    if half(other) == 0 { point = Civil.iso(moment(other)) }
    isGuess = !asksToWake && !chosen.hasDate && rule == nil
  }

  /// What rings again and again at an hour that the clock shows twice rings in the morning.
  private mutating func preferMorning(in text: String, _ times: TimeResult, _ resolver: TimeResolver) {
    var resolver = resolver
    resolver.isMorning = true
    let chosen = times.readings.first { $0.rrule != nil && $0.hasClock && $0.moment.map(Civil.iso) == point }
    let morning = resolver.readings(in: text).readings.first {
      ($0.start, $0.end, $0.rrule) == (chosen?.start, chosen?.end, chosen?.rrule)
    }
    if let moment = morning?.moment { point = Civil.iso(moment) }
  }

  /// "An alarm for seven tomorrow": what was taken for its name are the numbers of a clock.
  private func clockReadings(_ words: AlarmWords, _ resolver: TimeResolver) -> TimeResult? {
    let spoken = [words.clockLead] + title.map { tokens[$0].text } + tokens.filter(isTime).map(\.text)
    let said = spoken.joined(separator: " ")
    var result = resolver.readings(in: said)
    result.readings = result.readings.filter { $0.hasClock && $0.start == 0 && $0.end == said.utf8.count }
    return result.readings.isEmpty ? nil : result
  }

  /// In some languages a length in hours says the clock: "pour sept heures", as seconds of the day.
  private func spokenClock(_ words: AlarmWords) -> Int? {
    let isClock = tokens.indices.contains { isTime($0) && words.end(.hours, tokens, at: $0) != nil }
    return seconds.flatMap { isClock && $0 < Civil.secondsPerDay ? $0 : nil }
  }

  private func isTime(_ token: Token) -> Bool {
    timing.spans.contains { token.start >= $0.lowerBound && token.end <= $0.upperBound }
  }

  private func isNumber(_ at: Int) -> Bool { tokens[at].kind == .number || tokens[at].cardinal != nil }

  /// "A timer for five": nothing but a number was said of the time.
  private var bareNumber: Int? {
    let said = title.isEmpty || !title.allSatisfy(isNumber) ? tokens.indices.filter(isTime) : title
    guard said.count == 1, let at = said.first, isNumber(at) else { return nil }
    let value = tokens[at].cardinal ?? tokens[at].value
    return (1...180).contains(value) ? value : nil
  }

  /// Longer utterances are not about an alarm.
  private static let most = 40
  private var asksToWake = false
  /// A verb asks for it.
  private(set) var isAsked = false
  /// So many words are explained by nothing here.
  private(set) var unexplained = 0

  private static func wakes(_ words: AlarmWords, _ tokens: [Token], _ at: Int) -> Bool {
    words.acts.matches(tokens, at: at).contains { $0.payload == .wake }
  }

  /// Gives every word its role; false where nothing is asked for.
  private mutating func read(_ words: AlarmWords) -> Bool {
    var roles: [Role] = []
    var (acted, thing, definite): (AlarmWords.Act?, Int?, Bool) = (nil, nil, false)
    let ending = tokens.indices.last { words.end(.particles, tokens, at: $0) != nil }
    while roles.count < tokens.count {
      let at = roles.count
      func take(_ role: Role, until end: Int) { roles += Array(repeating: role, count: max(1, end - at)) }
      let act = words.acts.longest(tokens, at: at)
      if isTime(at) {
        take(.time, until: at + 1)
      } else if tokens[at].kind == .symbol {
        take(.around, until: at + 1)
      } else if let hit = words.things.longest(tokens, at: at), hit.end >= act?.end ?? 0 {
        (thing, kind) = (thing ?? at, hit.payload)
        take(.thing, until: hit.end)
      } else if acted == nil, let end = words.end(.off, tokens, at: at), let ending, ending >= end {
        acted = .stop
        take(.act, until: end)
      } else if let act, acted == nil || act.payload.family == acted?.family, act.payload != .show || thing == nil {
        acted = acted ?? act.payload
        asksToWake = asksToWake || act.payload == .wake
        take(.act, until: act.end)
      } else {
        let lists: [(AlarmWords.List, Role)] = [
          (.leads, .lead), (.around, .around), (.definite, .around), (.particles, .around),
        ]
        var found = lists.compactMap { list, role in words.end(list, tokens, at: at).map { (end: $0, role: role) } }
        if acted == .show {
          if let end = words.end(.asked, tokens, at: at) { found.append((end, .around)) }
          if words.end(.indefinite, tokens, at: at) != nil { found = [] }
        }
        // The first of the longest: a word that leads to a name may also say nothing.
        let best = found.reduce(nil as (end: Int, role: Role)?) { $0.map { $0.end } ?? 0 < $1.end ? $1 : $0 }
        // "The timer", and not "a timer for the rice".
        definite = definite || thing == nil && words.end(.definite, tokens, at: at) != nil
        isAll = isAll || words.end(.all, tokens, at: at) != nil
        take(best?.role ?? .other, until: best?.end ?? at + 1)
      }
    }
    guard thing != nil || asksToWake else { return false }
    name(&roles, words)
    unexplained = roles.count { $0 == .other }
    isWhole = unexplained == 0
    if let first = roles.firstIndex(of: .act) { asking = tokens[first].start..<tokens[first].end }
    isAsked = acted != nil
    // "What is an alarm clock" asks about none that is set.
    if acted == .show, !tokens.indices.contains(where: { words.end(.owned, tokens, at: $0) != nil }) { isWhole = false }
    guard let acted else {
      // "Timer ten minutes" asks; "the alarm at seven" speaks of one.
      return !definite && (seconds != nil || !timing.isEmpty)
    }
    act = acted.family
    return true
  }

  private func isTime(_ at: Int) -> Bool { isTime(tokens[at]) }

  /// "For the pasta" behind what rings, or "pasta" right before it.
  private mutating func name(_ roles: inout [Role], _ words: AlarmWords) {
    let known = roles.firstIndex { $0 == .thing || $0 == .act } ?? 0
    for lead in roles.indices where lead > known && roles[lead] == .lead {
      let rest = roles[(lead + 1)...]
      let until =
        rest.indices.first { roles[$0] == .time || [.lead, .around].contains(roles[$0]) && leadsToTime($0, roles) }
        ?? roles.count
      var said = Array((lead + 1)..<max(lead + 1, until))
      while let first = said.first, [.around, .lead].contains(roles[first]) { said.removeFirst() }
      while let last = said.last,
        tokens[last].kind == .symbol || words.end(.closings, tokens, at: last) == last + 1
      { said.removeLast() }
      guard said.contains(where: { [.other, .thing].contains(roles[$0]) }),
        !said.contains(where: { roles[$0] == .thing })
      else { continue }
      for place in (lead + 1)..<until { roles[place] = .name }
      title = said
      break
    }
    guard title.isEmpty, let thing = roles.firstIndex(of: .thing) else { return }
    let before = roles[..<thing].reversed().prefix { $0 == .other }.count
    guard (1...3).contains(before) else { return }
    title = Array((thing - before)..<thing)
    for place in title { roles[place] = .name }
  }

  /// "… for ten minutes": words that say nothing, and then when.
  private func leadsToTime(_ at: Int, _ roles: [Role]) -> Bool {
    roles[at...].first { ![.around, .lead].contains($0) } == .time
  }

  /// "Stop", "snooze please", "ausschalten": said to what rings, without naming it. Whether something rings the caller knows.
  static func answer(_ text: String) -> AlarmWords.Act? {
    guard text.utf8.count <= 60 else { return nil }
    return AlarmWords.all.lazy.compactMap { words -> AlarmWords.Act? in
      let tokens = Token.split(text, words.language.vocabulary)
      var act: AlarmWords.Act?
      var at = 0
      while at < tokens.count {
        if let hit = words.acts.longest(tokens, at: at), [.stop, .snooze].contains(hit.payload) {
          (act, at) = (act ?? hit.payload, hit.end)
        } else if let end = words.end(.closings, tokens, at: at) ?? words.end(.around, tokens, at: at) {
          at = end
        } else {
          guard tokens[at].kind == .symbol else { return nil }
          at += 1
        }
      }
      return act
    }.first
  }

  /// The utterance's own words.
  func title(_ phrasing: Phrasing) -> String? {
    guard let first = title.first, let last = title.last else { return nil }
    return String(decoding: phrasing.bytes[tokens[first].start..<tokens[last].end], as: UTF8.self)
  }

  /// "PT1H30M" in seconds; nil for lengths that are counted in the calendar.
  static func seconds(_ length: String) -> Int? {
    let units: [Character: Int] = ["W": 604_800, "D": 86_400, "H": 3600, "M": 60, "S": 1]
    var (total, number, isClock) = (0, "", false)
    for letter in length.dropFirst() {
      if letter == "T" {
        isClock = true
      } else if letter.isNumber {
        number.append(letter)
      } else {
        guard let count = Int(number), let unit = units[letter], letter != "M" || isClock, count < 1_000_000 else {
          return nil
        }
        total += count * unit
        number = ""
      }
    }
    return total > 0 ? total : nil
  }
}

extension AlarmWords.Act {
  /// To be woken is to have an alarm set.
  var family: AlarmWords.Act { self == .wake ? .set : self }
}
