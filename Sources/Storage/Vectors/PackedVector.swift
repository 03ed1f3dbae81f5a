import CVector
import Foundation

/// A unit vector as the vault stores it: one scale and 16-bit integers, half the size of floats and true to four digits.
package struct PackedVector: Sendable, Equatable {
  var scale: Float
  var values: [Int16]

  package init(_ vector: [Float]) {
    values = [Int16](repeating: 0, count: vector.count)
    scale = cvector_pack(vector, vector.count, &values)
  }

  init?(_ data: UnsafeRawBufferPointer, dimensions: Int) {
    guard data.count == 4 + 2 * dimensions else { return nil }
    scale = Float(bitPattern: UInt32(littleEndian: data.loadUnaligned(as: UInt32.self)))
    values = (0..<dimensions).map {
      Int16(littleEndian: data.loadUnaligned(fromByteOffset: 4 + 2 * $0, as: Int16.self))
    }
  }

  var data: Data {
    var data = Data(capacity: 4 + 2 * values.count)
    withUnsafeBytes(of: scale.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    values.map(\.littleEndian).withUnsafeBytes { data.append(contentsOf: $0) }
    return data
  }

}
