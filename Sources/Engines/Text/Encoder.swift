import CEncoder
import Foundation
import Inference
import Models
import Workers

/// An encoder of the MiniLM kind in loops of our own, in bfloat16 or in eight bits, as the processor has it. Texts of all lengths go
/// through each matrix together and attend to themselves alone, so nothing is computed for padding or for other texts' words, and
/// each thread has texts of its own to work at. Its vectors lie so near to llama.cpp's that those of either can be compared: within
/// a thousandth in bfloat16, within a hundredth in eight bits.
final class Encoder: TextEncoder {
  private let pointer: OpaquePointer
  /// The file's bytes: the rows of single words are read where they lie.
  private let file: MappedPack
  private let width: Int
  private let threads: Int

  /// So many tokens are computed at a time by one thread: enough to read each weight seldom, few enough that two threads end
  /// together.
  static let groupTokens = 128

  /// nil for another architecture, weights in another layout, or no way to compute them: llama.cpp computes those.
  init?(
    _ pack: PackFile, _ header: GGUFHeader, vocabulary: Tokeniser, threads: Int,
    way: String? = EncoderWay.chosen().taken
  ) {
    guard let way, let shape = Shape(header, vocabulary: vocabulary.size),
      let file = MappedPack(pack, header), let pointer = cencoder_new(shape.loops, way)
    else { return nil }
    (self.pointer, self.file, self.threads) = (pointer, file, threads)
    width = Int(shape.width)
    func data(_ name: String) -> (UnsafeRawPointer, cencoder_type)? {
      guard let tensor = header.tensors[name] else { return nil }
      return (file.address(of: tensor), cencoder_type(tensor.type.rawValue))
    }
    for (name, part) in Shape.start {
      if let (values, type) = data(name) { cencoder_start_with(pointer, part, values, type) }
    }
    for layer in 0..<shape.layers {
      for (name, part) in Shape.parts {
        if let (values, type) = data("blk.\(layer).\(name)") { cencoder_take(pointer, layer, part, values, type) }
      }
    }
  }

  deinit { cencoder_free(pointer) }

  /// Their means.
  func vectors(of texts: [[TokenID]], threads: Int? = nil, cancelled: CancelFlag) throws -> [Float] {
    // The long groups go first: what is left at the end is short, and no thread waits for long.
    let ordered = Array(texts.reversed())
    let starts = ordered.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    let groups = Self.groups(starts)
    let threads = min(threads ?? self.threads, self.threads)
    let tokens = ordered.flatMap(\.self)
    var vectors = [Float](repeating: 0, count: texts.count * width)
    let end = withExtendedLifetime(cancelled) {
      cencoder_run(
        pointer, tokens, starts, groups, groups.count - 1, threads, &vectors,
        { Unmanaged<CancelFlag>.fromOpaque($0!).takeUnretainedValue().isSet },
        Unmanaged.passUnretained(cancelled).toOpaque())
    }
    switch end {
    case CENCODER_DONE: break
    case CENCODER_STOPPED: throw CancellationError()
    default: throw EngineError.evaluationFailed(reason: "memory is short")
    }
    return texts.indices.reversed().flatMap { vectors[$0 * width..<($0 + 1) * width] }
  }

  /// Bounds of neighbouring texts that come to so many tokens together; `starts` are those of the texts, and their end.
  static func groups(_ starts: [Int], of most: Int = groupTokens) -> [Int] {
    var groups = [0]
    for text in 0..<starts.count - 1 {
      let first = groups[groups.count - 1]
      if text > first, starts[text + 1] - starts[first] > most { groups.append(text) }
    }
    if starts.count > 1 { groups.append(starts.count - 1) }
    return groups
  }

  /// What the loops compute, read from a file's header: every tensor there and nothing besides.
  private struct Shape {
    var loops: cencoder_shape
    var layers: Int { loops.layers }
    var width: Int { loops.width }

    static let start: [(String, cencoder_start)] = [
      ("token_embd.weight", CENCODER_WORDS), ("position_embd.weight", CENCODER_POSITIONS),
      ("token_types.weight", CENCODER_TYPE), ("token_embd_norm.weight", CENCODER_START_SCALE),
      ("token_embd_norm.bias", CENCODER_START_SHIFT),
    ]
    static let parts: [(String, cencoder_part)] = [
      ("attn_q.weight", CENCODER_QUERY), ("attn_k.weight", CENCODER_KEY), ("attn_v.weight", CENCODER_VALUE),
      ("attn_output.weight", CENCODER_OUT), ("ffn_up.weight", CENCODER_UP), ("ffn_down.weight", CENCODER_DOWN),
      ("attn_q.bias", CENCODER_QUERY_BIAS), ("attn_k.bias", CENCODER_KEY_BIAS), ("attn_v.bias", CENCODER_VALUE_BIAS),
      ("attn_output.bias", CENCODER_OUT_BIAS), ("ffn_up.bias", CENCODER_UP_BIAS),
      ("ffn_down.bias", CENCODER_DOWN_BIAS), ("attn_output_norm.weight", CENCODER_FIRST_SCALE),
      ("attn_output_norm.bias", CENCODER_FIRST_SHIFT), ("layer_output_norm.weight", CENCODER_SECOND_SCALE),
      ("layer_output_norm.bias", CENCODER_SECOND_SHIFT),
    ]

    init?(_ header: GGUFHeader, vocabulary: Int) {
      // The loops take the mean (1) of a text's vectors and nothing else.
      guard header.architecture == "bert", header.unsigned("bert.pooling_type") ?? 1 == 1,
        let inner = header.unsigned("bert.feed_forward_length"),
        case .real(let epsilon)? = header.values["bert.attention.layer_norm_epsilon"]
      else { return nil }
      loops = cencoder_shape(
        layers: header.layers, width: header.embedding, heads: header.heads, inner: Int(clamping: inner),
        positions: header.contextLength, epsilon: Float(epsilon))
      guard header.tensorCount == Self.start.count + header.layers * Self.parts.count else { return nil }
      let (width, inside) = (UInt64(header.embedding), inner)
      func isThere(_ name: String, _ shape: [UInt64]) -> Bool {
        guard let tensor = header.tensors[name] else { return false }
        return [.f32, .f16, .bf16].contains(tensor.type) && tensor.shape.starts(with: shape)
      }
      var sound =
        isThere("token_embd.weight", [width, UInt64(vocabulary)])
        && isThere("position_embd.weight", [width, UInt64(header.contextLength)])
        && ["token_types.weight", "token_embd_norm.weight", "token_embd_norm.bias"].allSatisfy { isThere($0, [width]) }
      for layer in 0..<header.layers {
        for (name, part) in Self.parts {
          let shape: [UInt64] =
            switch part {
            case CENCODER_QUERY, CENCODER_KEY, CENCODER_VALUE, CENCODER_OUT: [width, width]
            case CENCODER_UP: [width, inside]
            case CENCODER_DOWN: [inside, width]
            case CENCODER_UP_BIAS: [inside]
            default: [width]
            }
          sound = sound && isThere("blk.\(layer).\(name)", shape)
        }
      }
      guard sound else { return nil }
    }
  }
}
