import Models

/// The few steps of Python's pickle language that a file of tensors takes. Anything else ends the reading; no step runs anything.
struct Pickle {
  indirect enum Value {
    case nothing
    case truth(Bool)
    case number(Int)
    case text(String)
    case tuple([Value])
    case dictionary(Dictionary)
    /// Something of Python's by its name.
    case name(String)
    case storage(Tensor.Kind, key: String)
    case tensor(Stored)

    subscript(key: String) -> Value? {
      guard case .dictionary(let dictionary) = self else { return nil }
      return dictionary.entries.first { $0.key == key }?.value
    }
  }

  /// In the order of its making. A class, since steps go on filling what was already kept.
  final class Dictionary { var entries: [(key: String, value: Value)] = [] }

  struct Stored {
    var kind: Tensor.Kind
    var key: String
    var offset: Int
    var shape: [Int]
    var strides: [Int]
  }

  private var reader: ByteReader
  private var stack: [Value] = []
  private var marks: [Int] = []
  private var kept: [Int: Value] = [:]

  init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

  mutating func load() throws -> Value {
    while true {
      let step = try reader.number(UInt8.self)
      if step == UInt8(ascii: ".") { return try pop() }
      try take(UInt8(step))
    }
  }

  private mutating func take(_ step: UInt8) throws {
    switch step {
    case 0x80: _ = try reader.number(UInt8.self)  // the protocol's version
    case UInt8(ascii: "}"): stack.append(.dictionary(Dictionary()))
    case UInt8(ascii: ")"): stack.append(.tuple([]))
    case UInt8(ascii: "("): marks.append(stack.count)
    case UInt8(ascii: "N"): stack.append(.nothing)
    case 0x88: stack.append(.truth(true))
    case 0x89: stack.append(.truth(false))
    case UInt8(ascii: "J"): stack.append(.number(try reader.number(Int32.self)))
    case UInt8(ascii: "K"): stack.append(.number(try reader.number(UInt8.self)))
    case UInt8(ascii: "M"): stack.append(.number(try reader.number(UInt16.self)))
    case UInt8(ascii: "X"): stack.append(.text(try reader.text(reader.number(UInt32.self))))
    case UInt8(ascii: "c"): stack.append(.name(try reader.line() + "." + reader.line()))
    case UInt8(ascii: "q"): try keep(reader.number(UInt8.self))
    case UInt8(ascii: "r"): try keep(reader.number(UInt32.self))
    case UInt8(ascii: "h"): try fetch(reader.number(UInt8.self))
    case UInt8(ascii: "j"): try fetch(reader.number(UInt32.self))
    case UInt8(ascii: "t"): stack.append(.tuple(try sinceMark()))
    case 0x85...0x87: stack.append(.tuple(try last(Int(step) - 0x84)))
    case UInt8(ascii: "s"):
      let pair = try last(2)
      try set(pair)
    case UInt8(ascii: "u"):
      let pairs = try sinceMark()
      try set(pairs)
    case UInt8(ascii: "Q"): stack.append(try storage(pop()))
    case UInt8(ascii: "R"):
      let given = try last(2)
      stack.append(try made(given[0], given[1]))
    default: throw PackError.unsupported("its index takes a step that is not followed (\(step))")
    }
  }

  // MARK: The stack

  private mutating func pop() throws -> Value { try last(1)[0] }

  private mutating func last(_ count: Int) throws -> [Value] {
    guard stack.count >= count + (marks.last ?? 0) else { throw PackError.malformed("its index is broken") }
    defer { stack.removeLast(count) }
    return Array(stack.suffix(count))
  }

  private mutating func sinceMark() throws -> [Value] {
    guard let mark = marks.popLast(), mark <= stack.count else { throw PackError.malformed("its index is broken") }
    defer { stack.removeSubrange(mark...) }
    return Array(stack[mark...])
  }

  private mutating func keep(_ place: Int) throws {
    guard let value = stack.last else { throw PackError.malformed("its index is broken") }
    kept[place] = value
  }

  private mutating func fetch(_ place: Int) throws {
    guard let value = kept[place] else { throw PackError.malformed("its index is broken") }
    stack.append(value)
  }

  private func set(_ pairs: [Value]) throws {
    guard case .dictionary(let dictionary)? = stack.last, pairs.count.isMultiple(of: 2) else {
      throw PackError.malformed("its index is broken")
    }
    for index in stride(from: 0, to: pairs.count, by: 2) {
      guard case .text(let key) = pairs[index] else { throw PackError.malformed("its index is broken") }
      dictionary.entries.append((key, pairs[index + 1]))
    }
  }

  // MARK: What exists

  /// ("storage", kind, key, place, count)
  private func storage(_ identity: Value) throws -> Value {
    guard case .tuple(let parts) = identity, parts.count >= 3, case .name(let kind) = parts[1],
      case .text(let key) = parts[2]
    else { throw PackError.malformed("its index is broken") }
    switch kind {
    case "torch.HalfStorage": return .storage(.half, key: key)
    case "torch.FloatStorage": return .storage(.single, key: key)
    default: throw PackError.unsupported("the file asks for \(kind)")
    }
  }

  private func made(_ maker: Value, _ given: Value) throws -> Value {
    guard case .name(let name) = maker, case .tuple(let parts) = given else {
      throw PackError.malformed("its index is broken")
    }
    switch name {
    case "collections.OrderedDict" where parts.isEmpty: return .dictionary(Dictionary())
    case "torch._utils._rebuild_tensor_v2":
      guard parts.count >= 4, case .storage(let kind, let key) = parts[0], case .number(let offset) = parts[1] else {
        throw PackError.malformed("its index is broken")
      }
      return .tensor(
        Stored(kind: kind, key: key, offset: offset, shape: try numbers(parts[2]), strides: try numbers(parts[3])))
    default: throw PackError.unsupported("the file asks for \(name)")
    }
  }

  private func numbers(_ value: Value) throws -> [Int] {
    guard case .tuple(let parts) = value else { throw PackError.malformed("its index is broken") }
    return try parts.map { part in
      guard case .number(let number) = part, number >= 0 else { throw PackError.malformed("its index is broken") }
      return number
    }
  }
}
