import Core
import Foundation
import Testing

@testable import Commands

/// The tables of words are whole: what a language lacks is said to be lacking, and nothing is written twice.
@Suite struct LanguageTests {
  private static func file(_ code: String) throws -> WordFile { try CommandResources.words(code, "time") }

  @Test("Every language can be read, with all its tables", arguments: Language.codes)
  func whole(code: String) throws {
    let language = try Language(Self.file(code), code: code)
    let english = try Self.file("en").sections
    let sections = try Self.file(code).sections
    #expect(Set(sections.keys) == Set(english.keys))
    #expect(Set(language.vocabulary.weekdays.values) == Set(0...6))
    #expect(Set(language.vocabulary.months.values) == Set(1...12))
    #expect(Set(language.vocabulary.units.values) == Set(Grain.allCases))
    #expect(Set(language.vocabulary.cardinals.values).isSuperset(of: 0...12))
  }

  @Test("Every kind of word has its row in every language", arguments: Language.codes)
  func words(code: String) throws {
    let keys = try #require(try Self.file(code).sections["words"]).map(\.key)
    let signs = Set(WordRole.signs.values.map { "\($0)" })
    #expect(keys.count == Set(keys).count)
    #expect(Set(keys) == Set(WordRole.allCases.map { "\($0)" }).subtracting(signs))
  }

  @Test("No table is empty, and no phrase stands in it twice", arguments: Language.codes)
  func phrases(code: String) throws {
    for (section, rows) in try Self.file(code).sections {
      #expect(!rows.isEmpty, "\(section)")
      for row in rows {
        #expect(!row.phrases.isEmpty, "\(section) \(row.key)")
        #expect(row.phrases.count == Set(row.phrases).count, "\(section) \(row.key)")
        #expect(row.phrases == ["-"] || !row.phrases.contains("-"), "\(section) \(row.key)")
      }
      // A word may do several things in the grammar; everywhere else a phrase has one meaning.
      let phrases = rows.filter { $0.phrases != ["-"] }.flatMap(\.phrases)
      let twice = Dictionary(grouping: phrases) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
      #expect(["words", "cardinals"].contains(section) || twice.isEmpty, "\(section): \(twice)")
    }
  }

  @Test("Habits are ones that the grammar knows", arguments: Language.codes)
  func habits(code: String) throws {
    for habit in try Self.file(code).rows("habits").flatMap(\.phrases) {
      #expect(Language.Habit(rawValue: habit) != nil, "\(habit)")
    }
  }

  @Test("The table of commands has every list, none of them empty, and no phrase twice in one")
  func commands() throws {
    let file = try CommandResources.words("en", "commands")
    let words = try CommandWords(file, Vocabulary(Self.file("en")))
    #expect(Set(words.lists.keys) == Set(Said.allCases))
    let lists = try #require(file.sections["lists"])
    #expect(Set(lists.map(\.key)) == Set(Said.allCases.map { "\($0)" }) && lists.count == Said.allCases.count)
    for rows in file.sections.values {
      for row in rows {
        #expect(!row.phrases.isEmpty, "\(row.key)")
        #expect(row.phrases.count == Set(row.phrases).count, "\(row.key)")
      }
    }
    #expect(try Set(file.table("asks") { Intent(rawValue: $0) }.map(\.1)).count == 5)
  }

  @Test("The tables of what is asked have every list, and no phrase twice in one", arguments: Language.codes)
  func requests(code: String) throws {
    let file = try CommandResources.words(code, "requests")
    let keys = try #require(file.sections["lists"]).map(\.key)
    #expect(keys.sorted() == RequestWords.List.allCases.map(\.rawValue).sorted())
    for row in file.sections.values.flatMap(\.self) {
      #expect(row.phrases.count == Set(row.phrases).count, "\(row.key)")
    }
    for section in ["asks", "topics", "reply"] {
      let phrases = try file.rows(section).flatMap(\.phrases)
      #expect(phrases.count == Set(phrases).count, "\(section)")
    }
  }

  @Test(
    "The tables of questions have only lists that are used, English all of them, and no phrase twice in one",
    arguments: Language.codes)
  func questions(code: String) throws {
    let lists = try #require(CommandResources.words(code, "questions").sections["lists"])
    let known = Set(QuestionWords.allCases.map { "\($0)" })
    #expect(lists.count == Set(lists.map(\.key)).count && known.isSuperset(of: lists.map(\.key)))
    #expect(code != "en" || lists.count == known.count)
    for row in lists { #expect(row.phrases.count == Set(row.phrases).count, "\(row.key)") }
  }

  @Test(
    "The words tell the language, and English where they do not",
    arguments: [
      ("remind me tomorrow at nine", "en"), ("morgen um neun", "de"), ("demain à neuf heures", "fr"),
      ("on August 12th", "en"), ("am 12. Dezember", "de"), ("le 12 août", "fr"), ("12:30", "en"), ("", "en"),
      ("don't make an appointment", "en"), ("lunch with Mai", "en"),
    ])
  func spoken(text: String, code: String) { #expect(Language.spoken(in: text)?.code == code, "\(text)") }
}
