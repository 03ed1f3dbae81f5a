/// Guesses a text's language from the commonest words of the Latin-script languages of Europe.
enum LanguageGuess {
  static func guess(_ text: String) -> String? {
    var counts: [String: Int] = [:]
    var words = 0
    for word in text.prefix(60_000).lowercased().split(whereSeparator: { !$0.isLetter }) {
      words += 1
      for language in index[String(word)] ?? [] { counts[language, default: 0] += 1 }
      if words == 3_000 { break }
    }
    let ranked = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
    guard let best = ranked.first, best.value >= 3, best.value * 100 >= words * 8 else { return nil }
    if ranked.count > 1, best.value * 10 < ranked[1].value * 11 { return nil }
    return best.key
  }

  /// Tesseract names languages with three letters.
  static let tesseract = [
    "en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "nl": "nld", "pt": "por", "sv": "swe",
    "da": "dan", "pl": "pol",
  ]

  /// "de-AT" and "de_DE" are "de"; nil for what is no language tag.
  static func code(_ tag: String?) -> String? {
    guard let first = tag?.lowercased().split(whereSeparator: { !$0.isLetter }).first, first.count == 2 else {
      return nil
    }
    return String(first)
  }

  private static let common = [
    "en": "the of and to in is that it was for on are with as at by this be from have which you not or an were will",
    "de":
      "der die das und ist nicht ein eine zu den von mit dem des sich auf für im auch es wird sind bei einer als oder nach werden",
    "fr":
      "le la les et des est une du dans que qui pour pas sur au par avec il sont ce plus vous nous aux cette être ou",
    "es": "el los las y del que una por con para es al como más su se está no lo este son fue pero sus",
    "it": "il di che è della per una non sono con del alla dei nel anche gli più si le come questo dal delle",
    "nl": "het een van en is dat op te zijn voor met niet aan er ook bij door naar wordt deze om hij was uit",
    "pt": "o que do da em um uma para não com os no na por mais as dos como mas ao das foi são seu",
    "sv": "och att det som är på för med den av inte till ett har jag om kan ska eller från vid var",
    "da": "og at det er som på til af den ikke med der et har kan skal vil blev også fra ved var",
    "pl": "się na nie jest do że jak przez dla ale od czy po ich są być oraz który tym",
  ]

  private static let index: [String: [String]] = {
    var index: [String: [String]] = [:]
    for (language, words) in common {
      for word in words.split(separator: " ") { index[String(word), default: []].append(language) }
    }
    return index
  }()
}
