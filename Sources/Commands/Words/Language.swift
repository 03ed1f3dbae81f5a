import Core
import Foundation

/// A language in which times are understood: its folder in `Languages`, read once. What stands where in a sentence is the grammar's
/// affair; which words say it is written there, and nowhere else.
package final class Language: Sendable {
  /// The language's code, as its folder is called.
  package let code: String
  let vocabulary: Vocabulary

  /// Phrases that say one thing only.
  let plain: [Plain: Phrases<Bool>]

  // Days and clocks
  let days: Phrases<Int>
  let steps: Phrases<Grammar.Step>
  let stepsBehind: Phrases<Grammar.Step>
  let dayParts: Phrases<DayPart>
  let datedParts: Phrases<(DayPart, Int)>
  let seasons: Phrases<Int>
  let holidays: Phrases<Yearly>
  let meridiems: Phrases<HalfOfDay>
  let namedClocks: Phrases<Int>
  let minuteParts: Phrases<Int>
  let zones: [String: String]
  let bareZones: Phrases<Zone>

  // Lengths, bounds and parts of periods
  let quantities: [String: Double]
  let spans: [String: (count: Int, unit: Grain)]
  let misheard: [String: Int]
  let bounds: Phrases<Grammar.Bound>
  let openEnds: Phrases<Grammar.Bound>
  let thirds: Phrases<Grammar.Third>
  let ends: Phrases<Grain>
  let begins: Phrases<Grain>
  let adverbs: Phrases<Adverb>
  let eveningThings: Set<String>
  private let infinitives: [String]

  // Habits of the language
  let halfIsBefore: Bool
  let joinsTens: Bool
  let dotsOrdinals: Bool
  let nextIsFirstAhead: Bool
  let isDayFirst: Bool
  let countsBothEnds: Bool

  /// Tables without keys, by the names of their sections.
  enum Plain: String, CaseIterable {
    case nows = "now"
    case oclock = "o'clock"
    case exactly = "exactly"
    case eras = "eras"
    case fillers = "before a length"
    case agoLeads = "ago, before the length"
    case soon = "as soon as possible"
    case rests = "the rest of"
    case alternateBehind = "every other, behind"
    case allDay = "all day"
    case wholes = "the whole"
    case sameTimes = "the same time"
    case someTime = "some time"
  }
  enum HalfOfDay: String { case am, pm, evening }
  /// What a file may say under [habits].
  enum Habit: String, CaseIterable {
    case halfIsBefore = "half four is half past three"
    case joinsTens = "twenty and one"
    case dotsOrdinals = "third is 3."
    case nextIsFirstAhead = "next Monday is the first ahead"
    case isDayFirst = "the day stands before the month"
    case countsBothEnds = "eight days are a week"
    case foldsAccents = "accents may be missing"
  }
  struct Adverb: Sendable {
    var rule: Recurrence
    var part: DayPart?

    /// "weekly 2", "daily 1 night"
    init?(_ key: String, _ parts: [String: DayPart]) {
      let words = key.split(separator: " ").map(String.init)
      guard words.count >= 2, let frequency = Recurrence.Frequency(rawValue: words[0]), let step = Int(words[1]) else {
        return nil
      }
      rule = Recurrence(frequency: frequency, interval: step)
      part = words.count > 2 ? parts[words[2]] : nil
    }
  }

  init(_ file: WordFile, code: String) throws {
    self.code = code
    let habits = Set(try file.rows("habits").flatMap(\.phrases))
    let file = habits.contains(Habit.foldsAccents.rawValue) ? Vocabulary.folded(file) : file
    let vocabulary = try Vocabulary(file)
    self.vocabulary = vocabulary
    func phrases<Value>(_ section: String, stemmed: Bool = false, _ value: (String) throws -> Value?) throws
      -> Phrases<Value>
    { Phrases(try file.table(section, value), vocabulary, stemmed: stemmed) }
    plain = try Dictionary(
      uniqueKeysWithValues: Plain.allCases.map { kind in (kind, try phrases(kind.rawValue) { _ in true }) })
    let parts = Dictionary(
      try file.rows("parts of the day").compactMap { row in DayPart(row.key).map { ($0.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    days = try phrases("days") { Int($0) }
    steps = try phrases("steps") { Grammar.Step(rawValue: $0) }
    stepsBehind = try phrases("steps behind") { Grammar.Step(rawValue: $0) }
    dayParts = try phrases("parts of the day") { DayPart($0) }
    datedParts = try phrases("parts of a day that is named") { key in
      let words = key.split(separator: " ")
      guard words.count == 2, let part = parts[String(words[0])], let far = Int(words[1]) else { return nil }
      return (part, far)
    }
    seasons = try phrases("seasons") { Int($0) }
    holidays = try phrases("holidays", stemmed: true) { Yearly($0) }
    meridiems = try phrases("halves of the day") { HalfOfDay(rawValue: $0) }
    namedClocks = try phrases("named clocks") { Int($0) }
    minuteParts = try phrases("minutes behind the hour") { Int($0) }
    zones = try file.map("zones") { $0 }
    bareZones = try phrases("zones that need no word") { TimeZone(identifier: $0).map(Zone.place) }
    quantities = try file.map("quantities") { Double($0) }
    spans = try file.map("spans") { key in
      let words = key.split(separator: " ")
      guard words.count == 2, let count = Int(words[0]), let unit = Grain(rawValue: String(words[1])) else {
        return nil
      }
      return (count, unit)
    }
    misheard = try file.map("misheard") { Int($0) }
    bounds = try phrases("bounds") { Grammar.Bound(rawValue: $0) }
    openEnds = try phrases("bounds behind") { Grammar.Bound(rawValue: $0) }
    thirds = try phrases("thirds") { Grammar.Third(rawValue: $0) }
    ends = try phrases("ends") { Grain(rawValue: $0) }
    begins = try phrases("beginnings") { Grain(rawValue: $0) }
    adverbs = try phrases("adverbs") { Adverb($0, parts) }
    eveningThings = Set(try file.rows("evening things").flatMap(\.phrases))
    infinitives = try file.rows("infinitives").flatMap(\.phrases)
    func has(_ habit: Habit) -> Bool { habits.contains(habit.rawValue) }
    (halfIsBefore, joinsTens, dotsOrdinals) = (has(.halfIsBefore), has(.joinsTens), has(.dotsOrdinals))
    (nextIsFirstAhead, isDayFirst) = (has(.nextIsFirstAhead), has(.isDayFirst))
    countsBothEnds = has(.countsBothEnds)
  }

  /// A word that says what is to be done, in languages that have an ending for it.
  func isInfinitive(_ token: Token?) -> Bool { infinitives.contains { token?.text.hasSuffix($0) ?? false } }

  // MARK: - Which there are

  /// The languages in which times are understood; the first is the one that is taken where no other knows more of the words.
  package static let codes = ["en", "de", "fr"]

  /// What is understood in which languages, as the product says it.
  package static var abilities: [(ability: String, codes: [String])] {
    [("times", codes), ("alarms and timers", codes), ("commands", codes)]
  }

  private static let bundled: Result<[Language], any Error> = Result {
    try codes.map { try Language(CommandResources.words($0, "time"), code: $0) }
  }

  /// Throws where the program's own tables are missing or damaged; nothing is understood without them.
  package static func check() throws {
    _ = try bundled.get()
    _ = try CommandWords.bundled.get()
    _ = try AlarmWords.bundled.get()
    _ = try RequestWords.bundled.get()
    try QuestionWords.check()
  }

  static func bundledAll() throws -> [Language] { try bundled.get() }

  static var all: [Language] { if case .success(let languages) = bundled { languages } else { [] } }

  /// Months as the neighbours name them, which mail is full of: read beside a day in digits ("3. août"). What is a word in English
  /// as well is left out.
  static let foreignMonths: [String: Int] = all.dropFirst().reduce(into: [:]) { months, language in
    for (name, month) in language.vocabulary.months where all[0].vocabulary.months[name] == nil && name != "mars" {
      months[name] = month
    }
  }

  /// The language whose words most of these are.
  static func spoken(in text: String) -> Language? {
    let words = Vocabulary.folded(text).split { !$0.isLetter }.map(String.init).filter { $0.count > 1 }
    var best: (language: Language, count: Int)?
    for language in all {
      let count = words.count { language.vocabulary.knows($0) }
      // One word of many may be a name.
      if best == nil || count > best?.count ?? 0 && (count > 1 || words.count < 3) { best = (language, count) }
    }
    return best?.language
  }
}
