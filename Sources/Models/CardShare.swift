import Core

/// A graphics card, as the worker that may use it sees it.
package struct GraphicsCardReport: Codable, Sendable, Equatable {
  /// As its driver names it.
  package var name: String
  package var totalBytes: Int64
  package var freeBytes: Int64
  /// It computes in the memory that programs use: what lies on it is not saved there.
  package var sharesMemory: Bool

  package init(name: String, totalBytes: Int64, freeBytes: Int64, sharesMemory: Bool = false) {
    (self.name, self.totalBytes, self.freeBytes, self.sharesMemory) = (name, totalBytes, freeBytes, sharesMemory)
  }
}

extension GraphicsCardReport {
  /// Why `compute` = automatic leaves it alone.
  package var notTaken: String {
    "\(name) has no memory of its own and may be slower than the processor: the setting compute = gpu uses it"
  }
}

/// What a model asks of a card's memory.
package struct CardNeed: Sendable, Equatable {
  /// Those that repeat, and one more for what makes words of the last one's outcome, as llama.cpp counts them.
  package var layers: Int
  /// Weights of the largest layer, and of that last one.
  package var layerBytes: Int64
  package var outputBytes: Int64
  /// Keys and values of one layer for one token.
  package var kvPerToken: Int64
  /// What is computed in, however few layers there are.
  package var buffers: Int64

  package init(layers: Int, layerBytes: Int64, outputBytes: Int64, kvPerToken: Int64, buffers: Int64) {
    (self.layers, self.layerBytes, self.outputBytes) = (layers, layerBytes, outputBytes)
    (self.kvPerToken, self.buffers) = (kvPerToken, buffers)
  }

  /// From the file itself; nil for one without layers of its own.
  package init?(_ header: GGUFHeader, microBatch: Int = 512) {
    guard header.layers > 0 else { return nil }
    var byLayer: [Substring: Int64] = [:]
    var output: Int64 = 0
    for (name, tensor) in header.tensors {
      let parts = name.split(separator: ".", maxSplits: 2)
      if parts.count == 3, parts[0] == "blk" {
        byLayer[parts[1], default: 0] += tensor.bytes
      } else if name.hasPrefix("output") {
        output += tensor.bytes
      }
    }
    // Many small models make words with the table by which they read them: it then lies on the card a second time.
    if header.tensors["output.weight"] == nil { output += header.tensors["token_embd.weight"]?.bytes ?? 0 }
    self.init(
      layers: header.layers + 1, layerBytes: byLayer.values.max() ?? 0, outputBytes: output,
      kvPerToken: header.isCausal
        ? Footprint.kv(layers: 1, kvHeads: header.kvHeads, headDimension: header.headDimension) : 0,
      buffers: Self.buffers(embedding: header.embedding, vocabulary: header.vocabulary, microBatch: microBatch))
  }

  /// From the catalogue: all layers alike, and a twentieth of the weights for the last.
  package init?(_ pack: Pack) {
    guard let shape = pack.shape, shape.layers > 0 else { return nil }
    let output = pack.bytes / 20
    self.init(
      layers: shape.layers + 1, layerBytes: (pack.bytes - output) / Int64(shape.layers), outputBytes: output,
      kvPerToken: pack.kind == .chat
        ? Footprint.kv(layers: 1, kvHeads: shape.kvHeads, headDimension: shape.headDimension) : 0,
      buffers: Self.buffers(embedding: shape.embedding, vocabulary: shape.vocabulary, microBatch: 512))
  }

  /// The outcome of every token of a part of a batch, and what is computed on the way to it.
  private static func buffers(embedding: Int, vocabulary: Int, microBatch: Int) -> Int64 {
    Footprint.bytes(Double(microBatch) * 4 * (Double(vocabulary) + 16 * Double(embedding)))
  }
}

/// How many of a model's layers a card takes.
package struct CardShare: Codable, Sendable, Equatable {
  package var card: String
  package var layers: Int
  package var of: Int
  /// What they take of the card's memory, with what they are computed in.
  package var bytes: Int64
  package var freeBytes: Int64

  package init(card: String, layers: Int, of: Int, bytes: Int64, freeBytes: Int64) {
    (self.card, self.layers, self.of, self.bytes, self.freeBytes) = (card, layers, of, bytes, freeBytes)
  }

  package var isWhole: Bool { layers == of }

  /// As many as fit into what is free, the last first, as llama.cpp puts them there.
  package static func decide(_ need: CardNeed, context: Int, on card: GraphicsCardReport) -> CardShare {
    let usable = card.freeBytes - Fit.reserve(of: card.freeBytes) - need.buffers - need.outputBytes
    let kv = Footprint.bytes(Double(need.kvPerToken) * Double(context))
    let one = max(1, need.layerBytes + kv)
    let repeating = usable < 0 ? 0 : min(need.layers - 1, Int(usable / one))
    var share = CardShare(
      card: card.name, layers: 0, of: need.layers, bytes: 0, freeBytes: card.freeBytes)
    // The last layer alone is not worth the way there and back for every token.
    guard repeating > 0 else { return share }
    share.layers = repeating + 1
    share.bytes = Int64(repeating) * (need.layerBytes + kv) + need.outputBytes + need.buffers
    return share
  }

  package var words: String {
    let free = Bytes.text(freeBytes)
    if layers == 0 { return "not one of \(of) layers fits into the \(free) that are free on \(card)" }
    if isWhole { return "all \(of) layers on \(card)" }
    return "\(layers) of \(of) layers on \(card), as many as fit into the \(free) that are free there"
  }

  enum CodingKeys: String, CodingKey {
    case card, layers, of, bytes
    case freeBytes = "free_bytes"
  }
}
