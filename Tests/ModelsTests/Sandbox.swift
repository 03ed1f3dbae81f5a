import Core
import Foundation
import TestSupport

@testable import Models

/// A folder of a test's own, gone with it, and the things tests of packs are made of.
final class Sandbox: Sendable {
  private let scratch: Scratch
  var folder: URL { scratch.folder }

  init() throws { scratch = try Scratch("models") }

  func file(_ name: String, _ data: Data) throws -> URL { try scratch.file(name, data) }

  /// Runs a program to its end; its status, or -1 where it cannot be started.
  static func run(_ words: String...) -> Int32 { run(words) }

  static func run(_ words: [String]) -> Int32 { (try? Tool.run(words).status) ?? -1 }

  /// Bytes that look random and are the same every time.
  static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }

  static func pack(
    _ id: String = "tiny", kind: Pack.Kind = .vad, version: Int = 1, quantization: String = "F32", data: Data,
    sources: [Pack.Source]? = nil
  ) -> Pack {
    Pack(
      id: id, version: version, name: id, kind: kind, family: "tiny", parameters: 1, quantization: quantization,
      bytes: Int64(data.count), sha256: SHA256.of(data), hash: .catalogue, licence: "MIT", context: 4096, shape: nil,
      throughput: nil, isDefault: false,
      sources: sources ?? [source(data, [part(url: "https://example.invalid/\(id)", data)])])
  }

  static func source(_ data: Data, _ parts: [Pack.Part], name: String = "test") -> Pack.Source {
    .init(
      name: name, files: [.init(name: "weights", bytes: Int64(data.count), sha256: SHA256.of(data), parts: parts)],
      convert: nil)
  }

  static func part(url: String, _ data: Data, member: String? = nil) -> Pack.Part {
    .init(url: url, package: nil, member: member, bytes: Int64(data.count), sha256: SHA256.of(data))
  }
}

/// Writes GGUF files, right and wrong ones.
struct GGUFWriter {
  var data = Data()

  mutating func number(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func text(_ text: String) {
    number(UInt64(text.utf8.count))
    data.append(contentsOf: text.utf8)
  }

  mutating func begin(tensors: UInt64, entries: UInt64, version: UInt32 = 3) {
    data.append(contentsOf: "GGUF".utf8)
    number(version)
    number(tensors)
    number(entries)
  }

  mutating func entry(_ key: String, _ value: String) {
    text(key)
    number(UInt32(8))
    text(value)
  }

  mutating func entry(_ key: String, _ value: UInt32) {
    text(key)
    number(UInt32(4))
    number(value)
  }

  mutating func entry(_ key: String, texts: [String]) {
    text(key)
    number(UInt32(9))
    number(UInt32(8))
    number(UInt64(texts.count))
    texts.forEach { text($0) }
  }

  mutating func tensor(_ name: String, _ shape: [UInt64], type: UInt32 = 0, offset: UInt64) {
    text(name)
    number(UInt32(shape.count))
    shape.forEach { number($0) }
    number(type)
    number(offset)
  }

  mutating func align(_ alignment: Int = 32) {
    data.append(Data(count: (alignment - data.count % alignment) % alignment))
  }

  /// A small sound model header with two tensors of data.
  static func sound(architecture: String = "llama") -> Data {
    var file = GGUFWriter()
    file.begin(tensors: 2, entries: 8)
    file.entry("general.architecture", architecture)
    file.entry("general.name", "Test model")
    file.entry("\(architecture).context_length", 4096)
    file.entry("\(architecture).block_count", 4)
    file.entry("\(architecture).embedding_length", 64)
    file.entry("\(architecture).attention.head_count", 4)
    file.entry("\(architecture).attention.head_count_kv", 2)
    file.entry("tokenizer.ggml.tokens", texts: (0..<20).map { "token\($0)" })
    file.tensor("a.weight", [64, 8], type: 0, offset: 0)
    file.tensor("b.weight", [256, 2], type: 12, offset: 2048)
    file.align()
    file.data.append(Sandbox.noise(2048 + 288))
    return file.data
  }
}
