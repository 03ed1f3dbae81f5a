import Inference
import Workers

/// Words of short texts to vectors, as an adapter makes them: one for the whole and one for each word.
struct WordReader {
  let context: LlamaContext
  let cancelled: CancelFlag

  /// Longer utterances are not one command.
  static let window = 128

  func run(_ request: ReadRequest, _ reply: some ReplySink) throws {
    var counts: [Int] = []
    var values: [Float] = []
    for words in request.texts {
      try cancelled.check()
      let (tokens, starts) = tokens(of: words)
      counts.append(starts.count)
      try values += vectors(tokens, starts)
    }
    try values.withUnsafeBytes { try reply.bytes($0) }
    try reply.event(counts)
  }

  /// Each word is split by itself, so that it is known where it begins; without any token of its own it begins nowhere.
  private func tokens(of words: [String]) -> (tokens: [TokenID], starts: [Int?]) {
    let vocabulary = context.model.vocabulary
    let edges = vocabulary.whole("")
    var tokens = Array(edges.prefix(1))
    var starts: [Int?] = []
    for word in words {
      let pieces = vocabulary.untrusted(word, continuing: false)
      guard tokens.count + pieces.count <= Self.window - 2 else { break }
      starts.append(pieces.isEmpty ? nil : tokens.count)
      tokens += pieces
    }
    return (tokens + edges.dropFirst().prefix(1), starts)
  }

  private func vectors(_ tokens: [TokenID], _ starts: [Int?]) throws -> [Float] {
    let dimensions = context.model.dimensions
    var values = [Float](repeating: 0, count: dimensions * (1 + starts.count))
    guard !tokens.isEmpty else { return values }
    context.forgetEverything()
    try context.evaluate(
      tokens.enumerated().map { LlamaContext.Item(token: $1, position: $0, wanted: true) }, cancelled: cancelled)
    for index in tokens.indices {
      let row = try context.embedding(at: index)
      for dimension in 0..<dimensions { values[dimension] += row[dimension] / Float(tokens.count) }
    }
    for (word, start) in starts.enumerated() {
      // The opening token stands for a word of no tokens.
      let row = try context.embedding(at: start ?? 0)
      for dimension in 0..<dimensions { values[(1 + word) * dimensions + dimension] = row[dimension] }
    }
    return values
  }
}
