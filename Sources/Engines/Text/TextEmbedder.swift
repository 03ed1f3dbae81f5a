import Inference
import Workers

/// Texts to unit vectors.
struct TextEmbedder {
  let vocabulary: Tokeniser
  let encoder: any TextEncoder
  let dimensions: Int
  let window: Int
  let cancelled: CancelFlag

  /// Of a longer question the rest is left out.
  static let questionWindow = 256

  /// Tokens that are read together: a text, or a part of one.
  private struct Piece {
    var index: Int
    var tokens: [TokenID]
  }

  func run(_ request: EmbedRequest, _ reply: some ReplySink) throws {
    var report = EmbedReport()
    var pieces: [Piece] = []
    for index in 0..<request.input.count {
      try cancelled.check()
      let tokens =
        switch request.input {
        case .texts(let texts): vocabulary.whole(texts[index])
        case .tokens(let lists): try vocabulary.whole(numbers: lists[index])
        }
      let parts = try fitting(tokens, index, request.long, &report)
      report.tokens += parts.reduce(0) { $0 + $1.count }
      pieces += parts.map { Piece(index: index, tokens: $0) }
    }
    pieces.sort { $0.tokens.count < $1.tokens.count }
    let sorted = try encoder.vectors(of: pieces.map(\.tokens), threads: request.threads, cancelled: cancelled)
    let vectors = Self.joined(pieces, sorted, texts: request.input.count, dimensions: dimensions)
    try vectors.withUnsafeBytes { try reply.bytes($0) }
    try reply.event(report)
  }

  /// The tokens as the window takes them. The opening and the closing one are what the model was trained to see.
  private func fitting(
    _ tokens: [TokenID], _ index: Int, _ long: EmbedRequest.Long, _ report: inout EmbedReport
  ) throws -> [[TokenID]] {
    guard tokens.count > window else { return [tokens] }
    switch long {
    case .fails: throw EngineError.textTooLong(index: index, tokens: tokens.count, window: window)
    case .cut:
      report.truncated += 1
      return [tokens.prefix(window - 1) + tokens.suffix(1)]
    case .pieces:
      report.divided += 1
      let inner = tokens.dropFirst().dropLast()
      return stride(from: inner.startIndex, to: inner.endIndex, by: window - 2).map { start in
        tokens.prefix(1) + inner[start..<min(start + window - 2, inner.endIndex)] + tokens.suffix(1)
      }
    }
  }

  /// One unit vector for each text. Pieces count by their length, each as a unit vector first.
  private static func joined(_ pieces: [Piece], _ sorted: [Float], texts: Int, dimensions: Int) -> [Float] {
    func unit(_ row: ArraySlice<Float>) -> [Float] {
      let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return row.map { length == 0 ? 0 : $0 / length }
    }
    let counts = pieces.reduce(into: [Int](repeating: 0, count: texts)) { $0[$1.index] += 1 }
    var vectors = [Float](repeating: 0, count: texts * dimensions)
    for (place, piece) in pieces.enumerated() {
      let row = unit(sorted[place * dimensions..<(place + 1) * dimensions])
      let weight = counts[piece.index] == 1 ? 1 : Float(piece.tokens.count)
      for (dimension, value) in row.enumerated() { vectors[piece.index * dimensions + dimension] += weight * value }
    }
    for (index, count) in counts.enumerated() where count > 1 {
      let range = index * dimensions..<(index + 1) * dimensions
      vectors.replaceSubrange(range, with: unit(vectors[range]))
    }
    return vectors
  }
}
