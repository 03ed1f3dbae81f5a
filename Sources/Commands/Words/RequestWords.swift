import Core

/// The words by which one language asks for something to be done, as `Languages/…/requests.words` gives them. In English a classifier
/// reads commands (`CommandWords`), and the table has what is asked of the calendar alone.
struct RequestWords: SpokenTable {
  enum List: String, CaseIterable {
    /// What stands before a request or behind it and does not belong to it.
    case politeness, closings
    /// What one has to do oneself follows these; with a time it is something to be reminded of.
    case duties
    /// Directly behind the asking they take it back.
    case negations
    /// What tells of an event instead of asking for one, and what asks a question from its first word on.
    case tells, inquiries
    /// What may stand before the text itself.
    case reminderLead, eventLead, noteLead
    /// What may stand behind a title whose time was taken away.
    case trail
    /// Before the name of an event, and no part of it: "new appointment".
    case news
    /// Behind the noun of an event these go on with its name: "appointment with".
    case joints
    /// Behind these stands who is written to, and whose mail is meant.
    case mailTo, mailFrom
    case and, subjectMarks, bodyMarks
    /// In a question about the calendar they say nothing of their own.
    case agendaAround
    /// Beside these, in one that asks when something is, they are no part of its name.
    case whenAround
    /// People correct themselves while they speak: "at three, sorry, at four".
    case takingBack
    /// In a second request they stand for what the first was about, and for times that are counted from its own.
    case itself, beforehand, dayBefore, eveningBefore
    /// Replies to a card: what says nothing, and what leads up to another time or follows it.
    case fillers, newTimeLeads, newTimeTails
  }

  /// "Trag … ein": how it begins, and what else of it stands further on. Without a beginning it stands at the end.
  struct Ask<Value: Sendable>: Sendable {
    let value: Value
    let first, later: [String]
    /// Nothing but when follows what stands further on.
    let isLast: Bool

    var count: Int { first.count + later.count }
  }

  /// What is asked of what stands in calendars: what there is, when that is what it names, and what is to become of it.
  enum Topic: String, Sendable { case question, when, change }

  let language: Language
  let asks: [Ask<Intent>]
  let topics: [Ask<Topic>]
  /// What stands in calendars.
  let things: Phrases<Bool>
  /// The same as the end of a longer word: "Zahnarzttermin".
  private let compounds: [String]
  /// What a verb may be joined with by a word that a title does without, the longest first.
  private let infinitives: [(beginning: String, joint: String)]
  /// What opens a group of its own around a verb with that word, which stays in it: "um zu joggen".
  private let purposes: Set<String>
  let answers: Phrases<Reply.Kind>
  /// What a reminder says before the thing it is about, and an evening behind its day.
  let about, evening: String
  let lists: [List: Phrases<Bool>]

  init(_ file: WordFile, _ language: Language) throws {
    self.language = language
    let vocabulary = language.vocabulary
    func words(_ text: Substring) -> [String] { Token.split(String(text), vocabulary).map(\.text) }
    func asks<Value>(_ section: String, _ value: (String) -> Value?) throws -> [Ask<Value>] {
      try file.table(section, value).map { phrase, value in
        let parts = phrase.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
        let later = parts.count > 1 ? parts[1] : ""
        let isLast = later.hasSuffix(".")
        return Ask(
          value: value, first: words(parts[0]), later: words(isLast ? later.dropLast() : later), isLast: isLast)
      }
    }
    self.asks = try asks("asks") { Intent(rawValue: $0) }
    topics = try asks("topics") { Topic(rawValue: $0) }
    things = Phrases(try file.table("things") { _ in true }, vocabulary)
    compounds = try file.rows("compounds").flatMap(\.phrases)
    infinitives = try file.table("infinitives") { $0 }.map { (beginning: $0, joint: $1) }
      .sorted { $0.beginning.count > $1.beginning.count }
    purposes = Set(try file.rows("purposes").flatMap(\.phrases))
    answers = Phrases(try file.table("reply") { Reply.Kind(rawValue: $0) }, vocabulary)
    about = try file.rows("about").flatMap(\.phrases).joined()
    evening = try file.rows("evening").flatMap(\.phrases).joined()
    lists = try file.phrases(of: List.self, vocabulary)
  }

  /// The tokens of the ask with the most words that begins at a token, or stands at the end. `isSaid`: what says when.
  func found<Value>(
    _ asks: [Ask<Value>], _ tokens: [Token], in range: Range<Int>, isSaid: (Int) -> Bool = { _ in false }
  ) -> (ask: Ask<Value>, used: [Range<Int>])? {
    asks.compactMap { ask in places(of: ask, tokens, in: range, isSaid).map { (ask, $0) } }
      .max { $0.0.count < $1.0.count }
  }

  private func places<Value>(
    of ask: Ask<Value>, _ tokens: [Token], in range: Range<Int>, _ isSaid: (Int) -> Bool
  ) -> [Range<Int>]? {
    func stands(_ phrase: [String], at start: Int) -> Bool {
      zip(phrase, tokens[start...]).allSatisfy { $0 == $1.text } && start + phrase.count <= tokens.count
    }
    let after = range.lowerBound + ask.first.count
    guard !range.isEmpty, after <= range.upperBound, stands(ask.first, at: range.lowerBound) else { return nil }
    guard !ask.later.isEmpty else { return [range.lowerBound..<after] }
    let last = range.upperBound - ask.later.count
    guard after <= last else { return nil }
    let place =
      ask.first.isEmpty
      ? (stands(ask.later, at: last) ? last : nil) : (after...last).last { stands(ask.later, at: $0) }
    guard let place else { return nil }
    let end = place + ask.later.count
    if ask.isLast, !(end..<range.upperBound).allSatisfy({ tokens[$0].kind == .symbol || isSaid($0) }) { return nil }
    return ask.first.isEmpty ? [place..<end] : [range.lowerBound..<after, place..<end]
  }

  /// Past what may stand before a request, and signs.
  func past(_ list: List, _ tokens: [Token], from start: Int) -> Int {
    var at = start
    while at < tokens.count {
      if tokens[at].kind == .symbol, !["@", "\""].contains(tokens[at].text) {
        at += 1
      } else if let end = end(list, tokens, at: at), end < tokens.count {
        at = end
      } else {
        break
      }
    }
    return at
  }

  /// Where the name of a thing that stands in calendars ends.
  func thing(_ tokens: [Token], at start: Int) -> Int? {
    guard tokens.indices.contains(start), tokens[start].kind == .word else { return nil }
    let end = things.longest(tokens, at: start)?.end
    return end ?? (compounds.contains { tokens[start].text.hasSuffix($0) } ? start + 1 : nil)
  }

  /// What such a thing is the name of, as "Zahnarzttermin" is more than an appointment.
  func isThingAlone(_ token: Token) -> Bool { things.longest([token], at: 0) != nil }

  /// "Mama anzurufen" as things to do are called: "Mama anrufen". What it is for stays as it was said: "rausgehen, um zu joggen".
  func plain(_ title: String) -> String {
    let words = title.split(separator: " ")
    guard let opening = words.indices.first(where: { opensPurpose(words, at: $0) }) else { return unjoined(title) }
    guard opening > 0 else { return title }
    let end = words[opening - 1].endIndex
    let thing = title[..<end].hasSuffix(",") ? title[..<end].dropLast() : title[..<end]
    return unjoined(String(thing)) + title[thing.endIndex...]
  }

  /// "Anna um Hilfe bitten" has the word and opens nothing: nothing is to be done before it.
  private func opensPurpose(_ words: [Substring], at place: Int) -> Bool {
    guard purposes.contains(words[place].lowercased()), place + 1 < words.count else { return false }
    if place == 0 || words[place - 1].hasSuffix(",") || isJoint(words[place + 1]) { return true }
    let thing = words[..<place].joined(separator: " ")
    return unjoined(thing) != thing
  }

  private func isJoint(_ word: Substring) -> Bool { infinitives.contains { $0.joint == word } }

  private func unjoined(_ title: String) -> String {
    guard let verb = title.split(separator: " ").last, verb.first?.isLowercase == true, verb.hasSuffix("n") else {
      return title
    }
    let before = title[..<verb.startIndex]
    if let (beginning, joint) = infinitives.first(where: { verb.hasPrefix($0.beginning + $0.joint) }) {
      let rest = verb.dropFirst(beginning.count + joint.count)
      return rest.count > 3 ? "\(before)\(beginning)\(rest)" : title
    }
    guard let joint = before.split(separator: " ").last, joint.startIndex > title.startIndex, isJoint(joint) else {
      return title
    }
    return "\(title[..<joint.startIndex])\(verb)"
  }

  /// Whether something in it could ask; finding times is work, and most of what is said asks for nothing.
  func mayAsk(_ tokens: [Token]) -> Bool {
    if mayEnter(tokens) { return true }
    let said = Set(tokens.map(\.text))
    return asks.contains { said.isSuperset(of: $0.first) && said.isSuperset(of: $0.later) }
      || topics.contains { said.isSuperset(of: $0.first) && said.isSuperset(of: $0.later) }
      || tokens.indices.contains { thing(tokens, at: $0) != nil || end(.duties, tokens, at: $0) != nil }
  }

  /// Whether it may be a line of a calendar: a few words, and a number that tells when. In English a classifier reads those.
  func mayEnter(_ tokens: [Token]) -> Bool {
    language !== Language.all.first && tokens.count <= 24
      && tokens.contains { $0.kind == .number || $0.cardinal != nil || $0.weekday != nil }
  }

  /// Where what takes something back ends, that begins here.
  func takesBack(_ tokens: [Token], at start: Int) -> Int? {
    let no = answers.longest(tokens, at: start).flatMap { $0.payload == .no ? $0.end : nil }
    return [end(.takingBack, tokens, at: start), no].compactMap(\.self).max()
  }

  /// Nothing but what takes back, says nothing or leads up to another time.
  func areFillers(_ tokens: some Sequence<Token>) -> Bool {
    let said = Array(tokens)
    var at = 0
    while at < said.count {
      let ends = [
        takesBack(said, at: at), end(.newTimeLeads, said, at: at), end(.fillers, said, at: at),
        said[at].kind == .symbol ? at + 1 : nil,
      ]
      guard let next = ends.compactMap(\.self).max() else { return false }
      at = next
    }
    return true
  }

  static func of(_ language: Language?) -> RequestWords? {
    all.first { $0.language === language ?? Language.all.first }
  }

  static let name = "requests"
  static let bundled = readAll()
  static let all = (try? bundled.get()) ?? []
}
