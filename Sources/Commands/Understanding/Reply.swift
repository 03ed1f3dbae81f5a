import Core

/// What a person says to a card that waits for an answer. What is no reply is taken as said anew.
package struct Reply: Sendable, Equatable {
  package enum Kind: String, Sendable, Codable {
    case yes, no, undo
    /// Another time than the card shows.
    case change
    /// A yes that may have been something else: the recogniser was not sure.
    case unheard
    case other
  }

  package var kind: Kind
  package var edits: CardEdits?

  package init(kind: Kind, edits: CardEdits? = nil) { (self.kind, self.edits) = (kind, edits) }

  /// The gate's rule holds for a yes as well: one that was barely heard does nothing.
  package init(
    _ text: String, to card: Card, with resolver: TimeResolver, recognition: Double? = nil, gate: Gate = Gate()
  ) {
    self.init(kind: .other)
    guard text.utf8.count <= 200 else { return }
    for words in RequestWords.all {
      var resolver = resolver
      if words.language !== Language.all.first { resolver.language = words.language }
      let tokens = Token.split(text, words.language.vocabulary)
      if let answer = Self.answer(tokens, words) {
        kind = answer == .yes && recognition ?? 1 < gate.heardFrom ? .unheard : answer
      } else if card.intent.form.isTimed, let edits = Self.change(tokens, text, card, resolver, words) {
        (kind, self.edits) = (.change, edits)
      } else {
        continue
      }
      return
    }
  }

  /// Nothing but answers and fillers; one no among them is a no.
  private static func answer(_ tokens: [Token], _ words: RequestWords) -> Kind? {
    var kinds: [Kind] = []
    var at = 0
    while at < tokens.count {
      if let hit = words.answers.longest(tokens, at: at) {
        kinds.append(hit.payload)
        at = hit.end
      } else if let end = words.end(.fillers, tokens, at: at) {
        at = end
      } else if tokens[at].kind == .symbol {
        at += 1
      } else {
        return nil
      }
    }
    return kinds.contains(.no) ? .no : kinds.contains(.undo) ? .undo : kinds.first
  }

  // MARK: - Another time

  /// "No, make it eight", "Thursday instead", "from two to four": the words of a time and nothing else.
  private static func change(
    _ tokens: [Token], _ text: String, _ card: Card, _ resolver: TimeResolver, _ words: RequestWords
  ) -> CardEdits? {
    var start = 0
    var end = tokens.count
    while start < end {
      let led = [
        words.end(.newTimeLeads, tokens, at: start), words.answers.longest(tokens, at: start)?.end,
        words.end(.fillers, tokens, at: start), tokens[start].kind == .symbol ? start + 1 : nil,
      ]
      guard let next = led.compactMap({ $0 }).max() else { break }
      start = next
    }
    while end > start, tokens[end - 1].kind == .symbol || words.end(.newTimeTails, tokens, at: end - 1) == end {
      end -= 1
    }
    guard start < end else { return nil }
    let said = String(decoding: Array(text.utf8)[tokens[start].start..<tokens[end - 1].end], as: UTF8.self)
    if start + 1 == end, let length = length(tokens[start], card) { return lasting(length, resolver) }
    guard let best = whole(said, resolver).first else { return nil }
    if best.kind == .duration { return lasting(best, card, resolver) }
    guard best.kind != .recurrence, best.open == nil, let moment = best.moment else { return nil }
    let old = card.start.flatMap(Civil.parse)
    let oldEnd = card.end.flatMap(Civil.parse)
    let saysClock = best.hasClock || best.grain < .day
    var new = (start: moment, end: best.kind == .range && !best.isDeadline ? best.until : nil)
    if let old, !best.hasDate {
      new = beside(said, on: old, resolver) ?? new
    } else if let old, !saysClock {
      new = (moment + Civil.modulo(old, Civil.secondsPerDay), nil)
    }
    if new.end == nil, let old, let oldEnd { new.end = new.start + oldEnd - old }
    guard new.start != old || new.end != oldEnd else { return nil }
    var edits = CardEdits()
    edits.start = Civil.iso(new.start)
    edits.end = new.end.map(Civil.iso)
    return edits
  }

  /// "Make that five" of a timer for ten minutes: five of what it shows, in seconds.
  private static func length(_ token: Token, _ card: Card) -> Int? {
    let isNumber = token.kind == .number || token.cardinal != nil
    guard card.alarm == .timer, let shown = card.seconds, isNumber else { return nil }
    let unit = [3600, 60].first { shown % $0 == 0 } ?? 1
    let number = token.cardinal ?? token.value
    return (1...180).contains(number) ? number * unit : nil
  }

  private static func lasting(_ seconds: Int, _ resolver: TimeResolver) -> CardEdits {
    var edits = CardEdits()
    edits.start = Civil.iso(Walls(zone: resolver.zone).add(seconds, to: resolver.now))
    return edits
  }

  private static func lasting(_ length: TimeReading, _ card: Card, _ resolver: TimeResolver) -> CardEdits? {
    if card.intent == .setAlarm, let seconds = AlarmReading.seconds(length.value) { return lasting(seconds, resolver) }
    guard card.intent == .createEvent, let minutes = length.minutes, minutes > 0 else { return nil }
    var edits = CardEdits()
    if card.end != nil, let start = card.start.flatMap(Civil.parse) {
      edits.end = Civil.iso(start + minutes * 60)
    } else {
      edits.durationMinutes = minutes
    }
    return edits
  }

  /// The clock that was said, on the day of the card; without am or pm the one nearer to what the card shows.
  static func beside(_ words: String, on old: Int, _ resolver: TimeResolver) -> (start: Int, end: Int?)? {
    let date = Civil.iso(old).prefix(10)
    let options =
      ["at ", "um ", "à ", "", "from "].lazy.map { whole("\(date) \($0)\(words)", resolver) }.first { !$0.isEmpty }
      ?? []
    let clocks = options.filter { $0.hasClock || $0.kind == .range }
    let showsClock = Civil.modulo(old, Civil.secondsPerDay) != 0
    let best =
      showsClock ? clocks.min { abs(($0.moment ?? 0) - old) < abs(($1.moment ?? 0) - old) } : clocks.first
    guard let best, let start = best.moment else { return nil }
    return (start, best.kind == .range ? best.until : nil)
  }

  /// The readings of all the words together.
  private static func whole(_ words: String, _ resolver: TimeResolver) -> [TimeReading] {
    resolver.readings(in: words).readings.filter { $0.start == 0 && $0.end == words.utf8.count }
  }
}
