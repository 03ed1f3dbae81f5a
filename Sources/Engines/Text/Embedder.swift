import Inference
import Workers

/// Texts to unit vectors, several short texts per evaluation.
struct Embedder {
  let context: LlamaContext
  let window: Int
  let cancelled: CancelFlag

  /// Attention costs every pair of tokens in a batch, also pairs of different texts, which are then masked away. So only
  /// short texts gain from sharing a batch, and long ones are faster alone.
  static let packedTokens = 192

  func run(_ request: EmbedRequest, _ reply: some ReplySink) throws {
    var report = EmbedReport()
    var texts = [(index: Int, tokens: [Token])]()
    for (index, text) in request.texts.enumerated() {
      var tokens = context.model.vocabulary.whole(text)
      if tokens.count > window {
        guard request.truncate else {
          throw EngineError.textTooLong(index: index, tokens: tokens.count, window: window)
        }
        // The closing token is what the model was trained to see at the end.
        tokens = tokens.prefix(window - 1) + tokens.suffix(1)
        report.truncated += 1
      }
      report.tokens += tokens.count
      texts.append((index, tokens))
    }

    let dimensions = context.model.dimensions
    var vectors = [Float](repeating: 0, count: dimensions * texts.count)
    texts.sort { $0.tokens.count < $1.tokens.count }
    var waiting = texts[...]
    while !waiting.isEmpty {
      let pack = Self.pack(&waiting, limit: min(Self.packedTokens, context.batchTokens))
      context.forgetEverything()
      let items = pack.enumerated().flatMap { sequence, text in
        text.tokens.enumerated().map { position, token in
          LlamaContext.Item(token: token, position: position, sequence: sequence, wanted: true)
        }
      }
      guard !items.isEmpty else { continue }
      try context.evaluate(items, cancelled: cancelled)
      for (sequence, text) in pack.enumerated() where !text.tokens.isEmpty {
        let row = try context.embedding(ofSequence: sequence)
        var length: Float = 0
        for value in row { length += value * value }
        let scale = length > 0 ? 1 / length.squareRoot() : 0
        for dimension in 0..<dimensions { vectors[text.index * dimensions + dimension] = row[dimension] * scale }
      }
    }
    try vectors.withUnsafeBytes { try reply.bytes($0) }
    try reply.event(report)
  }

  /// Takes texts from the front while they fit together; one that is longer than the limit goes alone.
  private static func pack(_ waiting: inout ArraySlice<(index: Int, tokens: [Token])>, limit: Int) -> [(
    index: Int, tokens: [Token]
  )] {
    var pack = [waiting.removeFirst()]
    var total = pack[0].tokens.count
    while let next = waiting.first, total + next.tokens.count <= limit, pack.count < LlamaContext.sequences {
      total += next.tokens.count
      pack.append(waiting.removeFirst())
    }
    return pack
  }
}
