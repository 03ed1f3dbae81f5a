/// A GGUF file in the making: what is known of the model, then its tensors, each from a multiple of 32 bytes on.
struct GGUFFile {
  enum Value {
    case number(UInt32)
    case single(Float)
    case truth(Bool)
    case text(String)
    case texts([String])
    case numbers([Int32])
    case singles([Float])
    case bytes([UInt8])
  }

  struct Part {
    var name: String
    var tensor: Tensor
    var kind: Tensor.Kind
    var bytes: Int { tensor.count * kind.rawValue }
  }

  private var values: [(key: String, value: Value)] = []
  var tensors: [Part] = []
  private static let alignment = 32

  mutating func add(_ key: String, _ value: Value) { values.append((key, value)) }

  func write(to out: WrittenFile) throws {
    try out.append("GGUF")
    try out.append(UInt32(3))
    try out.append(UInt64(tensors.count))
    try out.append(UInt64(values.count))
    for (key, value) in values {
      try text(key, out)
      try write(value, out)
    }
    var place = 0
    for part in tensors {
      try text(part.name, out)
      try out.append(UInt32(part.tensor.shape.count))
      for size in part.tensor.shape.reversed() { try out.append(UInt64(size)) }
      try out.append(part.kind.numberInGGUF)
      try out.append(UInt64(place))
      place += (part.bytes + Self.alignment - 1) / Self.alignment * Self.alignment
    }
    try out.pad(to: Self.alignment)
    for part in tensors {
      switch part.kind {
      case .half: try out.append(numbers: part.tensor.halves)
      case .single: try out.append(numbers: part.tensor.singles)
      case .byte: try out.append(part.tensor.bytes)
      }
      try out.pad(to: Self.alignment)
    }
  }

  private func write(_ value: Value, _ out: WrittenFile) throws {
    switch value {
    case .number(let number):
      try out.append(UInt32(4))
      try out.append(number)
    case .single(let number):
      try out.append(UInt32(6))
      try out.append(number.bitPattern)
    case .truth(let truth):
      try out.append(UInt32(7))
      try out.append(UInt8(truth ? 1 : 0))
    case .text(let words):
      try out.append(UInt32(8))
      try text(words, out)
    case .texts(let list):
      try start(ofListOf: 8, list.count, out)
      for words in list { try text(words, out) }
    case .numbers(let list):
      try start(ofListOf: 5, list.count, out)
      try out.append(numbers: list)
    case .singles(let list):
      try start(ofListOf: 6, list.count, out)
      try out.append(numbers: list)
    case .bytes(let list):
      try start(ofListOf: 0, list.count, out)
      try out.append(numbers: list)
    }
  }

  private func start(ofListOf kind: UInt32, _ count: Int, _ out: WrittenFile) throws {
    try out.append(UInt32(9))
    try out.append(kind)
    try out.append(UInt64(count))
  }

  private func text(_ words: String, _ out: WrittenFile) throws {
    try out.append(UInt64(words.utf8.count))
    try out.append(words)
  }
}

extension Tensor.Kind {
  fileprivate var numberInGGUF: UInt32 {
    switch self {
    case .single: 0
    case .half: 1
    case .byte: 24
    }
  }
}
