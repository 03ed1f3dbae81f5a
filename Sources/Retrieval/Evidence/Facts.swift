import Core
import Foundation

/// What in a sentence can be plainly wrong: numbers, names, dates. Each must occur in the passage it rests on.
package struct Facts: Sendable, Equatable {
  /// As written, and the forms it may take elsewhere.
  package var required: [(text: String, forms: Set<String>)] = []

  /// Nothing that must occur.
  static let none = Facts("")

  package static func == (a: Facts, b: Facts) -> Bool { a.required.map(\.text) == b.required.map(\.text) }

  package init(_ sentence: String) {
    let tokens = Self.tokens(sentence)
    for (index, token) in tokens.enumerated() {
      let lower = token.lowercased()
      if let number = Self.number(token) {
        required.append((token, [number]))
      } else if WordList.months[lower] != nil, index > 0 || tokens.count > 1,
        tokens.indices.contains(index + 1) && Self.number(tokens[index + 1]) != nil
          || index > 0 && Self.number(tokens[index - 1]) != nil
      {
        required.append((token, ["month \(WordList.months[lower]!)"]))
      } else if index > 0, token.first?.isUppercase == true, token.count > 1, !WordList.stopWords.contains(lower),
        !Self.isSentenceStart(token, in: sentence)
      {
        required.append((token, Self.forms(of: lower)))
      }
    }
  }

  /// The facts that occur nowhere in the text.
  package func missing(in text: String) -> [String] {
    let present = Self.present(in: text)
    return required.filter { $0.forms.isDisjoint(with: present) }.map(\.text)
  }

  private static func present(in text: String) -> Set<String> {
    var present: Set<String> = []
    for token in tokens(text) {
      let lower = token.lowercased()
      if let number = number(token) { present.insert(number) }
      if let month = WordList.months[lower] { present.insert("month \(month)") }
      if let spelled = WordList.numbers[lower] { present.insert(spelled) }
      present.formUnion(forms(of: lower))
      for part in lower.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
        present.formUnion(forms(of: String(part)))
      }
      if let date = date(lower) {
        present.formUnion(date.numbers.map(String.init) + date.months.map { "month \($0)" })
      }
    }
    return present
  }

  /// The day, month and year of "2024-05-03" and "3.5.2024", the month and year of "05/2024"; which number of "3/5/2024" is the month
  /// cannot be told.
  private static func date(_ token: String) -> (numbers: [Int], months: [Int])? {
    guard token.allSatisfy({ $0.isNumber || "-./".contains($0) }) else { return nil }
    let parts = token.split { !$0.isNumber }
    let numbers = parts.compactMap { Int($0) }
    // Longer than any number, or of signs that are none of 0 to 9: no date.
    guard numbers.count == parts.count else { return nil }
    if numbers.count == 2, let year = parts.firstIndex(where: { $0.count == 4 }) {
      return (numbers, [numbers[1 - year]].filter { (1...12).contains($0) })
    }
    guard numbers.count == 3 else { return nil }
    let isTold = parts[0].count == 4 || token.contains(".")
    return (numbers, (isTold ? [numbers[1]] : Array(numbers.prefix(2))).filter { (1...12).contains($0) })
  }

  /// The names, in each language, of the months that a text's dates give as numbers.
  static func monthNames(in text: String) -> Set<String> {
    guard hasDigit(text) else { return [] }
    let numbers = Set(tokens(text).flatMap { date($0)?.months ?? [] })
    return numbers.isEmpty ? [] : Set(WordList.months.filter { numbers.contains($0.value) }.keys)
  }

  /// Whether there is one of 0 to 9: most sentences have none, and need not be looked through for numbers.
  static func hasDigit(_ text: String) -> Bool { text.utf8.contains { (48...57).contains($0) } }

  /// The numbers of a text, spelled ones and the names of months among them.
  static func values(in text: String) -> [String] {
    tokens(text).compactMap { token in
      let lower = token.lowercased()
      return number(token) ?? (WordList.numbers[lower] == "1" ? nil : WordList.numbers[lower])
        ?? (lower == "may" ? nil : WordList.months[lower].map { _ in lower })
    }
  }

  /// Words with the signs that belong inside numbers and names.
  static func tokens(_ text: String) -> [String] {
    text.split { $0.isWhitespace || "()[]{}\"“”„«»‹›;!?–—|<>=*".contains($0) }.compactMap { piece in
      let trimmed = piece.drop { ".,:'’-/".contains($0) }
      let word = String(trimmed.reversed().drop { ".,:'’-/".contains($0) }.reversed())
      return word.isEmpty ? nil : word
    }
  }

  /// The value of a number however it is grouped: "1,250.50", "1.250,50" and "1 250.5" are the same.
  static func number(_ token: String) -> String? {
    var digits = token.lowercased()
    digits.removeAll { "$€£%°§#".contains($0) }
    for ending in ["st", "nd", "rd", "th", "er", "e", "km", "kg", "mm", "cm", "ms", "s", "m", "g", "k", "x"]
    where digits.hasSuffix(ending) && digits.dropLast(ending.count).last?.isNumber == true {
      digits = String(digits.dropLast(ending.count))
      break
    }
    guard let first = digits.first, first.isNumber || first == "-" || first == "+",
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || ".,'-+".contains($0)) }), digits.contains(where: \.isNumber)
    else { return nil }
    let unsigned = digits.filter { !"+'".contains($0) }
    guard !unsigned.dropFirst().contains("-") else { return nil }
    let separators = unsigned.filter { ".,".contains($0) }
    guard let last = separators.last else { return canonical(unsigned) }
    let after = unsigned.split(separator: last, omittingEmptySubsequences: false).last?.count ?? 0
    // One kind of separator before groups of three only groups; otherwise the last one is the decimal point.
    let groups = Set(separators).count == 1 && after == 3 && (separators.count > 1 || unsigned.first != "0")
    if groups { return canonical(unsigned.filter { !".,".contains($0) }) }
    if Set(separators).count == 1, separators.count > 1 { return nil }
    let parts = unsigned.split(separator: last, omittingEmptySubsequences: false)
    return canonical(parts.dropLast().joined().filter { !".,".contains($0) } + "." + parts.last!)
  }

  private static func canonical(_ digits: String) -> String? {
    guard let value = Decimal(string: digits) else { return nil }
    return "\(value)"
  }

  /// A name and its possessive or plural.
  private static func forms(of word: String) -> Set<String> {
    var forms: Set<String> = [word]
    for ending in ["'s", "’s", "s", "es", "en", "n"] where word.hasSuffix(ending) && word.count - ending.count > 2 {
      forms.insert(String(word.dropLast(ending.count)))
    }
    return forms
  }

  private static func isSentenceStart(_ token: String, in sentence: String) -> Bool {
    guard let place = sentence.place(of: token) else { return false }
    let before = sentence[..<place.lowerBound].reversed().drop { $0.isWhitespace || "\"“„«(".contains($0) }.first
    return before == nil || ".!?:•-".contains(before!)
  }

  static func isNegated(_ text: String) -> Bool {
    let words = Question.words(in: text.replacing("n't", with: " not").replacing("n’t", with: " not"))
    return words.count(where: WordList.negations.contains) % 2 == 1
  }

  /// The words that carry the sentence, each once; numbers are facts, checked for themselves.
  static func telling(_ sentence: String) -> [String] {
    var seen: Set<String> = []
    return Question.words(in: sentence).filter {
      !WordList.stopWords.contains($0) && !$0.contains(where: \.isNumber) && seen.insert($0).inserted
    }
  }

  /// Whether a word in lower case names a month, "may" aside.
  static func isMonth(_ word: String) -> Bool { month(word) != nil }

  /// 1 to 12 for the name of a month in lower case; "may" is too often no month.
  static func month(_ word: String) -> Int? { word == "may" ? nil : WordList.months[word] }

  /// Whether a text names a year, or a month with its day or year.
  package static func namesDate(_ text: String) -> Bool {
    let words = Question.words(in: text)
    func isNumbered(_ place: Int) -> Bool {
      words.indices.contains(place) && words[place].wholeMatch(of: /[0-9]{1,4}(?:st|nd|rd|th|er)?/) != nil
    }
    return words.indices.contains { place in
      words[place].wholeMatch(of: /(?:19|20)[0-9]{2}/) != nil
        || WordList.months[words[place]] != nil
          && (isNumbered(place - 1) || isNumbered(place + 1)
            || place > 1 && words[place - 1] == "of" && isNumbered(place - 2))
    }
  }
}
