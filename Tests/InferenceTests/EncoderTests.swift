import CEncoderWays
import Foundation
import Inference
import Models
import Testing
import Workers

@testable import TextEngine

@Suite("Ways to compute in whole numbers")
struct EncoderWayTests {
  static let ways = EncoderWay.names.filter { $0 != "bf16" }

  @Test("Sums of odd shapes and extreme values are exact", arguments: ways)
  func sums(way: String) { #expect(ways_sums(way)) }

  @Test("Vectors have the bytes that they have on every processor", arguments: ways)
  func texts(way: String) { #expect(ways_texts(way)) }

  @Test("Every way has words of its own")
  func words() { #expect(Set(EncoderWay.names.map(EncoderWay.words)).count == EncoderWay.names.count) }
}

@Suite("Encoding in loops of our own", .serialized, .needsEmbedder)
struct EncoderTests {
  private let file: FileHandle
  private let context: LlamaContext
  private let encoder: Encoder

  private static let fastest = EncoderWay.chosen([:]).taken ?? EncoderWay.names[0]

  init() throws {
    _ = TextEngine()  // starts llama.cpp
    file = try FileHandle(forReadingFrom: TestPacks.embedder)
    let pack = PackFile(descriptor: file.fileDescriptor)
    var request = LoadRequest(contextTokens: 512, threads: 2)
    request.embeddings = true
    context = try Loader(file: pack, header: pack.checkHeader(), adapters: [], request: request)
      .context(cancelled: CancelFlag()) { _ in }
    encoder = try #require(
      Encoder(pack, try pack.checkHeader(), vocabulary: context.model.vocabulary, threads: 2, way: Self.fastest))
  }

  private func encoder(_ way: String?) throws -> Encoder? {
    let pack = PackFile(descriptor: file.fileDescriptor)
    return Encoder(pack, try pack.checkHeader(), vocabulary: context.model.vocabulary, threads: 2, way: way)
  }

  private func vectors(_ texts: [String], with encoder: Encoder?) throws -> [[Float]] {
    let sink = Sink()
    var request = EmbedRequest(texts)
    request.long = .cut
    try TextEmbedder(
      vocabulary: context.model.vocabulary, encoder: encoder ?? context, dimensions: 384, window: 512,
      cancelled: CancelFlag()
    ).run(request, sink)
    let values = sink.pieces[0].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return stride(from: 0, to: values.count, by: 384).map { Array(values[$0..<$0 + 384]) }
  }

  /// All ways in whole numbers come to the same bytes, so one of them stands for all.
  static let kinds = Array(Set([fastest, EncoderWay.names.first { $0 != "bf16" } ?? fastest]))

  @Test("Its vectors can stand beside llama.cpp's, for texts of every length", arguments: kinds)
  func likeness(way: String) throws {
    let words = "Der Vertrag gilt ab 1. März; la clé est dans l'entrée, and the pump needs 2.5 bar (E-4711)."
      .split(separator: " ")
    let texts =
      ["", "a", "naïve"]
      + [1, 2, 5, 6, 7, 14, 15, 16, 17, 31, 63, 64, 65, 130, 300, 600].map { count in
        (0..<count).map { words[($0 * 7 + count) % words.count] }.joined(separator: " ")
      }
    let ours = try #require(try encoder(way))
    let cosines = zip(try vectors(texts, with: ours), try vectors(texts, with: nil)).map { ours, theirs in
      zip(ours, theirs).reduce(0) { $0 + $1.0 * $1.1 }
    }
    for (text, cosine) in zip(texts, cosines) {
      #expect(cosine > (way == "bf16" ? 0.999 : 0.99), "\(way): \(text.prefix(40))")
    }
    #expect(cosines.reduce(0, +) / Float(cosines.count) > 0.995)
  }

  @Test("A way that this processor does not have is not taken, and none is taken without being asked for that is slow")
  func unknownWay() throws {
    #expect(try encoder("abacus") == nil)
    #expect(try encoder(nil) == nil)
    #expect(EncoderWay.chosen([:]).taken != "plain")
    #expect(EncoderWay.chosen([EncoderWay.variable: "plain"]).taken == "plain")
    #expect(EncoderWay.chosen([EncoderWay.variable: "abacus"]) == (EncoderWay.chosen([:]).taken, "abacus"))
  }

  @Test("A vector is the same in whatever company it is made")
  func company() throws {
    let texts = (0..<40).map { String(repeating: "word \($0) ", count: $0 % 9 * 11 + 1) }
    let together = try vectors(texts, with: encoder)
    for index in [0, 7, 8, 33] { #expect(try vectors([texts[index]], with: encoder)[0] == together[index]) }
  }

  @Test("Neighbours share a group while they fit; a long text has one of its own")
  func groups() {
    #expect(Encoder.groups([0]) == [0])
    #expect(Encoder.groups([0, 500]) == [0, 1])
    #expect(Encoder.groups([0, 60, 120, 180]) == [0, 2, 3])
    #expect(Encoder.groups([0, 300, 400, 428, 429]) == [0, 1, 3, 4])
  }

  @Test("Nobody waits for vectors that nobody wants any more")
  func cancelled() {
    let flag = CancelFlag()
    flag.set()
    #expect(throws: CancellationError.self) {
      try encoder.vectors(of: [[101, 102]], cancelled: flag)
    }
  }

  @Test("Weights of another kind are left to llama.cpp")
  func others() throws {
    let chat = try FileHandle(forReadingFrom: TestPacks.chat)
    let pack = PackFile(descriptor: chat.fileDescriptor)
    #expect(Encoder(pack, try pack.checkHeader(), vocabulary: context.model.vocabulary, threads: 1) == nil)
  }
}
