import Core
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("GGUF headers")
struct GGUFHeaderTests {
  let sandbox: Sandbox
  init() throws { sandbox = try Sandbox() }

  private func read(_ data: Data) throws -> GGUFHeader {
    try GGUFHeader(at: sandbox.file("\(UUID().uuidString).gguf", data))
  }

  @Test("A sound header tells what the model is")
  func sound() throws {
    let header = try read(GGUFWriter.sound())
    #expect(header.architecture == "llama")
    #expect(header.contextLength == 4096)
    #expect(header.layers == 4)
    #expect((header.heads, header.kvHeads, header.headDimension) == (4, 2, 16))
    #expect(header.vocabulary == 20)
    #expect(header.parameters == 64 * 8 + 256 * 2)
    #expect(header.bytesByType == [.f32: 2048, .q4K: 288])
  }

  @Test("However many long texts a file holds, little of them is kept, and lists without end are refused")
  func muchText() throws {
    var file = GGUFWriter()
    let long = String(repeating: "a", count: 4 << 20)
    file.begin(tensors: 0, entries: 18)
    file.entry("general.architecture", "llama")
    for number in 0..<17 { file.entry("text.\(number)", long) }
    let header = try read(file.data)
    let kept = header.values.values.reduce(0) { if case .text(let text) = $1 { $0 + text.utf8.count } else { $0 } }
    #expect(kept <= 64 << 20 && header.values.count == 18 && header.values["text.16"] == .text(""))

    var lists = GGUFWriter()
    lists.begin(tensors: 0, entries: 1)
    lists.text("tokenizer.ggml.tokens")
    lists.number(UInt32(9))
    lists.number(UInt32(8))
    lists.number(UInt64(17 << 20))
    let place = try sandbox.file("lists.gguf", lists.data)
    // Empty texts, as a file with a hole in it has them.
    try FileHandle(forUpdating: place).truncate(atOffset: UInt64(lists.data.count + (17 << 20) * 8))
    #expect(throws: PackError.self) { try GGUFHeader(at: place) }
  }

  @Test("A file cut anywhere is refused, also where only data are missing")
  func truncated() throws {
    let whole = GGUFWriter.sound()
    let file = try sandbox.file("cut.gguf", whole)
    let handle = try FileHandle(forUpdating: file)
    for count in (0..<whole.count).reversed() {
      try handle.truncate(atOffset: UInt64(count))
      #expect(throws: PackError.self, "cut at \(count)") { try GGUFHeader(descriptor: handle.fileDescriptor) }
    }
  }

  @Test("Any byte changed gives a header or an error, never a crash")
  func flipped() throws {
    let whole = GGUFWriter.sound()
    let handle = try FileHandle(forUpdating: sandbox.file("flipped.gguf", whole))
    func put(_ byte: UInt8, at index: Int) throws {
      try handle.seek(toOffset: UInt64(index))
      try handle.write(contentsOf: [byte])
    }
    for index in 0..<(whole.count - 2048 - 288) {
      for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        try put(value, at: index)
        do { _ = try GGUFHeader(descriptor: handle.fileDescriptor) } catch is PackError {}
      }
      try put(whole[index], at: index)
    }
  }

  @Test("Noise is refused", arguments: 0..<40)
  func noise(seed: UInt64) throws {
    let noise = Sandbox.noise(4096, seed: seed)
    #expect(throws: PackError.self) { try read(noise) }
    let dressed = Data("GGUF".utf8) + Data([3, 0, 0, 0]) + noise
    #expect(throws: PackError.self) { try read(dressed) }
  }

  static let huge: [UInt64] = [1 << 63, .max, 1 << 62, 1 << 32, .max - 7]

  @Test("Counts and lengths near the end of the number range are refused", arguments: huge)
  func counts(huge: UInt64) throws {
    for (tensors, entries) in [(huge, 0), (0, huge), (huge, huge)] {
      var file = GGUFWriter()
      file.begin(tensors: tensors, entries: entries)
      file.data.append(Data(count: 4096))
      #expect(throws: PackError.self) { try read(file.data) }
    }
    for kind in [UInt32(0), 4, 8, 10, 12] {
      var file = GGUFWriter()
      file.begin(tensors: 0, entries: 1)
      file.text("array")
      file.number(UInt32(9))
      file.number(kind)
      file.number(huge)
      file.data.append(Data(count: 4096))
      #expect(throws: PackError.self) { try read(file.data) }
    }
    var file = GGUFWriter()
    file.begin(tensors: 0, entries: 1)
    file.number(huge)
    file.data.append(Data(count: 4096))
    #expect(throws: PackError.self) { try read(file.data) }
  }

  private func model(_ describe: (inout GGUFWriter) -> Void, tensors: UInt64, data: Int = 8192) -> Data {
    var file = GGUFWriter()
    file.begin(tensors: tensors, entries: 1)
    file.entry("general.architecture", "llama")
    describe(&file)
    file.align()
    file.data.append(Data(count: data))
    return file.data
  }

  /// Every size at once as large as its own bound allows, and one that has none of its own.
  @Test("What a model takes is told also of one whose sizes no memory holds", arguments: [32_000, 1 << 24, .max])
  func sizes(vocabulary: UInt64) throws {
    var file = GGUFWriter()
    file.begin(tensors: 0, entries: 7)
    file.entry("general.architecture", "llama")
    file.entry("llama.context_length", 1 << 24)
    file.entry("llama.block_count", 4096)
    file.entry("llama.embedding_length", 1 << 20)
    file.entry("llama.attention.head_count_kv", 65_536)
    file.entry("llama.attention.key_length", 65_536)
    file.text("llama.vocab_size")
    file.number(UInt32(10))
    file.number(vocabulary)
    let header = try read(file.data)
    let card = GraphicsCardReport(name: "card", totalBytes: 24 << 30, freeBytes: 20 << 30)
    let own = Footprint(Pack(own: header, file: sandbox.folder, sha256: SHA256.of(file.data)))
    for footprint in [Footprint(header), own] {
      for card in [card, nil] {
        let fit = Fit.decide(footprint, context: 1 << 24, available: 16 << 30, card: card)
        #expect(!fit.fits && fit.footprintBytes > 16 << 30, "\(fit)")
      }
    }
  }

  @Test(
    "A file of holes, larger than any model, ends nothing however large its tensors are together",
    .enabled(if: access("/dev/shm", W_OK) == 0, "nothing here takes files of any size"))
  func holes() throws {
    var file = GGUFWriter()
    file.begin(tensors: 2, entries: 1)
    file.entry("general.architecture", "llama")
    for name in ["a", "b"] { file.tensor(name, [1 << 60], offset: 0) }
    let scratch = try Scratch("gguf", in: URL(filePath: "/dev/shm"))
    for bytes in [file.data.count, 1 << 49, 1 << 62 + 1 << 20] {
      let place = try scratch.file("\(bytes).gguf", file.data)
      try #require(truncate(place.path, bytes) == 0)
      #expect(throws: PackError.self) { try GGUFHeader(at: place) }
    }
  }

  @Test("What a file of the hub calls itself is cut, by its signs")
  func names() throws {
    let long = "a" + String(repeating: "\u{301}", count: 100_000)
    var file = GGUFWriter()
    file.begin(tensors: 0, entries: 3)
    for key in ["general.architecture", "general.name", "general.license"] { file.entry(key, long) }
    let pack = Pack(own: try read(file.data), file: sandbox.folder, sha256: SHA256.of(file.data))
    for text in [pack.name, pack.family, pack.licence] { #expect((1...400).contains(text.unicodeScalars.count)) }
  }

  @Test("Tensors that overlap, leave the file, are misaligned, stand twice or have impossible shapes are refused")
  func tensors() throws {
    let bad: [(inout GGUFWriter) -> Void] = [
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [64], offset: 128)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [4096], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [64], offset: 257)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("a", [64], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [1 << 32, 1 << 32], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [1 << 31, 1 << 31, 2], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [0], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [63], type: 2, offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [64], type: 77, offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [64], offset: .max - 31)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [1, 1, 1, 1, 1], offset: 256)
      },
      {
        $0.tensor("a", [64], offset: 0); $0.tensor(String(repeating: "n", count: 64), [64], offset: 256)
      },
    ]
    for describe in bad {
      #expect(throws: PackError.self) { try read(model(describe, tensors: 2)) }
    }
    let good = model(
      {
        $0.tensor("a", [64], offset: 0); $0.tensor("b", [64], offset: 256)
      }, tensors: 2)
    #expect(try read(good).tensorCount == 2)
  }

  @Test("Arrays in arrays, keys that stand twice, odd alignments and absurd sizes are refused")
  func entries() throws {
    let bad: [(inout GGUFWriter) -> Void] = [
      { file in
        file.text("nest")
        for _ in 0..<200 { file.number(UInt32(9)); file.number(UInt64(1)) }
      },
      { $0.entry("general.architecture", "again") },
      { $0.entry("general.alignment", 0) },
      { $0.entry("general.alignment", 33) },
      { $0.entry("general.alignment", 1 << 31) },
      { $0.entry("llama.context_length", 0) },
      { $0.entry("llama.block_count", .max) },
      { $0.entry("llama.attention.head_count", 0) },
      { $0.entry("", 1) },
      {
        $0.text("flag"); $0.number(UInt32(7)); $0.number(UInt8(2))
      },
      {
        $0.text("kind"); $0.number(UInt32(13)); $0.number(UInt64(2))
      },
    ]
    for describe in bad {
      var file = GGUFWriter()
      file.begin(tensors: 0, entries: 2)
      file.entry("general.architecture", "llama")
      describe(&file)
      file.data.append(Data(count: 4096))
      #expect(throws: PackError.self) { try read(file.data) }
    }
  }

  @Test("A text of many megabytes is passed over in little memory, and a folder or a pipe is no model")
  func odd() throws {
    var file = GGUFWriter()
    file.begin(tensors: 0, entries: 2)
    file.entry("general.architecture", "llama")
    file.entry("tokenizer.chat_template", String(repeating: "x", count: 9 << 20))
    let header = try read(file.data)
    #expect(header.text("tokenizer.chat_template") == "")
    #expect(throws: PackError.self) { try GGUFHeader(at: sandbox.folder) }
    let pipe = sandbox.folder.appending(path: "pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: PackError.self) { try GGUFHeader(at: pipe) }
  }

  private static let packs = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".cache/libera/test-packs")
  private static let chat = packs.appending(path: "smollm2.gguf")

  @Test("The real small models are read, whole", .enabled(if: Disk.exists(chat), "no model at \(chat.path)"))
  func real() throws {
    let header = try GGUFHeader(at: Self.chat)
    #expect(header.parameters == 134_515_008)
    #expect(header.quantization == "Q4_1")
    #expect(!header.isEmbedder)
    let embedder = try GGUFHeader(at: Self.packs.appending(path: "minilm.gguf"))
    #expect(embedder.isEmbedder && embedder.vocabulary == 30_522)
  }
}
