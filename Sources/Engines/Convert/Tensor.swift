import Models

/// Numbers of a published file: where they lie, row by row, and what they are.
struct Tensor {
  enum Kind: Int {
    case byte = 1
    case half = 2
    case single = 4
  }

  var kind: Kind
  var shape: [Int]
  var bytes: UnsafeRawBufferPointer

  /// Refuses a shape that does not come to the bytes.
  init(_ name: String, _ kind: Kind, _ shape: [Int], _ bytes: UnsafeRawBufferPointer) throws {
    var count = kind.rawValue
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard size > 0, !overflow else { throw PackError.malformed("\(name) has an impossible shape") }
      count = product
    }
    guard shape.count <= 4, count == bytes.count else {
      throw PackError.malformed("\(name) is \(bytes.count) bytes, its shape says \(count)")
    }
    (self.kind, self.shape, self.bytes) = (kind, shape, bytes)
  }

  private init(_ kind: Kind, _ shape: [Int], _ bytes: UnsafeRawBufferPointer) {
    (self.kind, self.shape, self.bytes) = (kind, shape, bytes)
  }

  var count: Int { bytes.count / kind.rawValue }

  /// Equal parts along the first dimension.
  func split(_ parts: Int) throws -> [Tensor] {
    guard let rows = shape.first, rows.isMultiple(of: parts) else {
      throw PackError.malformed("a matrix cannot be split")
    }
    let size = bytes.count / parts
    return (0..<parts).map { part in
      Tensor(
        kind, [rows / parts] + shape.dropFirst(),
        UnsafeRawBufferPointer(rebasing: bytes[(part * size)..<((part + 1) * size)]))
    }
  }

  var isZero: Bool { singles.allSatisfy { $0 == 0 } }

  var singles: [Float] {
    switch kind {
    case .single: copied(as: Float.self)
    case .half: copied(as: Float16.self).map(Float.init)
    case .byte: bytes.map(Float.init)
    }
  }

  /// Rounded to the nearest, to the even one of two.
  var halves: [Float16] {
    switch kind {
    case .single: copied(as: Float.self).map(Float16.init)
    case .half: copied(as: Float16.self)
    case .byte: bytes.map(Float16.init)
    }
  }

  private func copied<Number: BinaryFloatingPoint>(as type: Number.Type) -> [Number] {
    [Number](unsafeUninitializedCapacity: count) { buffer, count in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
      count = self.count
    }
  }

  /// Q8_0 as ggml lays it out: of every 32 values the largest is 127 steps; half a step is rounded away from zero.
  func blocks() throws -> [UInt8] {
    guard shape.last?.isMultiple(of: 32) == true else {
      throw PackError.malformed("a row is no whole number of blocks")
    }
    let values = singles
    guard values.allSatisfy(\.isFinite) else { throw PackError.malformed("a weight is no number") }
    var out = [UInt8]()
    out.reserveCapacity(values.count / 32 * 34)
    values.withUnsafeBufferPointer { values in
      for start in stride(from: 0, to: values.count, by: 32) {
        var largest: Float = 0
        for index in start..<(start + 32) { largest = max(largest, abs(values[index])) }
        let step = largest / 127
        let inverse: Float = step > 0 ? 1 / step : 0
        withUnsafeBytes(of: Float16(step)) { out.append(contentsOf: $0) }
        for index in start..<(start + 32) {
          let scaled = values[index] * inverse
          let steps = (abs(scaled) + 0.5).rounded(.down)
          out.append(UInt8(bitPattern: Int8(scaled < 0 ? -steps : steps)))
        }
      }
    }
    return out
  }
}
