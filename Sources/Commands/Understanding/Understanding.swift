import Core
package import Foundation

/// What `libera understand` prints for one utterance.
package struct Understanding: Sendable {
  package var frame: Frame
  package var recurrence: String?
  package var emailFrom: String?
  package var decision: Decision
  package var alternatives: [Frame]
  package var veto: Veto?
  package var explanation: [String]
  package var emailAbout: String?
  package var topic: Topic?
  /// Its first words ask for something to be done.
  package var isAskedFor: Bool
  /// The calendar, or what stands in calendars, was named.
  package var speaksOfCalendar: Bool
  /// Nothing but a word that stands in calendars says so: only what it names there is meant.
  package var asksByName = false
  /// It asks when something is that goes by all of these words, and about nothing else.
  package var called: Set<String> = []
  package var marks: [Card.Mark]
  /// What was said after the first command, to be understood by itself.
  package var rest: String?
  var times: [TimeReading]
  var words: Set<String>

  /// What else an utterance that is no command may be about: the page then shows what stands there.
  package enum Topic: String, Sendable, Codable {
    case question, change

    init?(_ label: String) {
      switch label {
      case "calendar_query": self = .question
      case "calendar_remove": self = .change
      default: return nil
      }
    }
  }

  /// The time it names, a whole day where it names one.
  package func span(with resolver: TimeResolver) -> Range<Date>? {
    guard let reading = times.first(where: { $0.kind != .duration }), let start = reading.moment else { return nil }
    let walls = Walls(zone: resolver.zone)
    let end = reading.until ?? (reading.hasClock ? start + 3600 : start + Civil.secondsPerDay)
    return walls.date(start)..<walls.date(max(end, start + 60))
  }

  /// Whether a title has all the words that what is asked about goes by, or the beginnings of them: "Zahnarzttermin" is one at the
  /// "Zahnarzt".
  package func calls(_ title: String) -> Bool {
    let own = Token.split(title).filter { $0.kind == .word }.map(\.stem)
    return called.allSatisfy { Self.isNamed($0, in: own) }
  }

  static func isNamed(_ word: String, in title: [String]) -> Bool {
    title.contains { $0 == word || $0.count >= 4 && word.hasPrefix($0) || word.count >= 4 && $0.hasPrefix(word) }
  }

  /// How many words of this title the utterance holds.
  package func words(of title: String) -> Int {
    Token.split(title).count { $0.kind == .word && $0.text.count > 2 && words.contains($0.stem) }
  }
}
