import CLlama
import Foundation
import Testing

/// Attention by tiles (Engine/attention.h lays out masks and keys) beside sums in doubles: heads of widths that fill registers and
/// that do not, stretches of the context and batches around whole tiles, masks that hide, slope or do nothing.
@Suite("Attention by tiles", .serialized, .needsMends)
struct AttentionTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var width: Int
    var context: Int
    var tokens: Int
    var heads = (queries: 2, keys: 1)
    var halves = true
    var testDescription: String {
      "\(width) wide, \(tokens) tokens, \(context) of context, \(heads.queries) heads, \(halves ? "halves" : "floats")"
    }
  }

  static let shapes: [Shape] =
    [64, 72, 40, 36].flatMap { width in
      [(1, 1), (15, 2), (16, 3), (17, 17), (63, 5), (65, 63), (130, 66)].map {
        Shape(width: width, context: $0.0, tokens: $0.1)
      }
    } + [
      Shape(width: 128, context: 70, tokens: 65, heads: (6, 2)),
      Shape(width: 64, context: 77, tokens: 9, heads: (4, 4), halves: false),
    ]

  enum Mask: CaseIterable { case none, causal, window, sloped }

  /// What the mask holds for a token and a place, before it is sloped.
  private static func masked(_ mask: Mask, _ shape: Shape, token: Int, place: Int) -> Float {
    // The last token sees all of the context, each before it one less; nobody sees nothing.
    let end = max(0, shape.context - shape.tokens + token)
    return switch mask {
    case .none: 0
    case .causal: place <= end ? 0 : -.infinity
    case .window: place <= end && place + 9 > end ? 0 : -.infinity
    case .sloped: place <= end ? Float(place - end) : -.infinity
    }
  }

  private static func slope(_ mask: Mask, head: Int, of heads: Int) -> Double {
    guard mask == .sloped else { return 1 }
    let whole = 1 << Int(log2(Double(heads)))
    return head < whole
      ? pow(pow(2, -8 / Double(whole)), Double(head + 1))
      : pow(pow(2, -4 / Double(whole)), Double(2 * (head - whole) + 1))
  }

  /// Queries, and keys and values as they are kept.
  private final class Bench {
    let shape: Shape
    let context: OpaquePointer
    var queries: [Float], keys: [Float], values: [Float]
    private var tensors: [UnsafeMutablePointer<ggml_tensor>] = []

    init(_ shape: Shape, _ values: KernelTests.Values) throws {
      self.shape = shape
      context = try #require(ggml_init(ggml_init_params(mem_size: 16 << 20, mem_buffer: nil, no_alloc: false)))
      let kept = shape.width * shape.context * shape.heads.keys
      queries = KernelTests.floats(shape.width * shape.tokens * shape.heads.queries, values, seed: 3)
      (keys, self.values) = (KernelTests.floats(kept, values, seed: 5), KernelTests.floats(kept, .noise, seed: 7))
      tensors.append(try tensor(&queries, rows: shape.tokens, heads: shape.heads.queries, halves: false))
      tensors.append(try tensor(&keys, rows: shape.context, heads: shape.heads.keys, halves: shape.halves))
      tensors.append(try tensor(&self.values, rows: shape.context, heads: shape.heads.keys, halves: shape.halves))
    }

    deinit { ggml_free(context) }

    private func tensor(
      _ numbers: inout [Float], rows: Int, heads: Int, halves: Bool
    ) throws -> UnsafeMutablePointer<ggml_tensor> {
      let made = try #require(
        ggml_new_tensor_3d(
          context, halves ? GGML_TYPE_F16 : GGML_TYPE_F32, Int64(shape.width), Int64(rows), Int64(heads)))
      if halves {
        let written = made.pointee.data.assumingMemoryBound(to: ggml_fp16_t.self)
        for index in numbers.indices {
          written[index] = ggml_fp32_to_fp16(numbers[index])
          numbers[index] = ggml_fp16_to_fp32(written[index])
        }
      } else {
        numbers.withUnsafeBytes { made.pointee.data.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      }
      return made
    }

    func attend(_ mask: Mask, scale: Float, cap: Float, threads: Int32) throws -> [Float] {
      var hides: UnsafeMutablePointer<ggml_tensor>?
      if mask != .none {
        let made = try #require(
          ggml_new_tensor_2d(context, GGML_TYPE_F16, Int64(shape.context), Int64(shape.tokens)))
        let written = made.pointee.data.assumingMemoryBound(to: ggml_fp16_t.self)
        for token in 0..<shape.tokens {
          for place in 0..<shape.context {
            written[token * shape.context + place] = ggml_fp32_to_fp16(
              AttentionTests.masked(mask, shape, token: token, place: place))
          }
        }
        hides = made
      }
      let result = try #require(
        ggml_flash_attn_ext(
          context, tensors[0], tensors[1], tensors[2], hides, scale, mask == .sloped ? 8 : 0, cap))
      let graph = ggml_new_graph(context)
      ggml_build_forward_expand(graph, result)
      libera_batches_from(1, 1)
      var plan = ggml_graph_plan(graph, threads, nil)
      let room = UnsafeMutableRawPointer.allocate(byteCount: plan.work_size + 64, alignment: 64)
      defer { room.deallocate() }
      plan.work_data = room.assumingMemoryBound(to: UInt8.self)
      #expect(ggml_graph_compute(graph, &plan) == GGML_STATUS_SUCCESS)
      let numbers = result.pointee.data.assumingMemoryBound(to: Float.self)
      return Array(UnsafeBufferPointer(start: numbers, count: shape.width * shape.tokens * shape.heads.queries))
    }

    /// One token's attention in doubles, and how far floats may be from it.
    func exact(_ mask: Mask, head: Int, token: Int, scale: Float, cap: Float) -> (sums: [Double], bound: Double) {
      let kept = head / (shape.heads.queries / shape.heads.keys) * shape.context
      let query = (head * shape.tokens + token) * shape.width
      let slope = AttentionTests.slope(mask, head: head, of: shape.heads.queries)
      var (scores, widest) = ([Double](), 0.0)
      for place in 0..<shape.context {
        let (product, sizes) = self.product(query, (kept + place) * shape.width)
        var score = product * Double(scale)
        if cap != 0 { score = Double(cap) * tanh(score / Double(cap)) }
        let hidden = Double(AttentionTests.masked(mask, shape, token: token, place: place)) * slope
        if hidden > -.infinity { widest = max(widest, sizes * Double(scale) + abs(hidden)) }
        scores.append(score + hidden)
      }
      let highest = scores.max() ?? 0
      let shares = scores.map { exp($0 - highest) }
      let whole = shares.reduce(0, +)
      var sums = [Double](repeating: 0, count: shape.width)
      values.withUnsafeBufferPointer { values in
        for (place, share) in shares.enumerated() where share > 0 {
          for at in 0..<shape.width { sums[at] += share / whole * Double(values[(kept + place) * shape.width + at]) }
        }
      }
      return (sums, 2e-6 * (5 + widest))
    }

    private func product(_ query: Int, _ key: Int) -> (Double, sizes: Double) {
      var (sum, sizes) = (0.0, 0.0)
      queries.withUnsafeBufferPointer { queries in
        keys.withUnsafeBufferPointer { keys in
          for at in 0..<shape.width {
            let product = Double(queries[query + at]) * Double(keys[key + at])
            sum += product
            sizes += abs(product)
          }
        }
      }
      return (sum, sizes)
    }
  }

  /// What keys and queries hold, and whether scores are capped. Large ones are beyond what halves hold.
  static let fillings: [(values: KernelTests.Values, cap: Float)] = [
    (.noise, 0), (.outlier, 0), (.outlier, 20), (.small, 0), (.nothing, 0),
  ]

  /// A score in floats is off by some millionths of what it is made of, and so is what the scores weigh.
  @Test("It is off by no more than floats are", arguments: shapes, Mask.allCases)
  func exact(shape: Shape, mask: Mask) throws {
    var wrong: [String] = []
    let scale = 1 / Float(shape.width).squareRoot()
    for (values, cap) in mask == .causal ? Self.fillings : Array(Self.fillings.prefix(2)) {
      let bench = try Bench(shape, values)
      let found = try [1, 2].map { try bench.attend(mask, scale: scale, cap: cap, threads: $0) }
      for head in 0..<shape.heads.queries {
        for token in 0..<shape.tokens {
          let (sums, bound) = bench.exact(mask, head: head, token: token, scale: scale, cap: cap)
          let start = (token * shape.heads.queries + head) * shape.width
          for numbers in found {
            var off = 0.0
            // Not a number is wrong as well.
            for at in sums.indices where !(abs(Double(numbers[start + at]) - sums[at]) <= off) {
              off = abs(Double(numbers[start + at]) - sums[at])
              if off.isNaN { off = .infinity }
            }
            if off > bound { wrong.append("\(values), cap \(cap), head \(head), token \(token): \(off) of \(bound)") }
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.first ?? "")")
  }
}
