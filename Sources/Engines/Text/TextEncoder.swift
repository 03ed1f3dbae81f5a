import Workers

/// What makes one vector of the tokens of a whole text.
protocol TextEncoder {
  /// One for each text, not yet of unit length. Texts of like length should stand side by side, long ones last. `threads` nil: as
  /// many as it finds good.
  func vectors(of texts: [[TokenID]], threads: Int?, cancelled: CancelFlag) throws -> [Float]
}

/// As llama.cpp computes them, several short texts per evaluation.
extension LlamaContext: TextEncoder {
  /// llama.cpp's attention costs every pair of tokens in a batch, also pairs of different texts, which are then masked away. So
  /// only short texts gain from sharing a batch, and long ones are faster alone.
  static let packedTokens = 192

  func vectors(of texts: [[TokenID]], threads: Int?, cancelled: CancelFlag) throws -> [Float] {
    var vectors: [Float] = []
    var waiting = texts[...]
    while !waiting.isEmpty {
      let pack = Self.pack(&waiting, limit: min(Self.packedTokens, batchTokens))
      forgetEverything()
      let items = pack.enumerated().flatMap { sequence, tokens in
        tokens.enumerated().map { position, token in
          LlamaContext.Item(token: token, position: position, sequence: sequence, wanted: true)
        }
      }
      if !items.isEmpty { try evaluate(items, cancelled: cancelled) }
      for (sequence, tokens) in pack.enumerated() {
        vectors +=
          tokens.isEmpty
          ? [Float](repeating: 0, count: model.dimensions) : Array(try embedding(ofSequence: sequence))
      }
    }
    return vectors
  }

  /// Takes texts from the front while they fit together; one that is longer than the limit goes alone.
  private static func pack(_ waiting: inout ArraySlice<[TokenID]>, limit: Int) -> [[TokenID]] {
    var pack = [waiting.removeFirst()]
    var total = pack[0].count
    while let next = waiting.first, total + next.count <= limit, pack.count < LlamaContext.sequences {
      total += next.count
      pack.append(waiting.removeFirst())
    }
    return pack
  }
}
