import Foundation
import Retrieval

/// What kind of turn a question is, from its words. Shown with the answer and overridable.
enum TurnRecognition {
  struct Situation {
    var hasDocuments: Bool
    /// Titles and names in the library, to recognise that one is meant as a whole.
    var titles: [String] = []
    /// Then "list all …" can only mean that one.
    var isSingle = false
  }

  static func kind(of question: String, _ situation: Situation) -> TurnKind {
    let text = question.trimmingCharacters(in: .whitespacesAndNewlines)
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
    if isTransform(text, words) { return .transform }
    guard situation.hasDocuments else { return .talk }
    if isWholeDocument(words, situation) { return .wholeDocument }
    return isTalk(words) || makesSomethingNew(words) ? .talk : .documents
  }

  private static let politeness: Set<String> = [
    "please", "can", "could", "would", "you", "now", "kindly", "then", "and", "bitte", "ok",
  ]
  private static let transforms: Set<String> = [
    "rewrite", "rephrase", "translate", "shorten", "paraphrase", "correct", "proofread", "reword", "simplify", "polish",
    "convert", "format", "improve", "expand", "condense", "turn", "put", "übersetze", "kürze", "korrigiere",
    "vereinfache",
    "formuliere", "traduis", "raccourcis", "corrige",
  ]
  private static let meant: Set<String> = [
    "this", "that", "it", "these", "them", "das", "dies", "es", "ça", "cela", "answer", "reply",
  ]

  /// A verb that changes text, and the text itself: after a colon, in quotation marks or on lines of its own. Or a wish about
  /// what was just said.
  private static func isTransform(_ text: String, _ words: [String]) -> Bool {
    let rest = Array(words.drop(while: politeness.contains))
    guard let verb = rest.first else { return false }
    let summarises = ["summarise", "summarize"].contains(verb)
    let changes = transforms.contains(verb) || summarises || ["make", "explain", "write", "give"].contains(verb)
    if changes {
      let afterColon = text.split(separator: ":", maxSplits: 1).dropFirst().first.map { $0.count >= 12 } ?? false
      let quoted = text.contains("\n") || text.filter { "\"“”„«»".contains($0) }.count >= 2
      let mild = ["explain", "give", "turn", "put", "write"].contains(verb)
      if (afterColon || quoted) && (!mild || wishes(rest)) { return true }
      // "make it shorter", "translate that": what was just said is meant.
      if !summarises, words.count <= 10, words.contains(where: meant.contains), !mild || wishes(rest) { return true }
    }
    return rest.count <= 6 && isBareWish(rest)
  }

  private static let comparatives: Set<String> = [
    "shorter", "simpler", "briefer", "longer", "easier", "clearer", "friendlier", "politer", "kürzer", "einfacher",
  ]

  /// The rest of a sentence that says how a text is to be.
  private static func wishes(_ words: [String]) -> Bool {
    let text = words.joined(separator: " ")
    return words.contains(where: comparatives.contains)
      || [
        "as a list", "bullet", "in simple", "in plain", "simply", "into", "in german", "in french", "in english",
        "in spanish", "in italian", "to a child", "for a child", "more formal", "more polite", "in one sentence",
      ]
      .contains(where: text.contains)
  }

  /// "Shorter, please", "as a list", "in German", "in simpler words".
  private static func isBareWish(_ words: [String]) -> Bool {
    let text = words.filter { $0 != "please" && $0 != "bitte" }.joined(separator: " ")
    if let first = words.first, comparatives.contains(first) { return true }
    let beginnings = [
      "as a list", "as bullet", "in bullet", "in german", "in french", "in english", "in spanish", "in italian",
      "in simple", "in simpler", "in plain", "in other words", "in fewer words", "more formal", "more simply",
      "more briefly", "in one sentence", "a bit shorter", "even shorter", "als liste", "auf deutsch", "auf englisch",
      "en français", "en une phrase", "explain simpler", "explain it simpler", "explain more simply", "say it simpler",
    ]
    return beginnings.contains { text.hasPrefix($0) }
  }

  private static func isWholeDocument(_ words: [String], _ situation: Situation) -> Bool {
    let joined = " " + words.joined(separator: " ") + " "
    let named = situation.titles.contains { title in
      let short = (title as NSString).deletingPathExtension.lowercased()
      let plain = short.split { !$0.isLetter && !$0.isNumber && $0 != "'" }.joined(separator: " ")
      return plain.count >= 3 && joined.contains(" \(plain) ")
    }
    let isWhole = named || words.contains(where: wholes.contains)
    // "What is this document about?"
    if words.last == "about" || joined.contains(" is about ") || joined.contains(" deal with "), isWhole,
      words.contains("what") || words.contains("tell")
    {
      return true
    }
    if isWhole,
      ["main point", "key point", "main idea", "takeaway", "main message", "gist of", "key finding", "main topic"]
        .contains(where: joined.contains)
    {
      return true
    }
    guard let verb = words.first(where: verbs.contains) else { return false }
    // "List the filters" asks a question; only with "all", "every" or a whole does it mean reading everything.
    let everything = words.contains { ["all", "every", "each", "complete", "alle", "tous", "toutes"].contains($0) }
    let mild = ["list", "extract", "find", "liste", "nenne"].contains(verb)
    if mild { return everything && (isWhole || situation.isSingle && verb != "find") }
    return isWhole || words.count <= 3
  }

  private static let verbs: Set<String> = [
    "summarise", "summarize", "summary", "outline", "overview", "extract", "list", "tl", "tldr", "recap", "find",
    "zusammenfassung", "zusammen", "überblick", "liste", "nenne", "résumé", "résume",
  ]
  private static let wholes: Set<String> = [
    "document", "documents", "file", "files", "paper", "report", "manual", "book", "article", "pdf", "contract",
    "chapter",
    "letter", "text", "whole", "entire", "guide", "policy", "handbook", "lease", "dokument", "datei", "vertrag", "buch",
    "fichier", "livre", "contrat",
  ]

  private static let greetings: Set<String> = [
    "hello", "hi", "hey", "thanks", "thank", "bye", "goodbye", "morning", "evening", "hallo", "danke", "bonjour",
    "merci",
    "ok", "okay", "great", "cool", "nice",
  ]

  private static let makes: [[String]] = [
    ["write"], ["compose"], ["invent"], ["imagine"], ["make", "up"], ["come", "up", "with"], ["think", "of"],
    ["schreib"], ["schreibe"], ["dichte"], ["erfinde"], ["écris"], ["invente"],
  ]
  private static let tells: Set<String> = ["tell", "erzähl", "erzähle", "raconte"]
  private static let told: Set<String> = [
    "joke", "story", "tale", "riddle", "poem", "witz", "geschichte", "märchen", "rätsel", "blague", "histoire", "conte",
    "devinette",
  ]
  private static let someoneAsking: Set<String> = ["me", "us", "mir", "uns", "moi", "nous"]
  private static let indefinite: Set<String> = [
    "a", "an", "another", "some", "two", "three", "four", "five", "ten", "ein", "eine", "einen", "noch", "zwei", "drei",
    "un", "une", "des", "deux", "trois",
  ]

  /// "Write a poem about rain", "tell me a joke": no document can have it. A text about what is in the documents is asked of them.
  private static func makesSomethingNew(_ words: [String]) -> Bool {
    let rest = Array(words.drop(while: politeness.contains))
    let verb = makes.first { rest.starts(with: $0) }
    let object = rest.dropFirst(verb?.count ?? 1).drop(while: someoneAsking.contains)
    guard verb != nil || rest.first.map(tells.contains) == true && object.prefix(5).contains(where: told.contains),
      let article = object.first, indefinite.contains(article)
    else { return false }
    let drawsOnDocuments = words.contains {
      wholes.contains($0) || meant.contains($0) || ["my", "our", "according", "table"].contains($0)
    }
    return !drawsOnDocuments && !words.contains(where: verbs.contains)
  }

  private static func isTalk(_ words: [String]) -> Bool {
    guard let first = words.first else { return true }
    if words.count <= 4, greetings.contains(first) { return true }
    let joined = words.joined(separator: " ")
    return ["who are you", "what are you", "how are you", "what can you do", "help me write", "tell me a joke"]
      .contains { joined.hasPrefix($0) }
  }
}

/// Completes a follow-up from the conversation, so that it can be looked up. What it became is shown.
enum FollowUp {
  private static let openings: [[String]] = [
    ["and"], ["what", "about"], ["how", "about"], ["but"], ["also"], ["or"], ["und"], ["et"], ["why"], ["why", "not"],
    ["when"], ["where"], ["who"], ["how", "much"], ["how", "many"], ["how", "long"], ["how", "often"],
  ]
  private static let pronouns: Set<String> = [
    "it", "its", "they", "them", "their", "this", "that", "these", "those", "he", "she", "his", "her", "him", "one",
    "there",
    "same", "er", "sie", "es", "ils", "elle",
  ]

  /// Whether the question says only together with what came before it what it asks.
  static func leans(_ question: String) -> Bool { completed(question, topic: "") != nil }

  /// nil when the question stands on its own. Questions before that were follow-ups themselves are completed first.
  static func completed(_ question: String, after earlier: [String]) -> String? {
    var topic: String?
    for before in earlier {
      // A wish about an answer ("shorter, please") is no topic.
      if TurnRecognition.kind(of: before, .init(hasDocuments: true)) == .documents {
        topic = topic.flatMap { completed(before, topic: $0) } ?? before
      }
    }
    return topic.flatMap { completed(question, topic: $0) }
  }

  private static func completed(_ question: String, topic: String) -> String? {
    let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    guard !words.isEmpty else { return nil }
    // "Is there a deposit?" points to nothing.
    let refers = words.indices.contains { place in
      pronouns.contains(words[place])
        && !(words[place] == "there" && place > 0 && ["is", "are", "was", "were"].contains(words[place - 1]))
    }
    let opens = openings.contains { words.starts(with: $0) }
    let strongly =
      ["and", "but", "also", "or", "und", "et"].contains(words[0]) || words.starts(with: ["what", "about"])
      || words.starts(with: ["how", "about"]) || words.starts(with: ["was", "ist", "mit"])
    let bare = words.count <= 3 && !words.contains(where: verbs.contains)
    guard strongly || (refers && words.count <= 12) || (opens && words.count <= 3) || bare else { return nil }
    if let said = substituted(question, in: topic) { return said }
    let rest = question.trimmingCharacters(in: .whitespaces)
    // What was asked last stays; of what was asked before it only the topic is needed.
    let known = topic.components(separatedBy: QuestionProfile.joint).prefix(2).joined(separator: QuestionProfile.joint)
    return "\(known.trimmingCharacters(in: CharacterSet(charactersIn: " ?.!")))\(QuestionProfile.joint)\(rest)"
  }

  /// "When was Potato released?", "And Etch?": one name stands for the other. nil where no name is given.
  private static func substituted(_ question: String, in topic: String) -> String? {
    let end = CharacterSet(charactersIn: " ?.!,")
    var given = question.trimmingCharacters(in: end).split(separator: " ").map(String.init)
    let opening = [
      ["what", "about"], ["how", "about"], ["was", "ist", "mit"], ["and"], ["und"], ["et"], ["or"], ["but"],
    ]
    .first { given.map { $0.lowercased() }.starts(with: $0) }
    guard let opening else { return nil }
    given.removeFirst(opening.count)
    guard let first = given.first?.lowercased(), given.count <= 8,
      !given.contains(where: { verbs.contains($0.lowercased()) })
    else { return nil }
    var words = topic.trimmingCharacters(in: end).split(separator: " ").map(String.init)
    if determiners.contains(first), let place = object(of: words) {
      words.replaceSubrange(place, with: given)
      return words.joined(separator: " ") + "?"
    }
    guard given.contains(where: isName) else { return nil }
    if prepositions.contains(first) {
      guard let place = words.lastIndex(where: { $0.lowercased() == first }) else { return nil }
      words.replaceSubrange(place..., with: given)
    } else {
      guard let from = words.indices.dropFirst().first(where: { isName(words[$0]) }) else { return nil }
      let to = words[from...].firstIndex { !isName($0) } ?? words.endIndex
      words.replaceSubrange(from..<to, with: given)
    }
    return words.joined(separator: " ") + "?"
  }

  /// What a question asks about, as far as its words show: from "the" after a verb that is no auxiliary to the next preposition.
  private static func object(of words: [String]) -> Range<Int>? {
    guard let from = words.indices.dropFirst().first(where: { determiners.contains(words[$0].lowercased()) }),
      !auxiliaries.contains(words[from - 1].lowercased()), !prepositions.contains(words[from - 1].lowercased())
    else { return nil }
    let to =
      words[from...].firstIndex { prepositions.contains($0.lowercased()) || $0.lowercased() == "of" } ?? words.endIndex
    return to - from <= 4 ? from..<to : nil
  }

  private static let determiners: Set<String> = [
    "the", "a", "an", "my", "our", "your", "his", "her", "their", "der", "die", "das", "ein", "eine", "le", "la", "les",
  ]
  private static let auxiliaries: Set<String> = [
    "do", "does", "did", "can", "could", "may", "must", "should", "will", "would", "has", "have", "had",
  ]

  private static func isName(_ word: String) -> Bool {
    word != "I" && (word.first?.isUppercase == true || word.contains { $0.isNumber || "._(".contains($0) })
  }

  private static let prepositions: Set<String> = [
    "in", "on", "at", "from", "until", "for", "by", "with", "to", "since", "after", "before", "during", "under",
    "without",
    "seit", "von", "bis", "mit", "nach", "vor", "für", "de", "en", "avec", "pour",
  ]

  /// A question with one of these says itself what it asks.
  private static let verbs: Set<String> = [
    "is", "are", "was", "were", "do", "does", "did", "can", "must", "may", "should", "will", "has", "have", "list",
    "show",
    "ist", "sind", "hat", "est", "sont", "what", "who", "when", "where", "which", "define", "find",
  ]
}
