import Foundation
import Inference
import Testing
import TextEngine

@Suite("Embedding", .serialized, .needsEmbedder)
struct EmbeddingTests {
  let session: EngineSession

  init() throws { try self.init(TestPacks.embedder) }

  private init(_ pack: URL) throws { session = try EngineSession(pack, context: 256) { $0.embeddings = true } }

  private func embed(_ texts: [String], long: EmbedRequest.Long = .fails) throws -> (
    vectors: [[Float]], report: EmbedReport
  ) {
    var request = EmbedRequest(texts)
    request.long = long
    let sink = try session.call("embed", request)
    let values = sink.pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let dimensions = try #require(session.model?.dimensions)
    let vectors = stride(from: 0, to: values.count, by: dimensions).map { Array(values[$0..<$0 + dimensions]) }
    return (vectors, try #require(sink.decoded(EmbedReport.self).first))
  }

  private func cosine(_ one: [Float], _ other: [Float]) -> Float { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }

  @Test("Vectors are unit length and near for near meanings")
  func meaning() throws {
    let (vectors, _) = try embed([
      "A cat sits on the mat.", "A kitten rests on a rug.", "Quarterly tax returns are due.",
    ])
    #expect(vectors.map(\.count) == [384, 384, 384])
    for vector in vectors { #expect(abs(cosine(vector, vector) - 1) < 0.001) }
    #expect(cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2]) + 0.2)
  }

  @Test("A text's vector does not depend on its neighbours or its place")
  func packing() throws {
    let texts = (0..<30).map { String(repeating: "word \($0) ", count: $0 % 7 * 9 + 1) }
    let together = try embed(texts).vectors
    for index in [0, 3, 13, 29] {
      #expect(cosine(together[index], try embed([texts[index]]).vectors[0]) > 0.999)
    }
  }

  @Test("Tokens named by their numbers are the text that they spell, with or without the model's marks around them")
  func numbers() throws {
    func embed(_ lists: [[Int32]]) throws -> [Float] {
      let sink = try session.call("embed", EmbedRequest(.tokens(lists)))
      return sink.pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    let text = try self.embed(["hello world"]).vectors[0]
    #expect(try embed([[7592, 2088]]) == text)
    #expect(try embed([[101, 7592, 2088, 102], [2088]]).prefix(384) == text[...])
    #expect(throws: EngineError.tokenRefused(30_522, reason: "the model's vocabulary has 30522")) {
      try embed([[7592], [30_522]])
    }
    #expect(throws: EngineError.self) { try embed([[-1]]) }
    #expect(throws: EngineError.self) { try embed([[7592, 102, 2088]]) }
  }

  @Test("A text longer than the window is an error with numbers, or is cut and counted")
  func window() throws {
    let long = String(repeating: "word ", count: 400)
    #expect {
      try embed(["short", long])
    } throws: { error in
      guard case EngineError.textTooLong(1, let tokens, 256) = error else { return false }
      return tokens > 400
    }
    let cut = try embed(["short", long], long: .cut)
    #expect(cut.report.truncated == 1)
    #expect(cut.vectors.count == 2)
  }

  @Test("A pack that takes the first token's vector gets that one, not the mean of all")
  func firstToken() throws {
    var bytes = try Data(contentsOf: TestPacks.embedder)
    let key = try #require(bytes.range(of: Data("bert.pooling_type".utf8)))
    // A type (4: a number of four bytes), then the number: 1 is the mean, 2 the first.
    #expect(Array(bytes[key.upperBound..<key.upperBound + 5]) == [4, 0, 0, 0, 1])
    bytes[key.upperBound + 4] = 2
    let file = FileManager.default.temporaryDirectory.appending(path: "first-\(UUID().uuidString).gguf")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let first = try EmbeddingTests(file)
    let texts = ["A cat sits on the mat.", "A kitten rests on a rug.", ""]
    let (means, firsts) = (try embed(texts).vectors, try first.embed(texts).vectors)
    for (mean, vector) in zip(means, firsts) {
      #expect(abs(cosine(vector, vector) - 1) < 0.001)
      #expect(cosine(mean, vector) < 0.99)
    }
  }

  @Test("No texts give no vectors, an empty text a vector")
  func empty() throws {
    #expect(try embed([""]).vectors.count == 1)
    #expect(try session.call("embed", EmbedRequest([])).pieces[0].isEmpty)
  }

  @Test("An embedding model does not write")
  func wrongKind() {
    #expect(throws: EngineError.wrongKind(needed: "a text model")) { try session.generate(.raw("Hello")) }
  }
}
