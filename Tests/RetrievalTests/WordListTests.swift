import Core
import Testing

@testable import Retrieval

@Suite("Lists of words, by language")
struct WordListTests {
  @Test("Every language has every list, and no phrase twice in one", arguments: WordList.languages)
  func lists(language: String) throws {
    let rows = try #require(WordList.file(language).sections["lists"])
    #expect(rows.map(\.key).sorted() == WordList.allCases.map { "\($0)" }.sorted())
    for row in rows {
      #expect(!row.phrases.isEmpty && row.phrases.count == Set(row.phrases).count, "\(row.key)")
      #expect(language != "en" || row.phrases != ["-"] || row.key == "beforeOrdinals", "\(row.key)")
    }
  }

  @Test("Phrases are written as texts are taken apart, so that each can be found", arguments: WordList.languages)
  func written(language: String) throws {
    let file = try WordList.file(language)
    // A full stop belongs to what is shortened.
    let dotted: Set = ["abbreviations", "abbreviationsAtEnds"]
    for (section, rows) in file.sections {
      for row in rows where !dotted.contains(row.key) {
        for phrase in row.phrases where phrase != "-" {
          #expect(Question.words(in: phrase).joined(separator: " ") == phrase, "\(section), \(row.key)")
        }
      }
    }
  }

  @Test(
    "Months and numbers are whole in every language, and every kind of question is asked for",
    arguments: WordList.languages)
  func whole(language: String) throws {
    let file = try WordList.file(language)
    #expect(Set(try file.map("months") { Int($0) }.values) == Set(1...12))
    #expect(Set(try file.map("numbers") { Int($0) }.values) == Set(0...12))
    let kinds = try #require(file.sections["shapes"]).map(\.key)
    #expect(kinds == ["number", "duration", "date", "person", "place", "reason"])
  }

  @Test("They are read, and the usual words with them")
  func read() throws {
    try WordList.check()
    #expect(
      WordList.stopWords.contains("the") && WordList.stopWords.contains("und") && WordList.stopWords.contains("les"))
    #expect(WordList.usual("de").contains("und") && !WordList.usual("fr").contains("und"))
    #expect(CommonWords.holds("find") && !CommonWords.holds("zyxt"))
    #expect(
      WordList.endingsByLength.first == "ations" && WordList.months["januar"] == 1 && WordList.numbers["drei"] == "3")
  }

  @Test(
    "A phrase stands among words where all of its words do, in order",
    arguments: [("in order to save", true), ("to order in", false), ("so that it holds", true), ("", false)])
  func occurs(text: String, expected: Bool) {
    #expect(WordList.reasons.occurs(in: Question.words(in: text)) == expected)
  }
}
