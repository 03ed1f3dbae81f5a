import Foundation

/// What a question looks for: its words by how much each tells, the kind of thing it asks for, and its meaning.
package struct QuestionProfile: Sendable, Equatable {
  /// The kind of thing that answers.
  package enum Shape: String, Sendable, CaseIterable { case number, duration, money, date, person, place, reason, open }

  /// Stems of the telling words and what each weighs; rarer words weigh more.
  package var weights: [String: Double]
  /// Stems of everything the question says: what only repeats these answers nothing.
  package var given: Set<String>
  package var shape: Shape
  package var vector: [Float]?
  package var demand: RequiredDetails

  /// `rarity` is the weight of a word by the number of passages it stands in; words that are not in it weigh 1. Of a question
  /// that was completed from one before ("Who pays? — And when?") the last part is what is asked.
  package init(_ question: String, rarity: [String: Double] = [:], vector: [Float]? = nil) {
    let parts = question.components(separatedBy: Self.joint)
    let asked = parts[parts.count - 1]
    var weights: [String: Double] = [:]
    for (place, part) in parts.enumerated() {
      let parsed = Question(part)
      let openers = Self.openers(of: part)
      let share = place == parts.count - 1 ? 1 : Self.topicShare
      for word in parsed.words + parsed.phrases.flatMap({ Question.words(in: $0) })
      where !Self.asking.contains(word) && !openers.contains(word) {
        let stem = Relevance.stem(word)
        weights[stem] = max(weights[stem] ?? 0, share * (rarity[word] ?? 1))
      }
    }
    self.weights = weights
    given = Set(Question.words(in: question).map(Relevance.stem))
    demand = RequiredDetails(asked)
    let shape = Self.shape(of: Question.words(in: asked))
    self.shape =
      shape == .open && parts.count > 1 && !Self.asks(asked) ? Self.shape(of: Question.words(in: parts[0])) : shape
    self.vector = vector
  }

  /// The question without the words that only say which document is meant: "Who gives the keynote?" of one that is called after
  /// the forum. The whole of it where nothing else would be left.
  package static func less(_ question: String, naming called: String) -> String {
    let names = Set(Question.words(in: called).map(Relevance.stem)).subtracting(StopWords.all.map(Relevance.stem))
    let words = question.split { !$0.isLetter && !$0.isNumber && !"'’-".contains($0) }
    var left = words.filter { word in
      Question.words(in: String(word)).contains { !names.contains(Relevance.stem($0)) }
    }
    while let last = left.last, StopWords.all.contains(last.lowercased()) { left.removeLast() }
    return left.contains { !StopWords.all.contains($0.lowercased()) } ? left.joined(separator: " ") : question
  }

  /// Looks for other words instead of one: what was meant, or what it is made of.
  package mutating func replace(_ word: String, by others: [String: Double]) {
    guard weights.removeValue(forKey: Relevance.stem(word)) != nil else { return }
    for (other, weight) in others {
      let stem = Relevance.stem(other)
      weights[stem] = max(weights[stem] ?? 0, weight)
      given.insert(stem)
    }
  }

  /// Between what a conversation was about and what is asked now.
  package static let joint = " — "

  /// What the words of an earlier question weigh beside those of the one that is asked now.
  private static let topicShare = 0.5

  /// Whether it says itself what kind of thing it asks for, as "And the garden?" does not.
  private static func asks(_ question: String) -> Bool {
    Question.words(in: question).prefix(3).contains {
      [
        "what", "which", "who", "how", "is", "are", "was", "were", "do", "does", "did", "can", "must", "may", "should",
        "ist", "sind", "hat", "darf", "muss", "welche", "welcher", "welches", "wie", "est", "sont", "quel", "quelle",
      ].contains($0)
    }
  }

  /// How much a word tells, by how few of the passages hold it. Those of a small library are eked out with passages as they are
  /// in English at large. Steeper than BM25's: one telling word outweighs two that stand everywhere.
  package static func rarity(of word: String, in holding: Int, of passages: Int) -> Double {
    let usual = Double(usualPassages) * CommonWords.share(of: word)
    return pow(log(1 + Double(passages + usualPassages) / (0.5 + Double(holding) + usual)), 1.5)
  }

  private static let usualPassages = 1000

  /// "Find", "list", "give": what opens a request asks for an answer and seldom stands in it.
  private static func openers(of question: String) -> Set<String> {
    Set(question.split { ".?!;:\n".contains($0) }.compactMap { Question.words(in: String($0)).first })
      .intersection(requests)
  }

  private static let requests: Set<String> = [
    "find", "list", "show", "record", "identify", "provide", "state", "specify", "mention", "report", "extract", "get",
    "look", "check", "search", "compute", "calculate", "determine", "quote", "summarise", "summarize", "nenne", "finde",
    "zeige", "gib", "trouve", "donne", "cite", "indique",
  ]

  /// The part of the question's weight that these stems hold.
  package func coverage(_ stems: Set<String>) -> Double {
    let all = weights.values.reduce(0, +)
    guard all > 0 else { return 0 }
    return weights.reduce(0) { $0 + (stems.contains($1.key) ? $1.value : 0) } / all
  }

  /// Words that say what kind of answer is wanted and seldom stand in it.
  private static let asking: Set<String> = [
    "many", "much", "long", "often", "please", "tell", "explain", "describe", "mean", "means", "name", "say", "says",
    "according", "document", "documents", "give", "happens", "happen", "does", "called", "wieviel", "viele", "combien",
  ]

  private static let shapes: [(words: [String], shape: Shape)] = [
    (["how", "many"], .number), (["how", "much"], .number), (["how", "long"], .duration),
    (["how", "often"], .duration),
    (["how", "soon"], .duration), (["how", "quickly"], .duration), (["how", "old"], .number),
    (["how", "far"], .number), (["how", "fast"], .number), (["how", "large"], .number),
    (["how", "big"], .number), (["how", "high"], .number), (["how", "tall"], .number), (["how", "deep"], .number),
    (["how", "wide"], .number), (["how", "heavy"], .number), (["how", "hot"], .number),
    (["what", "percentage"], .number),
    (["what", "number"], .number), (["which", "version"], .number), (["what", "version"], .number),
    (["what", "temperature"], .number), (["what", "amount"], .number), (["what", "size"], .number),
    (["what", "share"], .number), (["wie", "viel"], .number), (["wie", "viele"], .number),
    (["wie", "hoch"], .number), (["wie", "lange"], .duration), (["wie", "oft"], .duration),
    (["combien", "de", "temps"], .duration), (["combien"], .number),
    (["what", "time"], .date), (["when"], .date), (["what", "year"], .date), (["which", "year"], .date),
    (["what", "date"], .date),
    (["which", "day"], .date), (["which", "month"], .date), (["wann"], .date), (["quand"], .date),
    (["who"], .person), (["whom"], .person), (["whose"], .person), (["wer"], .person), (["wem"], .person),
    (["where"], .place), (["wo"], .place), (["which", "country"], .place), (["what", "country"], .place),
    (["which", "city"], .place), (["what", "city"], .place), (["which", "town"], .place),
    (["what", "address"], .place),
    (["why"], .reason), (["warum"], .reason), (["wieso"], .reason), (["pourquoi"], .reason),
  ]

  static func shape(of words: [String]) -> Shape {
    var first: (place: Int, length: Int, shape: Shape)?
    for (pattern, shape) in shapes {
      guard let place = words.indices.first(where: { words[$0...].starts(with: pattern) }) else { continue }
      if first.map({ (place, -pattern.count) < ($0.place, -$0.length) }) ?? true {
        first = (place, pattern.count, shape)
      }
    }
    let shape = first?.shape ?? .open
    // "What does it cost" and "how much is the rent" ask for money.
    return [.number, .open].contains(shape) && words.contains(where: Units.prices.contains)
      && (shape == .number
        || words.first.map { Self.requests.union(["what", "was", "quel", "quelle"]).contains($0) } ?? false)
      ? .money : shape
  }

  /// How well a sentence holds a thing of the kind that is asked for, and one that the question does not already name: 0 to 1.
  package func fit(of sentence: String) -> Double {
    switch shape {
    case .open: return 1
    case .reason:
      let words = " " + Question.words(in: sentence).joined(separator: " ") + " "
      return Self.reasons.contains { words.contains(" \($0) ") }
        ? 1 : Self.hints.contains { words.contains(" \($0) ") } ? 0.5 : 0
    case .number, .duration, .money, .date: return measure(of: sentence)
    case .person, .place: return name(in: sentence)
    }
  }

  /// Whether it holds a name that the question does not: two words of one are surer than one.
  private func name(in sentence: String) -> Double {
    let tokens = Facts.tokens(sentence)
    func isName(_ place: Int) -> Bool {
      let word = tokens[place].lowercased()
      return tokens[place].first?.isUppercase == true && tokens[place].count > 1 && !Facts.isMonth(word)
        && !Units.days.contains(word) && !given.contains(Relevance.stem(word))
    }
    let names = tokens.indices.dropFirst().filter(isName)
    let isSure = names.contains { place in
      Units.titles.contains(tokens[place - 1].lowercased())
        || isName(place - 1) && !StopWords.all.contains(tokens[place - 1].lowercased())
    }
    return names.isEmpty ? 0 : isSure || shape == .place ? 1 : 0.7
  }

  /// Whether it holds a number, and one that measures what was asked for.
  private func measure(of sentence: String) -> Double {
    // The number of an entry in a list is no answer.
    let text = String(sentence.trimmingPrefix(/[^A-Za-z]{0,3}[0-9.]{1,8}[.)]?\s+(?=[A-Z(])/))
    let words = Question.words(in: text)
    let hasValue = Facts.values(in: text).contains { !given.contains($0) }
    if shape == .duration, words.contains(where: Units.frequency.contains) || Units.isOneSpan(words) { return 1 }
    if shape == .date, words.contains(where: Units.days.contains) { return 1 }
    let isTimed = words.contains(where: Units.time.contains) && !Units.namesMoney(text, words)
    if shape == .date, isTimed, words.contains(where: Units.ordinals.contains) { return 1 }
    guard hasValue else { return 0 }
    switch shape {
    case .duration: return words.contains(where: Units.time.contains) ? 1 : 0.4
    case .money: return Units.namesMoney(text, words) ? 1 : 0.4
    case .date:
      let isDated = words.contains { Facts.isMonth($0) || $0.count == 4 && Int($0) != nil }
      return isDated || isTimed || text.contains(/[0-9][.:][0-9]{2}/) ? 1 : 0.6
    default: return 1
    }
  }

  private static let reasons = [
    "because", "since", "so that", "in order to", "due to", "therefore", "to avoid", "weil", "damit", "parce",
  ]

  /// What often stands where a reason is given, and elsewhere too.
  private static let hints = [
    "as", "so", "reason", "otherwise", "owing", "thanks to", "caused", "led to", "lest", "prevent", "protect", "grund",
    "denn", "da", "sonst", "andernfalls", "wegen", "aufgrund", "car", "afin", "en raison", "puisque", "sinon",
  ]
}

/// Words that say what a number measures, in the languages the chunker knows.
enum Units {
  static let time = words(
    """
    second seconds minute minutes min mins hour hours hrs day days night nights week weeks fortnight month months quarter year
    years decade decades century sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr
    jahre jahren seconde secondes heure heures jour jours semaine semaines mois an ans année années
    """)
  static let frequency = words(
    """
    daily weekly fortnightly monthly quarterly yearly annually hourly once twice every each always never täglich wöchentlich
    monatlich jährlich einmal zweimal jeden jede jedes alle chaque
    """)
  static let days = words(
    """
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday noon midnight montag dienstag mittwoch
    donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
    """)
  static let titles = words("mr mrs ms miss dr prof professor sir herr frau herrn madame monsieur mme")
  static let ordinals = words(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth last ersten zweiten dritten vierten fünften letzten
    premier première deuxième troisième dernier dernière
    """)
  static let prices = words(
    """
    cost costs price prices pay paid pays rent fee fees charge charged charges spend spent earn earns salary wage deposit fine
    fined worth refund owe owes budget premium excess balance kostet kosten preis miete kaution gebühr zahlen zahlt bezahlt
    beitrag coûte coûtent prix loyer payer montant
    """)
  private static let currencies = words(
    "euro euros pound pounds dollar dollars cent cents pence kroner krone franc francs franken usd eur gbp chf")

  private static let one = words("one a an half ein eine einen einem einer eines un une")

  /// "For one year", "half an hour": a time without a digit.
  static func isOneSpan(_ words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { one.contains($0) && time.contains($1) && $1 != "second" }
  }

  /// Whether a word says what a number measures, or names a measure.
  static func isMeasure(_ word: String) -> Bool {
    time.contains(word) || currencies.contains(word) || measures.contains(word)
  }

  private static let measures = words(
    """
    weight power voltage speed capacity length width height distance depth volume pressure duration period temperature area
    percent degrees degree metres meters kilometres kilometers km miles mile feet foot inches kilograms kilogram kg grams gram
    litres liters litre liter ml cm mm watts volts old people persons times
    """)

  static func namesMoney(_ text: String, _ words: [String]) -> Bool {
    text.contains { "€£$¥".contains($0) } || words.contains(where: currencies.contains)
      || text.contains(/[0-9][.,][0-9]{2}\b/)
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
