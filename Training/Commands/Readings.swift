import Commands
import Foundation

/// What a tuned encoder that had not seen a source reads in its texts, as Training/tune.py wrote it.
struct Readings {
  private var known: [String: EncoderReading] = [:]

  private struct Header: Decodable {
    var labels: [String]
    var tags: [String]
  }

  /// A line of JSON with the names; then per text its length and its number of words, itself, and little-endian floats: the
  /// probabilities of the labels, and of the tags for each word.
  init(_ file: URL) throws {
    let data = try Data(contentsOf: file)
    guard let end = data.firstIndex(of: 0x0A) else { return }
    let header = try JSONDecoder().decode(Header.self, from: data[..<end])
    data.withUnsafeBytes { raw in
      var at = end + 1
      func number() -> Int {
        defer { at += 4 }
        return Int(raw.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      }
      func floats(_ count: Int) -> [Float] {
        defer { at += 4 * count }
        return (0..<count).map { raw.loadUnaligned(fromByteOffset: at + 4 * $0, as: Float.self) }
      }
      while at + 8 <= raw.count {
        let (length, words) = (number(), number())
        let text = String(decoding: raw[at..<(at + length)], as: UTF8.self)
        at += length
        let labels = floats(header.labels.count)
        let tags = floats(words * header.tags.count)
        known[text] = EncoderReading(
          labels: Dictionary(uniqueKeysWithValues: zip(header.labels, labels.map(Double.init))),
          tags: tags, names: header.tags)
      }
    }
  }

  subscript(_ text: String) -> EncoderReading? { known[text] }
}

/// The heads as tune.py writes them.
enum Heads {
  private struct Head: Decodable {
    var labels: [String]
    var weights: [[Float]]
    var biases: [Float]
    var linear: LinearHead { LinearHead(labels: labels, weights: weights, biases: biases) }
  }
  private struct File: Decodable {
    var intents: Head
    var tags: Head
  }

  static func reader(_ file: URL) throws -> EncoderReader {
    let heads = try JSONDecoder().decode(File.self, from: Data(contentsOf: file))
    return EncoderReader(intents: heads.intents.linear, slots: heads.tags.linear)
  }
}
