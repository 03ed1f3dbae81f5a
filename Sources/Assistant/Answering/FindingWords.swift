import Core
import Foundation
import Retrieval

/// What is said of an answer that is not sure, or not there, in the language of the question.
struct FindingWords: Sendable {
  var maybe: String
  /// What is quoted does not name what the question does.
  var maybeWithout: @Sendable (String) -> String
  var notThere: String
  var notThereLacking: @Sendable (String) -> String
  /// What is nearest is in another language, in which a question finds more.
  var notThereSoFar: @Sendable (QuestionLanguage) -> String
  /// Of one of several things that were asked for.
  var nothingFor: @Sendable (String) -> String
  var nearest: String
  var nothingNear: String
  var tries: String
  var page: String
  /// Of a table whose rows are counted or added up: how many, of which document; what they come to; that none has all of it.
  var rows: @Sendable (Int, String) -> String
  var inAll: @Sendable (String, String?) -> String
  var onAverage: @Sendable (String) -> String
  var noRow: @Sendable (String) -> String
  /// Before an answer made of what programs said.
  var told: @Sendable (String) -> String

  static func of(_ question: String) -> FindingWords {
    switch QuestionLanguage(of: question) {
    case .english: english
    case .german: german
    case .french: french
    }
  }

  private static let english = FindingWords(
    maybe: "This may be it:",
    maybeWithout: { "This may be it, though nothing of it names \"\($0)\":" },
    notThere: "This is not in your documents.",
    notThereLacking: { "This is not in your documents: what is nearest says nothing of \"\($0)\"." },
    notThereSoFar: { language in
      let name = [.english: "English", .german: "German", .french: "French"][language] ?? language.rawValue
      return
        "This is not in your documents as far as they are in English: what is in \(name) is found by a question in \(name)."
    },
    nothingFor: { "Nothing was found for \"\($0)\"." },
    nearest: "Nearest to it:", nothingNear: "Nothing in them is near to it.",
    tries: "Try other words, import what should hold it, or ask without documents.", page: "page",
    rows: { $0 == 1 ? "1 row of \($1)" : "\($0) rows of \($1)" },
    inAll: { value, terms in "\(value) in all\(terms.map { ": \($0)" } ?? "")" }, onAverage: { "\($0) on average" },
    noRow: { "This is not in your documents: no row of \($0) holds all that you asked for." },
    told: { "Not from your documents, but from what \($0) said:" })
  private static let german = FindingWords(
    maybe: "Das könnte es sein:",
    maybeWithout: { "Das könnte es sein, auch wenn nichts davon „\($0)“ nennt:" },
    notThere: "Das steht nicht in Ihren Dokumenten.",
    notThereLacking: { "Das steht nicht in Ihren Dokumenten: Was am nächsten kommt, sagt nichts von „\($0)“." },
    notThereSoFar: { language in
      let name = [.english: "Englisch", .german: "Deutsch", .french: "Französisch"][language] ?? language.rawValue
      return
        "Das steht nicht in Ihren Dokumenten, soweit sie auf Deutsch sind: Was auf \(name) ist, findet eine Frage auf \(name)."
    },
    nothingFor: { "Nichts fand sich zu „\($0)“." },
    nearest: "Am nächsten kommt:", nothingNear: "Nichts darin kommt dem nahe.",
    tries: "Versuchen Sie andere Wörter, importieren Sie, worin es stehen müsste, oder fragen Sie ohne Dokumente.",
    page: "Seite",
    rows: { $0 == 1 ? "1 Zeile von \($1)" : "\($0) Zeilen von \($1)" },
    inAll: { value, terms in "\(value) insgesamt\(terms.map { ": \($0)" } ?? "")" },
    onAverage: { "\($0) im Durchschnitt" },
    noRow: { "Das steht nicht in Ihren Dokumenten: Keine Zeile von \($0) enthält alles, wonach Sie fragen." },
    told: { "Nicht aus Ihren Dokumenten, sondern aus dem, was \($0) gesagt hat:" })
  private static let french = FindingWords(
    maybe: "C’est peut-être ceci :",
    maybeWithout: { "C’est peut-être ceci, bien que rien n’y nomme « \($0) » :" },
    notThere: "Cela ne figure pas dans vos documents.",
    notThereLacking: { "Cela ne figure pas dans vos documents : le plus proche ne dit rien de « \($0) »." },
    notThereSoFar: { language in
      let name = [.english: "anglais", .german: "allemand", .french: "français"][language] ?? language.rawValue
      return
        "Cela ne figure pas dans vos documents en français : ce qui est en \(name) se trouve par une question en \(name)."
    },
    nothingFor: { "Rien n’a été trouvé pour « \($0) »." },
    nearest: "Au plus proche :", nothingNear: "Rien n’y ressemble.",
    tries: "Essayez d’autres mots, importez ce qui devrait le contenir, ou demandez sans documents.", page: "page",
    rows: { $0 == 1 ? "1 ligne de \($1)" : "\($0) lignes de \($1)" },
    inAll: { value, terms in "\(value) en tout\(terms.map { " : \($0)" } ?? "")" }, onAverage: { "\($0) en moyenne" },
    noRow: { "Cela ne figure pas dans vos documents : aucune ligne de \($0) ne contient tout ce que vous demandez." },
    told: { "Non pas d’après vos documents, mais d’après ce qu’a dit \($0) :" })

  // MARK: Sentences

  /// That it is not there, what is nearest on a line each, and what to try.
  func answer(_ evidence: Evidence) -> String {
    let lines = nearestLines(evidence)
    let passages = evidence.nearest.map { evidence.items[$0.passage].citation.text }
    let soFar = evidence.searched.first.flatMap { Self.other(than: $0, of: passages) }.map(notThereSoFar)
    let no =
      lines.isEmpty ? "\(notThere) \(nothingNear)" : evidence.lacking.map(notThereLacking) ?? soFar ?? notThere
    let shown = lines.isEmpty ? [] : [([nearest + "\n"] + lines.map { "- \($0)" }).joined(separator: "\n")]
    return ([no] + shown + [tries]).joined(separator: "\n\n")
  }

  /// In which other language than the question's the nearest of the passages is, of those whose language is sure; nil where it is in the
  /// same, or the question's is not sure.
  static func other(than question: String, of passages: [String]) -> QuestionLanguage? {
    guard let own = QuestionLanguage.known(of: question),
      let nearest = passages.lazy.compactMap({ QuestionLanguage.known(of: $0) }).first
    else { return nil }
    return nearest == own ? nil : nearest
  }

  private static let longestLine = 160

  private func nearestLines(_ evidence: Evidence) -> [String] {
    evidence.nearest.map { candidate in
      let citation = evidence.items[candidate.passage].citation
      let place = citation.page.map { "\(citation.title), \(page) \($0)" } ?? citation.title
      let text = candidate.text.onOneLine
      return "\(place): \(text.count > Self.longestLine ? text.prefix(Self.longestLine - 1) + "…" : text)"
    }
  }
}

/// The languages that the chunker knows, told by the small words of a text.
package enum QuestionLanguage: String, Sendable {
  case english = "en"
  case german = "de"
  case french = "fr"

  package init(of question: String) { self = Self.known(of: question) ?? .english }

  /// nil where it has no small words of any, or as many of several.
  static func known(of question: String) -> QuestionLanguage? {
    let words = Question.words(in: question)
    let (german, french, english) = (
      Self.german.count(in: words), Self.french.count(in: words), Self.english.count(in: words)
    )
    if german > max(french, english) { return .german }
    if french > max(german, english) { return .french }
    return english > max(german, french) ? .english : nil
  }

  /// Several small words of another language alone and none of English alone: one may be a name or an abbreviation ("mon-fri"), and
  /// some are words of both ("a").
  package static func isForeign(_ text: String) -> Bool {
    let words = Set(Question.words(in: text))
    let own = WordList.usual(english.rawValue)
    return [german, french].contains { language in
      let other = WordList.usual(language.rawValue)
      return !words.contains { own.contains($0) && !other.contains($0) }
        && words.count { other.contains($0) && !own.contains($0) } > 1
    }
  }

  private func count(in words: some Sequence<String>) -> Int {
    let usual = WordList.usual(rawValue)
    return words.count(where: usual.contains)
  }
}
