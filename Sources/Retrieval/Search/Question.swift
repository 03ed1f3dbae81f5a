import Core

/// A question taken apart for the word index.
package struct Question: Sendable, Equatable {
  /// What a person put in quotation marks: it must stand there word for word.
  package var phrases: [String] = []
  /// The words that matter, lower case, in order, each once.
  package var words: [String] = []
  /// Words with digits or signs inside, as they were written: looked up in one piece.
  package var names: [String] = []

  package init(_ text: String) {
    var rest = text
    for (open, close) in [("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»")] as [(Character, Character)] {
      rest = takePhrases(from: rest, open, close)
    }
    let all = Self.words(in: rest)
    let telling = all.filter { !WordList.stopWords.contains($0) }
    // "To be or not to be": nothing but stop words is still a question.
    var seen: Set<String> = []
    words = (telling.isEmpty && phrases.isEmpty ? all : telling).filter { seen.insert($0).inserted }.prefix(64).map {
      $0
    }
    names = Self.names(in: text)
  }

  private mutating func takePhrases(from text: String, _ open: Character, _ close: Character) -> String {
    var rest = ""
    var inside: String?
    for character in text {
      if let phrase = inside {
        if character == close {
          if Self.words(in: phrase).count > 0 {
            phrases.append(phrase.trimmingPrefix(while: \.isWhitespace).description)
          }
          inside = nil
        } else {
          inside = phrase + String(character)
        }
      } else if character == open {
        inside = ""
      } else {
        rest.append(character)
      }
    }
    // A quotation mark without its partner was an apostrophe or a slip.
    return rest + (inside.map { String(open) + $0 } ?? "")
  }

  /// Runs of letters and digits, as the word index separates them.
  package static func words(in text: String) -> [String] {
    let lower = text.lowercased()
    guard lower.utf8.allSatisfy({ $0 < 128 }) else {
      return lower.split { !($0.isLetter || $0.isNumber) }.map(String.init)
    }
    // Of ASCII each byte is a character, and nothing has to be looked up for it.
    return lower.utf8.split { !((97...122).contains($0) || (48...57).contains($0)) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func names(in text: String) -> [String] {
    var found: [String] = []
    // Only what the index keeps in one piece: "is.na(x)" is looked up as "is.na".
    for piece in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || "_-./@#+$§%:'".contains($0)) }) {
      let word = piece.drop { !$0.isLetter && !$0.isNumber && !"#@$§_./".contains($0) }
      let name = String(word.reversed().drop { !$0.isLetter && !$0.isNumber && !"#+%_".contains($0) }.reversed())
      // Words that a hyphen joins, and capitals, are found like other words.
      let interesting = name.contains { $0.isNumber || "_./@#$§:".contains($0) }
      if name.count > 1, name.count < 80, interesting, !isCommon(name), !found.contains(name) {
        found.append(name)
      }
    }
    return Array(found.prefix(8))
  }

  /// Years and small numbers stand in texts of all kinds, and a year within dates: "2024-05-28" is not one piece with "2024".
  private static func isCommon(_ number: String) -> Bool {
    guard number.allSatisfy({ $0.isASCII && $0.isNumber }) else { return false }
    return number.count < 3 || number.count == 4 && (number.hasPrefix("19") || number.hasPrefix("20"))
  }

  /// The question in FTS5's language: any of the words, all of the phrases. Nil if nothing can be looked up.
  package func expression(adding corrections: [String] = []) -> String? {
    let any = (words + corrections).map(Self.quoted).joined(separator: " OR ")
    let all = phrases.map(Self.quoted).joined(separator: " AND ")
    if all.isEmpty { return any.isEmpty ? nil : any }
    // The words do not decide what is found, only (through BM25) what comes first.
    return any.isEmpty ? all : "(\(all)) AND (\(all) OR \(any))"
  }

  private static func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: " ") + "\"" }
}
