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

  /// The document that is named; else the only one; else the one the conversation is about; else the latest.
  static func chosen(for question: String, of library: [StoredDocument], after history: [Prompt.Turn]) -> Choice {
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
    for turn in history.reversed() {
      for evidence in turn.evidence {
        if let known = library.first(where: {
          evidence.label == $0.title || evidence.label.hasPrefix($0.title + ", page ")
        }) {
          return Choice(documents: [known], isGuess: true)
        }
      }
    }
    return Choice(documents: library.max { $0.updated < $1.updated }.map { [$0] } ?? [], isGuess: true)
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
