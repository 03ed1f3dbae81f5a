package import Foundation
package import Inference

/// What a small model that reads question and passage together says of the sentences that were found. It is an adapter of one
/// embedding pack (Training/README.md); with another pack words and vectors decide alone.
package enum Locating {
  /// The pack that the adapter was made for.
  package static let pack = "all-minilm-l6-v2-f16"
  package static var adapterFile: URL? { Bundle.module.url(forResource: "locator", withExtension: "gguf") }

  /// Off unless LIBERA_LOCATOR=1 is set, as for measuring: on the household's test half it made answers worse (Benchmarks/reading.md).
  package static let isOn = ProcessInfo.processInfo.environment["LIBERA_LOCATOR"] == "1"

  /// What was seen of one sentence; each between 0 and 1.
  package struct Seen: Sendable, Equatable {
    /// How far its words belong to a sentence that answers.
    package var evidence = 0.0
    /// How probable it is that the answer begins in it, if it stands in this piece.
    package var begins = 0.0
    /// Whether the piece that it stands in answers.
    package var answers = 0.0
    /// Whether some words there are preferred to "nowhere".
    package var place = 0.0
    package init() {}
  }

  /// All candidates with what stands above their passages.
  package static func request(
    _ question: String, _ candidates: [KeySentences.Candidate], headings: [String]
  ) -> LocateRequest {
    var passages = headings.map { LocateRequest.Passage(title: title(of: $0), sentences: []) }
    for candidate in candidates {
      passages[candidate.passage].sentences.append(
        candidate.text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
    return LocateRequest(question, in: passages)
  }

  /// The document and the nearest section.
  private static func title(of heading: String) -> String {
    let path = heading.components(separatedBy: " › ")
    guard let first = path.first, !first.isEmpty else { return "" }
    return (path.count > 1 ? "\(first): \(path[path.count - 1])" : first) + "."
  }

  /// For each candidate, in their order, what the pieces say that hold it.
  package static func seen(_ located: [Located], of candidates: [KeySentences.Candidate]) -> [Seen] {
    var places: [Int: [Int]] = [:]
    for (index, candidate) in candidates.enumerated() { places[candidate.passage, default: []].append(index) }
    var seen = [Seen](repeating: Seen(), count: candidates.count)
    for piece in located {
      for sentence in piece.evidence.indices {
        let index = places[piece.passage]![piece.start + sentence]
        seen[index].evidence = probability(piece.evidence[sentence])
        seen[index].begins = piece.begins[sentence]
        seen[index].answers = probability(piece.answers)
        seen[index].place = probability(piece.margin / 2)
      }
    }
    return seen
  }

  private static func probability(_ logOdds: Double) -> Double { 1 / (1 + exp(-logOdds)) }
}
