import Core
import Foundation

/// The lists of words and phrases by which commands are understood, as `Languages/en/commands.words` gives them under [lists].
enum Said: CaseIterable {
  case politeness, greetings, closings, tellers, questions, persons, asksAbout
  case changes, mailChanges, existing, negations, forgetting, reporters, sayers, subjects, past, alreadyDone
  case asksLater, mine, received, conditions, calendarThings, calendarQuestions, ownPerson, calendarPlain, calendars,
    tasks, enters, sendsMail
  case mailWords, mailbox, mailQuestions, opens, makes, joints, reminderLead, errand, errandLead, couldYou, eventLead
  case noteLead, trail, particles, named, articles, havingLead, places, taskLists, asksAgain, habitual, feastThings,
    conjoining
  case repeating, changed, goesOn, remindedOf, begins, ownPlaces, rings, sequelJoints, addsAnother, tellsMail,
    bodyMarks,
    weakBodyMarks,
    subjectMarks, titles, beforeRecipients
  case leftParticles, putDown, pointing, pleases, stretches
  case mailNouns, beforeMailNoun, afterRecipients, recordLead, senderEnds, mailVerbs

  /// Whether it is a word of the list.
  func contains(_ word: String) -> Bool { CommandWords.english?.words[self]?.contains(word) ?? false }

  /// Where the longest phrase of the list that begins at a token ends.
  func end(_ tokens: [Token], at start: Int) -> Int? { ends(tokens, at: start).max() }

  func ends(_ tokens: [Token], at start: Int) -> [Int] {
    CommandWords.english?.lists[self]?.matches(tokens, at: start).map(\.end) ?? []
  }
}

/// The words by which commands are understood in English, beside a classifier. What other languages ask stands in `RequestWords`.
struct CommandWords: Sendable {
  /// Openings of a command, by what they ask for. The longest that fits decides.
  let asks: Phrases<Intent>
  let words: [Said: Set<String>]
  let lists: [Said: Phrases<Bool>]
  /// "Weekly" before a thing: the rule that it means.
  let habits: [String: String]
  let spelling: [String: String]
  private let names: [String: Set<String>]

  init(_ file: WordFile, _ vocabulary: Vocabulary) throws {
    asks = Phrases(try file.table("asks") { Intent(rawValue: $0) }, vocabulary, stemmed: true)
    habits = try file.map("habits of things") { $0 }
    spelling = try file.map("spelling") { $0 }
    names = Dictionary(
      try file.rows("names").map { ($0.key, Set($0.phrases)) }, uniquingKeysWith: { first, _ in first })
    words = try file.lists(Said.self).mapValues { Set($0) }
    lists = try file.phrases(of: Said.self, vocabulary)
  }

  static let bundled: Result<CommandWords, any Error> = Result {
    try CommandWords(CommandResources.words("en", "commands"), Vocabulary(CommandResources.words("en", "time")))
  }

  static let english = try? bundled.get()

  /// What an opening at a token asks for.
  static func asked(_ tokens: [Token], at start: Int) -> (payload: Intent, end: Int)? {
    english?.asks.longest(tokens, at: start)
  }

  /// A word that asks is the beginning of a name here: "book club".
  static func isName(_ tokens: [Token], at index: Int) -> Bool {
    guard tokens.indices.contains(index), tokens.indices.contains(index + 1) else { return false }
    let next = tokens[index + 1]
    return english?.names[tokens[index].text].map { $0.contains(next.text) || $0.contains(next.stem) } ?? false
  }
}
