import Core

/// The words of one ability in one language: `Languages/…/NAME.words`.
protocol SpokenTable: Sendable {
  associatedtype List: Hashable, CaseIterable
  static var name: String { get }
  var lists: [List: Phrases<Bool>] { get }
  /// The file as the language compares words, with accents or without.
  init(_ file: WordFile, _ language: Language) throws
}

extension SpokenTable {
  /// Where the longest phrase of a list that begins at a token ends.
  func end(_ list: List, _ tokens: [Token], at start: Int) -> Int? { lists[list]?.longest(tokens, at: start)?.end }

  static func readAll() -> Result<[Self], any Error> {
    Result {
      try Language.bundledAll().map { language in
        let file = try CommandResources.words(language.code, name)
        return try Self(language.vocabulary.folds ? Vocabulary.folded(file) : file, language)
      }
    }
  }
}

extension WordFile {
  func phrases<Name: CaseIterable & Hashable>(of _: Name.Type, _ vocabulary: Vocabulary) throws -> [Name: Phrases<Bool>]
  {
    try lists(Name.self).mapValues { Phrases($0, vocabulary) }
  }
}
