import Core
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
  package var required: RequiredDetails

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
      where !WordList.asking.contains(word) && !openers.contains(word) {
        let stem = Relevance.stem(word)
        weights[stem] = max(weights[stem] ?? 0, share * (rarity[word] ?? 1))
      }
    }
    self.weights = weights
    given = Relevance.stems(in: question)
    required = RequiredDetails(asked)
    let shape = Self.shape(of: asked)
    self.shape = shape == .open && parts.count > 1 && !Self.asks(asked) ? Self.shape(of: parts[0]) : shape
    self.vector = vector
  }

  /// The question without the words that only say which document is meant: "Who gives the keynote?" of one that is called after
  /// the forum. What `text` has as well stays, and the whole of it where nothing else would be left.
  package static func less(_ question: String, naming called: String, besides text: String = "") -> String {
    let names = Relevance.stems(in: called).subtracting(WordList.stopWords.words.map(Relevance.stem))
      .subtracting(Relevance.stems(in: text))
    let words = question.split { !$0.isLetter && !$0.isNumber && !"'’-".contains($0) }
    var left = words.filter { word in
      // "Martin's" is the name, too.
      let parts = Question.words(in: String(word))
      return parts.contains { ($0.count > 1 || parts.count == 1) && !names.contains(Relevance.stem($0)) }
    }
    while let last = left.last, WordList.stopWords.contains(last.lowercased()) { left.removeLast() }
    return left.contains { !WordList.stopWords.contains($0.lowercased()) } ? left.joined(separator: " ") : question
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
    WordList.questionOpeners.isIn(Question.words(in: question).prefix(3))
  }

  /// Whether it is a question from its beginning: "The key is lost" and "is 40" are none, "For how long?" is one.
  package static func isQuestion(_ text: String) -> Bool {
    let words = Question.words(in: text)
    guard let first = words.first, WordList.auxiliaries.contains(first) else {
      return words.prefix(3).contains { WordList.questionOpeners.contains($0) && !WordList.auxiliaries.contains($0) }
    }
    // "Was" is German for "what", too.
    return words.count > 1 && WordList.subjects.contains(words[1]) || WordList.what.contains(first)
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
      .intersection(WordList.requests.words)
  }

  /// The part of the question's weight that these stems hold.
  package func coverage(_ stems: Set<String>) -> Double {
    let all = weights.values.reduce(0, +)
    guard all > 0 else { return 0 }
    return weights.reduce(0) { $0 + (stems.contains($1.key) ? $1.value : 0) } / all
  }

  /// What the first of its clauses asks for that asks for something. What begins with another word that asks does not: in "What do I
  /// do when it leaks?" the "when" only says in which case.
  static func shape(of question: String) -> Shape {
    let clauses = question.split { ",;:.?!\n".contains($0) }.map { Question.words(in: String($0)) }
    let shape = clauses.lazy.compactMap(shape(ofClause:)).first ?? .open
    let words = Question.words(in: question)
    // "What does it cost" and "how much is the rent" ask for money.
    let isAmount = words.first.map { WordList.requests.contains($0) || WordList.what.contains($0) } ?? false
    return WordList.prices.isIn(words) && (shape == .number || shape == .open && isAmount) ? .money : shape
  }

  private static func shape(ofClause words: [String]) -> Shape? {
    var first: (place: Int, length: Int, shape: Shape)?
    for (pattern, shape) in WordList.shapes {
      guard let place = words.indices.first(where: { words[$0...].starts(with: pattern) }) else { continue }
      if first.map({ (place, -pattern.count) < ($0.place, -$0.length) }) ?? true {
        first = (place, pattern.count, shape)
      }
    }
    guard let first, first.place == 0 || !WordList.questionOpeners.contains(words[0]) else { return nil }
    return first.shape
  }

  /// How well a sentence holds a thing of the kind that is asked for, and one that the question does not already name: 0 to 1.
  package func fit(of sentence: String) -> Double {
    switch shape {
    case .open: return 1
    case .reason:
      let words = Question.words(in: sentence)
      return WordList.reasons.occurs(in: words) ? 1 : WordList.hintsOfReasons.occurs(in: words) ? 0.5 : 0
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
        && !WordList.days.contains(word) && !given.contains(Relevance.stem(word))
    }
    let names = tokens.indices.dropFirst().filter(isName)
    let isSure = names.contains { place in
      WordList.titles.contains(tokens[place - 1].lowercased())
        || isName(place - 1) && !WordList.stopWords.contains(tokens[place - 1].lowercased())
    }
    return names.isEmpty ? 0 : isSure || shape == .place ? 1 : 0.7
  }

  /// Whether it holds a number, and one that measures what was asked for.
  private func measure(of sentence: String) -> Double {
    // The number of an entry in a list is no answer.
    let isNumbered = Facts.hasDigit(sentence)
    let text =
      isNumbered ? String(sentence.trimmingPrefix(/[^A-Za-z]{0,3}[0-9.]{1,8}[.)]?\s+(?=[A-Z(])/)) : sentence
    let words = Question.words(in: text)
    let hasValue = Facts.values(in: text).contains { !given.contains($0) }
    if shape == .duration, WordList.frequency.isIn(words) || Units.isOneSpan(words) { return 1 }
    if shape == .date, WordList.days.isIn(words) { return 1 }
    let isTimed = WordList.time.isIn(words) && !Units.namesMoney(text, words)
    if shape == .date, isTimed, WordList.ordinals.isIn(words) { return 1 }
    guard hasValue else { return 0 }
    switch shape {
    case .duration: return WordList.time.isIn(words) ? 1 : 0.4
    case .money: return Units.namesMoney(text, words) ? 1 : 0.4
    case .date:
      let isDated = words.contains { Facts.isMonth($0) || $0.count == 4 && Int($0) != nil }
      return isDated || isTimed || text.contains(/[0-9][.:][0-9]{2}/) ? 1 : 0.6
    default: return 1
    }
  }
}

/// What a number measures.
enum Units {
  /// "For one year", "half an hour": a time without a digit.
  static func isOneSpan(_ words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains {
      WordList.one.contains($0) && WordList.time.contains($1) && $1 != "second"
    }
  }

  /// Whether a word says what a number measures, or names a measure.
  static func isMeasure(_ word: String) -> Bool {
    WordList.time.contains(word) || WordList.currencies.contains(word) || WordList.measures.contains(word)
  }

  static func namesMoney(_ text: String, _ words: [String]) -> Bool {
    text.contains { "€£$¥".contains($0) } || WordList.currencies.isIn(words)
      || Facts.hasDigit(text) && text.contains(/[0-9][.,][0-9]{2}\b/)
  }
}
