import Core

/// The words of alarms and timers in one language, as `Languages/…/alarms.words` gives them.
struct AlarmWords: SpokenTable {
  enum Act: String, CaseIterable, Sendable {
    case set, wake, stop, snooze, show
  }
  enum List: String, CaseIterable {
    /// Say nothing of their own.
    case around
    /// Belong to what is there already: nothing is set by "the alarm at seven".
    case definite
    /// Say nothing of their own where something is asked.
    case asked
    /// "A timer" is not one that runs, so nothing is asked about it.
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
  let lists: [List: Phrases<Bool>]

  init(_ file: WordFile, _ language: Language) throws {
    self.language = language
    func phrases<Value>(_ rows: [(String, Value)]) -> Phrases<Value> { Phrases(rows, language.vocabulary) }
    things = phrases(try file.table("things") { AlarmKind(rawValue: $0) })
    others = phrases(try file.table("other things") { _ in true })
    acts = phrases(try file.table("acts") { Act(rawValue: $0) })
    clockLead = try file.rows("before a clock").first?.phrases.first ?? ""
    lists = try file.phrases(of: List.self, language.vocabulary)
  }

  /// Whether something is said of alarms or timers.
  static func speak(_ tokens: [Token], in language: Language) -> Bool {
    guard let words = all.first(where: { $0.language === language }) else { return false }
    return tokens.indices.contains { at in
      words.things.longest(tokens, at: at) != nil || words.acts.longest(tokens, at: at)?.payload == .wake
    }
  }

  static let name = "alarms"
  static let bundled = readAll()
  static let all = (try? bundled.get()) ?? []
}
