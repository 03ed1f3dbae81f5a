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
    try filter(PackedParts(filters).members(most: 64 << 20), to: out)
    try spell(vocabulary, to: out)
    for (name, tensor) in tensors { try write(name, tensor, inBlocks, out) }
  }

  private static func number(_ size: Int) throws -> Int32 {
    guard size > 0, let number = Int32(exactly: size) else { throw PackError.malformed("a size is out of range") }
    return number
  }

  private func filter(_ members: [String: [UInt8]], to out: WrittenFile) throws {
    guard let bytes = members["mel_\(bands).npy"] else {
      throw PackError.unsupported("there is no filter for \(bands) bands")
    }
    try bytes.withUnsafeBytes { bytes in
      let filter = try Self.array(bytes)
      for size in filter.shape { try out.append(Self.number(size)) }
      try out.append(numbers: filter.singles)
    }
  }

  /// A NumPy array of two dimensions: a name, a version, the length of a description, the description, the numbers.
  private static func array(_ bytes: UnsafeRawBufferPointer) throws -> Tensor {
    var reader = ByteReader(bytes)
    let name = try reader.take(6)
    let version = try reader.number(UInt16.self)
    guard name.elementsEqual([0x93] + Array("NUMPY".utf8)), version == 1 else {
      throw PackError.malformed("the filters are no NumPy array")
    }
    let description = try reader.text(reader.number(UInt16.self))
    let form = #/'descr': '<f(\d)', 'fortran_order': False, 'shape': \((\d+), (\d+)\)/#
    guard let found = description.firstMatch(of: form), found.1 == "4", let rows = Int(found.2),
      let columns = Int(found.3)
    else { throw PackError.unsupported("the filters are of the kind \(description)") }
    return try Tensor("the filter", .single, [rows, columns], reader.left)
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
