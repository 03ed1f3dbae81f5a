import Commands
import Foundation

/// Multinomial logistic regression by AdaGrad over shuffled examples, one thread, fixed seed: the same data give the same
/// table on the same processor.
struct Trainer {
  var epochs = 8
  var rate: Float = 0.5
  var decay: Float = 2e-6

  func train(_ examples: [(features: [Int], label: String)], random: inout Random) -> IntentModel {
    let labels = Set(examples.map(\.label)).sorted()
    let index = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    let width = labels.count
    let buckets = IntentModel.bucketCount
    var weights = [Float](repeating: 0, count: buckets * width)
    var squares = [Float](repeating: 1e-4, count: buckets * width)
    var biases = [Float](repeating: 0, count: width)
    var counts = [Int](repeating: 0, count: width)
    for example in examples { counts[index[example.label] ?? 0] += 1 }
    var order = Array(examples.indices)
    var logits = [Float](repeating: 0, count: width)
    for epoch in 0..<epochs {
      for place in order.indices.reversed() { order.swapAt(place, random.next(place + 1)) }
      let step = rate / Float(1 + epoch / 2)
      for at in order {
        let example = examples[at]
        let gold = index[example.label] ?? 0
        let norm = 1 / Float(max(1, example.features.count)).squareRoot()
        for label in 0..<width { logits[label] = biases[label] }
        weights.withUnsafeBufferPointer { weights in
          for feature in example.features {
            let row = feature * width
            for label in 0..<width { logits[label] += weights[row + label] * norm }
          }
        }
        let top = logits.max() ?? 0
        var sum: Float = 0
        for label in 0..<width {
          logits[label] = exp(logits[label] - top)
          sum += logits[label]
        }
        for label in 0..<width { logits[label] = logits[label] / sum - (label == gold ? 1 : 0) }
        for label in 0..<width { biases[label] -= 0.02 * step * logits[label] }
        weights.withUnsafeMutableBufferPointer { weights in
          squares.withUnsafeMutableBufferPointer { squares in
            for feature in example.features {
              let row = feature * width
              for label in 0..<width {
                let gradient = logits[label] * norm + decay * weights[row + label]
                squares[row + label] += gradient * gradient
                weights[row + label] -= step * gradient / squares[row + label].squareRoot()
              }
            }
          }
        }
      }
    }
    let rows = (0..<buckets).map { Array(weights[($0 * width)..<(($0 + 1) * width)]) }
    return IntentModel(labels: labels, weights: rows, biases: biases)
  }

  struct Sample {
    var values: [Double]
    var right: Bool
    var weight: Double
    /// The share of right frames that this source calls wrong, because its labels have slips.
    var slips = 0.0
  }

  /// Logistic regression of right or wrong on the evidence, with a little shrinkage. Where labels slip, a right frame is called
  /// right that much less often, and what is fitted is how often it is right.
  static func calibrate(_ samples: [Sample], shrinkage: Double = 0.5) -> [Double] {
    guard let width = samples.first?.values.count else { return [] }
    var coefficients = [Double](repeating: 0, count: width)
    for _ in 0..<200 {
      // Fisher's scoring: few dimensions, few steps, none of them wide.
      var gradient = coefficients.map { -$0 * shrinkage }
      var hessian = (0..<width).map { row in (0..<width).map { $0 == row ? shrinkage : 0.0 } }
      for sample in samples {
        let sum = zip(coefficients, sample.values).reduce(0) { $0 + $1.0 * $1.1 }
        let right = 1 / (1 + exp(-sum))
        let called = min(1 - 1e-6, max(1e-6, (1 - sample.slips) * right))
        let slope = (1 - sample.slips) * right * (1 - right)
        let spread = max(1e-6, called * (1 - called))
        let error = ((sample.right ? 1 : 0) - called) / spread * slope * sample.weight
        let weight = max(1e-6, slope * slope / spread) * sample.weight
        for row in 0..<width {
          gradient[row] += error * sample.values[row]
          for column in 0..<width { hessian[row][column] += weight * sample.values[row] * sample.values[column] }
        }
      }
      let step = solve(hessian, gradient)
      let widest = step.map(abs).max() ?? 0
      for index in 0..<width { coefficients[index] += step[index] / max(1, widest) }
      if widest < 1e-8 { break }
    }
    return coefficients.map { ($0 * 1e6).rounded() / 1e6 }
  }

  private static func solve(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
    var rows = zip(matrix, vector).map { $0 + [$1] }
    let size = rows.count
    for pivot in 0..<size {
      let best = (pivot..<size).max { abs(rows[$0][pivot]) < abs(rows[$1][pivot]) } ?? pivot
      rows.swapAt(pivot, best)
      guard abs(rows[pivot][pivot]) > 1e-12 else { continue }
      for row in 0..<size where row != pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in pivot...size { rows[row][column] -= factor * rows[pivot][column] }
      }
    }
    return (0..<size).map { abs(rows[$0][$0]) > 1e-12 ? rows[$0][size] / rows[$0][$0] : 0 }
  }
}
