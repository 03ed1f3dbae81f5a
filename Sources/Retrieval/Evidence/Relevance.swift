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
    let present = Set(Question.words(in: chunk.heading + " " + chunk.text).map(stem))
    return Double(words.count { present.contains(stem($0)) }) / Double(words.count)
  }

  /// A word without its usual endings: rough, and enough to see that two words are forms of one.
  package static func stem(_ word: String) -> String {
    guard word.count > 3, !word.contains(where: \.isNumber) else { return shortened[word] ?? word }
    // "Caravans" is "caravan", which itself ends like a form of something; "glass" is no plural.
    let isPlural = word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("ies") && word.count > 4
    let single = isPlural ? String(word.dropLast()) : word
    for ending in [
      "ations", "ation", "ungen", "ments", "ment", "ings", "ing", "ung", "ies", "ed", "es", "en", "er", "s", "e", "n",
      "y",
    ]
    where single.hasSuffix(ending) && single.count - ending.count >= (ending == "s" ? 3 : 4)
      && !(ending == "s" && single.hasSuffix("ss"))
    {
      return american(String(single.dropLast(ending.count)))
    }
    return american(single)
  }

  /// "3 h 25 min" says three hours and twenty-five minutes.
  private static let shortened = [
    "h": "hour", "hr": "hour", "hrs": "hour", "min": "minut", "sec": "second", "yr": "year", "yrs": "year",
    "std": "stund", "mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday",
  ]

  /// British spellings as American ones: organis(e), licenc(e), colour.
  private static func american(_ stem: String) -> String {
    guard stem.utf8.count > 4 else { return stem }
    for (british, american) in [("is", "iz"), ("enc", "ens"), ("our", "or")] where stem.hasSuffix(british) {
      return String(stem.dropLast(british.count)) + american
    }
    return stem
  }
}

/// What was seen of the evidence, for deciding whether the documents hold an answer. Kept with the answer, so that a decision
/// can be understood afterwards.
package struct Signals: Sendable, Equatable {
  /// The best cosine of a chunk, nil when there are no vectors.
  package var cosine: Double?
  /// The best cosine less the mean of the first candidates: how much the best stands out.
  package var margin = 0.0
  /// The part of the question's weight that the best chunk holds, and that any of the first chunks hold.
  package var coverage = 0.0
  package var union = 0.0
  package var bestLexical = 0.0
  /// The same of the best sentence, and of it with what stands around it.
  package var sentence = 0.0
  package var context = 0.0
  package var sentenceCosine = 0.0
  /// The part of the question's numbers and names that the passages hold; 1 where it has none.
  package var facts = 1.0
  /// Whether one of the best sentences holds the kind of thing that was asked for.
  package var shape = 1.0

  package init() {}

  init(_ sought: Sought, lexical: Ranking, dense: Ranking, chunks: [Chunk]) {
    cosine = dense.entries.first?.score
    if let cosine {
      let others = dense.entries.dropFirst().prefix(20).map(\.score)
      margin = others.isEmpty ? 0 : cosine - others.reduce(0, +) / Double(others.count)
    }
    bestLexical = lexical.entries.first?.score ?? 0
    let stems = chunks.prefix(5).map {
      Set(Question.words(in: $0.content.heading + " " + $0.content.text).map(Relevance.stem))
    }
    coverage = stems.map(sought.coverage).max() ?? 0
    union = sought.coverage(stems.reduce(into: Set()) { $0.formUnion($1) })
  }

  /// Adds what the sentences show, best first.
  package mutating func add(_ ranked: [KeySentences.Ranked], _ sought: Sought, texts: [String]) {
    let best = ranked.prefix(3)
    sentence = best.map(\.features.coverage).max() ?? 0
    context = best.map(\.features.context).max() ?? 0
    // Where sentences were not compared by meaning, their passage's stands for them.
    let nearest = ranked.prefix(8).map(\.features.cosine).max() ?? 0
    sentenceCosine = nearest > 0 ? nearest : cosine ?? 0
    shape = best.map(\.features.shape).max() ?? 0
    let facts = sought.facts.required.count
    self.facts =
      facts == 0 ? 1 : 1 - Double(sought.facts.missing(in: texts.joined(separator: "\n")).count) / Double(facts)
  }
}
