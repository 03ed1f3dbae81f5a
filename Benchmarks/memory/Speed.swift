import Core
import Foundation
import Storage

/// Time and recall of the vector search at a size, on vectors drawn like real ones.
struct Speed {
  let sample: [[Float]]
  let folder: URL

  func report(_ count: Int) async throws {
    var draw = Draw(like: sample)
    let queries = (0..<200).map { _ in draw.next() }
    try Folders.make(folder)
    let store = try VectorStore(file: folder.appending(path: "speed.vec"), dimensions: sample[0].count)
    let search = VectorSearch(store: store)
    // Only the best of each query are kept of the truth, in exact arithmetic.
    var truth = [[(score: Float, id: Int)]](repeating: [], count: queries.count)
    let clock = ContinuousClock()
    var adding = Duration.zero
    for start in stride(from: 0, to: count, by: 4096) {
      let vectors = (start..<min(count, start + 4096)).map { _ in draw.next() }
      for (query, vector) in queries.enumerated() {
        let floor = truth[query].count < 10 ? -Float.infinity : truth[query][9].score
        for (offset, other) in vectors.enumerated() {
          let score = Draw.product(vector, other)
          if score > floor { truth[query].append((score, start + offset + 1)) }
        }
        truth[query] = Array(truth[query].sorted { $0.score > $1.score }.prefix(10))
      }
      let entries = vectors.enumerated().map { offset, vector in
        VectorStore.Entry(chunk: Int64(start + offset + 1), document: 1, vector: PackedVector(vector))
      }
      adding += try clock.measure { try store.apply(removing: [], adding: entries, revision: Int64(start)) }
    }
    _ = search.nearest(queries[0], 10)
    var (times, hits): ([Double], Int) = ([], 0)
    for (index, query) in queries.enumerated() {
      var found: [Int] = []
      let time = clock.measure { found = search.nearest(query, 10).map { Int($0.chunk) } }
      times.append(time / .milliseconds(1))
      hits += Set(found).intersection(truth[index].map(\.id)).count
    }
    print(
      "\(count) vectors: p50 \(Quality.digits(Metrics.percentile(times, 0.5))) ms, p95 "
        + "\(Quality.digits(Metrics.percentile(times, 0.95))) ms, recall@10 "
        + "\(Quality.digits(Double(hits) / Double(10 * queries.count))), added in \(adding)")
  }
}

/// Draws unit vectors with the mean and covariance of a sample.
struct Draw {
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
