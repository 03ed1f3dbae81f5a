import Commands
import Foundation
import Inference
import Retrieval
import Testing
import TextEngine

/// The adapters beside the embedding model's own vectors: one reads commands, one questions.
@Suite("Reading words", .serialized, .needsEmbedder)
struct ReadingTests {
  private let adapters: [FileHandle]
  private let session: EngineSession

  init() throws {
    adapters = try [IntentModel.adapterFile, PackEmbedder.questionAdapter].map { try FileHandle(forReadingFrom: $0) }
    session = try EngineSession(
      TestPacks.embedder, context: 256,
      adapters: [.words: adapters[0].fileDescriptor, .questions: adapters[1].fileDescriptor]
    ) { $0.embeddings = true }
  }

  /// What torch computed with the same weights when the adapter was made; see Training/README.md.
  private struct Check: Decodable {
    var words: [String]
    var labels: [Float]
    var tags: [[Float]]
  }

  private func rows(_ texts: [[String]]) throws -> [[ArraySlice<Float>]] {
    let sink = try session.call("read", ReadRequest(texts))
    let dimensions = try #require(session.model?.dimensions)
    let values = sink.pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    var at = 0
    return try #require(sink.decoded([Int].self).first).map { count in
      (0...count).map { _ in
        defer { at += dimensions }
        return values[at..<(at + dimensions)]
      }
    }
  }

  @Test("llama.cpp with the adapter reads what torch reads")
  func parity() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "parity.json")
    let checks = try JSONDecoder().decode([Check].self, from: Data(contentsOf: file))
    let reader = try #require(try IntentModel.bundled().reader)
    #expect(!checks.isEmpty)
    for (check, rows) in zip(checks, try rows(checks.map(\.words))) {
      let reading = try #require(reader.reading(rows))
      for (label, wanted) in zip(reader.intents.labels, check.labels) {
        #expect(abs(Float(reading.labels[label] ?? 0) - wanted) < 0.02, "\(label) of \(check.words)")
      }
      #expect(reading.words.count == check.tags.count)
      for (word, tags) in check.tags.enumerated() {
        for slot in EncoderReading.Slot.allCases {
          let wanted = zip(reader.slots.labels, tags).filter { name, _ in
            (EncoderReading.Slot(rawValue: String(name.dropFirst(2))) ?? .other) == slot
          }.reduce(0) { $0 + $1.1 }
          #expect(abs(Float(reading.probability(slot, word)) - wanted) < 0.03, "\(slot) of \(check.words[word])")
        }
      }
    }
  }

  private struct QuestionCheck: Decodable {
    var question: String
    var vector: [Float]
  }

  private func vectors(asking questions: [String], of session: EngineSession) throws -> [ArraySlice<Float>] {
    var request = EmbedRequest(questions)
    request.asQuestions = true
    let values = try session.call("embed", request).pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let dimensions = try #require(session.model?.dimensions)
    return questions.indices.map { values[$0 * dimensions..<($0 + 1) * dimensions] }
  }

  @Test(
    "llama.cpp with the adapter for questions makes the vectors that torch makes, which are others than those of documents"
  )
  func questions() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "questions-parity.json")
    let checks = try JSONDecoder().decode([QuestionCheck].self, from: Data(contentsOf: file))
    #expect(!checks.isEmpty)
    let asked = checks.map(\.question)
    let plain = try EngineSession(TestPacks.embedder, context: 256) { $0.embeddings = true }
    let (made, without) = (try vectors(asking: asked, of: session), try vectors(asking: asked, of: plain))
    for (check, (vector, published)) in zip(checks, zip(made, without)) {
      func near(_ other: some Sequence<Float>) -> Float { zip(check.vector, other).reduce(0) { $0 + $1.0 * $1.1 } }
      #expect(near(vector) > 0.999, "\(check.question)")
      #expect(near(published) < 0.99, "\(check.question)")
    }
  }

  @Test("Vectors of documents are the same with the adapters beside them and without them")
  func untouched() throws {
    let plain = try EngineSession(TestPacks.embedder, context: 256) { $0.embeddings = true }
    let request = EmbedRequest(["A cat sits on the mat.", "remind me to call John"])
    let before = try session.call("embed", request).pieces[0]
    _ = try rows([["remind", "me"]])
    _ = try vectors(asking: ["What was I reminded of?"], of: session)
    #expect(try session.call("embed", request).pieces[0] == before)
    #expect(try plain.call("embed", request).pieces[0] == before)
  }

  @Test("Words beyond the window are left out; strange words stand for themselves")
  func window() throws {
    let rows = try rows([Array(repeating: "word", count: 400), ["\u{0}", "", "[CLS]", "é", "日本"], []])
    #expect(rows[0].count == 126)
    #expect(rows[1].count == 6)
    #expect(rows[2].count == 1)
    #expect(rows.joined().allSatisfy { $0.allSatisfy(\.isFinite) })
  }

  @Test("Without an adapter nothing is read")
  func noAdapter() throws {
    let plain = try EngineSession(TestPacks.embedder, context: 256) { $0.embeddings = true }
    #expect(throws: EngineError.missingFile("an adapter to read with")) {
      try plain.call("read", ReadRequest([["word"]]))
    }
  }
}
