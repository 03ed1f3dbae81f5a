import Core
import Foundation
import Inference
import Models
import Retrieval
import Testing
import Workers

@testable import TextEngine

@Suite("The encoder of many languages", .serialized, .needsSentences)
struct SentenceEncoderTests {
  private let session: EngineSession

  init() throws { session = try EngineSession(TestPacks.sentences, context: 512) { $0.embeddings = true } }

  private struct Check: Decodable {
    var text: String
    var vector: [Float]
  }

  private func vectors(
    _ texts: [String], threads: Int? = nil, asQuestions: Bool = false, of other: EngineSession? = nil
  ) throws -> [[Float]] {
    let session = other ?? session
    var request = EmbedRequest(texts)
    (request.long, request.threads, request.asQuestions) = (.cut, threads, asQuestions)
    let values = try session.call("embed", request).pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return stride(from: 0, to: values.count, by: 512).map { Array(values[$0..<$0 + 512]) }
  }

  private func near(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

  /// What the package that the weights come from computes with numpy.
  @Test("Its vectors are the publisher's, in several languages and with odd letters")
  func parity() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "sentences-parity.json")
    let checks = try JSONDecoder().decode([Check].self, from: Data(contentsOf: file))
    #expect(checks.count == 5)
    for (check, made) in zip(checks, try vectors(checks.map(\.text))) {
      #expect(near(check.vector, made) > 0.999, "\(check.text)")
    }
  }

  private struct QuestionCheck: Decodable {
    var question: String
    var vector: [Float]
  }

  private func mapped(by adapter: URL) throws -> EngineSession {
    let file = try FileHandle(forReadingFrom: adapter)
    defer { withExtendedLifetime(file) {} }
    return try EngineSession(TestPacks.sentences, context: 512, adapters: [.questions: file.fileDescriptor]) {
      $0.embeddings = true
    }
  }

  @Test("Questions lie where the map's training put them, texts where the publisher does")
  func questions() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "question-map-parity.json")
    let checks = try JSONDecoder().decode([QuestionCheck].self, from: Data(contentsOf: file))
    let mapped = try mapped(by: PackEmbedder.questionMap)
    let asked = checks.map(\.question)
    let made = try vectors(asked, asQuestions: true, of: mapped)
    let published = try vectors(asked)
    #expect(checks.count == 4)
    #expect(try vectors(asked, of: mapped) == published)
    #expect(try vectors(asked, asQuestions: true) == published)
    for (check, (vector, before)) in zip(checks, zip(made, published)) {
      #expect(near(check.vector, vector) > 0.999, "\(check.question)")
      #expect(near(check.vector, before) < 0.95, "\(check.question)")
    }
  }

  @Test("A map that is cut off, of another shape or of another kind is refused", arguments: ["cut", "named", "other"])
  func hostileMap(_ way: String) throws {
    var data = try Data(contentsOf: way == "other" ? PackEmbedder.questionAdapter : PackEmbedder.questionMap)
    if way == "cut" { data.removeLast(1_000) }
    if way == "named" {
      let name = try #require(data.range(of: Data("up.weight".utf8)))
      data.replaceSubrange(name, with: Data("op.weight".utf8))
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gguf")
    defer { try? FileManager.default.removeItem(at: file) }
    try data.write(to: file)
    #expect(throws: EngineError.self) { try mapped(by: file) }
  }

  @Test("A text has the vector that it has alone, whatever stands beside it and however many threads compute")
  func beside() throws {
    let texts = (0..<60).map {
      "Regel \($0): " + String(repeating: "der Zähler \($0) wird abgelesen, ", count: $0 % 13)
    }
    let together = try vectors(texts)
    #expect(together.count == texts.count)
    for place in [0, 17, 38, 59] {
      #expect(near(try vectors([texts[place]])[0], together[place]) > 0.9999)
      #expect(near(try vectors([texts[place]], threads: 1)[0], together[place]) > 0.9999)
    }
  }

  @Test("Nothing, and more than fits, have vectors too; what tokens there are is told")
  func edges() throws {
    let long = String(repeating: "Wasser ", count: 5_000)
    let made = try vectors(["", " ", "\u{0}", long])
    #expect(made.count == 4)
    for vector in made {
      #expect(vector.allSatisfy { $0.isFinite })
      #expect(abs(near(vector, vector) - 1) < 0.001)
    }
    let counts = try #require(try session.call("tokens", TokensRequest(["", "Wasser"])).decoded([Int].self).first)
    #expect(counts == [2, 3])
  }

  @Test("It writes nothing and judges nothing")
  func others() throws {
    #expect(throws: EngineError.self) {
      try session.call("generate", GenerateRequest(.chat([Message(.user, untrusted: "a")])))
    }
    #expect(throws: EngineError.self) { try session.call("read", ReadRequest([["a"]])) }
  }

  @Test("A file in which a matrix is missing or of another shape is refused")
  func hostile() throws {
    var data = try Data(contentsOf: TestPacks.sentences)
    let name = try #require(data.range(of: Data("second.past.weight".utf8), in: 0..<8_000_000))
    data.replaceSubrange(name, with: Data("second.lost.weight".utf8))
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gguf")
    defer { try? FileManager.default.removeItem(at: file) }
    try data.write(to: file)
    #expect(throws: EngineError.self) { try EngineSession(file, context: 512) { $0.embeddings = true } }
  }
}
