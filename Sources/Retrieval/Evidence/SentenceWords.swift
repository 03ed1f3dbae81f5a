import Core
import Foundation

/// What the words of the sentences tell of a question. Taken once: the sentences are ranked by it alone, then by meaning as well, then
/// by what a judge has read.
package struct SentenceWords: Sendable {
  private let candidates: [KeySentences.Candidate]
  private let relevance: [Double]
  /// Of each sentence; with what names or opens its document; with what it stands under.
  private let own, named, placed: [Set<String>]
  /// Of the headings that each stands under.
  private let sections: [Set<String>]
  private let areHeadings, areContents: [Bool]

  /// `contexts` says what each sentence stands under, `relevance` how well each passage was found, `topics` what the document of each
  /// passage is called and begins with.
  package init(
    _ candidates: [KeySentences.Candidate], contexts: [String], relevance: [Double], topics: [String]? = nil
  ) {
    (self.candidates, self.relevance) = (candidates, relevance)
    var known: [String: Set<String>] = [:]
    /// Many sentences stand under the same, and many passages in one document.
    func stems(_ text: String) -> Set<String> {
      if let stems = known[text] { return stems }
      let stems = Relevance.stems(in: text)
      known[text] = stems
      return stems
    }
    // What names or opens a document is said of all in it: that a sentence says it once more makes it no better an answer.
    let about = topics?.map(stems)
    own = candidates.map { candidate in
      let words = Question.words(in: candidate.text) + Facts.monthNames(in: candidate.text)
      return Set(words.map(Relevance.stem))
    }
    named = zip(own, candidates).map { $0.union(about?[$1.passage] ?? []) }
    placed = zip(named, contexts).map { $0.union(stems($1)) }
    sections = contexts.map { stems($0.components(separatedBy: ": ").dropFirst().joined(separator: " ")) }
    areHeadings = zip(candidates, contexts).map { KeySentences.isHeading($0) || $1.holds($0.text) }
    areContents = candidates.map { KeySentences.isContents($0.text) }
  }

  /// What is seen of each sentence by its words.
  package func features(for profile: QuestionProfile) -> [KeySentences.Features] {
    let instructs = Instructions.marked(candidates, isAboutCode: Instructions.isAboutCode(profile.given))
    let telling = specific(profile)
    let all = max(telling.values.reduce(0, +), 1e-9)
    let best = max(relevance.max() ?? 1, 1e-9)
    return candidates.indices.map { index in
      var features = KeySentences.Features()
      // A sentence is about what its heading says.
      let said = own[index].union(sections[index])
      features.specific = telling.reduce(0) { $0 + (said.contains($1.key) ? $1.value : 0) } / all
      features.heading = areHeadings[index] ? 1 : 0
      features.coverage = profile.coverage(named[index])
      features.passage = relevance[candidates[index].passage] / best
      features.shape = profile.fit(of: candidates[index].text)
      features.contents = areContents[index] ? 1 : 0
      features.instructs = instructs[index] ? 1 : 0
      return features
    }
  }

  /// What each of the question's words tells where some sentences hold it and others do not.
  private func specific(_ profile: QuestionProfile) -> [String: Double] {
    let count = Double(placed.count)
    return profile.weights.reduce(into: [:]) { weights, word in
      let holding = Double(placed.count { $0.contains(word.key) })
      weights[word.key] = word.value * max(0, log((count + 1) / (holding + 0.5)))
    }
  }
}
