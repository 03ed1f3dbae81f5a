import Core
package import Foundation

/// The fast prior: multinomial logistic regression over hashed n-grams, on fine labels that collapse to six intents. Its
/// table is built by `Training/` from public corpora and authored utterances; see Training/README.md.
package struct IntentModel: Sendable {
  package private(set) var labels: [String]
  /// Per label a scale, and a bias.
  var scales: [Float]
  var biases: [Float]
  /// Rows of one bucket, a column per label.
  var weights: [Int8]
  /// The calibration: coefficients of `Evidence.values`, the constant first.
  package var calibration: [Double]

  package static let bucketCount = Features.buckets
  static let magic = Array("LIBERA-INTENT-1\n".utf8)

  package init(labels: [String], weights: [[Float]], biases: [Float], calibration: [Double]) {
    self.labels = labels
    self.biases = biases
    self.calibration = calibration
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
    guard let file = Bundle.module.url(forResource: "intents", withExtension: "bin") else {
      throw CommandError.modelUnreadable("intents.bin")
    }
    return try IntentModel(reading: Data(contentsOf: file))
  }

  /// The published grammar of frames.
  package static var grammarFile: URL? { Bundle.module.url(forResource: "frame", withExtension: "gbnf") }

  package init(reading data: Data) throws {
    struct Header: Decodable {
      var labels: [String]
      var scales: [Float]
      var biases: [Float]
      var calibration: [Double]
    }
    let bytes = [UInt8](data)
    guard bytes.starts(with: Self.magic), let end = bytes.dropFirst(Self.magic.count).firstIndex(of: 0x0A) else {
      throw CommandError.modelUnreadable("intents.bin")
    }
    let header = try JSON.decode(Header.self, from: Data(bytes[Self.magic.count..<end]))
    let body = bytes[(end + 1)...]
    guard body.count == Features.buckets * header.labels.count, header.scales.count == header.labels.count,
      header.biases.count == header.labels.count
    else { throw CommandError.modelUnreadable("intents.bin") }
    labels = header.labels
    scales = header.scales
    biases = header.biases
    calibration = header.calibration
    weights = body.withUnsafeBytes { Array($0.bindMemory(to: Int8.self)) }
  }

  package func data() throws -> Data {
    struct Header: Encodable {
      var labels: [String]
      var scales: [Float]
      var biases: [Float]
      var calibration: [Double]
    }
    var result = Data(Self.magic)
    result += try JSON.encode(Header(labels: labels, scales: scales, biases: biases, calibration: calibration))
    result.append(0x0A)
    result.append(contentsOf: weights.map { UInt8(bitPattern: $0) })
    return result
  }

  /// Probabilities of the six intents, from the sums over their fine labels.
  package func probabilities(_ features: [Int]) -> [Intent: Double] {
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
    let logits = labels.indices.map { Double(Float(totals[$0]) * scales[$0] * norm + biases[$0]) }
    let top = logits.max() ?? 0
    let powers = logits.map { exp($0 - top) }
    let sum = powers.reduce(0, +)
    var result: [Intent: Double] = [:]
    for (label, power) in zip(labels, powers) { result[Self.intent(label), default: 0] += power / sum }
    return result
  }

  /// A fine label that is an intent's name, or begins with it and a dot, belongs to that intent; all others to none.
  package static func intent(_ label: String) -> Intent {
    Intent(rawValue: String(label.prefix { $0 != "." })) ?? .none
  }
}

/// What goes wrong in this room, and what to do about it.
package enum CommandError: Explained, Equatable {
  case modelUnreadable(String)
  case placeUnusable(String, String)
  case unknownAction(String)
  case nothingToUndo(String)
  case changedSince(String)
  case incomplete(String)
  case notPermitted(String)
  case sendingFailed(String)

  package var code: String {
    switch self {
    case .modelUnreadable: "intent_model_unreadable"
    case .placeUnusable: "place_unusable"
    case .unknownAction: "unknown_action"
    case .nothingToUndo: "nothing_to_undo"
    case .changedSince: "changed_since"
    case .incomplete: "incomplete_command"
    case .notPermitted: "connector_off"
    case .sendingFailed: "sending_failed"
    }
  }

  package var message: String {
    switch self {
    case .modelUnreadable(let file): "The table of the command classifier, \(file), is missing or damaged."
    case .placeUnusable(let place, let reason): "\(place) cannot be used: \(reason)."
    case .unknownAction(let id): "There is no action \(id)."
    case .nothingToUndo(let id): "Action \(id) left nothing that could be taken back."
    case .changedSince(let file): "\(file) was changed by something else since it was written, so it stays."
    case .incomplete(let what): "The command does not say \(what)."
    case .notPermitted(let what): "\(what) is switched off."
    case .sendingFailed(let reason): "The message was not sent: \(reason)."
    }
  }

  package var remedy: String? {
    switch self {
    case .modelUnreadable: "Build again with ./libera build."
    case .placeUnusable: "Choose another folder in settings, or make this one writable."
    case .unknownAction: "See the list with `libera actions list`."
    case .nothingToUndo: nil
    case .changedSince: "Remove it there if it is no longer wanted."
    case .incomplete: "Say it again with what is missing, or fill it in on the card."
    case .notPermitted: "Allow it in settings under connectors."
    case .sendingFailed: "The message stays in the outbox; send it again from there."
    }
  }
}
