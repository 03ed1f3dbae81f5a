import Foundation

/// The second opinion: an embedding pack's encoder, tuned for commands by an adapter, gives one vector for an utterance and
/// one for each word; two linear layers make of these the fine labels and the slot of every word.
package struct EncoderReader: Sendable, Equatable {
  package var intents: LinearHead
  package var slots: LinearHead

  package init(intents: LinearHead, slots: LinearHead) {
    self.intents = intents
    self.slots = slots
  }

  /// Longer utterances are not one command.
  static let limit = 64

  /// The words as the encoder reads them, with their UTF-8 offsets: the tokens of the utterance, as they were written.
  package static func words(_ text: String) -> [(text: String, bytes: Range<Int>)] {
    let bytes = Array(ParsedUtterance.bounded(text).utf8)
    var tokens = Token.split(ParsedUtterance.bounded(text))
    // Speech recognition writes sentences; what was learned from has no mark at its end.
    while let last = tokens.last, [".", "!", "?", "…"].contains(last.text) { tokens.removeLast() }
    return tokens.prefix(limit).map {
      (String(decoding: bytes[$0.start..<$0.end], as: UTF8.self), $0.start..<$0.end)
    }
  }

  /// `rows` holds the vector of the whole, then those of the words; nil for vectors of another pack.
  package func reading(_ rows: [ArraySlice<Float>]) -> EncoderReading? {
    guard let whole = rows.first, let logits = intents.logits(whole) else { return nil }
    let words = rows.dropFirst().compactMap { slots.logits($0).map(Self.softmax) }
    guard words.count == rows.count - 1 else { return nil }
    return EncoderReading(
      labels: Dictionary(
        zip(intents.labels, Self.softmax(logits)).map { ($0, Double($1)) }, uniquingKeysWith: { $0 + $1 }),
      tags: words.flatMap(\.self), names: slots.labels)
  }

  private static func softmax(_ logits: [Float]) -> [Float] {
    let top = logits.max() ?? 0
    let powers = logits.map { exp($0 - top) }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
  }
}

/// What the encoder reads in one utterance.
package struct EncoderReading: Sendable {
  package enum Slot: String, Sendable, CaseIterable { case other, title, body, subject, recipient, time }

  /// Probabilities of the fine labels, and of the intents they belong to.
  package var labels: [String: Double]
  package var intents: [Intent: Double]
  /// For each word, as far as it was read, the probability of every slot.
  package var words: [[Slot: Double]]

  /// `tags` holds for each word one probability per name: "O", or a slot behind "B-" where it begins and "I-" where it goes on.
  package init(labels: [String: Double], tags: [Float], names: [String]) {
    self.labels = labels
    intents = [:]
    for (label, probability) in labels { intents[IntentModel.intent(label), default: 0] += probability }
    let slots = names.map { Slot(rawValue: String($0.dropFirst(2))) ?? .other }
    words = stride(from: 0, to: tags.count - names.count + 1, by: max(1, names.count)).map { start in
      var word: [Slot: Double] = [:]
      for (place, slot) in slots.enumerated() { word[slot, default: 0] += Double(tags[start + place]) }
      return word
    }
  }

  /// The likeliest fine label.
  var label: String? { labels.max { $0.value < $1.value }?.key }

  package func probability(_ slot: Slot, _ word: Int) -> Double {
    words.indices.contains(word) ? words[word][slot] ?? 0 : 0
  }

  package func slot(_ word: Int) -> Slot? {
    words.indices.contains(word) ? Slot.allCases.max { probability($0, word) < probability($1, word) } : nil
  }
}

/// A linear layer, a byte each weight.
package struct LinearHead: Sendable, Equatable {
  package var labels: [String]
  package var dimensions: Int
  /// Per label a scale, and a bias.
  var scales: [Float]
  var biases: [Float]
  /// Rows of one dimension, a column per label.
  var weights: [Int8]
}

extension LinearHead {
  package init(labels: [String], weights: [[Float]], biases: [Float]) {
    let scales = labels.indices.map { label in max(1e-9, (weights.map { abs($0[label]) }.max() ?? 1) / 127) }
    self.init(
      labels: labels, dimensions: weights.count, scales: scales, biases: biases,
      weights: weights.flatMap { row in row.enumerated().map { Int8(($1 / scales[$0]).rounded()) } })
  }

  func logits(_ vector: ArraySlice<Float>) -> [Float]? {
    guard vector.count == dimensions, vector.allSatisfy(\.isFinite) else { return nil }
    let width = labels.count
    var logits = [Float](repeating: 0, count: width)
    for (place, value) in vector.enumerated() {
      for label in 0..<width { logits[label] += value * Float(weights[place * width + label]) }
    }
    return logits.indices.map { logits[$0] * scales[$0] + biases[$0] }
  }
}
