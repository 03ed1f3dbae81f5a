import Core

/// What a pack takes in memory, apart from the context.
package struct Footprint: Sendable, Equatable {
  /// The weights as they lie in memory: the file's pages and the copies repacked for this processor.
  package var weights: Int64
  package var kvPerToken: Int64
  /// Graph buffers and the worker itself.
  package var overhead: Int64
  package var maximumContext: Int
  /// What it asks of a graphics card; nil where it cannot use one.
  package var card: CardNeed?

  package func total(context: Int) -> Int64 {
    Self.bytes(Double(weights) + Double(overhead) + Double(kvPerToken) * Double(context))
  }

  /// The sizes that a file names are a stranger's: what comes of them together may be more than a number holds, and is then as much as
  /// no memory has.
  static func bytes(_ count: Double) -> Int64 { Int64(min(count, 0x1p60)) }
}

/// Whether a pack can run in the memory that is really available, and with how much context.
package struct Fit: Codable, Sendable, Equatable {
  package var fits: Bool
  package var context: Int
  package var footprintBytes: Int64
  package var reason: String
  /// Where a graphics card takes a part of it.
  package var card: CardShare?

  enum CodingKeys: String, CodingKey {
    case fits, context, reason, card
    case footprintBytes = "footprint_bytes"
  }

  /// Below this a conversation over documents is no use.
  package static let smallestContext = 2048

  /// The same where a graphics card may take a part: of what lies there main memory needs nothing.
  package static func decide(
    _ footprint: Footprint, context wanted: Int, available: Int64?, card: GraphicsCardReport?
  ) -> Fit {
    guard let card, let need = footprint.card else {
      return decide(footprint, context: wanted, available: available)
    }
    let share = CardShare.decide(need, context: min(wanted, footprint.maximumContext), on: card)
    var rest = footprint
    if !card.sharesMemory {
      let moved = Int64(max(0, share.layers - 1))
      rest.weights = max(0, rest.weights - moved * need.layerBytes)
      rest.kvPerToken = max(0, rest.kvPerToken - moved * need.kvPerToken)
    }
    var fit = decide(rest, context: wanted, available: available)
    fit.card = share
    fit.reason += "; \(share.words)"
    return fit
  }

  /// `available` nil means unknown, which is said and not held against the pack.
  package static func decide(_ footprint: Footprint, context wanted: Int, available: Int64?) -> Fit {
    let wanted = min(wanted, footprint.maximumContext)
    let full = footprint.total(context: wanted)
    guard let available else {
      return Fit(
        fits: true, context: wanted, footprintBytes: full,
        reason: "needs \(Bytes.text(full)); how much memory is available is unknown")
    }
    let usable = available - reserve(of: available)
    if full <= usable {
      return Fit(
        fits: true, context: wanted, footprintBytes: full,
        reason: "needs \(Bytes.text(full)) of \(Bytes.text(available)) available")
    }
    let left = usable - footprint.weights - footprint.overhead
    let reachable = footprint.kvPerToken > 0 && left > 0 ? Int(left / footprint.kvPerToken) / 256 * 256 : 0
    if reachable >= min(smallestContext, wanted), reachable > 0 {
      let bytes = footprint.total(context: reachable)
      return Fit(
        fits: true, context: reachable, footprintBytes: bytes,
        reason:
          "a context of \(wanted) needs \(Bytes.text(full)) of \(Bytes.text(available)) available; \(reachable) fits")
    }
    let least = min(smallestContext, wanted)
    let needed = footprint.total(context: least)
    return Fit(
      fits: false, context: 0, footprintBytes: needed,
      reason: "needs \(Bytes.text(needed)) even with a context of \(least); \(Bytes.text(max(0, usable))) can be used")
  }

  /// Left to the rest of the system: a twentieth, at least 128 MB.
  package static func reserve(of available: Int64) -> Int64 { max(128 << 20, available / 20) }
}

extension Footprint {
  /// What llama.cpp copies into its own order on this processor when it loads (its other kernels read the file's pages; on x86 those
  /// of K-quants do so too with our patches).
  package static let repackedTypes: Set<GGUFType> = {
    #if arch(arm64)
      [.q40, .q80, .q4K, .q5K, .q6K, .q2K, .iq4Nl, .mxfp4]
    #else
      Version.engineIsMended ? [.q40, .iq4Nl, .mxfp4] : [.q40, .q4K, .q2K, .iq4Nl, .mxfp4]
    #endif
  }()

  /// Bytes of a context's keys and values for one token; `bits` 16 for f16, 8.5 for q8_0.
  static func kv(layers: Int, kvHeads: Int, headDimension: Int, bits: Double = 16) -> Int64 {
    bytes((Double(layers) * Double(kvHeads) * Double(headDimension) * bits / 4).rounded(.up))
  }

  /// Measured on the packs here: the worker with its libraries, plus the activations of one micro-batch of 256 tokens.
  static func overhead(embedding: Int, vocabulary: Int) -> Int64 {
    bytes(Double(40 << 20) + Double(embedding) * 256 * 4 * 16 + Double(vocabulary) * 4 * 8)
  }

  /// From the file itself, exact.
  package init(_ header: GGUFHeader) {
    let repacked = header.bytesByType.filter { Self.repackedTypes.contains($0.key) }.values.reduce(0, +)
    weights = header.fileBytes + repacked
    kvPerToken =
      header.isCausal
      ? Self.kv(layers: header.layers, kvHeads: header.kvHeads, headDimension: header.headDimension) : 0
    overhead = Self.overhead(embedding: header.embedding, vocabulary: header.vocabulary)
    maximumContext = header.contextLength
    card = CardNeed(header)
  }

  /// From the catalogue, before anything is fetched: the share that is repacked is known by the quantisation's name.
  package init(_ pack: Pack) {
    let bytes = pack.bytes
    weights = bytes + Int64(Double(bytes) * Self.repackedShare(pack.quantization))
    maximumContext = pack.context
    guard let shape = pack.shape else {
      kvPerToken = 0
      // Speech models decode a fixed window, whose buffers grow with the model.
      overhead = (40 << 20) + bytes / 2
      return
    }
    kvPerToken =
      pack.kind == .chat
      ? Self.kv(layers: shape.layers, kvHeads: shape.kvHeads, headDimension: shape.headDimension) : 0
    overhead = Self.overhead(embedding: shape.embedding, vocabulary: shape.vocabulary)
    if pack.kind == .chat || pack.kind == .embed { card = CardNeed(pack) }
  }

  private static func repackedShare(_ quantization: String) -> Double {
    switch quantization {
    case "Q4_0", "IQ4_NL": 0.9
    case "Q2_K", "Q4_K_M", "Q4_K_S": repackedTypes.contains(.q4K) ? 0.95 : 0
    case "Q5_K_M", "Q5_K_S", "Q6_K", "Q8_0": repackedTypes.contains(.q6K) ? 0.95 : 0
    default: 0
    }
  }
}
