import Core
import Foundation
import Inference

extension TextDesk {
  /// Unit vectors, shortened to their first numbers where that is asked for: only a model that was trained so loses little by it.
  func vectors(
    of input: EmbedInput, by name: String, long: EmbedRequest.Long, dimensions: Int?
  ) async throws -> (vectors: [[Float]], report: EmbedReport) {
    let model = try await model(name, .embed)
    guard (1...CompletionBounds.texts).contains(input.count) else {
      throw ServerError.unreadable("input must be 1 to \(CompletionBounds.texts) texts or lists of tokens")
    }
    try CompletionBounds.check(input)
    let found: (vectors: [[Float]], report: EmbedReport)
    do { found = try await source.embed(input, model: model.pack, long: long) } catch {
      throw CompletionBounds.explained(error)
    }
    guard let dimensions, let whole = found.vectors.first?.count, dimensions != whole else { return found }
    _ = try CompletionBounds.within(dimensions, 1...whole, "dimensions")
    return (found.vectors.map { Self.unit($0.prefix(dimensions)) }, found.report)
  }

  private static func unit(_ vector: ArraySlice<Float>) -> [Float] {
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return vector.map { length == 0 ? 0 : $0 / length }
  }
}

/// `/v1/embeddings`, as OpenAI's clients write and read it.
enum VectorsForm {
  private struct Asked: Decodable {
    var model: String
    var input: CompletionRequest.Inputs
    var encoding: String?
    var dimensions: Int?
    /// Ours: the beginning alone of what is longer than the window, in place of all of it in pieces.
    var truncate: Bool?
    enum CodingKeys: String, CodingKey {
      case model, input, dimensions, truncate
      case encoding = "encoding_format"
    }
  }

  private struct Vector: Encodable {
    var object = "embedding"
    var index: Int
    var floats: [Float]
    var base64: Bool

    enum CodingKeys: String, CodingKey { case object, index, embedding }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(object, forKey: .object)
      try container.encode(index, forKey: .index)
      if base64 {
        let bytes = floats.reduce(into: Data()) { data, value in
          withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        try container.encode(bytes.base64EncodedString(), forKey: .embedding)
      } else {
        try container.encode(floats, forKey: .embedding)
      }
    }
  }

  private struct Vectors: Encodable {
    struct Usage: Encodable {
      var prompt: Int
      var total: Int
      enum CodingKeys: String, CodingKey {
        case prompt = "prompt_tokens"
        case total = "total_tokens"
      }
    }
    /// Ours: how many texts were longer than the window, and what was done.
    struct Long: Encodable {
      var truncated: Int
      var divided: Int
    }
    var object = "list"
    var data: [Vector]
    var model: String
    var usage: Usage
    var libera: Long?
  }

  static func answer(_ request: Request, _ desk: TextDesk) async throws -> Response {
    let asked = try request.decode(Asked.self)
    let base64 = asked.encoding == "base64"
    guard base64 || asked.encoding == nil || asked.encoding == "float" else {
      throw ServerError.unsupported("encoding_format \(asked.encoding ?? "")")
    }
    let (vectors, report) = try await desk.vectors(
      of: asked.input.embedded, by: asked.model, long: asked.truncate == true ? .cut : .pieces,
      dimensions: asked.dimensions)
    let isLong = report.truncated + report.divided > 0
    return .json(
      Vectors(
        data: vectors.enumerated().map { Vector(index: $0.offset, floats: $0.element, base64: base64) },
        model: asked.model, usage: .init(prompt: report.tokens, total: report.tokens),
        libera: isLong ? .init(truncated: report.truncated, divided: report.divided) : nil))
  }
}
