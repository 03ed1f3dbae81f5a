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

  /// Sounds that are no words of what was said.
  static let hesitations: Set<String> = ["um", "uh", "uhm", "er", "erm", "umm", "uhh", "hmm", "mm"]

  // MARK: - Time

  private func timing(_ body: Range<Int>, lead: Int? = nil) -> Timing {
    guard !body.isEmpty else { return Timing() }
    // The mark at the end of "at 6 p.m." is the time's as well as the sentence's.
    let last =
      phrasing.tokens[body.upperBound...].prefix { $0.kind == .symbol }.last ?? phrasing.tokens[body.upperBound - 1]
    let bytes = phrasing.tokens[body.lowerBound].start..<last.end
    return Timing(
      times, in: bytes, of: phrasing.bytes, with: resolver, lead: lead.map { phrasing.tokens[$0].start })
  }

  private func take(_ timing: Timing, into found: inout Found) {
    found.timing = timing
    found.slots.datetimePoint = timing.point
    found.slots.datetimeRange = timing.range
    found.slots.durationMinutes = timing.minutes
    found.recurrence = timing.rrule
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
    "the", "my", "there", "new", "please", "remind", "us", "so", "it", "this", "with", "reminder", "task", "sure",
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
  ]
  private static let places: [[String]] =
    ["calendar", "calender", "diary", "schedule", "agenda", "planner", "calendars"].flatMap { place in
      ["to", "on", "in", "into", "for", "onto", "at"].flatMap { joint in
        ["my", "the", "our", "a", "work", "google"].map { [joint, $0, place] } + [
          place == "schedule" && joint == "to" ? ["to", "schedule", "me"] : [joint, place],
          [joint, "my", "work", place], [joint, "my", "google", place],
        ]
      }
    } + [
      ["to", "my", "to", "do", "list"], ["on", "my", "to", "do", "list"], ["on", "my", "tasks"], ["to", "my", "tasks"],
      ["to", "my", "todo", "list"], ["on", "my", "list"], ["to", "my", "reminders"], ["add", "it"], ["put", "it"],
      ["add", "that"], ["add", "this"], ["set", "a", "reminder"], ["set", "reminder"], ["put", "that"],
      ["put", "this"], ["note", "that", "down"], ["note", "it"],
      ["remind", "me"], ["an", "all", "day", "event"], ["all", "day", "event"], ["as", "an", "event"],
      ["as", "event"], ["as", "a", "reminder"],
    ]

  private func reminder() -> Found {
    var found = Found()
    let body = phrasing.body
    let asked = phrasing.find(["remind", "me"], from: body.lowerBound)
    let timing = timing(body, lead: asked.flatMap { phrasing.find(["to"], from: $0 + 2) })
    take(timing, into: &found)
    let (trigger, end) = opening(.addReminder, timing)
    let tail = content(end..<body.upperBound, without: timing)
    var title = trimmed(tail, lead: Self.reminderLead)
    if title.isEmpty {
      // "The dentist tomorrow at nine, remind me."
      title = trimmed(
        content(body.lowerBound..<trigger, without: timing),
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
    if title.isEmpty { title = trimmed(content(end..<body.upperBound, without: timing), lead: Self.eventLead) }
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

  /// Where the asking words stand and where they end; a verb alone ("add", "put") opens too.
  private func opening(_ intent: Intent, _ timing: Timing) -> (start: Int, end: Int) {
    // A time may come first: "on Friday put lunch on my calendar".
    let first = phrasing.body.first { !isTime($0, timing) && !["on", "at", "in", ","].contains(phrasing.word($0)) }
    let body = (first ?? phrasing.body.lowerBound)..<phrasing.body.upperBound
    if intent == .addReminder || intent == .createEvent {
      for start in body {
        if let hit = Triggers.openings.longest(phrasing.tokens, at: start), hit.payload == intent,
          hit.end <= body.upperBound,
          intent == .addReminder || start == body.lowerBound
        {
          // "Create a meeting": the noun belongs to what is created.
          let noun = phrasing.tokens[hit.end - 1].stem
          let keeps = ["meeting", "appointment", "calendar"].contains(noun) && hit.end - 1 > start
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
      if isTime(at, timing) || Self.hesitations.contains(phrasing.word(at)) {
        at += 1
        continue
      }
      if let place = Self.places.first(where: { words in
        at + words.count <= range.upperBound
          && words.enumerated().allSatisfy { phrasing.word(at + $0.offset) == $0.element }
      }) {
        at += place.count
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
        || Self.trail.contains(phrasing.word(last))
    {
      kept.removeLast()
    }
    return Array(kept)
  }

  /// The utterance's own words; where time words were taken out between, one space.
  func written(_ indices: [Int]) -> String? {
    let indices = indices.filter { !Self.hesitations.contains(phrasing.word($0)) }
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
