import Core
import Foundation

/// The language in which this program talks to a person, and its tables: `Languages/….words` for what is printed here, and what the
/// page has for errors, by their codes, and for reasons (`Web/words`). What no table has is said in English.
struct Tongue: Sendable {
  static let languages = ["en", "de", "fr"]

  /// As the environment names it; English for programs that read what is printed.
  static let current = Tongue(
    Libera.typedWords().contains("--json") ? "en" : language(of: ProcessInfo.processInfo.environment))

  let language: String
  private let phrases: [String: String]
  private let troubles: [String: [String]]
  private let heard: [Heard]

  init(_ language: String) {
    self.language = language
    guard language != "en" else {
      (phrases, troubles, heard) = ([:], [:], [])
      return
    }
    func isHeard(_ line: String) -> Bool { line.hasPrefix("* ") || line.hasPrefix("+ ") }
    let own = Self.phrases(in: Self.text(Installation.resources(of: "libera"), "Languages/\(language).words"))
    phrases = Dictionary(own.filter { !isHeard($0.english) }) { first, _ in first }
    let web = try? Installation().web  // nil: the files of the program are not there, which it says by itself
    troubles = Self.troubles(in: Self.text(web, "words/troubles-\(language).js"))
    heard =
      own.filter { isHeard($0.english) }.map { english, words in
        Heard(String(english.dropFirst(2)), words, nests: english.hasPrefix("+"))
      } + Self.reasons(in: Self.text(web, "words/reasons-\(language).js"))
  }

  /// By the first of the usual variables that says anything, as other programs of a terminal do; English where it names a language
  /// that has no table.
  static func language(of environment: [String: String]) -> String {
    let named = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let language = named.prefix { $0.isLetter }.lowercased()
    return languages.contains(language) ? language : "en"
  }

  func say(_ phrase: Phrase) -> String { phrase.said(as: phrases[phrase.english]) }

  func isOne(_ count: Int) -> Bool { language == "fr" ? count < 2 : count == 1 }

  func told(_ english: String) -> String {
    if let own = heard.first(where: { $0.english == english })?.own ?? phrases[english] { return own }
    if let near = english.wholeMatch(of: /Did you mean "(.+?)"\? (.+)/) {
      return say("Did you mean \"\(near.1)\"?") + " " + told(String(near.2))
    }
    for one in heard {
      guard let values = one.values(in: english) else { continue }
      return Phrase(one.own, one.nests ? values.map(told) : values).said()
    }
    let names = english.components(separatedBy: ", ")
    let own = names.compactMap { name in heard.first { $0.english == name }?.own }
    if names.count > 1, own.count == names.count { return own.joined(separator: ", ") }
    // A measure is written as the language writes numbers.
    return english.wholeMatch(of: /\d+\.\d [A-Za-z°]+/) == nil ? english : english.replacing(".", with: say("."))
  }

  /// What happened and what to do next. Where the program's own sentence says more than the table's, a name or a number, it stands
  /// below.
  func told(_ error: RemoteError) -> (message: String, remedy: String?, said: String?) {
    let whole = told(error.message)
    guard whole == error.message, let own = troubles[error.code], let message = own.first else {
      return (whole, error.remedy.map(told), nil)
    }
    let isMore = error.message.contains { $0.isNumber || "“\"/".contains($0) }
    return (message, own.dropFirst().first, isMore ? error.message : nil)
  }

  /// What an error of this code says, and what to do next; nil where no table has it.
  func told(ofCode code: String) -> [String]? { troubles[code] }

  // MARK: Tables

  /// What a room of the program says, with gaps.
  private struct Heard: Sendable {
    let english: String
    let own: String
    /// Whether what fills a gap may be such a thing itself; a name never is.
    let nests: Bool
    private let parts: [String]

    init(_ english: String, _ own: String, nests: Bool) {
      (self.english, self.own, self.nests) = (english, own, nests)
      parts = english.components(separatedBy: Phrase.gap)
    }

    /// What stands in the gaps; nil where it is another sentence, or has none.
    func values(in text: String) -> [String]? {
      guard parts.count > 1, let first = parts.first, let last = parts.last, text.hasPrefix(first),
        text.hasSuffix(last), text.count >= first.count + last.count
      else { return nil }
      var rest = text.dropFirst(first.count).dropLast(last.count)
      var values: [String] = []
      for part in parts.dropFirst().dropLast() {
        guard let place = rest.range(of: part) else { return nil }
        values.append(String(rest[..<place.lowerBound]))
        rest = rest[place.upperBound...]
      }
      return values + [String(rest)]
    }
  }

  /// A table that is not there is as an empty one: nothing that is done depends on it.
  private static func text(_ folder: URL?, _ name: String) -> String {
    folder.flatMap { try? String(contentsOf: $0.appending(path: name), encoding: .utf8) } ?? ""
  }

  /// English at the beginning of a line, and the words of the language, set in, on the next.
  private static func phrases(in text: String) -> [(english: String, own: String)] {
    var (phrases, english) = ([(String, String)](), "")
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("  ") { phrases.append((english, String(line.dropFirst(2)))) } else { english = String(line) }
    }
    return phrases
  }

  /// The page's tables hold nothing but texts in single quotes.
  private static func texts(in line: some StringProtocol) -> [String] {
    String(line).matches(of: #/'((?:[^'\\]|\\.)*)'/#).map {
      String($0.1).replacing("\\'", with: "'").replacing(#"\\"#, with: #"\"#)
    }
  }

  private static func troubles(in source: String) -> [String: [String]] {
    let lines = source.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: #/  (\w+): \[/#).map { (String($0.1), texts(in: line)) }
    }
    return Dictionary(lines) { first, _ in first }
  }

  private static func reasons(in source: String) -> [Heard] {
    source.split(separator: "\n").filter { $0.hasPrefix("  '") }.flatMap { line in
      let all = texts(in: line)
      return stride(from: 0, to: all.count - 1, by: 2).map {
        Heard(all[$0], all[$0 + 1], nests: true)
      }
    }
  }
}
