import Core

/// A question with its small words in English and all others as they are: "How much is the Nachzahlung in the Stromrechnung?" The judge
/// has read more English than anything else, and finds the words of a German or French text better for such a question.
package enum EnglishFrame {
  struct Phrase: Sendable {
    var words: [String]
    var english: String
  }

  /// `language`: "de" or "fr".
  package static func of(_ question: String, from language: String) -> String {
    guard let phrases = WordList.inEnglish(language) else { return question }
    let words = words(of: question)
    var (said, at) = ("", 0)
    while at < words.count {
      let phrase = phrases[words[at].plain]?.first { phrase in
        phrase.words.count <= words.count - at
          && phrase.words.indices.allSatisfy { words[at + $0].plain == phrase.words[$0] }
          && words[at..<at + phrase.words.count - 1].allSatisfy(\.isJoined)
      }
      let count = phrase?.words.count ?? 1
      let gap = words[at + count - 1].gap
      said += phrase?.english ?? String(words[at].text)
      // "l'escalier" is "the escalier".
      said += phrase != nil && "'’-".contains(gap) ? " " : gap
      at += count
    }
    return said
  }

  /// By their first words, the longest of each first.
  static func phrases(_ rows: [WordFile.Row]) -> [String: [Phrase]] {
    let all = rows.flatMap { row in
      row.phrases.map { Phrase(words: $0.split(separator: " ").map(String.init), english: row.key) }
    }
    return Dictionary(grouping: all) { $0.words.first ?? "" }.mapValues {
      $0.sorted { $0.words.count > $1.words.count }
    }
  }

  private struct Word {
    var text: Substring
    /// What stands between it and the next.
    var gap = ""
    var plain: String { text.lowercased() }
    var isJoined: Bool { gap.allSatisfy { $0.isWhitespace || "'’-".contains($0) } }
  }

  private static func words(of text: String) -> [Word] {
    var (words, rest) = ([Word(text: "")], text[...])
    while let first = rest.first {
      let word = rest.prefix { $0.isLetter || $0.isNumber }
      if word.isEmpty {
        words[words.count - 1].gap.append(first)
        rest.removeFirst()
      } else {
        words.append(Word(text: word))
        rest = rest[word.endIndex...]
      }
    }
    return words
  }
}
