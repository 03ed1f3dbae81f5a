import Commands
import Core
import Foundation
import Retrieval

private typealias Words = QuestionWords

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
    let words = words(in: text)
    if isTransform(text, words) { return .transform }
    guard situation.hasDocuments else { return .talk }
    if isWholeDocument(words, situation) { return .wholeDocument }
    return isTalk(words) || makesSomethingNew(words) ? .talk : .documents
  }

  /// Whether it brings the text along that is to be changed.
  static func isChangeOfGivenText(_ question: String) -> Bool {
    kind(of: question, Situation(hasDocuments: true)) == .transform && Transformation(question).text != nil
  }

  /// Whether it can mean a document as a whole, so that the titles in the library decide.
  static func mayMeanWhole(_ question: String) -> Bool {
    let words = words(in: question)
    return asksForMainPoints(words) || words.contains(where: Words.overviews.contains)
  }

  private static func words(in text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
  }

  /// "What is this document about?"
  private static func asksForMainPoints(_ words: [String]) -> Bool {
    let isAbout = words.last.map(Words.aboutEnds.contains) == true || Words.abouts.occurs(in: words)
    return isAbout && words.contains(where: Words.aboutLeads.contains)
      || Words.mainPoints.isPart(of: " " + words.joined(separator: " ") + " ")
  }

  /// A verb that changes text, and the text itself: after a colon, in quotation marks or on lines of its own. Or a wish about
  /// what was just said.
  private static func isTransform(_ text: String, _ words: [String]) -> Bool {
    let rest = Array(words.drop(while: Words.politeness.contains))
    guard let verb = rest.first else { return false }
    let summarises = Words.summarises.contains(verb)
    if summarises || Words.transforms.contains(verb) {
      let afterColon = text.split(separator: ":", maxSplits: 1).dropFirst().first.map { $0.count >= 12 } ?? false
      let quoted = text.contains("\n") || text.filter { "\"“”„«»".contains($0) }.count >= 2
      let isClear = !Words.mildTransforms.contains(verb) || wishes(rest)
      if (afterColon || quoted) && isClear { return true }
      // "make it shorter", "translate that": what was just said is meant.
      if !summarises, words.count <= 10, words.contains(where: Words.meant.contains), isClear { return true }
    }
    return rest.count <= 6 && isBareWish(rest)
  }

  /// The rest of a sentence that says how a text is to be.
  private static func wishes(_ words: [String]) -> Bool {
    words.contains(where: Words.comparatives.contains) || Words.wishes.isPart(of: words.joined(separator: " "))
  }

  /// "Shorter, please", "as a list", "in German", "in simpler words".
  private static func isBareWish(_ words: [String]) -> Bool {
    words.first.map(Words.comparatives.contains) == true
      || Words.bareWishes.opens(words.filter { !Words.pleases.contains($0) }.joined(separator: " "))
  }

  private static func isWholeDocument(_ words: [String], _ situation: Situation) -> Bool {
    let joined = " " + words.joined(separator: " ") + " "
    let named = situation.titles.contains { title in
      let short = (title as NSString).deletingPathExtension
      let plain = Self.words(in: short).joined(separator: " ")
      return plain.count >= 3 && joined.contains(" \(plain) ")
    }
    let isWhole = named || words.contains(where: Words.wholes.contains)
    if isWhole, asksForMainPoints(words) { return true }
    guard let verb = words.first(where: Words.overviews.contains) else { return false }
    // "List the filters" asks a question; only with "all", "every" or a whole does it mean reading everything.
    if Words.mildOverviews.contains(verb) {
      return words.contains(where: Words.everything.contains)
        && (isWhole || situation.isSingle && !Words.finds.contains(verb))
    }
    return isWhole || words.count <= 3
  }

  /// "Write a poem about rain", "tell me a joke": no document can have it. A text about what is in the documents is asked of them.
  private static func makesSomethingNew(_ words: [String]) -> Bool {
    let rest = Array(words.drop(while: Words.politeness.contains))
    let verb = Words.makes.count(beginning: rest)
    let object = rest.dropFirst(verb ?? 1).drop(while: Words.askers.contains)
    let isTold = rest.first.map(Words.tells.contains) == true && object.prefix(5).contains(where: Words.told.contains)
    guard verb != nil || isTold, let article = object.first, Words.indefinite.contains(article) else { return false }
    return !words.contains {
      Words.wholes.contains($0) || Words.meant.contains($0) || Words.drawsOn.contains($0)
        || Words.overviews.contains($0)
    }
  }

  private static func isTalk(_ words: [String]) -> Bool {
    guard let first = words.first else { return true }
    return words.count <= 4 && Words.greetings.contains(first) || Words.talk.opens(words.joined(separator: " "))
  }
}

/// Completes a follow-up from the conversation, so that it can be looked up. What it became is shown.
enum FollowUp {
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
      Words.pronouns.contains(words[place])
        && !(Words.pointless.contains(words[place]) && place > 0 && Words.existing.contains(words[place - 1]))
    }
    let opens = Words.openings.count(beginning: words) != nil
    let strongly = Words.strongOpenings.count(beginning: words) != nil
    let bare = words.count <= 3 && !words.contains(where: Words.complete.contains)
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
    guard let opening = Words.swaps.count(beginning: given.map { $0.lowercased() }) else { return nil }
    given.removeFirst(opening)
    guard let first = given.first?.lowercased(), given.count <= 8,
      !given.contains(where: { Words.complete.contains($0.lowercased()) })
    else { return nil }
    var words = topic.trimmingCharacters(in: end).split(separator: " ").map(String.init)
    if Words.determiners.contains(first), let place = object(of: words) {
      words.replaceSubrange(place, with: given)
      return words.joined(separator: " ") + "?"
    }
    guard given.contains(where: isName) else { return nil }
    if Words.prepositions.contains(first) {
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
    guard let from = words.indices.dropFirst().first(where: { Words.determiners.contains(words[$0].lowercased()) }),
      !Words.auxiliaries.contains(words[from - 1].lowercased()),
      !Words.prepositions.contains(words[from - 1].lowercased())
    else { return nil }
    let to =
      words[from...].firstIndex {
        Words.prepositions.contains($0.lowercased()) || Words.of.contains($0.lowercased())
      } ?? words.endIndex
    return to - from <= 4 ? from..<to : nil
  }

  private static func isName(_ word: String) -> Bool {
    word != "I" && (word.first?.isUppercase == true || word.contains { $0.isNumber || "._(".contains($0) })
  }
}
