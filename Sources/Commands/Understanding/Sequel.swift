import Core

/// What follows the first request where two are said in one breath: "remind me to buy flowers tomorrow. Also schedule lunch with
/// Ann on Friday". Notes and mails hold whole sentences of any kind, so nothing is cut off from them.
package struct Sequel: Sendable {
  package var first: String
  package private(set) var second: String?
  private var isOfEntries = false

  private static let ends: Set<String> = [".", "!", "?", ";"]
  private static let mayComeFirst: Set<Intent> = [.addReminder, .createEvent, .readEmail]
  /// So many places are looked at where a second entry may begin: each costs finding the times on both sides.
  private static let mostEntries = 6

  package init(_ text: String, with resolver: TimeResolver) {
    first = text
    let phrasing = Phrasing(text)
    guard phrasing.tokens.count >= 6, text.utf8.count <= 1000 else { return }
    let asked = Self.command(phrasing) ?? Self.request(phrasing, resolver) ?? Self.added(phrasing, resolver)
    guard let cut = asked ?? Self.entry(phrasing, resolver) else { return }
    isOfEntries = asked == nil
    first = String(decoding: phrasing.bytes[..<cut.lowerBound], as: UTF8.self)
    second = String(decoding: phrasing.bytes[cut.upperBound...], as: UTF8.self)
  }

  // MARK: - In English

  /// The bytes between a command and the one after it.
  private static func command(_ phrasing: Phrasing) -> Range<Int>? {
    let tokens = phrasing.tokens
    let start = phrasing.body.lowerBound
    let opening = CommandWords.asked(tokens, at: start)
    guard opening.map({ mayComeFirst.contains($0.payload) }) ?? true else { return nil }
    let opens = opening != nil || isAlarm(phrasing, start) || isEntered(phrasing, start)
    var at = (opening?.end ?? start) + 1
    while at < phrasing.body.upperBound {
      let isSentence = ends.contains(tokens[at - 1].text) && !tokens[at].glued
      var next = at
      while next < phrasing.body.upperBound, tokens[next].text == "," || Said.sequelJoints.contains(tokens[next].text) {
        next += 1
      }
      // Inside a sentence only several words ask for something: "and email Bob" may be what one is to be reminded of.
      let hit = CommandWords.asked(tokens, at: next)
      let asks =
        hit.map { hit in
          hit.end < phrasing.body.upperBound && hit.end - next > (isSentence && opens ? 0 : 1)
            && (opens || hit.payload == .addReminder)
        } ?? false
      if isSentence || next > at, asks || opens && (isEntered(phrasing, next) || isAlarm(phrasing, next)) {
        return tokens[(isSentence ? at - 1 : at) - 1].end..<tokens[next].start
      }
      at = max(next, at + 1)
    }
    return nil
  }

  /// "Add eggs to my shopping list": a verb and where it is to be entered; "add it to my calendar" says no more than the first.
  private static func isEntered(_ phrasing: Phrasing, _ start: Int) -> Bool {
    Said.enters.contains(phrasing.word(start)) && Said.asksAgain.end(phrasing.tokens, at: start) == nil
      && phrasing.find(.ownPlaces, from: start + 2) != nil
  }

  /// "Wake me at six", "set an alarm for seven"
  private static func isAlarm(_ phrasing: Phrasing, _ start: Int) -> Bool {
    guard let english = AlarmWords.all.first, let act = english.acts.longest(phrasing.tokens, at: start) else {
      return false
    }
    if act.payload == .wake { return act.end > start + 1 }
    let things = act.end..<min(act.end + 3, phrasing.body.upperBound)
    return act.payload == .set && !things.isEmpty
      && things.contains { english.things.longest(phrasing.tokens, at: $0) != nil }
  }

  // MARK: - In other languages

  /// The bytes between a request and the one after it: "trag morgen um zehn Friseur ein und erinnere mich um acht". A noun alone asks
  /// for nothing there.
  private static func request(_ phrasing: Phrasing, _ resolver: TimeResolver) -> Range<Int>? {
    for words in RequestWords.all where !words.asks.isEmpty {
      let tokens = Token.split(phrasing.text, words.language.vocabulary)
      guard words.mayAsk(tokens) else { continue }
      for at in tokens.indices.dropFirst(2) where isJoint(tokens, at, words) {
        let next = words.past(.politeness, tokens, from: at)
        guard next > at, next < tokens.count,
          let (ask, used) = words.found(words.asks, tokens, in: next..<tokens.count), !ask.first.isEmpty, ask.count > 1
        else { continue }
        let end = tokens[at - 1].end
        let before = String(decoding: phrasing.bytes[..<end], as: UTF8.self)
        guard let reading = RequestReading.best(Phrasing(before), resolver),
          case .command(let intent) = reading.meaning,
          mayComeFirst.contains(intent)
        else { continue }
        // "I have to fetch the car at eight, remind me of it" is one, and so is "There is a market on Friday. Put it in my calendar".
        let saysMore = saysMore(tokens, next..<tokens.count, than: used, words)
        if !saysMore, reading.asking.isEmpty || ask.value == .createEvent { continue }
        return end..<tokens[next].start
      }
    }
    return nil
  }

  /// Than what asks, and words for what was said before.
  private static func saysMore(
    _ tokens: [Token], _ range: Range<Int>, than used: [Range<Int>], _ words: RequestWords
  ) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      let asking = used.first { $0.contains(at) }?.upperBound
      let isSymbol = tokens[at].kind == .symbol
      guard let end = asking ?? words.end(.itself, tokens, at: at) ?? (isSymbol ? at + 1 : nil) else { return true }
      at = end
    }
    return false
  }

  private static func isJoint(_ tokens: [Token], _ at: Int, _ words: RequestWords) -> Bool {
    tokens[at].text == "," || ends.contains(tokens[at].text) || words.end(.and, tokens, at: at) != nil
  }

  // MARK: - Lines of a calendar

  /// Whether the first, understood so, is something that another may follow.
  package func follows(_ frame: Frame) -> Bool {
    second != nil && (isOfEntries ? frame.intent == .createEvent : frame.intent != .none)
  }

  /// The bytes before a verb that enters something else: "remind me at eight to take the pills and add haircut tomorrow at ten".
  private static func added(_ phrasing: Phrasing, _ resolver: TimeResolver) -> Range<Int>? {
    guard let english = RequestWords.all.first,
      CommandWords.asked(phrasing.tokens, at: phrasing.body.lowerBound)?.payload == .addReminder
    else { return nil }
    return between(phrasing, phrasing.tokens, english, resolver, firstHasDay: false) {
      Said.addsAnother.contains(phrasing.word($0))
    }
  }

  /// The bytes between two names with a day and a time of day each: "dentist on Tuesday at nine and haircut on Friday at ten".
  private static func entry(_ phrasing: Phrasing, _ resolver: TimeResolver) -> Range<Int>? {
    let start = phrasing.body.lowerBound
    let opening = CommandWords.asked(phrasing.tokens, at: start)?.payload
    guard opening ?? .createEvent == .createEvent, !phrasing.text.hasSuffix("?"),
      !Said.questions.contains(phrasing.word(start))
    else { return nil }
    return RequestWords.all.lazy.compactMap { words -> Range<Int>? in
      let tokens = Token.split(phrasing.text, words.language.vocabulary)
      let start = words.past(.politeness, tokens, from: 0)
      let ask = words.found(words.asks, tokens, in: start..<tokens.count)?.ask.value
      guard start < tokens.count, ask ?? .createEvent == .createEvent,
        words.end(.inquiries, tokens, at: start) == nil, !tokens.contains(where: { $0.words.contains(.isBeing) }),
        !tokens.indices.contains(where: { words.end(.tells, tokens, at: $0) != nil })
      else { return nil }
      return between(phrasing, tokens, words, resolver, firstHasDay: opening == nil) { _ in true }
    }.first
  }

  /// The bytes around the first joint on both sides of which something stands that is to come.
  private static func between(
    _ phrasing: Phrasing, _ tokens: [Token], _ words: RequestWords, _ resolver: TimeResolver, firstHasDay: Bool,
    _ begins: (Int) -> Bool
  ) -> Range<Int>? {
    var resolver = resolver
    resolver.language = words.language
    let joints = tokens.indices.dropFirst(3).filter { isJoint(tokens, $0, words) }.prefix(mostEntries)
    guard !joints.isEmpty else { return nil }
    // Most of what is said has no two hours, and then the sides need not be read one by one.
    let clocks = resolver.readings(in: phrasing.text).readings.filter(\.hasClock)
    guard let end = clocks.map(\.end).min(), clocks.contains(where: { $0.start >= end }) else { return nil }
    for at in joints {
      let next = words.past(.and, tokens, from: at)
      guard next < tokens.count - 2, tokens[next].kind == .word, begins(next) else { continue }
      let cut = tokens[at - 1].end..<tokens[next].start
      let first = String(decoding: phrasing.bytes[..<cut.lowerBound], as: UTF8.self)
      let second = String(decoding: phrasing.bytes[cut.upperBound...], as: UTF8.self)
      if isNamed(first, resolver, words, withDay: firstHasDay), isNamed(second, resolver, words, withDay: true) {
        return cut
      }
    }
    return nil
  }

  /// "Drinks with Jo on Saturday at six"; "Saturday at six with Jo" is another time of what was said before.
  private static func isNamed(_ text: String, _ resolver: TimeResolver, _ words: RequestWords, withDay: Bool) -> Bool {
    let said = resolver.readings(in: text).readings
    guard said.contains(where: { $0.hasClock && ($0.hasDate || !withDay) && $0.moment ?? 0 > resolver.now }) else {
      return false
    }
    let tokens = Token.split(text, words.language.vocabulary)
    let names = tokens.indices.filter { at in
      tokens[at].kind == .word && !said.contains { $0.start <= tokens[at].start && tokens[at].end <= $0.end }
    }
    let goesOn = names.first.map { Said.joints.contains(tokens[$0].text) || words.end(.joints, tokens, at: $0) != nil }
    return goesOn == false && (1...8).contains(names.count { tokens[$0].text.count > 2 })
  }
}
