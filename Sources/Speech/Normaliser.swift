/// Text as commands want it: lower case, no punctuation, numbers as digits, spellings of chat undone. What is shown stays
/// as it was recognised.
///
/// ```
/// "Remind me tmrw at Seven, twenty-five minutes before."  ->  "remind me tomorrow at 7 25 minutes before"
/// ```
package enum Normaliser {
  package static func command(_ text: String) -> String {
    var tokens: [String] = []
    for piece in text.lowercased().replacing("’", with: "'").split(whereSeparator: \.isWhitespace) {
      tokens += words(of: String(piece))
    }
    return numbers(tokens.flatMap { (short[$0] ?? $0).split(separator: " ").map(String.init) }).joined(separator: " ")
  }

  /// Punctuation goes, but not what is inside of times, amounts, dates and addresses.
  private static func words(of piece: String) -> [String] {
    let inner = piece.drop { !isKept($0) }
    let bare = String(inner.reversed().drop { !isKept($0) }.reversed())
    guard !bare.isEmpty else { return [] }
    if bare.contains("@") || bare.contains("://") { return [bare] }
    if let plain = ["a.m": "am", "p.m": "pm", "o'clock": "o'clock"][bare] { return [plain] }
    if bare.contains("-"), bare.allSatisfy({ $0.isLetter || $0 == "-" }) {
      let parts = bare.split(separator: "-").map(String.init)
      if parts.allSatisfy({ small[$0] != nil || ordinals[$0] != nil }) { return parts }
    }
    return [String(bare.filter { $0.isLetter || $0.isNumber || "'-:./+%€$£&".contains($0) })]
  }
  private static func isKept(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "$€£%+".contains(character)
  }

  private static let short = [
    "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow", "tomoz": "tomorrow", "2moro": "tomorrow",
    "2mrw": "tomorrow",
    "2morrow": "tomorrow", "tonite": "tonight", "2nite": "tonight", "2day": "today", "pls": "please", "plz": "please",
    "thx": "thanks", "u": "you", "r": "are", "ur": "your", "w/": "with", "w/o": "without", "b4": "before",
    "msg": "message",
    "mtg": "meeting", "appt": "appointment", "mins": "minutes", "hrs": "hours", "wk": "week", "wknd": "weekend",
    "bday": "birthday", "gonna": "going to", "wanna": "want to", "gotta": "have to",
  ]

  private static let small: [String: Int] = {
    let names = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
      "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    var all = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    for (index, name) in ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"].enumerated() {
      all[name] = 20 + 10 * index
    }
    all["fourty"] = 40
    return all
  }()

  private static let ordinals: [String: Int] = {
    let names = [
      "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
      "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    ]
    var all = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0 + 1) })
    all["twentieth"] = 20
    all["thirtieth"] = 30
    return all
  }()

  private static func numbers(_ tokens: [String]) -> [String] {
    var output: [String] = []
    var place = 0
    while place < tokens.count {
      guard let (text, length) = number(tokens[place...]) else {
        output.append(tokens[place])
        place += 1
        continue
      }
      output.append(text)
      place += length
    }
    return output
  }

  /// The longest number the words begin with, and how many words it took.
  private static func number(_ words: ArraySlice<String>) -> (String, Int)? {
    var (total, group, used) = (0, 0, 0)
    var free = 100  // the next part must be below this: "twenty five" is one number, "seven thirty" two
    var seen = false
    let tokens = Array(words)
    // "second" alone is mostly a unit of time or the ordinal; either way it reads better as it stands.
    if tokens[0] == "second" || tokens[0] == "seconds" { return nil }
    scan: while used < tokens.count {
      let token = tokens[used]
      if let value = small[token], value < free, value > 0 || !seen {
        group += value
        free = value >= 20 && value % 10 == 0 ? 10 : 0
      } else if let value = ordinals[token], value < free, token != "second" || seen {
        return ("\(total + group + value)\(ending(total + group + value))", used + 1)
      } else if token == "hundred", seen, group > 0, group < 10 {
        (group, free) = (group * 100, 100)
      } else if let scale = ["thousand": 1000, "million": 1_000_000][token], seen, group > 0, group < 1000 {
        (total, group, free) = (total + group * scale, 0, 100)
        // "two thousand five hundred": a new group of hundreds may follow.
      } else if token == "and", seen, group >= 100 || total > 0, free == 100, used + 1 < tokens.count,
        small[tokens[used + 1]] != nil
      {
        used += 1
        continue scan
      } else if token == "point", seen, used + 1 < tokens.count, let digit = small[tokens[used + 1]], digit < 10 {
        let digits = tokens[(used + 1)...].prefix { (small[$0] ?? 10) < 10 }.map { String(small[$0] ?? 0) }
        return ("\(total + group).\(digits.joined())", used + 1 + digits.count)
      } else {
        break
      }
      seen = true
      used += 1
    }
    return seen ? (String(total + group), used) : nil
  }

  private static func ending(_ number: Int) -> String {
    if (11...13).contains(number % 100) { return "th" }
    return [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
  }
}
