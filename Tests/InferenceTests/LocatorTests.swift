import Foundation
import Inference
import Retrieval
import Testing

@testable import TextEngine

/// The adapter that reads question and passage together.
@Suite("Locating answers", .serialized, .needsEmbedder)
struct LocatorTests {
  private let adapter: FileHandle
  private let session: EngineSession

  init() throws {
    adapter = try FileHandle(forReadingFrom: try #require(Locating.adapterFile))
    session = try EngineSession(TestPacks.embedder, context: 256, adapter: adapter.fileDescriptor) {
      $0.embeddings = true
      $0.hasLocator = true
    }
  }

  /// What torch computed with the same weights when the adapter was made (Training/Reading/parity.py).
  private struct Check: Decodable {
    var question: String
    var title: String
    var sentences: [String]
    var answers: Double
    var evidence: [Double]
    var begins: [Double]
  }

  private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  private func locate(_ question: String, _ passages: [LocateRequest.Passage]) throws -> [Located] {
    try #require(session.call("locate", LocateRequest(question, in: passages)).decoded([Located].self).first)
  }

  @Test("llama.cpp with the adapter and its heads reads what torch reads")
  func parity() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "locator-parity.json")
    let checks = try JSONDecoder().decode([Check].self, from: Data(contentsOf: file))
    #expect(checks.count > 2)
    for check in checks {
      let passage = LocateRequest.Passage(title: check.title, sentences: check.sentences.map(words))
      let found = try locate(check.question, [passage])
      let one = try #require(found.first)
      #expect(found.count == 1)
      #expect(abs(one.answers - check.answers) < 0.1, "\(check.question): \(one.answers)")
      for (mine, torch) in zip(one.evidence, check.evidence) { #expect(abs(mine - torch) < 0.1, "\(check.question)") }
      for (mine, torch) in zip(one.begins, check.begins) { #expect(abs(mine - torch) < 0.03, "\(check.question)") }
    }
  }

  @Test("The words that answer are found where they stand, and a question that nothing answers is told apart")
  func finds() throws {
    let text = [
      "The stairs are swept every Saturday.", "Mrs Brandt, second floor, keeps the key of the cellar.",
      "Bicycles stand in the yard.",
    ].map(words)
    let passage = LocateRequest.Passage(title: "House rules.", sentences: text)
    let key = try #require(try locate("Who keeps the key of the cellar?", [passage]).first)
    #expect(key.words?.sentence == 1)
    #expect(key.evidence.max() == key.evidence[1])
    let rent = try #require(try locate("How much is the rent of the flat?", [passage]).first)
    #expect(rent.answers < key.answers)
    #expect(rent.margin < key.margin)
  }

  @Test("A long passage is read in pieces of whole sentences, and all of them are answered for")
  func pieces() throws {
    let sentences = (0..<60).map { words("In the year \(1900 + $0) the club had \($0 * 3 + 1) members and one boat.") }
    let found = try locate("How many members did the club have in 1941?", [.init(title: "", sentences: sentences)])
    #expect(found.count > 2)
    #expect(found.map { $0.start..<$0.start + $0.evidence.count }.flatMap(Array.init) == Array(0..<60))
    #expect(Locator.pieces([100, 100, 100, 300, 5], room: 200) == [0..<2, 2..<3, 3..<4, 4..<5])
    #expect(Locator.pieces([], room: 200).isEmpty)
  }

  @Test("Strange passages are read without harm")
  func strange() throws {
    let passages: [LocateRequest.Passage] = [
      .init(title: String(repeating: "title ", count: 500), sentences: [["[SEP]", "\u{0}", ""]]),
      .init(title: "", sentences: []), .init(title: "", sentences: [[]]),
      .init(title: "", sentences: [Array(repeating: "word", count: 3000)]),
    ]
    for question in ["", String(repeating: "why ", count: 900)] {
      let found = try locate(question, passages)
      #expect(Set(found.map(\.passage)) == [0, 2, 3])
      #expect(found.allSatisfy { $0.answers.isFinite && $0.margin.isFinite && $0.evidence.allSatisfy(\.isFinite) })
    }
  }

  @Test("Both adapters work beside each other, and vectors of documents see neither")
  func untouched() throws {
    let plain = try EngineSession(TestPacks.embedder, context: 256) { $0.embeddings = true }
    let request = EmbedRequest(["A cat sits on the mat."])
    let before = try plain.call("embed", request).pieces[0]
    _ = try locate("Who sits?", [.init(title: "", sentences: [["A", "cat", "sits."]])])
    #expect(try session.call("embed", request).pieces[0] == before)
    #expect(throws: EngineError.self) { try plain.call("locate", LocateRequest("Who?", in: [])) }
  }
}
