import Core
import Foundation
import Retrieval
import Storage
import Synchronization

/// Vectors computed elsewhere, by the hash of their text: records of 32 bytes SHA-256 and the floats. Lets a ranking be studied
/// without an engine; what is not in the file is listed for whoever computes it.
final class StoredVectors: Embedder {
  let identity: String
  let dimensions = 384
  private let vectors: [String: [Float]]
  private let missing = Mutex<[String]>([])

  init(file: URL) throws {
    let data = try Data(contentsOf: file)
    let record = 32 + 4 * dimensions
    var vectors: [String: [Float]] = [:]
    for start in stride(from: 0, to: data.count / record * record, by: record) {
      let key = data[start..<start + 32].map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
      vectors[key] = data[start + 32..<start + record].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    self.vectors = vectors
    identity = "stored \(file.lastPathComponent)"
  }

  func embed(_ texts: [String]) async throws -> [[Float]] {
    texts.map { text in
      if let vector = vectors[SHA256.of(Data(text.utf8))] { return vector }
      missing.withLock { $0.append(text) }
      return [Float](repeating: 0, count: dimensions)
    }
  }

  var all: [[Float]] { vectors.keys.sorted().map { vectors[$0]! } }
  var absent: [String] { missing.withLock { $0 } }

  /// Without a tokeniser: high enough that nothing is longer than counted.
  static func estimate(_ texts: [String]) -> [Int] {
    texts.map { text in
      2
        + text.split(whereSeparator: \.isWhitespace).reduce(0) { sum, word in
          sum + word.split { !$0.isLetter }.reduce(0) { $0 + ($1.count + 6) / 8 } + word.count { !$0.isLetter }
        }
    }
  }
}
