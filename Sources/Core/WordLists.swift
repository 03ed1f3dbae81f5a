/// The lists of words of one room, as its tables give them under [lists]: those of all languages together, for people mix them.
package struct WordLists: Sendable {
  fileprivate var words: [Set<String>]
  fileprivate var phrases: [[[String]]]

  /// Empty ones, as many as there are names.
  package init(count: Int) {
    (words, phrases) = (Array(repeating: [], count: count), Array(repeating: [], count: count))
  }

  package mutating func add<Name: WordListName>(_ file: WordFile, _: Name.Type) throws {
    for (list, texts) in try file.lists(Name.self) {
      for text in texts where words[list.rawValue].insert(text).inserted {
        phrases[list.rawValue].append(text.split(separator: " ").map(String.init))
      }
    }
  }
}

/// The name of a list, by which its words are asked for.
package protocol WordListName: CaseIterable, Hashable, RawRepresentable<Int>, Sendable {
  static var tables: WordLists { get }
}

extension WordListName {
  package var words: Set<String> { Self.tables.words[rawValue] }

  package func contains(_ word: String) -> Bool { words.contains(word) }

  package func isIn(_ words: some Sequence<String>) -> Bool { words.contains(where: contains) }

  /// How many words the longest of the list's phrases has with which these begin.
  package func count(beginning words: some Sequence<String>) -> Int? {
    Self.tables.phrases[rawValue].filter { words.starts(with: $0) }.map(\.count).max()
  }

  /// Whether a phrase of the list stands among these words.
  package func occurs(in words: [String]) -> Bool {
    let phrases = Self.tables.phrases[rawValue]
    return words.indices.contains { place in phrases.contains { words[place...].starts(with: $0) } }
  }

  /// Whether a phrase of the list stands in the text, be it as a part of a word.
  package func isPart(of text: String) -> Bool { words.contains { text.contains($0) } }

  /// Whether the text begins with a phrase of the list, be it with a part of a word.
  package func opens(_ text: String) -> Bool { words.contains { text.hasPrefix($0) } }
}
