import Core

/// The words of alarms and timers in one language, as `Languages/…/alarms.words` gives them.
struct AlarmWords: Sendable {
  enum Act: String, CaseIterable, Sendable {
    case set, wake, stop, snooze, show
  }
  enum List: String, CaseIterable, Sendable {
    /// Say nothing of their own.
    case around
    /// Belong to what is there already: nothing is set by "the alarm at seven".
    case definite
    /// Say nothing of their own where something is asked.
    case asked
    /// "A timer" is none that runs: nothing is asked about it.
    case indefinite
    /// One of these stands where something is asked about those that are set.
    case owned
    /// Units that may be said of the clock: "sept heures" is seven o'clock.
    case hours
    /// Behind these stands what it is for.
    case leads
    /// Verbs that stop where one of the particles follows: "turn the alarm off".
    case off, particles
    case closings
    case all
  }

  let language: Language
  let things: Phrases<AlarmKind>
  /// Called alarms and none of ours: a smoke alarm.
  let others: Phrases<Bool>
  let acts: Phrases<Act>
  /// Stands before a clock: "at".
  let clockLead: String
  private let lists: [List: Phrases<Bool>]

  init(_ file: WordFile, _ language: Language) throws {
    self.language = language
    let file = language.vocabulary.folds ? Vocabulary.folded(file) : file
    func phrases<Value>(_ rows: [(String, Value)]) -> Phrases<Value> { Phrases(rows, language.vocabulary) }
    things = phrases(try file.table("things") { AlarmKind(rawValue: $0) })
    others = phrases(try file.table("other things") { _ in true })
    acts = phrases(try file.table("acts") { Act(rawValue: $0) })
    clockLead = try file.rows("before a clock").first?.phrases.first ?? ""
    let rows = try file.table("lists") { List(rawValue: $0) }
    lists = Dictionary(grouping: rows, by: \.1).mapValues { phrases($0.map { ($0.0, true) }) }
  }

  /// Where the longest phrase of a list that begins at a token ends.
  func end(_ list: List, _ tokens: [Token], at start: Int) -> Int? { lists[list]?.longest(tokens, at: start)?.end }

  static let bundled: Result<[AlarmWords], any Error> = Result {
    try Language.bundledAll().map { try AlarmWords(CommandResources.words($0.code, "alarms"), $0) }
  }

  static let all: [AlarmWords] = if case .success(let words) = bundled { words } else { [] }
}
