import Commands
import Foundation
import Inference
import Testing
import TextEngine

/// The adapter that reads commands beside the embedding model's own vectors.
@Suite("Reading words", .serialized, .needsEmbedder)
struct ReadingTests {
  private let adapter: FileHandle
  private let session: EngineSession

  init() throws {
    adapter = try FileHandle(forReadingFrom: IntentModel.adapterFile)
    session = try EngineSession(TestPacks.embedder, context: 256, adapter: adapter.fileDescriptor) {
      $0.embeddings = true
    }
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

  @Test("Vectors of documents are the same with the adapter beside them and without it")
  func untouched() throws {
    let plain = try EngineSession(TestPacks.embedder, context: 256) { $0.embeddings = true }
    let request = EmbedRequest(["A cat sits on the mat.", "remind me to call John"])
    let before = try session.call("embed", request).pieces[0]
    _ = try rows([["remind", "me"]])
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
