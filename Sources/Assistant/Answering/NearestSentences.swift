import Core
import Retrieval
import Storage

/// What is shown where nothing answers.
extension Evidence {
  private static let mostNearest = 3

  /// The best sentence of each of the first passages, headings and orders to whoever answers aside; what several say, once.
  var nearest: [KeySentences.Candidate] {
    var seen: Set<Int> = []
    var said: Set<String> = []
    let best = keys.ranked.filter { entry in
      entry.features.instructs == 0 && entry.features.heading == 0
        && seen.insert(keys.candidates[entry.candidate].passage).inserted
        && said.insert(keys.candidates[entry.candidate].text.onOneLine).inserted
    }
    return best.prefix(Self.mostNearest).map { keys.candidates[$0.candidate] }
  }

  /// The same as citations; whole passages where no sentence was weighed.
  func nearestCited(_ citing: Citing) async throws -> [Citation] {
    let sentences = nearest
    guard !sentences.isEmpty else { return items.prefix(Self.mostNearest).map(\.citation) }
    var citations: [Citation] = []
    for sentence in sentences {
      let item = items[sentence.passage]
      let start = item.citation.start + sentence.range.lowerBound
      let place = CitationPlace(document: item.passage.document.id, range: start..<start + sentence.range.count)
      var citation = try await citing.citation(place, of: item.passage.document, score: item.passage.relevance)
      citation.title = item.citation.title
      citations.append(citation)
    }
    return citations
  }
}
