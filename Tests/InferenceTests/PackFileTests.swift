import Foundation
import Inference
import Safety
import Testing
import TextEngine

@Suite("Pack files in the engine", .serialized, .needsChatPack)
struct PackFileTests {
  private func file(_ data: Data) throws -> FileHandle {
    let url = FileManager.default.temporaryDirectory.appending(path: "pack-\(UUID().uuidString)")
    try data.write(to: url)
    defer { unlink(url.path) }
    return try FileHandle(forUpdating: url)
  }

  @Test("What is no model is refused with a reason, and the engine goes on")
  func refused() throws {
    let session = EngineSession()
    let whole = try FileHandle(forReadingFrom: TestPacks.chat)
    let head = try #require(try whole.read(upToCount: 3_000_000))
    let files = [
      Data(), Data("GGUF".utf8), Data("not a model at all".utf8), head.prefix(40), head.prefix(5000), head,
      GGUFWriter().data(), GGUFWriter(metadata: [("general.architecture", .text("llama"))]).data(),
      GGUFWriter(metadata: [("general.architecture", .text("unheard-of"))]).data(),
    ]
    for data in files {
      let handle = try file(data)
      #expect {
        try session.call("load", LoadRequest(contextTokens: 256, threads: 1), files: [handle.fileDescriptor])
      } throws: { error in
        guard case EngineError.packRefused(let reason) = error else { return false }
        return !reason.isEmpty
      }
    }
    try session.load(TestPacks.chat, LoadRequest(contextTokens: 256, threads: 1))
  }

  private func adapter(filled value: Float) throws -> FileHandle {
    let width = 576
    let rank = 2
    let values = (0..<width * rank).map { Float(($0 % 7) - 3) * value }
    return try file(
      GGUFWriter(
        metadata: [
          ("general.architecture", .text("llama")), ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
          ("adapter.lora.alpha", .float(2)),
        ],
        tensors: [
          ("blk.0.attn_q.weight.lora_a", [width, rank], values), ("blk.0.attn_q.weight.lora_b", [rank, width], values),
        ]
      ).data())
  }

  @Test("An adapter changes what the model says where it is for that, and nothing where it is for something else")
  func adapters() throws {
    let strong = try adapter(filled: 0.5)
    let plain = try EngineSession(TestPacks.chat, context: 256).generate(.raw("Once upon a time, there was a")).text
    let changed = try EngineSession(TestPacks.chat, context: 256, adapters: [.writing: strong.fileDescriptor])
      .generate(.raw("Once upon a time, there was a")).text
    let judging = try EngineSession(TestPacks.chat, context: 256, adapters: [.judging: strong.fileDescriptor])
      .generate(.raw("Once upon a time, there was a")).text
    #expect(changed != plain)
    #expect(judging == plain)
  }

  @Test("A file that is no adapter of this model is refused")
  func wrongAdapter() throws {
    for data in [Data("nothing".utf8), GGUFWriter(metadata: [("general.architecture", .text("llama"))]).data()] {
      let handle = try file(data)
      #expect(throws: EngineError.self) {
        try EngineSession(TestPacks.chat, context: 256, adapters: [.writing: handle.fileDescriptor])
      }
    }
  }

  @Test("Asked for a graphics card where there is none, it computes on the processor and says why")
  func card() throws {
    let session = try EngineSession(TestPacks.chat, context: 256) { $0.gpu = true }
    let model = try #require(session.model)
    if GraphicsCard.isHere {
      #expect(model.backend.contains("card"))
    } else {
      #expect(model.backend == "the processor (no graphics card is here)" && model.card == nil)
    }
    #expect(try !session.generate(.raw("Hello", tokens: 2)).text.isEmpty)
  }

  @Test("Odd sizes of context and batch are rounded, never fatal")
  func oddSizes() throws {
    for (context, batch, micro) in [(1, 1, 1), (300, 500, 77), (257, 33, 4096)] {
      let session = try EngineSession(TestPacks.chat, context: context) {
        $0.batch = batch
        $0.microBatch = micro
      }
      #expect(try session.generate(.raw("Hello there, my friend", tokens: 3)).report.generatedTokens > 0)
    }
  }
}
