import Core
package import Foundation

/// The fast prior: multinomial logistic regression over hashed n-grams, on fine labels that collapse to six intents; and the
/// heads by which the tuned encoder reads the same labels and the slots. Both are built by `Training/` from public corpora and authored
/// utterances; see Training/README.md.
package struct IntentModel: Sendable {
  /// A row for each bucket of features.
  private var prior: LinearHead
  package var reader: EncoderReader?
  /// Coefficients of `Evidence.values`, the constant first: where both opinions were heard, and where the prior stood alone.
  package var calibration: [Double] = []
  package var calibrationAlone: [Double] = []

  /// The pack whose encoder the adapter tunes.
  package static let encoderPack = "all-minilm-l6-v2-f16"
  package static let bucketCount = Features.buckets
  static let magic = Array("LIBERA-INTENT-3\n".utf8)

  package init(labels: [String], weights: [[Float]], biases: [Float]) {
    prior = LinearHead(labels: labels, weights: weights, biases: biases)
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
    prior = LinearHead(
      labels: header.labels, dimensions: Features.buckets, scales: header.scales, biases: header.biases,
      weights: Array(body[..<count]))
    calibration = header.calibration
    calibrationAlone = header.calibrationAlone
    if header.heads.count == 2 {
      let middle = count + header.heads[0].count
      reader = EncoderReader(
        intents: header.heads[0].head(body[count..<middle]), slots: header.heads[1].head(body[middle...]))
    }
  }

  package func data() throws -> Data {
    let header = Header(
      labels: prior.labels, scales: prior.scales, biases: prior.biases,
      heads: [reader?.intents, reader?.slots].compactMap { $0.map(Header.Head.init) },
      calibration: calibration, calibrationAlone: calibrationAlone)
    var result = Data(Self.magic)
    result += try JSON.encode(header)
    result.append(0x0A)
    result.append(
      contentsOf: (prior.weights + (reader?.intents.weights ?? []) + (reader?.slots.weights ?? [])).map {
        UInt8(bitPattern: $0)
      })
    return result
  }

  /// Probabilities of the six intents, from the sums over their fine labels.
  package func probabilities(_ features: [Int]) -> [Intent: Double] {
    var result: [Intent: Double] = [:]
    for (label, share) in shares(features) { result[Self.intent(label), default: 0] += share }
    return result
  }

  func probability(of label: String, _ features: [Int]) -> Double {
    shares(features).first { $0.label == label }?.share ?? 0
  }

  /// The likeliest fine label.
  func label(_ features: [Int]) -> String {
    zip(prior.labels, logits(features)).max { $0.1 < $1.1 }?.0 ?? ""
  }

  private func logits(_ features: [Int]) -> [Double] {
    let width = prior.labels.count
    var totals = [Int32](repeating: 0, count: width)
    prior.weights.withUnsafeBufferPointer { weights in
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
    return totals.indices.map { Double(Float(totals[$0]) * prior.scales[$0] * norm + prior.biases[$0]) }
  }

  /// The softmax over fine labels.
  private func shares(_ features: [Int]) -> [(label: String, share: Double)] {
    let logits = logits(features)
    let top = logits.max() ?? 0
    let powers = logits.map { exp($0 - top) }
    let sum = powers.reduce(0, +)
    return zip(prior.labels, powers).map { ($0, $1 / sum) }
  }

  /// A fine label that is an intent's name, or begins with it and a dot, belongs to that intent; all others to none.
  package static func intent(_ label: String) -> Intent {
    Intent(rawValue: String(label.prefix { $0 != "." })) ?? .none
  }
}
