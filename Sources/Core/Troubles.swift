import Foundation

/// What is known of errors beyond their remedies: docs/troubles.md, in which each place says below its heading for which codes it stands.
/// `docs/troubles.de.md` and the like have the same places in another language, each below the first of its codes.
package struct Troubles: Sendable, Equatable {
  package struct Entry: Codable, Sendable, Equatable {
    package var title: String
    /// None where what goes wrong has no code, as with what happens before the program starts.
    package var codes: [String]
    /// Markdown; empty where an error says all by itself.
    package var text: String
    /// In which title and text are written.
    package var language = "en"
  }

  /// Those there are besides English.
  package static let languages = ["de", "fr"]

  package let entries: [Entry]

  package init(in markdown: String) {
    var entries: [Entry] = []
    var isInside = false
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("### ") {
        entries.append(Entry(title: String(line.dropFirst(4)), codes: [], text: ""))
        isInside = true
      } else if line.hasPrefix("#") {
        isInside = false
      } else if isInside {
        let last = entries.count - 1
        if entries[last].text.isEmpty, let codes = Self.codes(in: line) {
          entries[last].codes += codes
        } else if !line.isEmpty || !entries[last].text.isEmpty {
          entries[last].text += line + "\n"
        }
      }
    }
    self.entries = entries.map { entry in
      var entry = entry
      entry.text = entry.text.trimmingCharacters(in: .whitespacesAndNewlines)
      return entry
    }
  }

  /// A place that a language does not have is told in English.
  package init(of installation: Installation, in language: String = "en") throws {
    let english = Troubles(in: try String(contentsOf: installation.troubles, encoding: .utf8))
    guard Self.languages.contains(language) else {
      self = english
      return
    }
    let own = Troubles(in: try String(contentsOf: installation.troubles(in: language), encoding: .utf8))
    self.init(english, told: own, in: language)
  }

  init(_ english: Troubles, told own: Troubles, in language: String) {
    let places = Dictionary(own.entries.map { ($0.codes.first, $0) }) { first, _ in first }
    entries = english.entries.map { entry in
      guard let code = entry.codes.first, let place = places[code] else { return entry }
      return Entry(title: place.title, codes: entry.codes, text: place.text, language: language)
    }
  }

  /// Where more is said of a code; nil where its error says all.
  package func entry(for code: String) -> Entry? {
    entries.first { $0.codes.contains(code) && !$0.text.isEmpty }
  }

  /// A line that holds nothing but codes.
  private static func codes(in line: Substring) -> [String]? {
    let words = line.split(separator: " ")
    let codes = words.compactMap { $0.wholeMatch(of: /`([a-z_]+)`/).map { String($0.1) } }
    return codes.isEmpty || codes.count != words.count ? nil : codes
  }
}
