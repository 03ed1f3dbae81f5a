import Foundation
import Models

/// Whisper's weights on their way into whisper.cpp's ggml file. Matrices become f16, or Q8_0 where that is asked for: blocks of 32
/// values in 127 steps, which our engine multiplies fastest.
struct WhisperWeights {
  /// Vocabulary, then context, state, heads and layers of sound, the same of text, and the bands of a spectrum.
  var sizes: [Int]
  var tensors: [(name: String, tensor: Tensor)]
  /// Whatever the tensors point into.
  var owner: AnyObject?

  private var words: Int { sizes[0] }
  private var bands: Int { sizes[9] }
  private static let multilingual = 51865
  // whisper.cpp wants these as f32; everything else of two or more dimensions is f16, and convolutions are so in any case.
  private static let biases = ["encoder.conv1.bias", "encoder.conv2.bias"]
  private static let positions = ["encoder.positional_embedding", "decoder.positional_embedding"]

  /// `filters` is `mel_filters.npz` and `vocabulary` the `.tiktoken` file of the openai-whisper package.
  func write(
    filters: UnsafeRawBufferPointer, vocabulary: UnsafeRawBufferPointer, inBlocks: Bool, to out: WrittenFile
  ) throws {
    // The second way of writing blocks, times a thousand, and the kind.
    let kind: Int32 = inBlocks ? 2007 : 1
    for number in try [0x6767_6D6C] + sizes.map(Self.number) + [kind] { try out.append(number) }
    try filter(NumpyArchive(filters), to: out)
    try spell(vocabulary, to: out)
    for (name, tensor) in tensors { try write(name, tensor, inBlocks, out) }
  }

  private static func number(_ size: Int) throws -> Int32 {
    guard size > 0, let number = Int32(exactly: size) else { throw PackError.malformed("a size is out of range") }
    return number
  }

  private func filter(_ filters: NumpyArchive, to out: WrittenFile) throws {
    let filter = try filters.tensor("mel_\(bands)")
    guard filter.kind == .single, filter.shape.count == 2 else {
      throw PackError.unsupported("the filter for \(bands) bands is of another kind")
    }
    for size in filter.shape { try out.append(Self.number(size)) }
    try out.append(numbers: filter.singles)
  }

  private func spell(_ vocabulary: UnsafeRawBufferPointer, to out: WrittenFile) throws {
    var spelled = try vocabulary.split(separator: UInt8(ascii: "\n")).map { line in
      // What fills the last group up may be missing, or, for the one empty word there is, stand alone.
      var word = line.prefix { $0 != UInt8(ascii: " ") }.filter { $0 != UInt8(ascii: "=") }
      word += [UInt8](repeating: UInt8(ascii: "="), count: (4 - word.count % 4) % 4)
      guard let data = Data(base64Encoded: Data(word)) else { throw PackError.malformed("a word is not in base 64") }
      return data
    }
    if words < Self.multilingual { spelled.append(Data("<|endoftext|>".utf8)) }
    try out.append(Self.number(spelled.count))
    for word in spelled {
      try out.append(Int32(word.count))
      try out.append(numbers: Array(word))
    }
  }

  private func write(_ name: String, _ given: Tensor, _ inBlocks: Bool, _ out: WrittenFile) throws {
    let isBias = Self.biases.contains(name)
    let shape = isBias ? [given.count, 1] : given.shape
    let stays = shape.count < 2 || isBias || Self.positions.contains(name)
    let blocks = !stays && inBlocks && shape.count == 2
    let label = Array(name.utf8)
    for number in [shape.count, label.count, stays ? 0 : blocks ? 8 : 1] { try out.append(Int32(number)) }
    for size in shape.reversed() { try out.append(Self.number(size)) }
    try out.append(numbers: label)
    if stays {
      try out.append(numbers: given.singles)
    } else if blocks {
      try out.append(numbers: given.blocks())
    } else {
      try out.append(numbers: given.halves)
    }
  }
}
