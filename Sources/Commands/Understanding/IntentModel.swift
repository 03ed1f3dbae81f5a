import Core
package import Foundation

/// The fast prior: multinomial logistic regression over hashed n-grams, on fine labels that collapse to six intents; and the
/// heads by which the tuned encoder reads the same labels and the slots. Both are built by `Training/` from public corpora and authored
/// utterances; see Training/README.md.
package struct IntentModel: Sendable {
  package private(set) var labels: [String]
  /// Per label a scale, and a bias.
  var scales: [Float]
  var biases: [Float]
  /// Rows of one bucket, a column per label.
  var weights: [Int8]
  package var reader: EncoderReader?
  /// Coefficients of `Evidence.values`, the constant first: where both opinions were heard, and where the prior stood alone.
  package var calibration: [Double] = []
  package var calibrationAlone: [Double] = []

  /// The pack whose encoder the adapter tunes.
  package static let encoderPack = "all-minilm-l6-v2-f16"
  package static let bucketCount = Features.buckets
  static let magic = Array("LIBERA-INTENT-3\n".utf8)

  package init(labels: [String], weights: [[Float]], biases: [Float]) {
    self.labels = labels
    self.biases = biases
    scales = labels.indices.map { label in (weights.map { abs($0[label]) }.max() ?? 1) / 127 }
    self.weights = []
    self.weights.reserveCapacity(weights.count * labels.count)
    for row in weights {
      for (label, weight) in row.enumerated() {
        self.weights.append(Int8((weight / max(scales[label], 1e-9)).rounded()))
      }
    }
  }

  /// The table that comes with the program.
  package static func bundled() throws -> IntentModel {
    try Language.check()
    let table: Data
    do { table = try Data(contentsOf: CommandResources.file("intents.bin")) } catch {
      throw CommandError.modelUnreadable("intents.bin")
    }
    return try IntentModel(reading: table)
  }

  /// The adapter, as llama.cpp loads it beside the pack.
  package static var adapterFile: URL { CommandResources.file("reader.gguf") }

  private struct Header: Codable {
    struct Head: Codable {
      var labels: [String]
      var dimensions: Int
      var scales: [Float]
      var biases: [Float]

      init(_ head: LinearHead) {
        (labels, dimensions, scales, biases) = (head.labels, head.dimensions, head.scales, head.biases)
      }

      var count: Int { dimensions * labels.count }
      var isWhole: Bool { dimensions >= 0 && scales.count == labels.count && biases.count == labels.count }

      func head(_ weights: ArraySlice<Int8>) -> LinearHead {
        LinearHead(labels: labels, dimensions: dimensions, scales: scales, biases: biases, weights: Array(weights))
      }
    }
    var labels: [String]
    var scales: [Float]
    var biases: [Float]
    /// Of the encoder: for intents and for slots.
    var heads: [Head]
    var calibration: [Double]
    var calibrationAlone: [Double]
  }

  /// A line of JSON, then the prior's weights, then the heads', a byte each.
  package init(reading data: Data) throws {
    let bytes = [UInt8](data)
    guard bytes.starts(with: Self.magic), let end = bytes.dropFirst(Self.magic.count).firstIndex(of: 0x0A) else {
      throw CommandError.modelUnreadable("intents.bin")
    }
    let header = try JSON.decode(Header.self, from: Data(bytes[Self.magic.count..<end]))
    let count = Features.buckets * header.labels.count
    let body = bytes[(end + 1)...].map { Int8(bitPattern: $0) }
    guard header.heads.allSatisfy(\.isWhole), [0, 2].contains(header.heads.count),
      body.count == header.heads.reduce(count, { $0 + $1.count }), header.scales.count == header.labels.count,
      header.biases.count == header.labels.count
    else { throw CommandError.modelUnreadable("intents.bin") }
    labels = header.labels
    scales = header.scales
    biases = header.biases
    calibration = header.calibration
    calibrationAlone = header.calibrationAlone
    weights = Array(body[..<count])
    if header.heads.count == 2 {
      let middle = count + header.heads[0].count
      reader = EncoderReader(
        intents: header.heads[0].head(body[count..<middle]), slots: header.heads[1].head(body[middle...]))
    }
  }

  package func data() throws -> Data {
    let header = Header(
      labels: labels, scales: scales, biases: biases,
      heads: [reader?.intents, reader?.slots].compactMap { $0.map(Header.Head.init) },
      calibration: calibration, calibrationAlone: calibrationAlone)
    var result = Data(Self.magic)
    result += try JSON.encode(header)
    result.append(0x0A)
    result.append(
      contentsOf: (weights + (reader?.intents.weights ?? []) + (reader?.slots.weights ?? [])).map {
        UInt8(bitPattern: $0)
      })
    return result
  }

  /// Probabilities of the six intents, from the sums over their fine labels.
  package func probabilities(_ features: [Int]) -> [Intent: Double] { Self.collapsed(labels, logits(features)) }

  func probability(of label: String, _ features: [Int]) -> Double {
    let logits = logits(features)
    let top = logits.max() ?? 0
    let sum = logits.reduce(0) { $0 + exp($1 - top) }
    return labels.firstIndex(of: label).map { exp(logits[$0] - top) / sum } ?? 0
  }

  /// The likeliest fine label.
  func label(_ features: [Int]) -> String {
    zip(labels, logits(features)).max { $0.1 < $1.1 }?.0 ?? ""
  }

  private func logits(_ features: [Int]) -> [Double] {
    let width = labels.count
    var totals = [Int32](repeating: 0, count: width)
    weights.withUnsafeBufferPointer { weights in
      totals.withUnsafeMutableBufferPointer { totals in
        for feature in features {
          var at = feature * width
          for label in 0..<width {
            totals[label] &+= Int32(weights[at])
            at += 1
          }
        }
      }
    }
    let norm = Float(1 / Double(max(1, features.count)).squareRoot())
    return labels.indices.map { Double(Float(totals[$0]) * scales[$0] * norm + biases[$0]) }
  }

  /// The softmax over fine labels, summed to intents.
  static func collapsed(_ labels: [String], _ logits: [Double]) -> [Intent: Double] {
    let top = logits.max() ?? 0
    let powers = logits.map { exp($0 - top) }
    let sum = powers.reduce(0, +)
    var result: [Intent: Double] = [:]
    for (label, power) in zip(labels, powers) { result[intent(label), default: 0] += power / sum }
    return result
  }

  /// A fine label that is an intent's name, or begins with it and a dot, belongs to that intent; all others to none.
  package static func intent(_ label: String) -> Intent {
    Intent(rawValue: String(label.prefix { $0 != "." })) ?? .none
  }
}
