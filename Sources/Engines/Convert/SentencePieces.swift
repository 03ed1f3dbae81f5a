import Models

/// A vocabulary of SentencePiece's unigram kind, as its `.model` file keeps it: pieces with what each costs, and the table by which
/// letters are made alike before.
struct SentencePieces {
  private var texts: [String] = []
  private var costs: [Float] = []
  private var kinds: [Int32] = []
  private var alike: [UInt8] = []
  private var addsSpace = true
  private var joinsSpaces = true
  private static let (normal, unknown, control): (Int32, Int32, Int32) = (1, 2, 3)

  var count: Int { texts.count }

  init(_ bytes: UnsafeRawBufferPointer) throws {
    var model = ProtobufReader(bytes)
    while let field = try model.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let piece)): try take(piece)
      case (3, .bytes(let rules)): try readRules(rules)
      default: break
      }
    }
    // The opening and the closing mark have their places by custom, and what is told below goes by it.
    guard texts.starts(with: ["<unk>", "<s>", "</s>"]), kinds.starts(with: [Self.unknown, Self.control, Self.control]),
      !alike.isEmpty
    else { throw PackError.unsupported("its vocabulary is of another kind") }
  }

  private mutating func take(_ piece: UnsafeRawBufferPointer) throws {
    var (text, cost, kind) = ("", Float(0), Self.normal)
    var reader = ProtobufReader(piece)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let bytes)): text = String(decoding: bytes, as: UTF8.self)
      case (2, .single(let number)): cost = number
      case (3, .number(let number)): kind = Int32(clamping: number)
      default: break
      }
    }
    guard !text.isEmpty, cost.isFinite, (1...6).contains(kind) else { throw PackError.malformed("a piece is none") }
    texts.append(text)
    costs.append(cost)
    kinds.append(kind)
  }

  private mutating func readRules(_ rules: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(rules)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (2, .bytes(let bytes)): alike = Array(bytes)
      case (3, .number(let number)): addsSpace = number != 0
      case (4, .number(let number)): joinsSpaces = number != 0
      default: break
      }
    }
  }

  func describe(in file: inout GGUFFile) {
    file.add("tokenizer.ggml.model", .text("t5"))  // llama.cpp's name for the unigram kind
    file.add("tokenizer.ggml.tokens", .texts(texts))
    file.add("tokenizer.ggml.scores", .singles(costs))
    file.add("tokenizer.ggml.token_type", .numbers(kinds))
    file.add("tokenizer.ggml.precompiled_charsmap", .bytes(alike))
    file.add("tokenizer.ggml.add_space_prefix", .truth(addsSpace))
    file.add("tokenizer.ggml.remove_extra_whitespaces", .truth(joinsSpaces))
    for (place, key) in ["unknown", "bos", "eos"].enumerated() {
      file.add("tokenizer.ggml.\(key)_token_id", .number(UInt32(place)))
    }
    file.add("tokenizer.ggml.add_bos_token", .truth(true))
    file.add("tokenizer.ggml.add_eos_token", .truth(true))
  }
}

/// The fields of one message of Protocol Buffers, one after the other.
private struct ProtobufReader {
  enum Value {
    case number(UInt64)
    case single(Float)
    case bytes(UnsafeRawBufferPointer)
  }

  private var reader: ByteReader

  init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

  mutating func next() throws -> (number: UInt64, value: Value)? {
    while !reader.left.isEmpty {
      let tag = try number()
      switch tag & 7 {
      case 0: return (tag >> 3, .number(try number()))
      case 1: _ = try reader.take(8)
      case 2:
        guard let count = Int(exactly: try number()) else { throw PackError.malformed("a length is out of range") }
        return (tag >> 3, .bytes(try reader.take(count)))
      case 5: return (tag >> 3, .single(Float(bitPattern: UInt32(try reader.number(UInt32.self)))))
      default: throw PackError.malformed("a field is of an unknown kind")
      }
    }
    return nil
  }

  /// Seven bits a byte, the lowest first.
  private mutating func number() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = UInt64(try reader.number(UInt8.self))
      value |= (byte & 127) << shift
      if byte < 128 { return value }
    }
    throw PackError.malformed("a number is too long")
  }
}
