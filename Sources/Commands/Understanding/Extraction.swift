import Core

/// Slots as spans of the utterance, by the words around them.
struct Extraction {
  var phrasing: Phrasing
  var times: TimeResult
  var resolver: TimeResolver
  var reading: EncoderReading?

  struct Found {
    var slots = Frame.Slots()
    /// The words that each text was taken from.
    var places: [EncoderReading.Slot: [Int]] = [:]
    /// How far the encoder reads the same slots, in the middle and for the word where it does least.
    var agreement: (mean: Double, weakest: Double)?
    var recurrence: String?
    var emailFrom: String?
    var emailAbout: String?
    var timing = Timing()
  }

  func slots(for intent: Intent) -> Found {
    var found = byRule(intent)
    if let reading, intent != .none { compare(&found, intent, reading) }
    return found
  }

  private func byRule(_ intent: Intent) -> Found {
    switch intent {
    case .addReminder: reminder()
    case .createEvent: event()
    case .createNote: note()
    case .readEmail: readingMail()
    case .sendEmail: sending()
    // What alarms are about is read by `AlarmReading`.
    case .setAlarm, .stopAlarm, .showAlarms, .none: Found()
    }
  }

  // MARK: - Time

  private func timing(_ body: Range<Int>, lead: Int? = nil, isReminder: Bool = false) -> Timing {
    guard !body.isEmpty else { return Timing() }
    // The mark at the end of "at 6 p.m." is the time's as well as the sentence's.
    let last =
      phrasing.tokens[body.upperBound...].prefix { $0.kind == .symbol }.last ?? phrasing.tokens[body.upperBound - 1]
    let bytes = phrasing.tokens[body.lowerBound].start..<last.end
    return Timing(
      times, in: bytes, of: phrasing.bytes, with: resolver, lead: lead.map { phrasing.tokens[$0].start },
      isReminder: isReminder)
  }

  private func take(_ timing: Timing, into found: inout Found) {
    found.timing = timing
    found.slots.datetimePoint = timing.point
    found.slots.datetimeRange = timing.range
    found.slots.durationMinutes = timing.minutes
    found.recurrence = timing.rrule
    repeated(&found)
  }

  /// "A weekly call with Ann on Monday at nine", "set a daily reminder": the word before the thing says how often.
  private func repeated(_ found: inout Found) {
    let habits = CommandWords.english?.habits ?? [:]
    let place = phrasing.body.dropLast().first {
      habits[phrasing.word($0)] != nil
        && (found.recurrence != nil || Said.habitual.contains(phrasing.tokens[$0 + 1].stem))
        && (Said.articles.contains(phrasing.word($0 - 1)) || phrasing.word($0 - 1) == "new"
          || $0 == phrasing.body.lowerBound + 1)
    }
    guard let name = place.map({ phrasing.word($0) }), let rule = habits[name] else { return }
    if found.recurrence != nil, throughout(name, &found) || !found.timing.isOnceEach { return }
    // "A weekly call on Monday and Wednesday" is on both days.
    if let both = found.recurrence {
      let days = both.split(separator: ";").first { $0.hasPrefix("BYDAY=") }
      if rule.hasPrefix("FREQ=WEEKLY"), let days { found.recurrence = "\(rule);\(days)" }
      return
    }
    if found.slots.datetimePoint != nil || found.slots.datetimeRange != nil {
      found.recurrence = rule
    } else if let next = resolver.readings(in: name == "annual" ? "yearly" : name).readings.first,
      let moment = next.moment
    {
      found.recurrence = next.rrule
      found.slots.datetimePoint = Civil.iso(moment)
    }
  }

  /// "A daily standup at 9:15 except Fridays": the word before the thing and all that is said behind it are one rule.
  private func throughout(_ habit: String, _ found: inout Found) -> Bool {
    let times = phrasing.body.filter { isTime($0, found.timing) }
    guard let first = times.first, let last = times.last else { return false }
    let said = "\(habit) \(phrasing.slice(first..<(last + 1)))"
    guard let whole = resolver.readings(in: said).readings.first(where: { $0.start == 0 && $0.end == said.utf8.count }),
      let rule = whole.rrule, let moment = whole.moment
    else { return false }
    found.recurrence = rule
    found.slots.datetimeRange = nil
    found.slots.datetimePoint = Civil.iso(moment)
    found.timing.spans.append(phrasing.tokens[first].start..<phrasing.tokens[last].end)
    return true
  }

  func isTime(_ index: Int, _ timing: Timing) -> Bool {
    let token = phrasing.tokens[index]
    return timing.spans.contains { token.start >= $0.lowerBound && token.end <= $0.upperBound }
  }

  // MARK: - Reminders and events

  private func reminder() -> Found {
    var found = Found()
    let body = phrasing.body
    let asked = phrasing.find(["remind", "me"], from: body.lowerBound)
    let lead = asked.flatMap { phrasing.find(["to"], from: $0 + 2) }
    take(timing(body, lead: lead, isReminder: true), into: &found)
    if found.timing.isEmpty, let length = found.timing.spans.first, isBeside(length, found.timing) {
      // When that is was not said: the words stay, and the time is asked for.
      (found.timing, found.slots.durationMinutes) = (Timing(), nil)
    }
    let timing = found.timing
    let (trigger, end) = opening(.addReminder, timing)
    // "Reminder, twenty minutes, laundry": a length right behind the asking is how long from now.
    if timing.isEmpty, let minutes = timing.minutes, end < body.upperBound, phrasing.word(end) != "for",
      isTime(end, timing)
    {
      found.slots.datetimePoint = Civil.iso(Walls(zone: resolver.zone).add(minutes * 60, to: resolver.now))
      found.slots.durationMinutes = nil
    }
    let tail = content(end..<body.upperBound, without: timing)
    // What follows "to" is to be done: "to have the car washed" keeps its "have".
    let errand = tail.prefix { index in
      Said.reminderLead.contains(phrasing.word(index)) || phrasing.tokens[index].kind == .symbol
    }.firstIndex { Said.errand.contains(phrasing.word($0)) }
    var title = errand.map { trimmed(Array(tail[($0 + 1)...]), lead: .errandLead) } ?? []
    if title.isEmpty { title = trimmed(tail, lead: .reminderLead) }
    if title.isEmpty {
      // "The dentist tomorrow at nine, remind me."
      var before = content(body.lowerBound..<trigger, without: timing)
      // "The cake is at ten, could you remind me"
      if let you = before.last, phrasing.word(you) == "you", Said.couldYou.contains(phrasing.word(you - 1)) {
        before.removeAll { $0 >= you - 1 }
      }
      title = trimmed(before, lead: .reminderLead, .makes)
    }
    found.place(title, as: .title, written(title))
    return found
  }

  /// "An hour before my dentist appointment"
  func isBeside(_ length: Range<Int>, _ timing: Timing) -> Bool {
    guard let next = phrasing.body.first(where: { phrasing.tokens[$0].start >= length.upperBound }) else {
      return false
    }
    return next + 1 < phrasing.body.upperBound && !isTime(next, timing) && Said.rings.contains(phrasing.word(next))
  }

  private func event() -> Found {
    var found = Found()
    let body = phrasing.body
    take(timing(body), into: &found)
    let timing = found.timing
    let (_, end) = opening(.createEvent, timing)
    var title: [Int] = []
    // A name given as such is the title: "an event called …".
    if let mark = phrasing.find(.named, from: body.lowerBound) {
      title = trimmed(content(mark.upperBound..<body.upperBound, without: timing))
    }
    // "Lunch Friday 12:30 with Ann": a meal says when, and in front it is what the event is called as well.
    let meal = timing.spans.lazy.compactMap { phrasing.meal(in: $0) }.first
    let name = meal.flatMap { meal in
      [body.lowerBound, end].contains {
        trimmed(Array($0..<body.upperBound), lead: .eventLead).first == meal.lowerBound
      } ? meal : nil
    }
    if title.isEmpty {
      let said = content((name?.lowerBound ?? end)..<body.upperBound, without: timing, but: name)
      title = trimmed(named(said), lead: .eventLead)
    }
    if title.isEmpty { title = trimmed(content(body.lowerBound..<end, without: timing), lead: .eventLead, .makes) }
    if title.isEmpty { title = meal.map(Array.init) ?? [] }
    found.place(title, as: .title, written(title))
    return found
  }

  /// Without "do a" of "let's do a catch-up" and "we're having" of "we're having dinner".
  private func named(_ words: [Int]) -> [Int] {
    guard words.count > 2, let first = words.first, let end = Said.havingLead.end(phrasing.tokens, at: first) else {
      return words
    }
    return words.filter { $0 >= end }
  }

  /// Where the asking words stand and where they end; a verb alone ("add", "put") opens too.
  private func opening(_ intent: Intent, _ timing: Timing) -> (start: Int, end: Int) {
    // A time may come first: "on Friday put lunch on my calendar".
    let first = phrasing.body.first {
      !isTime($0, timing) && phrasing.word($0) != "," && !["on", "at", "in"].contains(phrasing.word($0))
    }
    let body = (first ?? phrasing.body.lowerBound)..<phrasing.body.upperBound
    if intent == .addReminder || intent == .createEvent {
      // "Put it on my todo list" names a list; it asks for nothing more.
      let list = phrasing.find(.taskLists, from: body.lowerBound) ?? 0..<0
      for start in body where !list.contains(start) {
        if let hit = CommandWords.asked(phrasing.tokens, at: start), hit.payload == intent,
          hit.end <= body.upperBound, hit.end > start + 1 || !CommandWords.isName(phrasing.tokens, at: start),
          intent == .addReminder || start == body.lowerBound
        {
          // "Create a meeting": the noun belongs to what is created.
          let noun = phrasing.tokens[hit.end - 1].stem
          let isNamed =
            hit.end < body.upperBound && !isTime(hit.end, timing) && !Said.joints.contains(phrasing.word(hit.end))
          // "New appointment physio" has a name of its own.
          let keeps =
            (noun == "appointment" && !isNamed || ["meeting", "calendar"].contains(noun)) && hit.end - 1 > start
          return (start, keeps ? hit.end - 1 : hit.end)
        }
      }
    }
    return Said.opens.contains(phrasing.word(body.lowerBound)) && !beginsFeast(body.lowerBound)
      ? (body.lowerBound, body.lowerBound + 1) : (body.lowerBound, body.lowerBound)
  }

  /// The tokens of a part that say neither when nor where it is to be entered.
  private func content(_ range: Range<Int>, without timing: Timing, but named: Range<Int>? = nil) -> [Int] {
    var kept: [Int] = []
    var at = range.lowerBound
    while at < range.upperBound {
      if isTime(at, timing) && !(named?.contains(at) ?? false) || phrasing.tokens[at].words.contains(.hesitation) {
        // "A meeting for tomorrow with Ann"
        if kept.last == at - 1, phrasing.word(at - 1) == "for" { kept.removeLast() }
        at += 1
        continue
      }
      if let place = placeEnd(at), place <= range.upperBound {
        // "Put it in the diary": its "in" belongs to what follows.
        let next = placeEnd(place - 1) ?? place
        at = next <= range.upperBound ? next : place
        continue
      }
      // "With Kate, I mean Karen": the word before is taken back.
      if phrasing.word(at) == "i", ["mean", "meant"].contains(phrasing.word(at + 1)), at + 2 < range.upperBound,
        let last = kept.last(where: { phrasing.tokens[$0].kind == .word })
      {
        kept.removeAll { $0 >= last }
        at += 2
        continue
      }
      kept.append(at)
      at += 1
    }
    return kept
  }

  private func placeEnd(_ index: Int) -> Int? {
    [Said.places, .taskLists, .asksAgain].compactMap { $0.end(phrasing.tokens, at: index) }.max()
  }

  /// Without what may stand before such a text, and behind a title whose time was taken away.
  func trimmed(_ indices: [Int], lead: Said...) -> [Int] {
    var kept = indices[...]
    while let first = kept.first,
      phrasing.tokens[first].kind == .symbol && phrasing.word(first) != "@" && phrasing.word(first) != "\""
        || lead.contains(where: { $0.contains(phrasing.word(first)) }) && !beginsFeast(first)
    {
      kept.removeFirst()
    }
    while let last = kept.last,
      phrasing.tokens[last].kind == .symbol && ![")", "\""].contains(phrasing.word(last))
        || Said.trail.contains(phrasing.word(last)) && !isParticle(last) && !isJoined(last)
    {
      kept.removeLast()
    }
    return Array(kept)
  }

  /// "New Year's Eve" asks for nothing new.
  private func beginsFeast(_ index: Int) -> Bool {
    Language.all.first?.holidays.longest(phrasing.tokens, at: index).map { $0.end > index + 1 } ?? false
  }

  /// The "in" of "weigh-in".
  private func isJoined(_ index: Int) -> Bool {
    index > 0 && phrasing.word(index - 1) == "-" && phrasing.tokens[index].glued && phrasing.tokens[index - 1].glued
  }

  /// "Dial in", "drop by": the last word that was said, and not one whose time was taken away.
  private func isParticle(_ index: Int) -> Bool {
    index + 1 == phrasing.body.upperBound && Said.particles.contains(phrasing.word(index))
  }

  func written(_ indices: [Int]) -> String? { phrasing.tokens.written(indices, of: phrasing.bytes) }
}

extension [Token] {
  /// The utterance's own words; where time words were taken out between, one space.
  func written(_ indices: [Int], of bytes: [UInt8]) -> String? {
    var parts: [Range<Int>] = []
    for index in indices where !self[index].words.contains(.hesitation) {
      if let last = parts.last, last.upperBound == index {
        parts[parts.count - 1] = last.lowerBound..<(index + 1)
      } else if self[index].text != "," || parts.last.map({ self[$0.upperBound - 1].text }) != "," {
        // Of "dinner, on Friday, with Ann" one comma stays.
        parts.append(index..<(index + 1))
      }
    }
    var text = ""
    for part in parts {
      if !text.isEmpty, self[part.lowerBound].text != "," { text += " " }
      text += String(decoding: bytes[self[part.lowerBound].start..<self[part.upperBound - 1].end], as: UTF8.self)
    }
    text = String(text.drop { " ,.;:-".contains($0) })
    return text.isEmpty ? nil : text.withoutQuotes
  }
}

extension String {
  /// Without marks around the whole of it.
  fileprivate var withoutQuotes: String {
    let pairs: [Character: Character] = ["\"": "\"", "“": "”", "„": "“", "«": "»"]
    guard count > 2, let first, let last, pairs[first] == last, !dropFirst().dropLast().contains(first) else {
      return self
    }
    return String(dropFirst().dropLast())
  }
}
