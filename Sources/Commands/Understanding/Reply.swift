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

  private static let answers = Phrases<Kind>([
    (
      "yes|yeah|yep|yup|yes please|sure|sure thing|ok|okay|do it|do that|do this|go ahead|go for it|go on|confirm|confirmed|confirm it|correct|that's correct|that is correct|right|that's right|that is right|exactly|absolutely|of course|certainly|definitely|perfect|fine|that's fine|good|that's good|all good|great|sounds good|looks good|sounds right|looks right|save it|add it|send it|book it|set it|make it so|why not|no problem|please do|i do|affirmative|by all means|that works|works for me",
      .yes
    ),
    (
      "no|nope|nah|no thanks|no thank you|no way|cancel|cancel it|cancel that|cancel this|stop|stop it|abort|never mind|nevermind|never mind that|forget it|forget that|forget about it|don't|do not|don't do it|don't do that|do not do it|do not do that|please don't|scrap it|scrap that|scratch that|drop it|discard|discard it|discard that|dismiss|dismiss it|leave it|not now|not that|not this|not that one|wrong|that's wrong|that is wrong|that's not right|that is not right|delete it|delete that|remove it|throw it away|don't send it|do not send it|don't save it|negative|i changed my mind|no need",
      .no
    ),
    ("undo|undo it|undo that|undo this|take it back|take that back|revert|revert it|revert that", .undo),
  ])
  /// What stands around an answer and says nothing of its own.
  private static let fillers = Phrases<Bool>([
    (
      "please|thanks|thank you|um|uh|er|erm|hmm|oh|well|so|and|then|just|now|libera|hey libera|actually|sorry|wait|hold on|that|it",
      true
    )
  ])
  /// What leads up to another time, and what follows it.
  private static let leads = Phrases<Bool>([
    (
      "make it|make that|make it for|make it at|change it to|change that to|change the time to|change the date to|change the day to|move it to|move that to|set it to|set it for|put it at|put it on|let's say|let's make it|say|i meant|i mean|i said|i want it at|i want it on|it should be|should be|it's|it is|that's|better|rather|better make it|how about|what about|not that but|do it|have it|schedule it for|instead|but|can you make it|could you make it|can we make it|could we make it",
      true
    )
  ])
  private static let tails: Set<String> = ["instead", "please", "thanks", "rather", "then", ".", "!", "?", ","]

  package init(kind: Kind, edits: CardEdits? = nil) { (self.kind, self.edits) = (kind, edits) }

  /// The gate's rule holds for a yes as well: one that was barely heard does nothing.
  package init(
    _ text: String, to card: Card, with resolver: TimeResolver, recognition: Double? = nil, gate: Gate = Gate()
  ) {
    self.init(kind: .other)
    guard text.utf8.count <= 200 else { return }
    let tokens = Token.split(text)
    if let answer = Self.answer(tokens) {
      kind = answer == .yes && recognition ?? 1 < gate.heardFrom ? .unheard : answer
    } else if card.intent == .createEvent || card.intent == .addReminder,
      let edits = Self.change(tokens, text, card, resolver)
    {
      (kind, self.edits) = (.change, edits)
    }
  }

  /// Nothing but answers and fillers; one no among them is a no.
  private static func answer(_ tokens: [Token]) -> Kind? {
    var kinds: [Kind] = []
    var at = 0
    while at < tokens.count {
      if let hit = answers.longest(tokens, at: at) {
        kinds.append(hit.payload)
        at = hit.end
      } else if let filler = fillers.longest(tokens, at: at) {
        at = filler.end
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
  private static func change(_ tokens: [Token], _ text: String, _ card: Card, _ resolver: TimeResolver) -> CardEdits? {
    var start = 0
    var end = tokens.count
    while start < end {
      let led = [
        leads.longest(tokens, at: start)?.end, answers.longest(tokens, at: start)?.end,
        fillers.longest(tokens, at: start)?.end, tokens[start].kind == .symbol ? start + 1 : nil,
      ]
      guard let next = led.compactMap({ $0 }).max() else { break }
      start = next
    }
    while end > start, tails.contains(tokens[end - 1].text) { end -= 1 }
    guard start < end else { return nil }
    let words = String(decoding: Array(text.utf8)[tokens[start].start..<tokens[end - 1].end], as: UTF8.self)
    guard let best = whole(words, resolver).first else { return nil }
    if best.kind == .duration { return lasting(best, card) }
    guard best.kind != .recurrence, best.open == nil, let moment = best.moment else { return nil }
    let old = card.start.flatMap(Civil.parse)
    let oldEnd = card.end.flatMap(Civil.parse)
    let saysClock = best.hasClock || best.grain < .day
    var new = (start: moment, end: best.kind == .range && !best.isDeadline ? best.until : nil)
    if let old, !best.hasDate {
      new = beside(words, on: old, resolver) ?? new
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

  private static func lasting(_ length: Reading, _ card: Card) -> CardEdits? {
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
  private static func beside(_ words: String, on old: Int, _ resolver: TimeResolver) -> (start: Int, end: Int?)? {
    let date = Civil.iso(old).prefix(10)
    let options =
      ["at ", "", "from "].lazy.map { whole("\(date) \($0)\(words)", resolver) }.first { !$0.isEmpty } ?? []
    let clocks = options.filter { $0.hasClock || $0.kind == .range }
    let showsClock = Civil.modulo(old, Civil.secondsPerDay) != 0
    let best =
      showsClock ? clocks.min { abs(($0.moment ?? 0) - old) < abs(($1.moment ?? 0) - old) } : clocks.first
    guard let best, let start = best.moment else { return nil }
    return (start, best.kind == .range ? best.until : nil)
  }

  /// The readings of all the words together.
  private static func whole(_ words: String, _ resolver: TimeResolver) -> [Reading] {
    resolver.readings(in: words).readings.filter { $0.start == 0 && $0.end == words.utf8.count }
  }
}
