/// What a word does in the grammar, whatever the language: [words] in the tables of a language says which of its words do it. Most
/// are called by the English word; a word may do several things ("du" is from, of and the).
enum WordRole: UInt8, CaseIterable, Sendable {
  // Joints
  case the, a, of, `in`, on, at, `for`, from, to, and, or, by, but, than, so, like, not, minus
  case roughly, until, through, before, after, following, prior, past, since, shiftJoint, between, starting, within,
    later, ago
  // Which one
  case this, next, coming, last, each, alternate, other, single, second, earlier, time
  // Counting
  case times, once, twice, per, hundred, thousand, half, quarter, fortnight, zero, more, rank, plural
  // Days and clocks
  case day, night, week, month, weekend, weekends, workday, workdays, weeknights, working, season, today, now, midweek
  case am, pm, noon, hourMark, hours, minutes, minutesTo, minutesPast, exactly, ish, end, ends, standard
  // What opens a moment (some of it never before another such word), what joins its parts, what bounds it, and what makes a number
  // before it a clock, a day, a year, or a count
  case lead, soleLead, joint, limit, clockLead, dateLead, yearLead, counter
  // What stands around a part of the day that is a time and no name
  case beforePart, afterPart, opensPart, beforeArticle
  // What may follow a length, "daily", the second of two hours, "in 20"; what leaves days out
  case afterLength, afterAdverb, afterSecondClock, endsPhrase, except
  // "Is coming Tuesday"; "call April"
  case isBeing, nameMonth, callsPerson
  // More often something else; worth a word where nothing explains it; no word at all
  case ambiguous, timeLike, hesitation
  // Signs, the same in every language
  case comma, dash, dot, slash, colon, tilde, bracket

  static let signs: [String: WordRole] = [
    ",": .comma, "-": .dash, ".": .dot, "/": .slash, ":": .colon, "~": .tilde, "(": .bracket, ")": .bracket,
  ]
}

/// Words as bits, so that asking costs nothing.
struct WordSet: Sendable, Equatable, ExpressibleByArrayLiteral {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(arrayLiteral words: WordRole...) { for word in words { insert(word) } }

  mutating func insert(_ word: WordRole) {
    if word.rawValue < 64 { low |= 1 << UInt64(word.rawValue) } else { high |= 1 << UInt64(word.rawValue - 64) }
  }

  func contains(_ word: WordRole) -> Bool {
    word.rawValue < 64 ? low & (1 << UInt64(word.rawValue)) != 0 : high & (1 << UInt64(word.rawValue - 64)) != 0
  }

  func meets(_ other: WordSet) -> Bool { low & other.low != 0 || high & other.high != 0 }
}
