import Models

/// A CTranslate2 `model.bin`: a version, a specification's name, named arrays, aliases.
struct CTranslate2File {
  private let specification: String
  private var tensors: [String: Tensor] = [:]
  private var numbers: [String: Int] = [:]

  init(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    func text() throws -> String { try String(reader.text(reader.number(UInt16.self)).prefix { $0 != "\0" }) }
    _ = try reader.number(UInt32.self)
    specification = try text()
    _ = try reader.number(UInt32.self)
    for _ in 0..<(try reader.number(UInt32.self)) {
      let name = try text()
      let shape = try (0..<reader.number(UInt8.self)).map { _ in try reader.number(UInt32.self) }
      let kind = try reader.number(UInt8.self)
      let data = try reader.take(reader.number(UInt32.self))
      switch kind {
      case 0: tensors[name] = try Tensor(name, .single, shape, data)
      case 4: tensors[name] = try Tensor(name, .half, shape, data)
      case 1, 2, 3:
        // Whole numbers: of these only single ones matter here, such as how many heads there are.
        var one = ByteReader(data)
        if shape.isEmpty {
          numbers[name] =
            try kind == 1 ? one.number(Int8.self) : kind == 2 ? one.number(Int16.self) : one.number(Int32.self)
        }
      default: throw PackError.malformed("\(name) has the unknown type \(kind)")
      }
    }
    if !reader.left.isEmpty {
      // Aliases: pairs of names, which nothing here needs.
      for _ in 0..<(try reader.number(UInt32.self)) { _ = try (text(), text()) }
    }
    guard reader.left.isEmpty else { throw PackError.malformed("\(reader.left.count) bytes follow the end") }
  }

  func whisper() throws -> WhisperWeights {
    guard specification == "WhisperSpec" else {
      throw PackError.unsupported("the weights are of a \(specification), not of a Whisper model")
    }
    var model = try Renaming(file: self)
    try model.run()
    return WhisperWeights(sizes: try model.sizes(), tensors: model.tensors)
  }

  func tensor(_ name: String) throws -> Tensor {
    guard let tensor = tensors[name] else { throw PackError.malformed("it has no \(name)") }
    return tensor
  }

  func has(_ name: String) -> Bool { tensors[name] != nil }

  func number(_ name: String) throws -> Int {
    guard let number = numbers[name] else { throw PackError.malformed("it has no \(name)") }
    return number
  }

  /// How many layers one side has.
  func layers(_ side: String) throws -> Int {
    let start = side + "/layer_"
    let last = tensors.keys.filter { $0.hasPrefix(start) }
      .compactMap { Int($0.dropFirst(start.count).prefix { $0 != "/" }) }.max()
    guard let last, last < 1000 else { throw PackError.malformed("its \(side) has no layers") }
    return last + 1
  }
}

/// CTranslate2's names and Whisper's own.
private struct Renaming {
  let file: CTranslate2File
  var tensors: [(name: String, tensor: Tensor)] = []

  init(file: CTranslate2File) throws { self.file = file }

  mutating func run() throws {
    try linear("encoder.conv1", "encoder/conv1")
    try linear("encoder.conv2", "encoder/conv2")
    try add("encoder.positional_embedding", "encoder/position_encodings/encodings")
    try add("decoder.positional_embedding", "decoder/position_encodings/encodings")
    try add("decoder.token_embedding.weight", "decoder/embeddings/weight")
    try norm("encoder.ln_post", "encoder/layer_norm")
    try norm("decoder.ln", "decoder/layer_norm")
    for side in ["encoder", "decoder"] {
      for index in 0..<(try file.layers(side)) { try layer(side, index) }
    }
  }

  /// In the order of the file's head.
  func sizes() throws -> [Int] {
    let words = try file.tensor("decoder/embeddings/weight").shape
    let sound = try file.tensor("encoder/conv1/weight").shape
    let contexts = try ["encoder", "decoder"].map { try file.tensor("\($0)/position_encodings/encodings").shape }
    guard words.count == 2, sound.count == 3, contexts.allSatisfy({ $0.count == 2 }) else {
      throw PackError.malformed("its matrices have other dimensions than Whisper's")
    }
    return [
      words[0], contexts[0][0], sound[0], try file.number("encoder/num_heads"), try file.layers("encoder"),
      contexts[1][0], words[1], try file.number("decoder/num_heads"), try file.layers("decoder"), sound[1],
    ]
  }

  private mutating func layer(_ side: String, _ index: Int) throws {
    let (ours, theirs) = ("\(side).blocks.\(index)", "\(side)/layer_\(index)")
    try fused(["query", "key", "value"].map { "\(ours).attn.\($0)" }, theirs + "/self_attention/linear_0")
    try linear(ours + ".attn.out", theirs + "/self_attention/linear_1")
    try norm(ours + ".attn_ln", theirs + "/self_attention/layer_norm")
    try linear(ours + ".mlp.0", theirs + "/ffn/linear_0")
    try linear(ours + ".mlp.2", theirs + "/ffn/linear_1")
    try norm(ours + ".mlp_ln", theirs + "/ffn/layer_norm")
    guard side == "decoder" else { return }
    try linear(ours + ".cross_attn.query", theirs + "/attention/linear_0")
    try fused(["key", "value"].map { "\(ours).cross_attn.\($0)" }, theirs + "/attention/linear_1")
    try linear(ours + ".cross_attn.out", theirs + "/attention/linear_2")
    try norm(ours + ".cross_attn_ln", theirs + "/attention/layer_norm")
  }

  private mutating func add(_ ours: String, _ theirs: String) throws { tensors.append((ours, try file.tensor(theirs))) }

  private mutating func linear(_ ours: String, _ theirs: String) throws {
    try add(ours + ".weight", theirs + "/weight")
    if file.has(theirs + "/bias") { try add(ours + ".bias", theirs + "/bias") }
  }

  private mutating func norm(_ ours: String, _ theirs: String) throws {
    try add(ours + ".weight", theirs + "/gamma")
    try add(ours + ".bias", theirs + "/beta")
  }

  /// CTranslate2 stores query, key and value as one matrix; Whisper's key has no bias.
  private mutating func fused(_ ours: [String], _ theirs: String) throws {
    let weights = try file.tensor(theirs + "/weight").split(ours.count)
    let biases = try file.tensor(theirs + "/bias").split(ours.count)
    for (name, (weight, bias)) in zip(ours, zip(weights, biases)) {
      tensors.append((name + ".weight", weight))
      guard name.hasSuffix("key") else {
        tensors.append((name + ".bias", bias))
        continue
      }
      guard bias.isZero else { throw PackError.unsupported("\(theirs) has a bias for its keys") }
    }
  }
}
