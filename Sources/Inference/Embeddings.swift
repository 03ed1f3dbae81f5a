import Foundation

/// Vectors of one length, one after the other in one buffer.
package struct Embeddings: Sendable, Equatable {
  package let dimensions: Int
  package var values: [Float] = []
  package var report = EmbedReport()

  package init(dimensions: Int) { self.dimensions = dimensions }

  package var count: Int { dimensions > 0 ? values.count / dimensions : 0 }

  package subscript(index: Int) -> ArraySlice<Float> { values[(index * dimensions)..<((index + 1) * dimensions)] }

  /// Adds little-endian float32 as an embed worker sends it.
  mutating func append(_ bytes: Data) {
    bytes.withUnsafeBytes { raw in
      for offset in stride(from: 0, to: raw.count - 3, by: 4) {
        let bits = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        values.append(Float(bitPattern: bits))
      }
    }
  }
}
