package import Foundation

/// The beginning of a GGUF file, checked before llama.cpp sees it: every count, length, product and offset is computed
/// without overflow and held against the file's real size. Reads only the header, whatever the file's size.
package struct GGUFHeader: Sendable, Equatable {
  package private(set) var fileBytes: Int64
  package private(set) var version: UInt32
  package private(set) var tensorCount: Int
  package private(set) var parameters: Int64
  package private(set) var bytesByType: [GGUFType: Int64] = [:]
  package private(set) var tensors: [String: Tensor] = [:]
  /// Scalar values and short texts by key; arrays are represented by their length in `arrayLengths`.
  package private(set) var values: [String: Value] = [:]
  package private(set) var arrayLengths: [String: UInt64] = [:]

  /// Where a tensor's data lie in the file.
  package struct Tensor: Sendable, Equatable {
    package var type: GGUFType
    /// The numbers that lie side by side first.
    package var shape: [UInt64]
    package var offset: Int64
    package var bytes: Int64
  }

  package enum Value: Sendable, Equatable {
    case unsigned(UInt64)
    case signed(Int64)
    case real(Double)
    case flag(Bool)
    case text(String)
  }

  package init(at file: URL) throws {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Disk.failure(file) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  package init(descriptor: CInt) throws {
    var reader = try GGUFReader(descriptor: descriptor)
    fileBytes = reader.fileBytes
    guard try reader.number(UInt32.self, "the magic number") == 0x4655_4747 else {
      throw PackError.malformed("it is not a GGUF file")
    }
    version = try reader.number(UInt32.self, "the version")
    guard version == 2 || version == 3 else {
      throw PackError.unsupported("GGUF version \(version), only 2 and 3 are known")
    }
    let tensors = try reader.number(UInt64.self, "the number of tensors")
    let entries = try reader.number(UInt64.self, "the number of entries")
    // An entry takes at least 13 bytes, a tensor's description at least 24.
    guard tensors <= 65_536, tensors <= UInt64(reader.left) / 24 else {
      throw PackError.malformed("it announces \(tensors) tensors")
    }
    guard entries <= 65_536, entries <= UInt64(reader.left) / 13 else {
      throw PackError.malformed("it announces \(entries) entries")
    }
    tensorCount = Int(tensors)
    parameters = 0
    for _ in 0..<entries { try readEntry(&reader) }
    try readTensors(&reader)
    try checkModel()
  }
}

// MARK: Reading
extension GGUFHeader {
  private mutating func readEntry(_ reader: inout GGUFReader) throws {
    guard let key = try reader.text("a key"), !key.isEmpty, key.utf8.count < 65_536 else {
      throw PackError.malformed("a key is empty or too long")
    }
    guard values[key] == nil, arrayLengths[key] == nil else { throw PackError.malformed("the key \(key) stands twice") }
    let kind = try reader.number(UInt32.self, key)
    if kind == 9 {
      arrayLengths[key] = try skipArray(&reader, key)
    } else if kind == 8 {
      // A text too long to keep still shows that the key is there.
      values[key] = .text(try reader.text(key) ?? "")
    } else {
      values[key] = try readScalar(&reader, kind, key)
    }
  }

  private func readScalar(_ reader: inout GGUFReader, _ kind: UInt32, _ key: String) throws -> Value {
    switch kind {
    case 0: .unsigned(UInt64(try reader.number(UInt8.self, key)))
    case 1: .signed(Int64(try reader.number(Int8.self, key)))
    case 2: .unsigned(UInt64(try reader.number(UInt16.self, key)))
    case 3: .signed(Int64(try reader.number(Int16.self, key)))
    case 4: .unsigned(UInt64(try reader.number(UInt32.self, key)))
    case 5: .signed(Int64(try reader.number(Int32.self, key)))
    case 6: .real(Double(Float(bitPattern: try reader.number(UInt32.self, key))))
    case 7:
      switch try reader.number(UInt8.self, key) {
      case 0: .flag(false)
      case 1: .flag(true)
      case let other: throw PackError.malformed("\(key) is neither true nor false but \(other)")
      }
    case 10: .unsigned(try reader.number(UInt64.self, key))
    case 11: .signed(try reader.number(Int64.self, key))
    case 12: .real(Double(bitPattern: try reader.number(UInt64.self, key)))
    default: throw PackError.malformed("\(key) has the unknown type \(kind)")
    }
  }

  private func skipArray(_ reader: inout GGUFReader, _ key: String) throws -> UInt64 {
    let kind = try reader.number(UInt32.self, key)
    let count = try reader.number(UInt64.self, key)
    if kind == 8 {
      guard count <= UInt64(reader.left) / 8 else {
        throw PackError.malformed("\(key) announces \(count) texts")
      }
      for _ in 0..<count { try reader.skipText(key) }
      return count
    }
    // Arrays in arrays would let a few bytes nest without end; llama.cpp reads none.
    guard kind != 9 else { throw PackError.malformed("\(key) is an array of arrays") }
    let sizes: [UInt32: UInt64] = [0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8]
    guard let size = sizes[kind] else { throw PackError.malformed("\(key) has the unknown type \(kind)") }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow else { throw PackError.malformed("\(key) announces \(count) numbers") }
    try reader.skip(bytes, key)
    return count
  }

  private mutating func readTensors(_ reader: inout GGUFReader) throws {
    var names = Set<String>()
    var extents: [(offset: UInt64, bytes: UInt64, name: String)] = []
    extents.reserveCapacity(tensorCount)
    for _ in 0..<tensorCount {
      guard let name = try reader.text("a tensor's name"), !name.isEmpty, name.utf8.count < 64 else {
        throw PackError.malformed("a tensor's name is empty or longer than 63 bytes")
      }
      guard names.insert(name).inserted else { throw PackError.malformed("the tensor \(name) stands twice") }
      let dimensions = try reader.number(UInt32.self, name)
      guard (1...4).contains(dimensions) else { throw PackError.malformed("\(name) has \(dimensions) dimensions") }
      let shape = try (0..<dimensions).map { _ in try reader.number(UInt64.self, name) }
      let type = try reader.number(UInt32.self, name)
      guard let type = GGUFType(rawValue: type) else { throw PackError.unsupported("\(name) has the type \(type)") }
      let bytes = try size(of: name, shape, type)
      let offset = try reader.number(UInt64.self, name)
      extents.append((offset, bytes, name))
      // Held against the file's size below.
      tensors[name] = Tensor(type: type, shape: shape, offset: Int64(clamping: offset), bytes: Int64(bytes))
    }
    let start = try checkExtents(extents, after: reader.position)
    for name in names { tensors[name]?.offset += start }
    // None overlaps another, so together they are no larger than the file.
    for tensor in tensors.values { bytesByType[tensor.type, default: 0] += tensor.bytes }
  }

  private mutating func size(of name: String, _ shape: [UInt64], _ type: GGUFType) throws -> UInt64 {
    var elements: UInt64 = 1
    for dimension in shape {
      let (product, overflow) = elements.multipliedReportingOverflow(by: dimension)
      guard dimension > 0, !overflow, product <= UInt64(Int64.max) else {
        throw PackError.malformed("\(name) has the impossible shape \(shape)")
      }
      elements = product
    }
    let block = type.block
    guard shape[0] % UInt64(block.elements) == 0 else {
      throw PackError.malformed("the rows of \(name) are not whole blocks")
    }
    let (bytes, overflow) = (elements / UInt64(block.elements)).multipliedReportingOverflow(by: UInt64(block.bytes))
    let (sum, sumOverflow) = parameters.addingReportingOverflow(Int64(elements))
    guard !overflow, !sumOverflow, bytes <= UInt64(fileBytes) else {
      throw PackError.malformed("\(name) is larger than the file")
    }
    parameters = sum
    return bytes
  }

  /// Returns where the tensors' data begin.
  private func checkExtents(
    _ extents: [(offset: UInt64, bytes: UInt64, name: String)], after end: Int64
  ) throws -> Int64 {
    let alignment = unsigned("general.alignment") ?? 32
    if values["general.alignment"] != nil {
      guard alignment > 0, alignment <= 1 << 20, alignment & (alignment - 1) == 0 else {
        throw PackError.malformed("the alignment \(alignment) is not a power of two")
      }
    }
    // `end` is at most the file's size and the alignment at most 2^20, so this cannot overflow.
    let start = (UInt64(end) + alignment - 1) / alignment * alignment
    guard extents.isEmpty || start <= UInt64(fileBytes) else {
      throw PackError.malformed("the tensors' data are missing")
    }
    var free: UInt64 = 0
    var before = ""
    for extent in extents.sorted(by: { $0.offset < $1.offset }) {
      guard extent.offset % alignment == 0 else { throw PackError.malformed("\(extent.name) is not aligned") }
      guard extent.offset >= free else { throw PackError.malformed("\(extent.name) overlaps \(before)") }
      let (stop, overflow) = extent.offset.addingReportingOverflow(extent.bytes)
      guard !overflow, stop <= UInt64(fileBytes) - start else {
        throw PackError.malformed("\(extent.name) ends beyond the file, which was cut or is incomplete")
      }
      (free, before) = (stop, extent.name)
    }
    return Int64(clamping: start)
  }

  private func checkModel() throws {
    guard case .text(let name)? = values["general.architecture"], !name.isEmpty else {
      throw PackError.malformed("it names no architecture")
    }
    for (key, limit) in ["context_length": 1 << 24, "block_count": 4096, "embedding_length": 1 << 20] {
      guard let value = unsigned("\(name).\(key)") else { continue }
      guard value > 0, value <= limit else { throw PackError.malformed("\(name).\(key) is \(value)") }
    }
    for key in ["attention.head_count", "attention.head_count_kv", "attention.key_length"] {
      guard let value = unsigned("\(name).\(key)") else { continue }
      guard value > 0, value <= 65_536 else { throw PackError.malformed("\(name).\(key) is \(value)") }
    }
  }
}

// MARK: What a person or the fit asks
extension GGUFHeader {
  package func unsigned(_ key: String) -> UInt64? {
    switch values[key] {
    case .unsigned(let value): value
    case .signed(let value) where value >= 0: UInt64(value)
    default: nil
    }
  }

  package func text(_ key: String) -> String? {
    if case .text(let text)? = values[key] { text } else { nil }
  }

  private func number(_ key: String) -> Int? { unsigned("\(architecture).\(key)").map { Int(clamping: $0) } }

  package var architecture: String { text("general.architecture") ?? "" }
  package var name: String? { text("general.name") }
  package var licence: String? { text("general.license") }
  package var contextLength: Int { number("context_length") ?? 2048 }
  package var layers: Int { number("block_count") ?? 0 }
  package var embedding: Int { number("embedding_length") ?? 0 }
  package var heads: Int { number("attention.head_count") ?? 1 }
  /// Models whose layers differ store an array; the full number of heads is then the safe answer.
  package var kvHeads: Int { number("attention.head_count_kv") ?? heads }
  package var headDimension: Int { number("attention.key_length") ?? embedding / max(1, heads) }
  package var vocabulary: Int {
    Int(clamping: arrayLengths["tokenizer.ggml.tokens"] ?? unsigned("\(architecture).vocab_size") ?? 0)
  }
  package var isCausal: Bool { values["\(architecture).attention.causal"] != .flag(false) }
  /// A model that says how its token vectors become one is made for embedding.
  package var isEmbedder: Bool { (unsigned("\(architecture).pooling_type") ?? 0) > 0 || !isCausal }

  package var quantization: String {
    if let name = unsigned("general.file_type").flatMap(GGUFType.fileTypeName) { return name }
    let largest = bytesByType.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
    return largest?.key.name ?? "unknown"
  }
}
