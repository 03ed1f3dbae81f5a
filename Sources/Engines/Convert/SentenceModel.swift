import Models

/// The Universal Sentence Encoder of many languages on its way into GGUF, from what a Python package took out of its published graph:
/// 17 tables of words with 64 steps each, and matrices that stand the other way round. `Sources/Engines/Text/SentenceEncoder.swift`
/// says what is computed with it.
struct SentenceModel {
  private let pieces: SentencePieces
  private let weights: NumpyArchive
  private let name: String
  private let tables = 17

  init(weights: UnsafeRawBufferPointer, pieces: UnsafeRawBufferPointer, name: String) throws {
    self.pieces = try SentencePieces(pieces)
    self.weights = try NumpyArchive(weights)
    self.name = name
  }

  func write(to out: WrittenFile) throws {
    var file = described()
    var made: [HeldBytes] = []
    func add(_ name: String, _ kind: Tensor.Kind, _ shape: [Int], _ bytes: [UInt8]) throws {
      made.append(HeldBytes(bytes))
      let tensor = try Tensor(
        name, kind == .half ? .single : kind, shape, UnsafeRawBufferPointer(made[made.count - 1].bytes))
      file.tensors.append(.init(name: name, tensor: tensor, kind: kind))
    }
    try add("words.steps", .byte, [pieces.count, 512], words())
    for (ours, theirs) in [("words.step", "scale"), ("words.least", "lo")] { try addList(ours, [theirs]) }
    try addMatrix("wide.weight", ["proj2", "proj3", "proj5"])
    try addList("wide.bias", ["proj_b2", "proj_b3", "proj_b5"])
    try addList("wide.norm.scale", ["ln_g2", "ln_g3", "ln_g5"])
    try addList("wide.norm.shift", ["ln_b2", "ln_b3", "ln_b5"])
    for size in [2, 3, 5] {
      for step in [1, 2] {
        try addMatrix("near.\(size).\(step).weight", ["w\(step)_\(size)"])
        try addList("near.\(size).\(step).bias", ["b\(step)_\(size)"])
      }
    }
    try addList("norm.scale", ["ln_g"])
    try addList("norm.shift", ["ln_b"])
    try addMatrix("text.weight", ["cnn_W"])
    try addList("text.bias", ["cnn_b"])
    for (ours, theirs) in [
      ("first.in", "d0"), ("first.out", "d1"), ("first.past", "p1"),
      ("second.in", "d2"), ("second.out", "d3"), ("second.past", "p3"),
    ] {
      try addMatrix("\(ours).weight", [theirs])
    }
    try withExtendedLifetime((weights, made)) { try file.write(to: out) }

    func addList(_ name: String, _ theirs: [String]) throws {
      let values = try theirs.flatMap { try weights.tensor($0).singles }
      try add(name, .single, [values.count], values.withUnsafeBytes { Array($0) })
    }

    /// Side by side as rows of their columns.
    func addMatrix(_ name: String, _ theirs: [String]) throws {
      var (values, inputs) = ([Float](), 0)
      for one in theirs {
        let tensor = try weights.tensor(one)
        guard tensor.shape.count == 2, inputs == 0 || inputs == tensor.shape[0] else {
          throw PackError.malformed("\(one) has an impossible shape")
        }
        inputs = tensor.shape[0]
        let (outputs, rows) = (tensor.shape[1], tensor.singles)
        for output in 0..<outputs {
          for input in 0..<inputs { values.append(rows[input * outputs + output]) }
        }
      }
      try add(name, .half, [values.count / inputs, inputs], values.withUnsafeBytes { Array($0) })
    }
  }

  /// What is known of it besides its weights.
  private func described() -> GGUFFile {
    var file = GGUFFile()
    // llama.cpp reads the vocabulary of it and knows nothing of its weights: any architecture that it knows will do.
    file.add("general.architecture", .text("bert"))
    file.add("general.name", .text(name))
    file.add("bert.block_count", .number(1))
    file.add("bert.context_length", .number(512))
    file.add("bert.embedding_length", .number(512))
    file.add("bert.attention.causal", .truth(false))
    file.add("bert.pooling_type", .number(1))
    pieces.describe(in: &file)
    return file
  }

  /// A word's row lies in the table that its number leaves over, and there in the order of numbers.
  private func words() throws -> [UInt8] {
    let all = try (1...tables).map { number in
      let table = try weights.tensor("q\(number)")
      guard table.kind == .byte, table.shape.count == 2, table.shape[1] == 512,
        table.shape[0] * tables >= pieces.count
      else { throw PackError.malformed("q\(number) has an impossible shape") }
      return table.bytes
    }
    var rows: [UInt8] = []
    rows.reserveCapacity(pieces.count * 512)
    for word in 0..<pieces.count {
      let start = word / tables * 512
      rows.append(contentsOf: all[word % tables][start..<start + 512])
    }
    return rows
  }
}
