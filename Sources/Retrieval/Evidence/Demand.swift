/// What a question insists on, beyond being near to something: the thing it asks for by name, and what tells its matter from
/// others of the kind. A near miss has all but these.
package struct Demand: Sendable, Equatable {
  /// Nouns one of which says what is asked for ("How much rum …?", "What is the salary …?"); empty where any word may.
  package var wanted: [String] = []
  /// No other word may stand for the wanted ones.
  package var isLiteral = false
  /// Codes, years, months, numbered things, each with the forms it may take.
  package var qualifiers = Facts.none
  /// The only name of a question: what it is about must be known at all, though its answer may not repeat it.
  package var name = Facts.none
  /// Names of two words, which siblings of theirs are not: the Dray Island of a table is no Dray Point.
  var pairs: [NamePair] = []

  /// What is missing; certain where nothing else can stand for it, such as another code or year.
  package struct Lack: Sendable, Equatable {
    package var word: String
    package var isCertain = false

    package init(word: String, isCertain: Bool = false) { (self.word, self.isCertain) = (word, isCertain) }
  }

  package init(_ question: String) {
    let words = Question.words(in: question.replacing("'s", with: " 's").replacing("’s", with: " 's"))
    if let kinds = Self.kinds(by: words) {
      (wanted, isLiteral) = (kinds, true)
    } else {
      wanted = Self.deed(by: words).map { [$0] } ?? Self.wanted(by: words)
    }
    pairs = NamePair.all(in: question)
    let facts = Facts(question)
    qualifiers.required = Self.qualifiers(among: facts, of: question)
    let names = facts.required.filter { Self.isName($0.text) }
    // With several names a question may call one thing by two of them.
    if names.count == 1, !Self.isGerman(question) { name.required = names }
  }

  /// What the words that answer lack, or the name that all that was found lacks.
  package func unmet(in answering: String, among found: String) -> Lack? {
    if let word = qualifiers.missing(in: answering).first ?? pairs.first(where: { $0.hasOnlySiblings(in: found) })?.text
    {
      return Lack(word: word, isCertain: true)
    }
    return name.missing(in: found).first.map { Lack(word: $0) }
  }

  /// Whether one of the wanted words, or a form of it, stands there ("38dB" for "db"); true where none is wanted.
  package func isNamed(among words: [String]) -> Bool {
    guard !wanted.isEmpty else { return true }
    let stems = Set(words.map { Relevance.stem(String($0.trimmingPrefix(while: \.isNumber))) })
    return wanted.contains { stems.contains(Relevance.stem($0)) }
  }

  // MARK: The thing that is asked for

  /// Words before "?" are seldom tagged: what counts is the run of nouns after the asking words, up to a verb or preposition.
  static func wanted(by words: [String]) -> [String] {
    guard let start = start(of: words) else { return [] }
    var run: [String] = []
    for word in words[start...] {
      // Of "the landlord's telephone" the telephone is asked for.
      if word == "s" { run = [] } else if ends.contains(word) { break } else { run.append(word) }
    }
    guard run.count <= 4 else { return [] }
    // Of "telephone number" the telephone says which; before other such words stands what is no noun.
    if let last = run.last, run.count > 1, ["number", "name", "address"].contains(last) { run.removeLast() }
    if let last = run.last, general.contains(last) || instances.contains(last) || Units.isMeasure(last) { return [] }
    guard let last = run.last, last.count > 2, !last.contains(where: \.isNumber) else { return [] }
    // "What annoyed the testers?"
    if run.count == 1, last.hasSuffix("ed") { return [] }
    // "What interest accrues" may end in a verb.
    let isDoubtful = run.count > 1 && (last.hasSuffix("s") || last.hasSuffix("ed"))
    return isDoubtful ? Array(run.suffix(2)) : [last]
  }

  private static func start(of words: [String]) -> Int? {
    for place in words.indices.dropLast() {
      let next = words[place + 1]
      if words[place] == "how", ["much", "many"].contains(next) { return place + 2 }
      if words[place] == "who" {
        let isOf =
          ["is", "was"].contains(next) && words.dropFirst(place + 2).first.map { articles.contains($0) } ?? false
        return isOf ? place + 3 : nil
      }
      // What "which" asks for is told by its name, "which city" by Paris.
      if words[place] == "which" { return nil }
      guard words[place] == "what" else { continue }
      if ["is", "was", "are", "were"].contains(next) {
        guard let article = words.dropFirst(place + 2).first, articles.contains(article) else { return nil }
        return place + 3
      }
      return ends.contains(next) || instances.contains(next) ? nil : place + 1
    }
    return nil
  }

  private static let articles: Set<String> = ["the", "a", "an", "my", "our", "your", "his", "her", "their"]
  private static let ends: Set<String> = articles.union([
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "might", "must", "should", "will", "would",
    "has", "have", "had", "of", "for", "in", "on", "at", "from", "to", "with", "by", "per", "that", "which", "who", "i",
    "we", "you", "he", "she", "it", "they", "there", "and", "or", "if", "when", "before", "after", "during", "not",
    "be",
    "been", "being", "get", "go", "goes", "went", "take", "takes", "pay", "paid", "come", "comes", "happens",
    "happened",
    "expect", "expects", "need", "needs", "between", "about", "as", "like", "against", "under", "over", "into", "than",
    "used", "needed", "called", "made",
  ])
  /// Nouns that stand in the question and seldom in its answer.
  private static let general: Set<String> = [
    "time", "times", "date", "year", "month", "week", "name", "names", "kind", "kinds", "sort", "sorts", "type",
    "types",
    "thing", "things", "way", "ways", "part", "parts", "place", "places", "person", "people", "persons", "number",
    "amount",
    "size", "age", "percentage", "percent", "share", "reason", "reasons", "difference", "purpose", "meaning", "point",
    "points", "more", "long", "most", "rule", "rules", "address", "location", "result", "results", "answer", "title",
    "total", "limit", "maximum", "minimum", "deadline", "frequency", "definition", "role", "effect", "effects", "cause",
    "problem", "problems", "matter", "procedure", "process", "step", "steps", "position", "opinion", "topic", "subject",
    "penalty", "main", "first", "last", "best", "right", "new", "other", "next", "value", "level", "status",
    "condition",
    "cost", "costs", "price", "prices", "charge", "charges", "fee", "fees", "payment", "conditions", "requirement",
    "requirements", "option", "options", "money", "else", "items", "item",
  ]
  /// What is told by naming one: the word itself need not stand there.
  private static let instances: Set<String> = [
    "city", "town", "village", "country", "region", "company", "firm", "brand", "airline", "street", "river",
    "mountain",
    "bank", "hotel", "language", "animal", "instrument", "fruit", "colour", "color", "material", "tool", "method",
    "ingredient", "ingredients", "treatment", "disease", "symptom", "symptoms", "medicine", "drug", "dish", "hobby",
    "job",
    "organisation", "organization", "university", "school", "team", "day", "weekday", "season", "currency", "vehicle",
    "book", "film", "software", "program", "product", "substance", "plant", "metal", "food", "drink", "sport", "event",
  ]

  /// What an answer to "how loud" or "in which room" has to speak of; one of these words will do.
  static func kinds(by words: [String]) -> [String]? {
    for place in words.indices.dropLast() {
      if words[place] == "how", let kinds = measured[words[place + 1]] { return kinds }
      if words[place] == "which", let kinds = whereabouts[words[place + 1]] { return kinds }
    }
    return words.contains("born") ? ["born", "birth"] : nil
  }

  private static func deed(by words: [String]) -> String? {
    words.count > 1 && words[0] == "who" && deeds.contains(words[1]) ? words[1] : nil
  }

  private static let measured: [String: [String]] = [
    "loud": ["loud", "quiet", "silent", "noise", "noisy", "decibels", "db"],
    "heavy": ["heavy", "light", "weight", "weighs", "kilograms", "kg", "grams", "g", "pounds", "lb", "tons", "tonnes"],
    "tall": ["tall", "height", "high", "metres", "meters", "m", "cm", "feet", "ft"],
    "deep": ["deep", "depth", "shallow", "metres", "meters", "m", "cm", "feet", "ft"],
    "fast": ["fast", "slow", "speed", "km", "kilometres", "miles", "mph", "knots", "second", "minute", "hour", "rpm"],
    "hot": ["hot", "cold", "degrees", "temperature", "heat", "c", "f"],
    "warm": ["warm", "cool", "degrees", "temperature", "heat", "c", "f"],
  ]
  private static let whereabouts: [String: [String]] = [
    "room": ["room", "hall", "theatre", "theater", "auditorium", "studio", "office", "kitchen", "bathroom", "cellar"],
    "floor": ["floor", "storey", "story", "basement", "cellar", "attic"], "platform": ["platform", "track"],
    "gate": ["gate"], "chapter": ["chapter"], "section": ["section"], "paragraph": ["paragraph"],
    "clause": ["clause"], "edition": ["edition"], "seat": ["seat"],
    "route": ["route", "via", "road", "motorway", "over"],
  ]
  /// Deeds that are told by their own names, as "mended" need not be.
  private static let deeds: Set<String> = [
    "founded", "invented", "discovered", "composed", "painted", "designed", "directed", "published", "translated",
    "illustrated", "married", "appointed", "elected", "nominated", "sponsored", "audited", "insured", "witnessed",
  ]
  // MARK: What tells it from others

  private static func qualifiers(
    among facts: Facts, of question: String
  ) -> [(text: String, forms: Set<String>)] {
    let tokens = Facts.tokens(question)
    return facts.required.filter { fact in
      guard fact.text.contains(where: \.isNumber) else {
        return fact.forms.contains { $0.hasPrefix("month ") }
      }
      if fact.text.contains(where: \.isLetter) { return fact.text.contains(where: \.isUppercase) }
      guard let place = tokens.firstIndex(of: fact.text), fact.text.allSatisfy(\.isNumber) else { return false }
      let after = place + 1 < tokens.count ? tokens[place + 1] : ""
      if Units.isMeasure(after.lowercased()) { return false }
      if fact.text.count == 4, fact.text.hasPrefix("1") || fact.text.hasPrefix("20") { return true }
      // "Unit 5", "room 5", "5 Mill Lane".
      return after.first?.isUppercase == true
        || place > 0
          && (tokens[place - 1].first?.isUppercase == true || labels.contains(tokens[place - 1].lowercased()))
    }
  }

  private static func isGerman(_ question: String) -> Bool {
    let words = Question.words(in: question)
    return words.first == "was"
      || !Set(words).isDisjoint(with: [
        "wie", "wann", "wer", "wo", "warum", "welche", "welcher", "welches", "ist", "sind", "hat", "der", "das", "dem",
        "den",
        "und", "für", "mein", "meine", "kann", "darf", "muss",
      ])
  }

  /// Titles before names say nothing.
  private static func isName(_ text: String) -> Bool {
    text.first?.isUppercase == true && text.count > 3 && text.allSatisfy { $0.isLetter || $0 == "-" }
      && text.contains(where: \.isLowercase) && !Units.titles.contains(text.lowercased())
  }

  private static let labels: Set<String> = [
    "unit", "room", "plot", "clause", "section", "chapter", "article", "page", "no", "number", "apartment", "flat",
    "code",
    "model", "error", "version", "part", "figure", "table", "step", "line", "platform", "gate", "bus", "rule", "item",
  ]
}
