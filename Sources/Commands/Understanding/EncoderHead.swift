import Foundation

/// The second opinion: the same fine labels, read from the vector that an embedding pack makes of the utterance. A linear
/// layer; what it knows of language is the pack's.
package struct EncoderHead: Sendable, Equatable {
  package var labels: [String]
  package var dimensions: Int
  /// Per label a scale, and a bias.
  var scales: [Float]
  var biases: [Float]
  /// Rows of one dimension, a column per label.
  var weights: [Int8]

  package init(labels: [String], weights: [[Float]], biases: [Float]) {
    self.labels = labels
    self.biases = biases
    dimensions = weights.count
    let scales = labels.indices.map { label in max(1e-9, (weights.map { abs($0[label]) }.max() ?? 1) / 127) }
    self.scales = scales
    self.weights = weights.flatMap { row in row.enumerated().map { Int8(($1 / scales[$0]).rounded()) } }
  }

  init(labels: [String], dimensions: Int, scales: [Float], biases: [Float], weights: [Int8]) {
    self.labels = labels
    self.dimensions = dimensions
    self.scales = scales
    self.biases = biases
    self.weights = weights
  }

  /// Probabilities of the six intents; nil for a vector of another pack.
  package func probabilities(_ vector: [Float]) -> [Intent: Double]? {
    guard vector.count == dimensions, vector.allSatisfy(\.isFinite) else { return nil }
    let width = labels.count
    var logits = [Float](repeating: 0, count: width)
    for (place, value) in vector.enumerated() {
      for label in 0..<width { logits[label] += value * Float(weights[place * width + label]) }
    }
    return IntentModel.collapsed(
      labels, logits.indices.map { Double(logits[$0] * scales[$0] + biases[$0]) })
  }
}
