import Core
import Foundation
import Storage
import Synchronization

/// Time and recall of the vector search at a size, on vectors drawn like real ones.
struct Speed {
  let sample: [[Float]]
  let folder: URL

  struct Row: Encodable {
    var vectors: Int
    var p50: Double
    var p95: Double
    var firstMs: Double
    var recall10: Double
    var addMicroseconds: Double
    var removeMs: Double
  }

  func report(_ count: Int) throws -> Row {
    var draw = Draw(like: sample)
    let queries = (0..<200).map { _ in draw.next() }
    let store = try VectorStore(file: folder.appending(path: "\(count).vec"), dimensions: sample[0].count)
    let search = VectorSearch(store: store)
    // Only the best of each query are kept of the truth, in exact arithmetic.
    var truth = [[(score: Float, id: Int)]](repeating: [], count: queries.count)
    let clock = ContinuousClock()
    var adding = Duration.zero
    for start in stride(from: 0, to: count, by: 4096) {
      let vectors = (start..<min(count, start + 4096)).map { _ in draw.next() }
      let known = truth
      let found = Mutex(known)
      DispatchQueue.concurrentPerform(iterations: queries.count) { query in
        var best = known[query]
        let floor = best.count < 10 ? -Float.infinity : best[9].score
        for (offset, other) in vectors.enumerated() {
          let score = Draw.product(queries[query], other)
          if score > floor { best.append((score, start + offset + 1)) }
        }
        let kept = Array(best.sorted { $0.score > $1.score }.prefix(10))
        found.withLock { $0[query] = kept }
      }
      truth = found.withLock { $0 }
      let entries = vectors.enumerated().map { offset, vector in
        VectorStore.Entry(chunk: Int64(start + offset + 1), document: 1, vector: PackedVector(vector))
      }
      adding += try clock.measure { try store.apply(removing: [], adding: entries, revision: Int64(start)) }
    }
    let cold = clock.measure { _ = search.nearest(queries[0], 10) }
    var (times, hits): ([Double], Int) = ([], 0)
    for (index, query) in queries.enumerated() {
      var found: [Int] = []
      let time = clock.measure { found = search.nearest(query, 10).map { Int($0.chunk) } }
      times.append(time / .milliseconds(1))
      hits += Set(found).intersection(truth[index].map(\.id)).count
    }
    let removing = try clock.measure { try store.apply(removing: [1, 2, 3], adding: [], revision: Int64(count)) }
    times.sort()
    return Row(
      vectors: count, p50: times[times.count / 2], p95: times[times.count * 95 / 100],
      firstMs: cold / .milliseconds(1), recall10: Double(hits) / Double(10 * queries.count),
      addMicroseconds: adding / .microseconds(1) / Double(count), removeMs: removing / .milliseconds(1))
  }
}

/// A small generator whose draws are the same everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Draws unit vectors with the mean and covariance of a sample.
struct Draw: Sendable {
  private let mean: [Float]
  /// The lower triangle whose product with its transpose is the covariance, row by row.
  private var root: [[Float]]
  private var random = SplitMix(state: 7)

  init(like sample: [[Float]]) {
    let size = sample[0].count
    var mean = [Float](repeating: 0, count: size)
    for vector in sample { for index in 0..<size { mean[index] += vector[index] / Float(sample.count) } }
    self.mean = mean
    let columns = (0..<size).map { index in sample.map { $0[index] - mean[index] } }
    root = []
    for row in 0..<size {
      var line = [Float](repeating: 0, count: row + 1)
      for column in 0...row {
        var value = Self.product(columns[row], columns[column]) / Float(sample.count)
        if column == row { value += 1e-6 }
        for inner in 0..<column { value -= line[inner] * (column == row ? line[inner] : root[column][inner]) }
        line[column] = column == row ? max(value, 1e-9).squareRoot() : value / root[column][column]
      }
      root.append(line)
    }
  }

  mutating func next() -> [Float] {
    let normals = mean.indices.map { _ in normal() }
    let vector = root.indices.map { row in mean[row] + Self.product(root[row], normals) }
    let length = Self.product(vector, vector).squareRoot()
    return vector.map { $0 / length }
  }

  private mutating func normal() -> Float {
    let (first, second) = (Float.random(in: 1e-7..<1, using: &random), Float.random(in: 0..<1, using: &random))
    return (-2 * Foundation.log(first)).squareRoot() * Foundation.cos(2 * .pi * second)
  }

  /// Over the length of the first.
  static func product(_ a: [Float], _ b: [Float]) -> Float {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        var lanes = SIMD16<Float>.zero
        let whole = a.count / 16 * 16
        for start in stride(from: 0, to: whole, by: 16) {
          lanes +=
            UnsafeRawPointer(a.baseAddress! + start).loadUnaligned(as: SIMD16<Float>.self)
            * UnsafeRawPointer(b.baseAddress! + start).loadUnaligned(as: SIMD16<Float>.self)
        }
        return (whole..<a.count).reduce(lanes.sum()) { $0 + a[$1] * b[$1] }
      }
    }
  }
}
