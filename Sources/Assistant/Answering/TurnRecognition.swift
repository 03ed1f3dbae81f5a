import Foundation

/// What kind of turn a question is, from its words. Shown with the answer and overridable.
enum TurnRecognition {
  struct Situation {
    var hasDocuments: Bool
    /// Titles and names in the library, to recognise that one is meant as a whole.
    var titles: [String] = []
  }

  static func kind(of question: String, _ situation: Situation) -> TurnKind {
    let text = question.trimmingCharacters(in: .whitespacesAndNewlines)
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
    if isTransform(text, words) { return .transform }
    guard situation.hasDocuments else { return .talk }
    if isWholeDocument(words, text.lowercased(), situation.titles) { return .wholeDocument }
    return isTalk(words) ? .talk : .documents
  }

  private static let transforms: Set<String> = [
    "rewrite", "rephrase", "translate", "shorten", "paraphrase", "correct", "proofread", "reword", "simplify", "polish",
    "convert", "format", "improve", "expand",
  ]

  /// A verb that changes text, and the text itself: after a colon, in quotation marks or on lines of its own.
  private static func isTransform(_ text: String, _ words: [String]) -> Bool {
    let politeness: Set<String> = ["please", "can", "could", "would", "you", "now", "kindly", "then"]
    guard let verb = words.first(where: { !politeness.contains($0) }) else { return false }
    let summarises = ["summarise", "summarize"].contains(verb)
    guard transforms.contains(verb) || summarises || verb == "make" else { return false }
    let afterColon = text.split(separator: ":", maxSplits: 1).dropFirst().first.map { $0.count >= 12 } ?? false
    let quoted = text.contains("\n") || text.filter { "\"“”„«»".contains($0) }.count >= 2
    if afterColon || quoted { return true }
    // "make it shorter", "translate that": what was just said is meant.
    let meant: Set<String> = ["this", "that", "it", "these", "them"]
    return !summarises && words.count <= 8 && words.contains(where: meant.contains)
  }

  private static func isWholeDocument(_ words: [String], _ text: String, _ titles: [String]) -> Bool {
    let verbs: Set<String> = [
      "summarise", "summarize", "summary", "outline", "overview", "extract", "list", "tl;dr", "tldr",
    ]
    let wholes: Set<String> = [
      "document", "file", "paper", "report", "manual", "book", "article", "pdf", "contract", "chapter", "letter",
      "text",
      "whole", "entire",
    ]
    guard let verb = words.first(where: verbs.contains) else { return false }
    let named = titles.contains { title in
      let short = (title.lowercased() as NSString).deletingPathExtension
      return short.count >= 3 && text.contains(short)
    }
    // "List the filters" asks a question; only with "all", "every" or a whole does it mean reading everything.
    let everything = words.contains { ["all", "every", "each", "complete"].contains($0) }
    let mild = verb == "list" || verb == "extract"
    if mild { return everything && (named || words.contains(where: wholes.contains)) }
    return named || words.contains(where: wholes.contains)
  }

  private static let greetings: Set<String> = [
    "hello", "hi", "hey", "thanks", "thank", "bye", "goodbye", "morning", "evening", "hallo", "danke", "bonjour",
    "merci",
    "ok", "okay", "great", "cool", "nice",
  ]

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

  /// nil when the question stands on its own.
  static func completed(_ question: String, after earlier: [String]) -> String? {
    guard let before = earlier.last else { return nil }
    let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    guard !words.isEmpty else { return nil }
    let refers = words.contains(where: pronouns.contains)
    let opens = openings.contains { words.starts(with: $0) }
    let strongly =
      ["and", "but", "also", "or", "und", "et"].contains(words[0]) || words.starts(with: ["what", "about"])
      || words.starts(with: ["how", "about"])
    guard strongly || (refers && words.count <= 12) || (opens && words.count <= 3) else { return nil }
    let topic = before.trimmingCharacters(in: CharacterSet(charactersIn: " ?.!"))
    let rest = question.trimmingCharacters(in: .whitespaces)
    return "\(topic) — \(rest)"
  }
}
