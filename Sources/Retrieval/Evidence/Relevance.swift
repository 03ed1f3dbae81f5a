import Core
import Foundation
package import Storage

/// How probable it is that a chunk bears on a question, for people and thresholds. Not what orders results.
package enum Relevance {
  /// A logistic curve over the cosine and the part of the question's words that occur.
  package static func of(cosine: Double?, coverage: Double) -> Double {
    let value = cosine.map { -4.0 + 7.0 * $0 + 3.0 * coverage } ?? -3.0 + 4.5 * coverage
    return 1 / (1 + exp(-value))
  }

  /// The part of the words that occur, or a word with the same beginning.
  package static func coverage(of words: [String], in chunk: ChunkText) -> Double {
    guard !words.isEmpty else { return 0 }
    let present = stems(in: chunk.heading + " " + chunk.text)
    return Double(words.count { present.contains(stem($0)) }) / Double(words.count)
  }

  /// A word without its usual endings: rough, and enough to see that two words are forms of one.
  package static func stem(_ word: String) -> String {
    guard word.count > 3, !word.contains(where: \.isNumber) else { return WordList.shortForms[word] ?? word }
    // "Caravans" is "caravan", which itself ends like a form of something; "glass" is no plural.
    let isPlural = word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("ies") && word.count > 4
    let single = isPlural ? String(word.dropLast()) : word
    for ending in WordList.endingsByLength
    where single.hasSuffix(ending) && single.count - ending.count >= (ending == "s" ? 3 : 4)
      && !(ending == "s" && single.hasSuffix("ss"))
    {
      return american(String(single.dropLast(ending.count)))
    }
    return american(single)
  }

  /// The words of a text, each without its endings.
  package static func stems(in text: String) -> Set<String> { Set(Question.words(in: text).map(stem)) }

  /// British spellings as American ones: organis(e), licenc(e), colour.
  private static func american(_ stem: String) -> String {
    guard stem.utf8.count > 4 else { return stem }
    for (british, american) in [("is", "iz"), ("enc", "ens"), ("our", "or")] where stem.hasSuffix(british) {
      return String(stem.dropLast(british.count)) + american
    }
    return stem
  }
}
