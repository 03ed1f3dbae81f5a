import Foundation
import Testing

@testable import Assistant
@testable import Retrieval
@testable import Storage

@Suite("Passages in the order of their sentences")
struct WeighedTests {
  private func document(_ number: Int) throws -> StoredDocument {
    let fields = """
      {"id": \(number), "collection": "", "name": "\(number).txt", "title": "Title \(number)", "hash": "", "kind": "text",
       "state": "ready", "pages_done": 1, "bytes": 1, "text_bytes": 1, "created": 0, "updated": 0}
      """
    return try JSONDecoder().decode(StoredDocument.self, from: Data(fields.utf8))
  }

  /// Sentences "0a", "0b", "1a", …: of passage 0, 0, 1, …; ranked as told.
  private func evidence(passages: Int, ranked: [Int]) throws -> Evidence {
    var evidence = Evidence()
    for number in 0..<passages {
      let document = try document(number)
      evidence.items.append(
        Evidence.Item(
          passage: Passage(
            document: document, heading: "", text: "", pageFrom: nil, pageTo: nil, start: 0, end: 1, relevance: 0.5,
            scores: StageScores(), chunks: []),
          citation: Citation(
            id: "\(number).0.1", document: document.name, title: document.title, text: "", score: 0.5, start: 0,
            end: 1, boxes: [])))
      for letter in ["a", "b"] {
        evidence.keys.candidates.append(
          KeySentences.Candidate(
            passage: number, range: 0..<1, text: "\(number)\(letter)", continues: letter == "b"))
        evidence.keys.contexts.append("under \(number)\(letter)")
      }
      evidence.keys.topics.append("about \(number)")
    }
    evidence.keys.ranked = ranked.enumerated().map {
      KeySentences.Ranked(candidate: $0.element, score: -Double($0.offset), features: .init())
    }
    return evidence
  }

  @Test("Passages stand as their best sentences do, and everything told of a sentence goes with it")
  func order() throws {
    var evidence = try evidence(passages: 3, ranked: [5, 0, 4, 1])
    evidence.keys.vectors = [5: [1, 0], 2: [0, 1]]
    evidence.keepBest()
    let keys = evidence.keys
    #expect(evidence.items.map(\.citation.document) == ["2.txt", "0.txt"])
    #expect(keys.candidates.map(\.text) == ["2a", "2b", "0a", "0b"])
    #expect(keys.candidates.map(\.passage) == [0, 0, 1, 1])
    #expect(keys.contexts == ["under 2a", "under 2b", "under 0a", "under 0b"])
    #expect(keys.topics == ["about 2", "about 0"])
    #expect(keys.ranked.map { keys.candidates[$0.candidate].text } == ["2b", "0a", "2a", "0b"])
    #expect(keys.vectors == [1: [1, 0]])
  }

  @Test("No more passages stay than are shown")
  func bound() throws {
    let passages = Evidence.shown + 2
    var evidence = try evidence(passages: passages, ranked: (0..<passages).map { 2 * $0 })
    evidence.keepBest()
    #expect(evidence.items.count == Evidence.shown && evidence.keys.topics.count == Evidence.shown)
    #expect(evidence.keys.candidates.count == 2 * Evidence.shown)
  }

  @Test("Where nothing was ranked nothing stays")
  func nothing() throws {
    var evidence = try evidence(passages: 2, ranked: [])
    evidence.keepBest()
    #expect(evidence.items.isEmpty && evidence.keys.candidates.isEmpty && evidence.keys.topics.isEmpty)
  }
}
