/// A request in a language that no classifier reads: what asks, for what, and when, each told by the language's table. What the table
/// does not know is no request, and the person is asked before anything is done.
struct RequestReading: Sendable {
  enum Meaning: Sendable, Equatable {
    case command(Intent)
    case topic(Understanding.Topic)
  }

  private(set) var meaning = Meaning.command(.none)
  private(set) var slots = Frame.Slots()
  private(set) var emailFrom: String?
  private(set) var timing = Timing()
  let times: [TimeReading]
  /// Where the words stand that ask, as bytes.
  private(set) var asking = 0..<0
  private(set) var speaksOfCalendar = false
  /// What is asked about goes by these words, and nothing else that stands in the calendar is meant.
  private(set) var called: Set<String> = []

  let words: RequestWords
  let tokens: [Token]
  let bytes: [UInt8]
  /// The tokens between politeness and closings.
  private var body = 0..<0

  /// Longer utterances are not one request.
  private static let most = 200

  static func best(_ phrasing: Phrasing, _ resolver: TimeResolver) -> RequestReading? {
    RequestWords.all.lazy.compactMap { RequestReading(phrasing, $0, resolver) }.first
  }

  private init?(_ phrasing: Phrasing, _ words: RequestWords, _ resolver: TimeResolver) {
    (self.words, bytes) = (words, phrasing.bytes)
    tokens = Token.split(phrasing.text, words.language.vocabulary)
    guard tokens.count <= Self.most, words.mayAsk(tokens) else { return nil }
    var resolver = resolver
    resolver.language = words.language
    let result = resolver.readings(in: phrasing.text)
    times = result.readings
    let start = words.past(.politeness, tokens, from: 0)
    body = start..<max(start, lastPast(.closings))
    guard !body.isEmpty else { return nil }
    // Times may come first: "morgen um neun erinnere mich …".
    let starts = [start, pastTimes(from: start)].compactMap(\.self)
    func timing(_ isReminder: Bool) -> Timing {
      Timing(result, in: 0..<bytes.count, of: bytes, with: resolver, isReminder: isReminder)
    }
    if let (ask, used) = starts.compactMap({ found(words.asks, at: $0) }).first {
      self.timing = timing(ask.value == .addReminder)
      guard isAsked(ask, used) else { return nil }
      meaning = .command(ask.value)
      mark(used)
      take(ask.value, used)
    } else if let (topic, used) = starts.compactMap({ found(words.topics, at: $0) }).first {
      self.timing = timing(false)
      guard speaks(of: topic, used) else { return nil }
      meaning = .topic(topic.value == .change ? .change : .question)
      mark(used)
    } else if let at = starts.first(where: { words.thing(tokens, at: pastNews($0)) != nil }) {
      self.timing = timing(false)
      guard isEntry(at, phrasing.text) else { return nil }
      meaning = .command(.createEvent)
      takeTime()
      name(pastNews(at))
    } else if let at = starts.first(where: { words.end(.duties, tokens, at: $0) != nil }),
      isDuty(phrasing.text, timing(true))
    {
      self.timing = timing(true)
      meaning = .command(.addReminder)
      let end = words.end(.duties, tokens, at: at) ?? at
      take(.addReminder, [at..<end])
    } else if isTimedEntry(phrasing.text, resolver, timing(false)) {
      self.timing = timing(false)
      meaning = .command(.createEvent)
      takeTime()
      slots.title = written(trimmed(rest([]), .eventLead))
    } else {
      return nil
    }
  }

  private mutating func mark(_ used: [Range<Int>]) {
    asking = tokens[used[0].lowerBound].start..<tokens[used[0].upperBound - 1].end
  }

  // MARK: - What asks

  private typealias Used = [Range<Int>]

  private func found<Value>(_ asks: [RequestWords.Ask<Value>], at start: Int) -> (RequestWords.Ask<Value>, Used)? {
    words.found(asks, tokens, in: start..<max(start, body.upperBound), isSaid: isSaid)
  }

  /// "Erinnere mich nicht daran" asks for nothing, and a noun alone only where a time or a colon goes with it.
  private func isAsked(_ ask: RequestWords.Ask<Intent>, _ used: Used) -> Bool {
    let next = used[0].upperBound
    if !ask.first.isEmpty, words.end(.negations, tokens, at: next) != nil { return false }
    guard ask.count == 1, ask.value == .createEvent || ask.value == .addReminder else { return true }
    return !timing.isEmpty || next < body.upperBound && tokens[next].kind == .symbol
  }

  /// Of the calendar nothing but when is asked, or for something of one's own that stands there.
  private mutating func speaks(of topic: RequestWords.Ask<RequestWords.Topic>, _ used: Used) -> Bool {
    let content = rest(used)
    let isNamed = content.contains { words.thing(tokens, at: $0) != nil }
    speaksOfCalendar = topic.value == .question || isNamed
    if topic.value == .change { return !content.isEmpty }
    if topic.value == .when {
      called = names(content)
      if !called.isEmpty { return true }
    }
    var at = 0
    while at < content.count {
      let here = content[at]
      let end = words.thing(tokens, at: here) ?? words.end(.agendaAround, tokens, at: here)
      guard let end = end ?? (tokens[here].kind == .symbol ? here + 1 : nil) else { break }
      while at < content.count, content[at] < end { at += 1 }
    }
    let isWhole = at == content.count && (!timing.isEmpty && !timing.isImpossible || isNamed)
    return isWhole || topic.count > 2 && content.first.map { words.thing(tokens, at: $0) != nil } ?? false
  }

  /// The words that tell one entry from others: not "appointment", nor "my".
  private func names(_ content: [Int]) -> Set<String> {
    let around = content.reduce(into: Set<Int>()) { around, at in
      for list in [RequestWords.List.agendaAround, .whenAround] {
        if let end = words.end(list, tokens, at: at) { around.formUnion(at..<end) }
      }
    }
    return Set(
      content.lazy.filter { tokens[$0].kind == .word && !around.contains($0) && !words.isThingAlone(tokens[$0]) }
        .map { tokens[$0].stem })
  }

  /// "Zahnarzttermin am Freitag um zwei": what stands in calendars, and when. "Der Termin war am Freitag" tells.
  private func isEntry(_ start: Int, _ text: String) -> Bool {
    let tells = body.contains { words.end(.tells, tokens, at: $0) != nil }
    return !timing.isEmpty && !tells && !text.hasSuffix("?") && rest([]).count <= 14
  }

  /// "Ich muss am Dienstag die Reifen abholen": something to be done by oneself, at a time that is to come.
  private func isDuty(_ text: String, _ timing: Timing) -> Bool {
    !timing.isEmpty && !timing.isImpossible && !text.hasSuffix("?")
      && words.end(.inquiries, tokens, at: body.lowerBound) == nil
      && !body.contains {
        words.end(.inquiries, tokens, at: $0) != nil && words.end(.reminderLead, tokens, at: $0) == nil
      }
  }

  /// "Zahnarzt am Dienstag um halb zehn": a name with a day and a time of day that are to come, as nobody says them who asks or tells.
  /// What says when in English a classifier tells.
  private func isTimedEntry(_ text: String, _ resolver: TimeResolver, _ timing: Timing) -> Bool {
    guard words.mayEnter(tokens), !text.hasSuffix("?"), !AlarmWords.speak(tokens, in: words.language),
      words.end(.inquiries, tokens, at: body.lowerBound) == nil,
      !body.contains(where: { words.end(.tells, tokens, at: $0) != nil }),
      timing.hasDate, timing.hasClock, timing.rrule != nil || !timing.isPast(at: resolver.now)
    else { return false }
    var english = resolver
    english.language = Language.all.first
    if english.readings(in: text).readings.contains(where: { $0.hasDate && $0.hasClock }) { return false }
    let name = body.filter { at in
      !timing.spans.contains { $0.contains(tokens[at].start) }
        && (at < body.upperBound - 1 || tokens[at].kind == .word)
    }
    return (1...10).contains(name.count { tokens[$0].kind == .word })
      && !name.contains { ".;:".contains(tokens[$0].text) }
  }

  // MARK: - What for

  private mutating func take(_ intent: Intent, _ used: Used) {
    switch intent {
    case .addReminder:
      takeTime()
      slots.title = written(trimmed(rest(used), .reminderLead)).map(words.plain)
    case .createEvent:
      takeTime()
      var content = rest(used)
      // "… für morgen um zehn: Besprechung": behind a colon stands what it is called.
      if let colon = content.dropLast().firstIndex(where: { tokens[$0].text == ":" }) {
        content = Array(content[colon...])
      }
      // "Neuer Termin mit Anna": the noun of the asking belongs to what the event is called.
      let noun = used.compactMap { part in part.first { words.thing(tokens, at: $0) == part.upperBound } }.first
      let goesOn = content.first.map { words.end(.joints, tokens, at: $0) != nil } ?? true
      if let noun, goesOn, let end = words.thing(tokens, at: noun) {
        slots.title = written(trimmed(Array(noun..<end) + content, .eventLead))
      } else {
        slots.title = written(trimmed(content, .eventLead))
      }
    case .createNote:
      slots.title = written(trimmed(rest(used, withTimes: true), .noteLead))
    case .readEmail:
      takeTime()
      let content = rest(used)
      let lead = content.first { words.end(.mailFrom, tokens, at: $0) != nil }
      let end = lead.flatMap { words.end(.mailFrom, tokens, at: $0) }
      emailFrom = end.flatMap { end in written(trimmed(content.filter { $0 >= end }, nil)) }
    case .sendEmail:
      write(used)
    case .setAlarm, .stopAlarm, .showAlarms, .none: break
    }
  }

  private mutating func takeTime() {
    slots.datetimePoint = timing.point
    slots.datetimeRange = timing.range
    slots.durationMinutes = timing.minutes
  }

  /// "Termin: Elternabend" is called by what follows, "Termin beim Friseur" by all of it.
  private mutating func name(_ noun: Int) {
    let content = rest([]).filter { $0 >= noun }
    let end = words.thing(tokens, at: noun) ?? noun
    let behind = trimmed(content.filter { $0 >= end }, .eventLead)
    let isLabel = end < tokens.count && tokens[end].text == ":" && !behind.isEmpty
    slots.title = written(isLabel ? behind : trimmed(content, nil))
  }

  /// Who is written to stands behind its word or before the mail itself; then subject and text, each behind its mark.
  private mutating func write(_ used: Used) {
    // "Schreib an Anna: …" asks with the mark of the text; thanks at the end of a text belong to it.
    let asking = used.filter { words.end(.bodyMarks, tokens, at: $0.lowerBound) ?? colon($0.lowerBound) == nil }
    if body.contains(where: { words.end(.bodyMarks, tokens, at: $0) ?? colon($0) != nil }) {
      body = body.lowerBound..<max(body.upperBound, lastPast(.closings, .politeness))
    }
    let content = rest(asking, withTimes: true)
    let marks: [(start: Int, end: Int, isSubject: Bool)] = content.reduce(into: []) { marks, at in
      guard at >= marks.last?.end ?? 0, marks.last?.isSubject ?? true else { return }
      if let end = words.end(.subjectMarks, tokens, at: at), marks.isEmpty {
        marks.append((at, end, true))
      } else if let end = words.end(.bodyMarks, tokens, at: at) ?? colon(at) {
        if marks.isEmpty || tokens[at].text != ":" { marks.append((at, end, false)) }
      }
    }
    for (place, mark) in marks.enumerated() {
      let until = place + 1 < marks.count ? marks[place + 1].start : Int.max
      let text = written(trimmed(content.filter { $0 >= mark.end && $0 < until }, nil))
      if mark.isSubject { slots.emailSubject = text } else { slots.emailBody = text }
    }
    var names: [[Int]] = [[]]
    for at in content where at < marks.first?.start ?? Int.max {
      let isJoint = words.end(.and, tokens, at: at) != nil || tokens[at].text == ","
      if isJoint || words.end(.mailTo, tokens, at: at) != nil {
        names.append([])
      } else {
        names[names.count - 1].append(at)
      }
    }
    slots.emailTo = names.compactMap { written(trimmed($0, nil)) }
  }

  // MARK: - Parts of it

  /// What is said beside the asking, without when.
  private func rest(_ used: Used, withTimes: Bool = false) -> [Int] {
    body.filter { at in
      !used.contains { $0.contains(at) } && (withTimes ? at >= used.first?.lowerBound ?? 0 : !isTime(at))
    }
  }

  private func isTime(_ at: Int) -> Bool {
    timing.spans.contains { tokens[at].start >= $0.lowerBound && tokens[at].end <= $0.upperBound }
  }

  private func isSaid(_ at: Int) -> Bool {
    times.contains { tokens[at].start >= $0.start && tokens[at].end <= $0.end }
  }

  /// Past all that says when before anything else is said; nil where nothing does.
  private func pastTimes(from start: Int) -> Int? {
    var at = start
    while let end = times.filter({ at < tokens.count && $0.start == tokens[at].start }).map(\.end).max(),
      let next = body.first(where: { tokens[$0].start >= end })
    {
      at = words.past(.politeness, tokens, from: next)
    }
    return at > start ? at : nil
  }

  private func pastNews(_ start: Int) -> Int { words.end(.news, tokens, at: start) ?? start }

  private func colon(_ at: Int) -> Int? { tokens[at].text == ":" ? at + 1 : nil }

  /// Before what may stand behind a request; of two lists, what both have.
  private func lastPast(_ lists: RequestWords.List...) -> Int {
    var end = tokens.count
    while end > 0 {
      if tokens[end - 1].kind == .symbol, !["\"", ")"].contains(tokens[end - 1].text) {
        end -= 1
      } else if let start = (0..<end).first(where: { at in
        lists.allSatisfy { words.end($0, tokens, at: at) == end }
      }), start > 0 {
        end = start
      } else {
        break
      }
    }
    return end
  }

  /// Without what may stand before such a text and behind it.
  private func trimmed(_ indices: [Int], _ lead: RequestWords.List?) -> [Int] {
    var kept = indices[...]
    while let first = kept.first {
      if tokens[first].kind == .symbol, !["@", "\""].contains(tokens[first].text) {
        kept.removeFirst()
      } else if let end = lead.flatMap({ words.end($0, tokens, at: first) }), kept.contains(where: { $0 >= end }) {
        kept = kept.drop { $0 < end }
      } else {
        break
      }
    }
    while let last = kept.last,
      tokens[last].kind == .symbol && !["\"", ")", "!", "?"].contains(tokens[last].text)
        || lead != nil && words.end(.trail, tokens, at: last) == last + 1
    {
      kept.removeLast()
    }
    return Array(kept)
  }

  private func written(_ indices: [Int]) -> String? { tokens.written(indices, of: bytes) }
}
