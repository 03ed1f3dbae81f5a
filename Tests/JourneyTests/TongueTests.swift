import Foundation
import TestSupport
import Testing

/// What the program says in a terminal, in the person's language.
@Suite("Languages of the command line")
struct TongueTests {
  /// The lines of a table: English, and what is said in its place.
  private func table(_ language: String) throws -> [(english: String, own: String)] {
    let file = Checkout.root.appending(path: "Sources/libera/Languages/\(language).words")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    try #require(lines.count.isMultiple(of: 2))
    return try stride(from: 0, to: lines.count, by: 2).map { place in
      try #require(!lines[place].hasPrefix(" ") && lines[place + 1].hasPrefix("  "), "\(lines[place])")
      return (String(lines[place]), String(lines[place + 1].dropFirst(2)))
    }
  }

  private func sources() throws -> [(name: String, text: String)] {
    let folder = Checkout.root.appending(path: "Sources/libera")
    let walk = try #require(FileManager.default.enumerator(atPath: folder.path))
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map {
      ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
    }
  }

  /// The literals that begin right behind what `pattern` finds, with {} for what is put in, as `Phrase` makes its keys.
  private func literals(after pattern: Regex<Substring>, in text: String) -> [String] {
    text.matches(of: pattern).map { literal(in: text, at: $0.range.upperBound).text }
  }

  private func literal(in text: String, at quote: String.Index) -> (text: String, end: String.Index) {
    var (found, place) = ("", text.index(after: quote))
    while text[place] != "\"" {
      guard text[place] == "\\" else {
        found.append(text[place])
        place = text.index(after: place)
        continue
      }
      place = text.index(after: place)
      if text[place] == "(" {
        found += "{}"
        var depth = 0
        repeat {
          if text[place] == "\"" {
            place = literal(in: text, at: place).end
            continue
          }
          if text[place] == "(" { depth += 1 }
          if text[place] == ")" { depth -= 1 }
          place = text.index(after: place)
        } while depth > 0
      } else {
        found += text[place] == "n" ? "\\n" : String(text[place])
        place = text.index(after: place)
      }
    }
    return (found, text.index(after: place))
  }

  /// Words that a person types stay as they are: options, and what stands for a value.
  private func isTyped(_ words: String) -> Bool {
    words.isEmpty
      || words.wholeMatch(of: /-?-?[a-z0-9-]*|[A-Z]+/) != nil && (words.hasPrefix("-") || words == words.uppercased())
  }

  @Test("Everything that is said has its words in German and French, and nothing else stands in the tables")
  func whole() throws {
    let said = try Set(
      sources().flatMap { file in
        literals(
          after:
            #/(?:\bsay\(\s*|\bone: |\bmany: |static let summary =\s*|\.flag\(\s*"[^"]*",\s*|\.value\(\s*"[^"]*",\s*"[^"]*",\s*|UsageError\.(?:missing|badValue|notOneOf)\(\s*|\.only\([^\n]*?, |\bwhat: |otherwise: )(?=")/#,
          in: file.text)
      }
    ).filter { !isTyped($0) }
    let (german, french) = (try table("de"), try table("fr"))
    #expect(said.count > 400)
    #expect(german.map(\.english) == french.map(\.english))
    #expect(Set(german.map(\.english)).count == german.count, "one line for each")
    let own = Set(german.map(\.english).filter { !isHeard($0) })
    #expect(said.subtracting(own) == [], "without words")
    #expect(own.subtracting(said) == [], "said nowhere")
    for (english, own) in german + french {
      #expect(own.components(separatedBy: "{}").count == english.components(separatedBy: "{}").count, "\(english)")
    }
  }

  /// What rooms of the program say, and is known by its English.
  private func isHeard(_ english: String) -> Bool { english.hasPrefix("* ") || english.hasPrefix("+ ") }

  @Test("What the tables know of the rooms of the program is said there")
  func heard() throws {
    let folder = Checkout.root.appending(path: "Sources")
    let walk = try #require(FileManager.default.enumerator(atPath: folder.path))
    let sources = try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    let rooms = sources.joined(separator: "\n").replacing("\\\"", with: "\"")
      // A long sentence stands there in pieces.
      .replacing(#/"\s*\+ "/#, with: "")
    for line in try table("de").map(\.english) where isHeard(line) {
      // Of what kind something is that is not there is put in.
      let kinds = line.dropFirst(2).replacing(/(conversation|document|collection)s?/, with: "{}")
      let isSaid = [String(line.dropFirst(2)), String(kinds)].contains { words in
        words.split(separator: "{}").filter { $0.contains(where: \.isLetter) }
          .allSatisfy { part in
            rooms.contains(part.trimmingCharacters(in: [" ", ".", "\""]))
          }
      }
      #expect(isSaid, "\(line)")
    }
  }

  @Test("What is written to a terminal goes through the tables")
  func nothingBeside() throws {
    for (name, text) in try sources() {
      let printed = literals(
        after: #/\b(?:line|note|progress|write|styled|styledNote|tell|unseen)\(\s*(?=")/#, in: text)
      // Commands as they are typed.
      for words in printed where !["libera", "systemctl", "autoload"].contains(where: words.contains) {
        let letters = words.replacing("{}", with: " ").replacing("\\n", with: " ")
        #expect(letters.firstMatch(of: /\p{L}{2,}/) == nil, "\(name): \(words)")
      }
    }
  }

  @Test(
    "Help is in the language that the environment names, English where there is no table",
    arguments: [
      ("de_DE.UTF-8", "eine Frage, eine Antwort mit ihren Belegen", "Beispiele:"),
      ("fr_CA.UTF-8", "une question, une réponse avec ses preuves", "Exemples :"),
      ("da_DK.UTF-8", "one question, one answer with its evidence", "Examples:"),
      ("C", "one question, one answer with its evidence", "Examples:"),
    ])
  func help(locale: String, summary: String, examples: String) async throws {
    let program = try Self.program(locale)
    let one = try await program.run("help", "ask")
    #expect(one.output.hasPrefix("libera ask \"QUESTION\"\n  \(summary)\n"))
    #expect(one.lines.contains(examples))
    let all = try await program.run("help").lines
    let english = try await Self.program("C").run("help").lines
    #expect(all.count == english.count)
    let same = zip(all, english).filter { $0 == $1 }.map(\.0)
    #expect(same.isEmpty == ["de_DE.UTF-8", "fr_CA.UTF-8"].contains(locale), "\(same)")
  }

  @Test("LC_ALL speaks before LC_MESSAGES, and that before LANG")
  func order() async throws {
    var program = try Self.program("")
    program.environment["LC_MESSAGES"] = "fr_FR.UTF-8"
    program.environment["LANG"] = "de_DE.UTF-8"
    #expect(try await program.run("nothing").errors.contains("Il n’y a pas de commande « nothing »."))
    program.environment["LC_ALL"] = "C.UTF-8"
    #expect(try await program.run("nothing").errors.contains("There is no command \"nothing\"."))
  }

  @Test("Messages, numbers and errors are told in German, and nothing that a script reads is")
  func german() async throws {
    let program = try Self.program("de_DE.UTF-8")
    let file = try program.file("a.txt", "Die Miete ist am ersten fällig.")
    let broken = try program.file("b.pdf", "%PDF-1.4 and nothing more")
    let taken = try await program.run("import", file.path, broken.path)
    #expect(
      taken.output.contains(
        "a.txt  1 Seite, 1 Stelle  (nur nach Wörtern zu finden: Kein Paket zum Finden ist installiert.)"))
    #expect(taken.output.contains("b.pdf  gescheitert: Die Datei ist beschädigt."))
    #expect(taken.output.contains("1 aufgenommen, 0 übergangen, 1 gescheitert"))
    #expect(taken.status == 1 && taken.errors.isEmpty, "\(taken.errors)")
    // What is known of a name is said of it, and a name is no word to be told otherwise.
    let missing = try await program.run("documents", "text", "memory")
    #expect(missing.status == 3)
    #expect(missing.errors.hasPrefix("libera: Ein Dokument „memory“ gibt es nicht.\n  „libera documents list“ zeigt"))
    #expect(try await program.run("agenda").output == "Nichts.\n")
    let done = try await program.run("do", "remind me to call Ann every monday at nine")
    #expect(done.output.hasPrefix("Erinnerung: call Ann, Mo., "))
    #expect(done.output.hasSuffix(", 09:00, jede Woche am Montag\n"))
    #expect(try await program.run("actions", "list").output.contains("  getan    Erinnerung: call Ann, "))
    let wrong = try await program.run("ask", "--mode", "fats", "x")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("--mode kann nicht „fats“ sein; möglich ist fast, oder deep."))
    #expect(wrong.errors.contains("Meinten Sie „fast“? Siehe „libera help ask“."))
    let gone = try await program.run("conversations", "show", "none")
    #expect(gone.status == 3)
    #expect(gone.errors.contains("Ein Gespräch „none“ gibt es nicht."))
    let unknown = try await program.run("settings", "set", "moed", "deep")
    #expect(unknown.errors.contains("Eine Einstellung „moed“ gibt es nicht."))
    #expect(unknown.errors.contains("Meinten Sie „mode“? \"libera settings describe\" zählt sie auf."))
    // By its code, with what the program says of it below.
    let spent = try await program.run("restore", file.path, "--replace")
    #expect(spent.errors.contains("Das ist keine Sicherung von Libera."))
    // A state of Diagnostics, by the page's table.
    #expect(try await program.run("doctor").output.contains("Hauptprozess"))

    var english = program
    english.environment["LC_ALL"] = "C.UTF-8"
    for words in [["packs", "list", "--json"], ["settings", "get", "--json"], ["settings", "describe", "--json"]] {
      let (own, other) = (try await program.start(words).outcome(), try await english.start(words).outcome())
      // How much memory is free changes from one moment to the next.
      let free = #/[\d.]+ [GMk]B available/#
      #expect(own.output.replacing(free, with: "") == other.output.replacing(free, with: ""))
    }
    let refused = try await program.run("ask", "--json")
    #expect(refused.errorCode == "usage")
    #expect(refused.errors.contains("The question is missing."))
    #expect(refused.errors == (try await english.run("ask", "--json").errors))
  }

  @Test(
    "What a command is understood as, how other programs are pointed here and what an error says are told in one's language",
    arguments: [
      (
        "de_DE.UTF-8", ["Eingangsworte: add_reminder", "Zeit: „tomorrow at nine“"], "Dann: llm keys set",
        "wird nicht benutzt.", true
      ),
      (
        "fr_FR.UTF-8", ["premiers mots : add_reminder", "temps : « tomorrow at nine »"], "Puis : llm keys set",
        "n’est pas utilisé", true
      ),
      (
        "C", ["opening words add_reminder", "time \"tomorrow at nine\""], "Then: llm keys set",
        "not the one that was published", false
      ),
    ])
  func explained(
    locale: String, understood: [String], launched: String, error: String, isForeign: Bool
  ) async throws {
    let program = try Self.program(locale)
    let reasons = try await program.run("understand", "remind me to call Ann tomorrow at nine").errors
    for words in understood { #expect(reasons.contains("  \(words)\n"), "\(reasons)") }
    #expect(try await program.run("launch", "llm").output.contains(launched))
    let known = try await program.run("help", "hash_mismatch")
    #expect(known.output.contains(error) && known.output.contains("`packs/.quarantine`"))
    #expect(known.errors.isEmpty && known.output.contains("The program knows the SHA-256") != isForeign)
    // All that is known of this one the error says.
    #expect((try await program.run("help", "allowance_refused").lines.count > 1) == isForeign)
  }

  @Test(
    "The day that was asked about, and when something rings, are told in one's language",
    arguments: [
      (
        "de_DE.UTF-8", "was steht am Freitag an?", #"In Ihrem Kalender für Fr\., \d+\. \p{L}+ \d{4}:"#,
        "welche Wecker sind gestellt?"
      ),
      (
        "fr_FR.UTF-8", "qu'est-ce que j'ai vendredi ?", #"Dans votre agenda pour ven\. \d+ \p{L}+ \d{4}\s:"#,
        "quelles alarmes sont réglées ?"
      ),
      (
        "C", "what is on my calendar on Friday?", #"In your calendar for Fri \d+ \p{L}+ \d{4}:"#,
        "which alarms are set?"
      ),
    ])
  func days(locale: String, question: String, answer: String, alarms: String) async throws {
    let program = try Self.program(locale)
    _ = try await program.run("do", "--yes", "put lunch with Ann in my calendar on Friday at noon")
    let told = try await program.run("do", question).output
    #expect(try told.contains(Regex(answer)) && told.contains("lunch with Ann"), "\(told)")
    _ = try await program.run("do", "--yes", "wake me tomorrow at 7")
    let rings = try await program.run("do", alarms).output
    #expect(rings.contains(/\d:00/) && rings.contains(/AM|PM/) == (locale == "C"), "\(rings)")
  }

  @Test("A question is answered with the first letter of one's own yes, and with y", arguments: ["j", "y", "n"])
  func yes(answer: String) async throws {
    let program = try Self.program("de_DE.UTF-8")
    let words = [try Program.binary.path, "do", "remind Paul to call tomorrow at nine", "--home", program.home.path]
    // A person at a terminal is asked.
    let shell = words.map { "'\($0)'" }.joined(separator: " ")
    let line = "printf '%s\\n' \(answer) | script -qefc \"\(shell)\" /dev/null"
    let output = try Tool.run(["sh", "-c", line], environment: program.environment).output
    #expect(output.contains("Das tun? [j, N"))
    #expect(output.contains("Es wurde nichts getan.") == (answer == "n"), "\(output)")
  }

  private static func program(_ locale: String) throws -> Program {
    var program = try Program()
    program.environment["LC_ALL"] = locale
    program.environment["LC_MESSAGES"] = nil
    program.environment["LANG"] = nil
    return program
  }
}
