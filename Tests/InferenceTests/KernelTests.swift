import CLlama
import Foundation
import TestSupport
import Testing

/// The products of weights with tokens, whichever loops this processor takes (Engine/products.h says which), beside sums in
/// doubles: odd numbers of rows and tokens, one thread and two, and values at the ends of what ggml's blocks of tokens hold, whose
/// scale is a half.
@Suite("Loops of the engine", .serialized, .needsMends)
struct KernelTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var type: ggml_type
    var length: Int
    var rows: Int
    var tokens: Int
    var testDescription: String { "\(String(cString: ggml_type_name(type))), \(length) × \(rows) with \(tokens)" }
  }

  static let types = [GGML_TYPE_Q4_1, GGML_TYPE_Q8_0, GGML_TYPE_Q4_K, GGML_TYPE_Q6_K, GGML_TYPE_F16]
  static let shapes: [Shape] = types.flatMap { type in
    let lengths =
      switch type {
      case GGML_TYPE_Q4_K, GGML_TYPE_Q6_K: [256, 768]
      case GGML_TYPE_F16: [1, 8, 13, 16]  // an adapter's; longer ones go ggml's way
      default: [32, 96, 576]
      }
    // From 128 tokens of a prompt on Q4_1 has loops of its own.
    let prompts = type == GGML_TYPE_Q4_1 ? [(33, 130)] : []
    return lengths.flatMap { length in
      ([(1, 1), (15, 2), (16, 3), (17, 5), (33, 12), (48, 13), (31, 40)] + prompts).map {
        Shape(type: type, length: length, rows: $0.0, tokens: $0.1)
      }
    }
  }

  /// What tokens hold: even noise, all nothing, one value far from all others, very large and very small ones.
  enum Values: CaseIterable { case noise, nothing, outlier, large, small }

  static func floats(_ count: Int, _ values: Values, seed: UInt64) -> [Float] {
    var dice = Dice(seed)
    return (0..<count).map { index in
      let noise = Float(Int32(truncatingIfNeeded: dice.next())) / Float(Int32.max)
      return switch values {
      case .noise: noise
      case .nothing: 0
      case .outlier: index % 97 == 5 ? noise * 900 : noise
      case .large: noise * 1e6
      case .small: noise * 0.02
      }
    }
  }

  /// Weights in their blocks, the same as doubles, and products with tokens.
  private final class Bench {
    let shape: Shape
    let context: OpaquePointer
    let weights: UnsafeMutablePointer<ggml_tensor>
    let plain: [Float]

    init(_ shape: Shape) throws {
      self.shape = shape
      context = try #require(
        ggml_init(ggml_init_params(mem_size: 16 << 20, mem_buffer: nil, no_alloc: false)))
      weights = try #require(ggml_new_tensor_2d(context, shape.type, Int64(shape.length), Int64(shape.rows)))
      let made = KernelTests.floats(shape.length * shape.rows, .noise, seed: 7)
      _ = ggml_quantize_chunk(shape.type, made, weights.pointee.data, 0, Int64(shape.rows), Int64(shape.length), nil)
      var plain = [Float](repeating: 0, count: made.count)
      let toFloats = try #require(ggml_get_type_traits(shape.type).pointee.to_float)
      toFloats(weights.pointee.data, &plain, Int64(plain.count))
      self.plain = plain
    }

    deinit { ggml_free(context) }

    func products(_ values: [Float], threads: Int32) throws -> [Float] {
      let count = values.count / shape.length
      let tokens = try #require(ggml_new_tensor_2d(context, GGML_TYPE_F32, Int64(shape.length), Int64(count)))
      values.withUnsafeBytes { tokens.pointee.data.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      let product = try #require(ggml_mul_mat(context, weights, tokens))
      let graph = ggml_new_graph(context)
      ggml_build_forward_expand(graph, product)
      // As for a prompt of a few tokens: what ggml's tiles take begins at 32.
      libera_batches_from(1, 32)
      var plan = ggml_graph_plan(graph, threads, nil)
      let room = UnsafeMutableRawPointer.allocate(byteCount: plan.work_size + 64, alignment: 64)
      defer { room.deallocate() }
      plan.work_data = room.assumingMemoryBound(to: UInt8.self)
      #expect(ggml_graph_compute(graph, &plan) == GGML_STATUS_SUCCESS)
      let sums = product.pointee.data.assumingMemoryBound(to: Float.self)
      return Array(UnsafeBufferPointer(start: sums, count: count * shape.rows))
    }
  }

  /// A value is off by at most half of its block's 127 steps, and so a sum by at most what its weights make of that. A prompt's weights
  /// in Q4_1 may be rounded to 127 steps as well, each within a hundredth of one more (Engine/fours.h).
  @Test("A sum is off by no more than rounding explains", arguments: shapes, Values.allCases)
  func exact(shape: Shape, values: Values) throws {
    let bench = try Bench(shape)
    let tokens = Self.floats(shape.length * shape.tokens, values, seed: 11)
    var wrong: [String] = []
    let (block, rounding) =
      switch shape.type {
      case GGML_TYPE_Q4_K, GGML_TYPE_Q6_K: (256, 0.5 / 127)
      case GGML_TYPE_F16: (shape.length, 0)  // the weights are what they are, and so are the tokens
      default: (32, 0.5 / 127)
      }
    // A block's scale may be kept in half precision, which is off by one part in two thousand.
    let scales = rounding == 0 ? 1e-6 : 1.0 / 1024
    for threads in [Int32(1), 2] {
      let sums = try bench.products(tokens, threads: threads)
      for token in 0..<shape.tokens {
        for row in 0..<shape.rows {
          var (sum, bound) = (0.0, 0.0)
          for start in stride(from: 0, to: shape.length, by: block) {
            var (widest, weight, sizes, heaviest) = (0.0, 0.0, 0.0, 0.0)
            for place in start..<start + block {
              let value = Double(tokens[token * shape.length + place])
              let factor = Double(bench.plain[row * shape.length + place])
              sum += value * factor
              widest = max(widest, abs(value))
              weight += abs(factor)
              (sizes, heaviest) = (sizes + abs(value), max(heaviest, abs(factor)))
            }
            bound += widest * weight * (rounding + scales)
            if shape.type == GGML_TYPE_Q4_1, shape.tokens >= 128 { bound += sizes * heaviest * 0.51 / 127 }
          }
          let off = abs(Double(sums[token * shape.rows + row]) - sum)
          // Not a number is wrong as well.
          if !(off <= bound) {
            wrong.append("token \(token), row \(row), \(threads) threads: off by \(off) of \(bound)")
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.first ?? "")")
  }

  @Test("A token comes to the same sums alone and among others", arguments: shapes.filter { $0.tokens < 32 })
  func alone(shape: Shape) throws {
    let bench = try Bench(shape)
    let tokens = Self.floats(shape.length * shape.tokens, .outlier, seed: 13)
    let among = try bench.products(tokens, threads: 2)
    for token in 0..<shape.tokens {
      let own = try bench.products(
        Array(tokens[token * shape.length..<(token + 1) * shape.length]), threads: 1)
      #expect(own == Array(among[token * shape.rows..<(token + 1) * shape.rows]), "token \(token)")
    }
  }
}
