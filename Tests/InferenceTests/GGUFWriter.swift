import Foundation

/// Just enough of the GGUF format to make small files for tests, well formed or not.
struct GGUFWriter {
  enum Value {
    case text(String)
    case float(Float)
  }
  var metadata: [(String, Value)] = []
  var tensors: [(name: String, shape: [Int], values: [Float])] = []

  func data() -> Data {
    var out = Data("GGUF".utf8)
    out.put(UInt32(3))
    out.put(UInt64(tensors.count))
    out.put(UInt64(metadata.count))
    for (key, value) in metadata {
      out.put(key)
      switch value {
      case .text(let text):
        out.put(UInt32(8))
        out.put(text)
      case .float(let number):
        out.put(UInt32(6))
        out.put(number.bitPattern)
      }
    }
    var offset = 0
    for tensor in tensors {
      out.put(tensor.name)
      out.put(UInt32(tensor.shape.count))
      for extent in tensor.shape { out.put(UInt64(extent)) }
      out.put(UInt32(0))
      out.put(UInt64(offset))
      offset += (tensor.values.count * 4 + 31) / 32 * 32
    }
    out.append(Data(repeating: 0, count: (32 - out.count % 32) % 32))
    for tensor in tensors {
      tensor.values.withUnsafeBytes { out.append(contentsOf: $0) }
      out.append(Data(repeating: 0, count: (32 - out.count % 32) % 32))
    }
    return out
  }
}

extension Data {
  fileprivate mutating func put(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
  fileprivate mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }
}
