import Commands
import Core
import Foundation
import Retrieval
import Storage

/// The decisions of a turn about whole documents.
enum WholeReading {
  struct Choice {
    var documents: [StoredDocument]
    /// Nobody named it; what was taken is shown.
    var isGuess: Bool
  }

  /// Of a library that is meant altogether, so many of the latest.
  private static let mostDocuments = 8

  /// The document that is named; else the only one; else the one that what it is called by in the question fits best; else the one
  /// the conversation is about; else the latest. `found`: the documents in which some words are found, the best first.
  static func chosen(
    for question: String, of library: [StoredDocument], after history: [Prompt.Turn],
    found: (String) async throws -> [Int64]
  ) async rethrows -> Choice {
    let words = Question.words(in: question)
    let text = " " + words.joined(separator: " ") + " "
    let named = library.compactMap { document -> (document: StoredDocument, length: Int)? in
      let names = [document.title, (document.name as NSString).lastPathComponent].flatMap { name -> [String] in
        let short = (name as NSString).deletingPathExtension
        return [name, short].map { Question.words(in: $0).joined(separator: " ") }
      }
      return names.filter { $0.count >= 3 && text.contains(" \($0) ") }.map(\.count).max().map { (document, $0) }
    }
    if let best = named.max(by: { $0.length < $1.length }) { return Choice(documents: [best.document], isGuess: false) }
    if library.count <= 1 { return Choice(documents: library, isGuess: false) }
    if QuestionWords.several.isIn(words) {
      return Choice(documents: Array(library.suffix(mostDocuments)), isGuess: true)
    }
    let likely = likeliest(words, of: library)
    if likely.count == 1 { return Choice(documents: likely, isGuess: true) }
    if let known = known(likely, from: history) { return Choice(documents: [known], isGuess: true) }
    let called = calling(words)
    if !called.isEmpty {
      for id in try await found(called) {
        if let document = likely.first(where: { $0.id == id }) { return Choice(documents: [document], isGuess: true) }
      }
    }
    let known = known(library, from: history) ?? likely.max { $0.updated < $1.updated }
    return Choice(documents: known.map { [$0] } ?? [], isGuess: true)
  }

  /// The one the conversation is about, if it is among these.
  private static func known(_ documents: [StoredDocument], from history: [Prompt.Turn]) -> StoredDocument? {
    for evidence in history.reversed().flatMap(\.evidence) {
      let known = documents.first { evidence.label == $0.title || evidence.label.hasPrefix($0.title + ", page ") }
      if let known { return known }
    }
    return nil
  }

  /// Those whose title or name holds most of the question's words; all, where none holds any.
  private static func likeliest(_ words: [String], of library: [StoredDocument]) -> [StoredDocument] {
    let told = Set(
      words.filter { $0.count > 1 && !WordList.stopWords.contains($0) && !QuestionWords.overviews.contains($0) }
        .map(Relevance.stem))
    let held = library.map { document in
      told.intersection(Question.words(in: document.title + " " + document.name).map(Relevance.stem)).count
    }
    let most = held.max() ?? 0
    return zip(library, held).filter { $0.1 == most }.map(\.0)
  }

  /// What a question calls a document by: the words before the one for the thing, as in "the doctor's letter".
  static func calling(_ words: [String]) -> String {
    // What is left of "doctor's".
    let words = words.filter { $0.count > 1 }
    guard let place = words.lastIndex(where: QuestionWords.wholes.contains) else { return "" }
    let before = words[..<place].reversed().prefix {
      !WordList.stopWords.contains($0) && !QuestionWords.wholeRequests.contains($0)
    }
    return before.isEmpty ? "" : (before.reversed() + [words[place]]).joined(separator: " ")
  }

  static func isList(_ question: String) -> Bool {
    let words = Question.words(in: question)
    return QuestionWords.lists.isIn(words) && !QuestionWords.noLists.isIn(words)
  }

  /// The sentences around a point that say most, within a small pack's grasp.
  static func extract(of sections: Sections, around point: Int) -> String {
    let section = sections.sections[sections.section(of: point)]
    let best = section.range.filter { sections.sentences[$0].weight > 0 && $0 != point }
      .sorted { sections.sentences[$0].weight > sections.sentences[$1].weight }.prefix(3)
    return (best + [point]).sorted().map { sections.sentences[$0].text }.joined(separator: " ")
  }

  /// The sentences of a summary that rest on the document; none where most of it does not.
  static func kept(_ sentences: [Tying.Checked]) -> [Tying.Checked] {
    let kept = sentences.filter { $0.verdict != nil && !Instructions.addressesAnswer($0.text) }
    return kept.count * 2 > sentences.count ? kept : []
  }

  static func isWhole(_ sentence: String) -> Bool {
    sentence.split(separator: " ").count >= 5 && sentence.last.map { ".!".contains($0) } ?? false
  }
}
