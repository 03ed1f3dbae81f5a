import Inference
import Workers

/// Texts to unit vectors.
struct Embedder {
  let context: LlamaContext
  /// Where the pack and the processor are for it; llama.cpp otherwise.
  let encoder: Encoder?
  let window: Int
  let cancelled: CancelFlag

  /// llama.cpp's attention costs every pair of tokens in a batch, also pairs of different texts, which are then masked away. So
  /// only short texts gain from sharing a batch, and long ones are faster alone.
  static let packedTokens = 192

  func run(_ request: EmbedRequest, _ reply: some ReplySink) throws {
    var report = EmbedReport()
    var texts = [(index: Int, tokens: [Token])]()
    for (index, text) in request.texts.enumerated() {
      try cancelled.check()
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
    texts.sort { $0.tokens.count < $1.tokens.count }
    let sorted =
      try encoder?.vectors(of: texts.map(\.tokens), threads: request.threads, cancelled: cancelled)
      ?? evaluated(texts.map(\.tokens))
    let dimensions = context.model.dimensions
    var vectors = [Float](repeating: 0, count: sorted.count)
    for (place, text) in texts.enumerated() {
      let row = sorted[place * dimensions..<(place + 1) * dimensions]
      let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
      for (dimension, value) in row.enumerated() {
        vectors[text.index * dimensions + dimension] = length == 0 ? 0 : value / length
      }
    }
    try vectors.withUnsafeBytes { try reply.bytes($0) }
    try reply.event(report)
  }

  /// As llama.cpp computes them, several short texts per evaluation.
  private func evaluated(_ texts: [[Token]]) throws -> [Float] {
    var vectors: [Float] = []
    var waiting = texts[...]
    while !waiting.isEmpty {
      let pack = Self.pack(&waiting, limit: min(Self.packedTokens, context.batchTokens))
      context.forgetEverything()
      let items = pack.enumerated().flatMap { sequence, tokens in
        tokens.enumerated().map { position, token in
          LlamaContext.Item(token: token, position: position, sequence: sequence, wanted: true)
        }
      }
      if !items.isEmpty { try context.evaluate(items, cancelled: cancelled) }
      for (sequence, tokens) in pack.enumerated() {
        vectors +=
          tokens.isEmpty
          ? [Float](repeating: 0, count: context.model.dimensions)
          : Array(try context.embedding(ofSequence: sequence))
      }
    }
    return vectors
  }

  /// Takes texts from the front while they fit together; one that is longer than the limit goes alone.
  private static func pack(_ waiting: inout ArraySlice<[Token]>, limit: Int) -> [[Token]] {
    var pack = [waiting.removeFirst()]
    var total = pack[0].count
    while let next = waiting.first, total + next.count <= limit, pack.count < LlamaContext.sequences {
      total += next.count
      pack.append(waiting.removeFirst())
    }
    return pack
  }
}
