import Foundation
import TestSupport
import Testing

@testable import LiberaApp

@Suite("The texts of the app")
struct WordsTests {
  static let tables = Checkout.root.appending(path: "Apps/Libera/Words")

  /// The keys of a table as they stand in its file.
  private func keys(_ language: String) throws -> [String] {
    let file = Self.tables.appending(path: "\(language).lproj/Localizable.strings")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.split(separator: "\"").first.map(String.init) }
  }

  @Test("Every language has every text once and no other", arguments: Words.languages)
  func whole(language: String) throws {
    let keys = try keys(language)
    #expect(Set(keys).symmetricDifference(Word.allCases.map(\.rawValue)).isEmpty)
    #expect(keys.count == Set(keys).count)
  }

  @Test("No text is empty, and each has the gaps that the English one has", arguments: Words.languages)
  func gaps(language: String) {
    let (words, english) = (Words(language), Words("en"))
    #expect(words.language == language)
    for word in Word.allCases {
      #expect(!words(word).isEmpty && (words(word) != word.rawValue || english(word) == word.rawValue), "\(word)")
      for gap in 0..<5 {
        let sign = "{\(gap)}"
        #expect(words(word).contains(sign) == english(word).contains(sign), "\(word) in \(language)")
      }
    }
  }

  @Test("Values take the place of gaps, numbers are written as in the language, and an unknown language reads English")
  func values() {
    #expect(Words("de-AT")(.onPage, "a.pdf", "3") == "a.pdf, S. 3")
    #expect(Words("de").number(1234567) == "1.234.567")
    #expect(Words("nl").language == "en")
  }
}
