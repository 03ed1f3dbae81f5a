import CLlama
import Inference
import Models
import Workers

/// An encoder whose vectors are moved to where the ones of what answers them lie: `q + q·A·B`, with two narrow matrices of an adapter
/// (Training/README.md). The length of a vector changes nothing in that.
struct MappedQuestions: TextEncoder {
  private let encoder: SentenceEncoder
  private let down: [Float]
  private let up: [Float]
  private let rank: Int

  init(_ encoder: SentenceEncoder, _ file: PackFile) throws {
    let (header, width) = (try file.checkHeader(), UInt64(SentenceEncoder.dimensions))
    guard let down = header.tensors["down.weight"], let up = header.tensors["up.weight"], down.type == .f16,
      up.type == .f16, down.shape.count == 2, down.shape[0] == width, up.shape == [down.shape[1], width]
    else { throw EngineError.adapterRefused(reason: "its matrices are missing or of another shape") }
    guard let mapped = MappedPack(file, header) else { throw EngineError.adapterRefused(reason: "memory is short") }
    self.encoder = encoder
    self.down = Self.numbers(of: down, in: mapped)
    self.up = Self.numbers(of: up, in: mapped)
    rank = Int(down.shape[1])
  }

  private static func numbers(of tensor: GGUFHeader.Tensor, in file: MappedPack) -> [Float] {
    let count = Int(tensor.shape[0] * tensor.shape[1])
    let halves = file.address(of: tensor).assumingMemoryBound(to: ggml_fp16_t.self)
    return [Float](unsafeUninitializedCapacity: count) { buffer, initialised in
      ggml_fp16_to_fp32_row(halves, buffer.baseAddress, Int64(count))
      initialised = count
    }
  }

  func vectors(of texts: [[TokenID]], threads: Int?, cancelled: CancelFlag) throws -> [Float] {
    var vectors = try encoder.vectors(of: texts, threads: threads, cancelled: cancelled)
    let width = SentenceEncoder.dimensions
    for start in stride(from: 0, to: vectors.count, by: width) {
      let narrow = (0..<rank).map { row in
        (0..<width).reduce(Float(0)) { $0 + vectors[start + $1] * down[row * width + $1] }
      }
      for place in 0..<width {
        vectors[start + place] += (0..<rank).reduce(Float(0)) { $0 + narrow[$1] * up[place * rank + $1] }
      }
    }
    return vectors
  }
}
