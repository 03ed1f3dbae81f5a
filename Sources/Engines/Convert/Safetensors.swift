import Core
import Foundation
import Models

/// A `.safetensors` file: the length of a header, the header as JSON, then the numbers.
struct Safetensors {
  private struct Entry: Decodable {
    var dtype: String?
    var shape: [Int]?
    var ends: [Int]?
    enum CodingKeys: String, CodingKey {
      case dtype, shape
      case ends = "data_offsets"
    }
  }

  private let entries: [String: Entry]
  private let numbers: UnsafeRawBufferPointer
  private static let mostHeader = 64 << 20

  init(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    let length = try reader.number(UInt64.self)
    guard length <= Self.mostHeader else { throw PackError.malformed("its header is too long") }
    entries = try decoded([String: Entry].self, reader.take(length), "the header of the weights")
    numbers = reader.left
  }

  /// In the order of their names' bytes.
  var names: [String] {
    entries.keys.filter { $0 != "__metadata__" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func tensor(_ name: String) throws -> Tensor {
    guard let entry = entries[name], let shape = entry.shape, let ends = entry.ends, ends.count == 2,
      ends[0] >= 0, ends[1] >= ends[0], ends[1] <= numbers.count
    else { throw PackError.malformed("\(name) lies outside the file") }
    let kinds: [String: Tensor.Kind] = ["F16": .half, "F32": .single]
    guard let kind = entry.dtype.flatMap({ kinds[$0] }) else {
      throw PackError.unsupported("\(name) holds numbers of the kind \(entry.dtype ?? "unknown")")
    }
    return try Tensor(name, kind, shape, UnsafeRawBufferPointer(rebasing: numbers[ends[0]..<ends[1]]))
  }
}

/// JSON of a publisher's; what is wrong with it names the file.
func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer, _ name: String) throws -> Value {
  do { return try JSON.decode(type, from: Data(bytes)) } catch {
    throw PackError.malformed("\(name) cannot be read")
  }
}
