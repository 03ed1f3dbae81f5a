/// The English words the resolver knows, as tables.
enum Lexicon {
  static let weekdays: [String: Int] = table([
    ["monday", "mondays", "mon"], ["tuesday", "tuesdays", "tue", "tues", "teusday"],
    ["wednesday", "wednesdays", "wed", "weds", "wensday", "wedensday", "wendsday", "wednsday"],
    ["thursday", "thursdays", "thu", "thur", "thurs", "thrusday", "thusday"], ["friday", "fridays", "fri"],
    ["saturday", "saturdays", "sat", "satuday"], ["sunday", "sundays", "sun"],
  ])

  static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  static let months: [String: Int] = table(
    [
      ["january", "jan"], ["february", "feb", "febuary"], ["march", "mar"], ["april", "apr"], ["may"], ["june", "jun"],
      ["july", "jul"], ["august", "aug"], ["september", "sep", "sept", "setember"], ["october", "oct"],
      ["november", "nov"], ["december", "dec"],
    ], from: 1)

  static let units: [String: Grain] = [
    "second": .second, "seconds": .second, "sec": .second, "secs": .second,
    "minute": .minute, "minutes": .minute, "min": .minute, "mins": .minute,
    "hour": .hour, "hours": .hour, "hr": .hour, "hrs": .hour,
    "day": .day, "days": .day, "night": .day, "nights": .day, "week": .week, "weeks": .week, "wk": .week, "wks": .week,
    "month": .month, "months": .month, "mth": .month, "mths": .month,
    "quarter": .quarter, "quarters": .quarter, "qtr": .quarter, "qtrs": .quarter,
    "year": .year, "years": .year, "yr": .year, "yrs": .year,
  ]

  static let cardinals: [String: Int] = [
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
  ]

  static let ordinals: [String: Int] = [
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
  ]

  /// Months as the neighbours name them, which mail is full of: read beside a day alone ("12 loka", "3. août"). What is a word in
  /// English as well ("mars", "mayo") is left out.
  static let foreignMonths: [String: Int] = table(
    [
      ["januar", "januari", "janvier", "enero", "gennaio", "tammi", "tammikuu", "tammikuuta"],
      ["februar", "februari", "février", "fevrier", "febrero", "febbraio", "helmi", "helmikuu", "helmikuuta"],
      ["märz", "maerz", "maart", "marzo", "maalis", "maaliskuu", "maaliskuuta"],
      ["avril", "abril", "aprile", "huhti", "huhtikuu", "huhtikuuta"],
      ["mai", "mei", "maggio", "touko", "toukokuu", "toukokuuta"],
      ["juni", "juin", "junio", "giugno", "kesä", "kesäkuu", "kesäkuuta"],
      ["juli", "juillet", "julio", "luglio", "heinä", "heinäkuu", "heinäkuuta"],
      ["août", "aout", "agosto", "augustus", "elokuu", "elokuuta"],
      ["septembre", "septiembre", "settembre", "syys", "syyskuu", "syyskuuta"],
      ["oktober", "okt", "octobre", "octubre", "ottobre", "loka", "lokakuu", "lokakuuta"],
      ["novembre", "noviembre", "marras", "marraskuu", "marraskuuta"],
      ["dezember", "dez", "décembre", "decembre", "diciembre", "dicembre", "joulu", "joulukuu", "joulukuuta"],
    ], from: 1)

  /// The first of two words that people write as one: "fiveish", "noonish", "twentyfirst", "fortyfive".
  static func head(of word: String) -> String? {
    if word.hasSuffix("ish") {
      let head = String(word.dropLast(3))
      if (1...12).contains(cardinals[head] ?? 0) || ["noon", "midday", "midnight", "lunchtime"].contains(head) {
        return head
      }
    }
    for tens in ["twenty", "thirty", "forty", "fifty"] where word.hasPrefix(tens) {
      let rest = String(word.dropFirst(tens.count))
      if (1...9).contains(cardinals[rest] ?? ordinals[rest] ?? 0) { return tens }
    }
    return nil
  }

  /// Fixed offsets in seconds of the zone names people write after a time.
  static let zones: [String: Int] = [
    "gmt": 0, "utc": 0, "z": 0, "bst": 3600, "cet": 3600, "cest": 7200, "eet": 7200, "eest": 10800, "msk": 10800,
    "ist": 19800, "jst": 32400, "aest": 36000, "est": -18000, "edt": -14400, "cst": -21600, "cdt": -18000,
    "mst": -25200, "mdt": -21600, "pst": -28800, "pdt": -25200,
  ]

  /// Words that mean a day or month only in company: alone they are more often something else.
  static let ambiguous: Set<String> = [
    "sat", "sun", "wed", "mar", "may", "march", "mon", "second", "sec", "dec", "jan",
  ]

  /// What a reader would call a time word: reported when nothing explains it.
  static let timeLike: Set<String> = [
    "today", "tomorrow", "tonight", "yesterday", "noon", "midnight", "midday", "oclock", "morning", "afternoon",
    "evening",
    "weekend", "weekends", "weekday", "weekdays", "fortnight", "decade", "century", "daily", "weekly", "monthly",
    "yearly",
    "annually", "hourly", "ago", "am", "pm", "easter", "christmas", "xmas", "night", "nightly", "eod", "summer",
    "winter",
    "autumn",
  ]

  /// Sounds that are no words of what was said.
  static let hesitations: Set<String> = ["um", "uh", "uhm", "er", "erm", "umm", "uhh", "hmm", "mm"]

  /// What happens in the evening, as stems: "dinner on Saturday at eight" is not breakfast.
  static let eveningThings: Set<String> = [
    "dinner", "supper", "party", "partie", "drink", "concert", "movie", "cinema", "theatre", "theater", "pub", "date",
    "gig", "film",
  ]

  static func describe(_ token: inout Token) {
    token.weekday = weekdays[token.text]
    token.month = months[token.text]
    if let weekday = token.weekday { token.stem = weekdayNames[weekday] }
    token.unit = units[token.text]
    token.cardinal = cardinals[token.text]
    token.ordinal = ordinals[token.text]
  }

  private static func table(_ rows: [[String]], from first: Int = 0) -> [String: Int] {
    var found: [String: Int] = [:]
    for (index, row) in rows.enumerated() {
      for word in row { found[word] = index + first }
    }
    return found
  }
}
