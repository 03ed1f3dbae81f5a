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
    case .none: Found()
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
    if timing.rrule == nil { repeated(&found) }
  }

  private static let habits: [String: (name: String, rule: String)] = [
    "daily": ("daily", "FREQ=DAILY"), "nightly": ("daily", "FREQ=DAILY"), "weekly": ("weekly", "FREQ=WEEKLY"),
    "fortnightly": ("fortnightly", "FREQ=WEEKLY;INTERVAL=2"), "biweekly": ("fortnightly", "FREQ=WEEKLY;INTERVAL=2"),
    "monthly": ("monthly", "FREQ=MONTHLY"), "yearly": ("yearly", "FREQ=YEARLY"), "annual": ("yearly", "FREQ=YEARLY"),
  ]
  private static let habitual: Set<String> = [
    "reminder", "meeting", "call", "sync", "standup", "checkin", "check", "catchup", "catch", "appointment", "event",
    "session", "class", "lesson", "team", "one", "review", "status", "yoga", "training", "practice",
  ]

  /// "A weekly call with Ann on Monday at nine", "set a daily reminder": the word before the thing says how often.
  private func repeated(_ found: inout Found) {
    let place = phrasing.body.dropLast().first {
      Self.habits[phrasing.word($0)] != nil && Self.habitual.contains(phrasing.tokens[$0 + 1].stem)
        && (["a", "an", "new", "my", "our"].contains(phrasing.word($0 - 1)) || $0 == phrasing.body.lowerBound + 1)
    }
    guard let habit = place.flatMap({ Self.habits[phrasing.word($0)] }) else { return }
    if found.slots.datetimePoint != nil || found.slots.datetimeRange != nil {
      found.recurrence = habit.rule
    } else if let next = resolver.readings(in: habit.name).readings.first, let moment = next.moment {
      found.recurrence = next.rrule
      found.slots.datetimePoint = Civil.iso(moment)
    }
  }

  func isTime(_ index: Int, _ timing: Timing) -> Bool {
    let token = phrasing.tokens[index]
    return timing.spans.contains { token.start >= $0.lowerBound && token.end <= $0.upperBound }
  }

  // MARK: - Reminders and events

  private static let reminderLead: Set<String> = [
    "to", "too", "again", "about", "of", "that", "for", "on", "at", "called", "saying", "i", "have", "need", "ive",
    "got", "must",
    "should", "in",
    "and", "a", "an", "by", "remember", "me", "due", "regarding", "also", "is", "as", "say", "reading", "titled",
    "named",
    "gotta", "2", "the", "my", "there", "new", "please", "remind", "us", "so", "it", "this", "with", "reminder", "task",
    "sure",
  ]
  private static let trail: Set<String> = [
    "on", "at", "for", "by", "in", "the", "and", "to", "due", "from", "of", "that", "a", "please", "starting", "is",
    "set", "so", "then", "um", "uh", "its",
    "every", "between",
  ]
  private static let eventLead: Set<String> = [
    "a", "an", "the", "new", "event", "events", "entry", "calendar", "called", "named", "titled", "for", "of", "to",
    "on", "in", "at", "about", "me",
    "and", "that", "with", "have", "as", "is", "this", "reminder", "i", "ive", "got", "there", "out", "up", "by",
    "from", "my", "our", "some", "item", "time", "regarding", "saying", "which", "will", "be", "we", "weve", "theres",
    "starts", "starting", "add", "put", "down",
  ]
  /// Where it is to be entered, in the many ways of saying so: "to my work calendar", "on my list", "could you put that in".
  private static let places = Phrases<Bool>(
    [
      (
        joined(["to", "on", "in", "into", "for", "onto", "at"], determined + ["my work", "my google"], calendars), true
      )
    ]
      // "To schedule" is what is to be done.
      + [(joined(["to", "on", "in", "into", "for", "onto", "at"], calendars.filter { $0 != "schedule" }), true)]
      + [(joined(["on", "in", "into", "for", "onto"], ["schedule"]), true)]
      + [(joined(["add", "put"], ["to", "in", "into", "on"], determined + [""], calendars), true)]
      + [
        (
          joined(["", "can you", "could you", "please", "so", "and"], verbs, ["it", "that", "this"], ["in", "down"]),
          true
        )
      ]
      + [(joined(["can you", "could you", "please", "so", "and"], verbs, ["it", "that", "this"]), true)]
      + [(joined(["can you", "could you", "would you", "please", "so", "and"], ["remind me"]), true)]
      + [
        (
          "to schedule me|to my to do list|on my to do list|to my to do|on my tasks|to my tasks|to my todo list|on my list|to my list|to the list|to my reminders|add it|add that|add this|put it|put that|put this|save that|save this|calendar that|calendar this|set a reminder|set reminder|note it|note that down|remind me|an all day event|all day event|as an event|as event|as a reminder",
          true
        )
      ])
  private static let calendars = ["calendar", "calender", "diary", "schedule", "agenda", "planner", "calendars"]
  private static let determined = ["my", "the", "our", "a", "work", "google"]
  private static let verbs = ["add", "put", "pop", "stick", "save", "enter", "schedule", "mark", "get", "note"]

  /// Every choice of one from each list, as `Phrases` reads them.
  private static func joined(_ parts: [String]...) -> String {
    parts.reduce([""]) { known, next in
      known.flatMap { head in next.map { head.isEmpty || $0.isEmpty ? head + $0 : head + " " + $0 } }
    }.joined(separator: "|")
  }

  private func reminder() -> Found {
    var found = Found()
    let body = phrasing.body
    let asked = phrasing.find(["remind", "me"], from: body.lowerBound)
    let timing = timing(body, lead: asked.flatMap { phrasing.find(["to"], from: $0 + 2) }, isReminder: true)
    take(timing, into: &found)
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
      Self.reminderLead.contains(phrasing.word(index)) || phrasing.tokens[index].kind == .symbol
    }.firstIndex { ["to", "too", "2"].contains(phrasing.word($0)) }
    var title =
      errand.map {
        trimmed(Array(tail[($0 + 1)...]), lead: ["to", "too", "please", "remember", "also", "about", "me", "myself"])
      } ?? []
    if title.isEmpty { title = trimmed(tail, lead: Self.reminderLead) }
    if title.isEmpty {
      // "The dentist tomorrow at nine, remind me."
      var before = content(body.lowerBound..<trigger, without: timing)
      // "The cake is at ten, could you remind me"
      if let you = before.last, phrasing.word(you) == "you",
        ["can", "could", "would", "will"].contains(phrasing.word(you - 1))
      {
        before.removeAll { $0 >= you - 1 }
      }
      title = trimmed(
        before,
        lead: Self.reminderLead.union(["set", "add", "put", "create", "make"]))
    }
    found.place(title, as: .title, written(title))
    return found
  }

  private func event() -> Found {
    var found = Found()
    let body = phrasing.body
    let timing = timing(body)
    take(timing, into: &found)
    let (_, end) = opening(.createEvent, timing)
    var title: [Int] = []
    // A name given as such is the title: "an event called …".
    for mark in ["called", "named", "titled"] {
      if let at = phrasing.find([mark], from: body.lowerBound), title.isEmpty {
        title = trimmed(content((at + 1)..<body.upperBound, without: timing), lead: [])
      }
    }
    if title.isEmpty { title = trimmed(named(content(end..<body.upperBound, without: timing)), lead: Self.eventLead) }
    if title.isEmpty {
      title = trimmed(
        content(body.lowerBound..<end, without: timing),
        lead: Self.eventLead.union([
          "set", "add", "put", "create", "make", "book", "schedule", "block", "plan", "arrange", "reserve", "mark",
          "enter",
        ]))
    }
    found.place(title, as: .title, written(title))
    return found
  }

  /// Without "do a" of "let's do a catch-up" and "we're having" of "we're having dinner".
  private func named(_ words: [Int]) -> [Int] {
    guard words.count > 2 else { return words }
    let opening = words.prefix(3).map { phrasing.word($0) }
    if opening[0] == "do", ["a", "an", "some"].contains(opening[1]) { return Array(words.dropFirst(2)) }
    if ["were", "im"].contains(opening[0]), opening[1] == "having" { return Array(words.dropFirst(2)) }
    if ["we", "i"].contains(opening[0]), ["are", "am"].contains(opening[1]), opening[2] == "having" {
      return Array(words.dropFirst(3))
    }
    return words
  }

  /// Where the asking words stand and where they end; a verb alone ("add", "put") opens too.
  private func opening(_ intent: Intent, _ timing: Timing) -> (start: Int, end: Int) {
    // A time may come first: "on Friday put lunch on my calendar".
    let first = phrasing.body.first { !isTime($0, timing) && !["on", "at", "in", ","].contains(phrasing.word($0)) }
    let body = (first ?? phrasing.body.lowerBound)..<phrasing.body.upperBound
    if intent == .addReminder || intent == .createEvent {
      for start in body {
        if let hit = Triggers.openings.longest(phrasing.tokens, at: start), hit.payload == intent,
          hit.end <= body.upperBound, hit.end > start + 1 || !Triggers.isName(phrasing.tokens, at: start),
          intent == .addReminder || start == body.lowerBound
        {
          // "Create a meeting": the noun belongs to what is created.
          let noun = phrasing.tokens[hit.end - 1].stem
          let joints: Set<String> = ["with", "for", "at", "about", "on", "to", "of", "in", "and", "between"]
          let isNamed =
            hit.end < body.upperBound && !isTime(hit.end, timing) && !joints.contains(phrasing.word(hit.end))
          // "New appointment physio" has a name of its own.
          let keeps =
            (noun == "appointment" && !isNamed || ["meeting", "calendar"].contains(noun)) && hit.end - 1 > start
          return (start, keeps ? hit.end - 1 : hit.end)
        }
      }
    }
    let verbs: Set<String> = [
      "add", "put", "create", "make", "set", "place", "insert", "enter", "mark", "save", "get", "fix", "include",
      "input", "have", "need", "new", "start", "open", "tell", "let", "give", "keep",
    ]
    return verbs.contains(phrasing.word(body.lowerBound))
      ? (body.lowerBound, body.lowerBound + 1) : (body.lowerBound, body.lowerBound)
  }

  /// The tokens of a part that say neither when nor where it is to be entered.
  private func content(_ range: Range<Int>, without timing: Timing) -> [Int] {
    var kept: [Int] = []
    var at = range.lowerBound
    while at < range.upperBound {
      if isTime(at, timing) || phrasing.tokens[at].words.contains(.hesitation) {
        // "A meeting for tomorrow with Ann"
        if kept.last == at - 1, phrasing.word(at - 1) == "for" { kept.removeLast() }
        at += 1
        continue
      }
      if let place = Self.places.longest(phrasing.tokens, at: at), place.end <= range.upperBound {
        // "Put it in the diary": its "in" belongs to what follows.
        let next = Self.places.longest(phrasing.tokens, at: place.end - 1)?.end ?? place.end
        at = next <= range.upperBound ? next : place.end
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

  func trimmed(_ indices: [Int], lead: Set<String>) -> [Int] {
    var kept = indices[...]
    while let first = kept.first,
      phrasing.tokens[first].kind == .symbol && phrasing.word(first) != "@" && phrasing.word(first) != "\""
        || lead.contains(phrasing.word(first))
    {
      kept.removeFirst()
    }
    while let last = kept.last,
      phrasing.tokens[last].kind == .symbol && ![")", "\""].contains(phrasing.word(last))
        || Self.trail.contains(phrasing.word(last)) && !isParticle(last)
    {
      kept.removeLast()
    }
    return Array(kept)
  }

  /// "Dial in", "drop by": the last word that was said, and not one whose time was taken away.
  private func isParticle(_ index: Int) -> Bool {
    index + 1 == phrasing.body.upperBound && ["in", "on", "by"].contains(phrasing.word(index))
  }

  /// The utterance's own words; where time words were taken out between, one space.
  func written(_ indices: [Int]) -> String? {
    let indices = indices.filter { !phrasing.tokens[$0].words.contains(.hesitation) }
    guard !indices.isEmpty else { return nil }
    var parts: [String] = []
    var start = indices[0]
    for (place, index) in indices.enumerated() {
      let next = place + 1 < indices.count ? indices[place + 1] : Int.max
      if next != index + 1 {
        parts.append(phrasing.slice(start..<(index + 1)))
        start = next
      }
    }
    let text = parts.joined(separator: " ").trimmingPrefix { " ,.;:-".contains($0) }
    return text.isEmpty ? nil : String(text)
  }

  // MARK: - Notes

  private func note() -> Found {
    var found = Found()
    let body = phrasing.body
    var end = body.lowerBound
    for start in body where end == body.lowerBound {
      if let hit = Triggers.openings.longest(phrasing.tokens, at: start), hit.payload == .createNote { end = hit.end }
    }
    // "… write that down" stands behind what is to be written.
    if end >= body.upperBound
      || phrasing.find(["write", "that", "down"], from: body.lowerBound) ?? 0 > body.lowerBound + 2
    {
      let tail =
        phrasing.find(["write", "that", "down"], from: body.lowerBound)
        ?? phrasing.find(["note", "that", "down"], from: body.lowerBound)
      if let tail {
        let words = trimmed(Array(body.lowerBound..<tail), lead: ["for", "the", "record"])
        found.place(words, as: .title, written(words))
      }
      return found
    }
    let lead: Set<String> = [
      "that", "saying", "says", "which", "about", "of", "called", "to", "for", "with", "and", "write", "say", "self",
      "titled", "down", "reading", "it", "the", "following", "later", "this", "on",
    ]
    var kept = Array(end..<body.upperBound)
    // Only as many leading words as can belong to the asking: "note that the wifi …" keeps "the".
    var dropped = 0
    while let first = kept.first, dropped < 4,
      phrasing.tokens[first].kind == .symbol
        || ["me", "us"].contains(phrasing.word(first)) && phrasing.word(first - 1) == "for"
        || lead.contains(phrasing.word(first))
          && !(phrasing.word(first) == "the" && phrasing.word(first + 1) != "following")
    {
      if ["this", "it"].contains(phrasing.word(first)), kept.count > 1, dropped == 0,
        phrasing.tokens[first + 1].kind == .word, phrasing.word(first + 1) != "down"
      {
        break
      }
      kept.removeFirst()
      dropped += 1
    }
    kept = trimmedEnd(kept)
    found.place(kept, as: .title, written(kept))
    return found
  }

  private func trimmedEnd(_ indices: [Int]) -> [Int] {
    var kept = indices[...]
    while let last = kept.last, phrasing.tokens[last].kind == .symbol,
      ![")", "\"", "!", "%", "'"].contains(phrasing.word(last))
    { kept.removeLast() }
    return Array(kept)
  }
}

extension String {
  fileprivate func trimmingPrefix(_ test: (Character) -> Bool) -> Substring { drop(while: test) }
}
