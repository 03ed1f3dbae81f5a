import Core

/// A name of two words. "South America" is not meant by a text that knows only North America, nor Dray Point by one of Dray
/// Island: such a text has a sibling of the name, and never the name.
struct NamePair: Sendable, Equatable {
  var first: String
  var second: String

  var text: String { "\(first) \(second)" }

  /// Pairs of words written large, which do not begin the sentence.
  static func all(in question: String) -> [NamePair] {
    let tokens = words(of: question)
    return tokens.indices.dropFirst().dropLast().compactMap { place in
      let (first, second) = (tokens[place], tokens[place + 1])
      return isName(first) && isName(second) ? NamePair(first: first, second: second) : nil
    }
  }

  func hasOnlySiblings(in text: String) -> Bool {
    let tokens = Self.words(of: text)
    let (a, b) = (first.lowercased(), second.lowercased())
    let lower = tokens.map { $0.lowercased() }
    // Where both are known they may be told of apart: "Ottoline and her sister Ada Brask".
    guard lower.contains(a) != lower.contains(b) else { return false }
    return tokens.indices.contains { place in
      if lower[place] == a, place + 1 < tokens.count {
        return WordList.kindsOfPlace.contains(b) && Self.isName(tokens[place + 1])
      }
      if lower[place] == b, place > 0 { return Self.isName(tokens[place - 1]) && Self.mayTellApart(lower[place - 1]) }
      return false
    }
  }

  /// Not "Visit", which only begins a sentence.
  private static func mayTellApart(_ word: String) -> Bool { WordList.sides.contains(word) || !CommonWords.holds(word) }

  /// Words with the signs between them, so that what a comma parts is no name.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    for piece in text.split(whereSeparator: \.isWhitespace) {
      let word = piece.drop { !$0.isLetter && !$0.isNumber }
      let bare = String(word.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
      if word.startIndex != piece.startIndex { words.append("") }
      words.append(bare)
      if bare.count < word.count { words.append("") }
    }
    return words
  }

  private static func isName(_ word: String) -> Bool {
    word.first?.isUppercase == true && word.count > 2 && word.dropFirst().allSatisfy { $0.isLowercase || $0 == "-" }
      && !Facts.isMonth(word.lowercased()) && !WordList.days.contains(word.lowercased())
      && !WordList.titles.contains(word.lowercased()) && !WordList.stopWords.contains(word.lowercased())
  }
}
