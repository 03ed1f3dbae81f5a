import Models

/// The tensors of a `.pt` file: a zip around a pickle and the bytes that it names. Nothing the pickle names is run: only tensors,
/// dictionaries and two kinds of storage exist for it.
final class TorchFile {
  private let loaded: Pickle.Value
  // The tensors point into these.
  private let storages: [String: HeldBytes]
  private var gathered: [HeldBytes] = []

  private static let most = 4 << 30

  init(_ bytes: UnsafeRawBufferPointer) throws {
    let members = try PackedParts(bytes).members(most: Self.most)
    guard let index = members.first(where: { $0.key.hasSuffix("/data.pkl") }) else {
      throw PackError.malformed("the weights have no data.pkl")
    }
    let start = String(index.key.dropLast("data.pkl".count)) + "data/"
    storages = Dictionary(
      uniqueKeysWithValues: members.filter { $0.key.hasPrefix(start) }
        .map { (String($0.key.dropFirst(start.count)), HeldBytes($0.value)) })
    loaded = try index.value.withUnsafeBytes { bytes in
      var pickle = Pickle(bytes)
      return try pickle.load()
    }
  }

  func whisper() throws -> WhisperWeights {
    let names = [
      "n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx", "n_text_state",
      "n_text_head", "n_text_layer", "n_mels",
    ]
    let sizes = try names.map { name in
      guard case .number(let size)? = loaded["dims"]?[name] else {
        throw PackError.malformed("it does not say its \(name)")
      }
      return size
    }
    guard case .dictionary(let state)? = loaded["model_state_dict"] else {
      throw PackError.malformed("it holds no weights")
    }
    return WhisperWeights(
      sizes: sizes, tensors: try state.entries.map { ($0.key, try tensor($0.key, $0.value)) }, owner: self)
  }

  private func tensor(_ name: String, _ value: Pickle.Value) throws -> Tensor {
    guard case .tensor(let found) = value, let storage = storages[found.key], found.shape.count == found.strides.count,
      found.shape.count <= 4
    else { throw PackError.malformed("\(name) is no tensor") }
    let width = found.kind.rawValue
    let there = storage.bytes.count / width
    // What would reach further, or be more than there is, is refused before anything is counted out.
    guard found.offset <= there, (found.shape + found.strides).allSatisfy({ $0 <= there }),
      found.shape.allSatisfy({ $0 > 0 }), found.shape.reduce(1.0, { $0 * Double($1) }) <= Double(there),
      zip(found.shape, found.strides).reduce(Double(found.offset), { $0 + Double($1.0 - 1) * Double($1.1) })
        < Double(there)
    else { throw PackError.malformed("\(name) reaches outside its storage") }
    let count = found.shape.reduce(1, *)
    var step = count
    let isWhole = zip(found.shape, found.strides).allSatisfy { size, stride in
      step /= size
      return size == 1 || stride == step
    }
    if isWhole {
      let stretch = storage.bytes[(found.offset * width)..<((found.offset + count) * width)]
      return try Tensor(name, found.kind, found.shape, UnsafeRawBufferPointer(rebasing: stretch))
    }
    let laid = Self.laid(found, storage, count)
    gathered.append(laid)
    return try Tensor(name, found.kind, found.shape, UnsafeRawBufferPointer(laid.bytes))
  }

  /// The numbers of a tensor that lies otherwise, as a turned matrix does, row by row.
  private static func laid(_ found: Pickle.Stored, _ storage: HeldBytes, _ count: Int) -> HeldBytes {
    let laid = HeldBytes([UInt8](repeating: 0, count: count * found.kind.rawValue))
    switch found.kind {
    case .byte: fill(laid, found, storage, as: UInt8.self)
    case .half: fill(laid, found, storage, as: UInt16.self)
    case .single: fill(laid, found, storage, as: UInt32.self)
    }
    return laid
  }

  private static func fill<Bits: FixedWidthInteger>(
    _ laid: HeldBytes, _ found: Pickle.Stored, _ storage: HeldBytes, as type: Bits.Type
  ) {
    let (from, to) = (storage.bytes.bindMemory(to: type), laid.bytes.bindMemory(to: type))
    var place = [Int](repeating: 0, count: found.shape.count)
    var (source, target) = (found.offset, 0)
    while target < to.count {
      to[target] = from[source]
      target += 1
      var axis = place.count - 1
      while axis >= 0 {
        place[axis] += 1
        source += found.strides[axis]
        if place[axis] < found.shape[axis] { break }
        source -= place[axis] * found.strides[axis]
        place[axis] = 0
        axis -= 1
      }
    }
  }
}
