import Core
import Foundation
import Inference
import Testing
import TextEngine

@Suite("Saved state", .serialized, .needsChatPack)
struct StateTests {
  static let prompt = String(repeating: "All work and no play makes a dull day. ", count: 8)

  private func temporaryFile() throws -> FileHandle {
    let url = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
    try Data().write(to: url)
    let handle = try FileHandle(forUpdating: url)
    try FileManager.default.removeItem(at: url)  // the descriptor keeps it
    return handle
  }

  @Test("State saved by one process spares another the reading")
  func roundTrip() throws {
    let file = try temporaryFile()
    let first = try EngineSession(TestPacks.chat, context: 512)
    _ = try first.generate(.raw(Self.prompt, tokens: 8))
    try first.call("saveState", TokensRequest([]), files: [file.fileDescriptor])

    let second = try EngineSession(TestPacks.chat, context: 512)
    let held = try second.call("loadState", TokensRequest([]), files: [file.fileDescriptor]).decoded(
      [Int].self, first: true)
    #expect(held > 0)
    let again = try second.generate(.raw(Self.prompt, tokens: 8))
    #expect(again.prompt.reusedTokens == again.prompt.promptTokens - 1)
    // Both read only the last token anew, so even rounding is the same; the first has been asked otherwise meanwhile.
    _ = try first.generate(.raw(Self.prompt + " and", tokens: 1))
    #expect(try first.generate(.raw(Self.prompt, tokens: 8)).text == again.text)
  }

  @Test("State of another layout, damaged state and what is no state are refused, and the engine goes on")
  func refused() throws {
    let file = try temporaryFile()
    let first = try EngineSession(TestPacks.chat, context: 512)
    _ = try first.generate(.raw(Self.prompt, tokens: 2))
    try first.call("saveState", TokensRequest([]), files: [file.fileDescriptor])

    let other = try EngineSession(TestPacks.chat, context: 512) { $0.kvType = .q8 }
    #expect(throws: EngineError.self) {
      try other.call("loadState", TokensRequest([]), files: [file.fileDescriptor])
    }

    let size = try file.seekToEnd()
    let reader = try EngineSession(TestPacks.chat, context: 512)
    for offset in [0, 9, 20, 30, 200, size / 2, size - 1] {
      try file.seek(toOffset: offset)
      let byte = try #require(try file.read(upToCount: 1))
      try file.seek(toOffset: offset)
      try file.write(contentsOf: [byte[0] ^ 0x55])
      #expect(throws: EngineError.self) {
        try reader.call("loadState", TokensRequest([]), files: [file.fileDescriptor])
      }
      try file.seek(toOffset: offset)
      try file.write(contentsOf: byte)
    }
    for length in [size - 1, size / 2, 47, 0] {
      try file.truncate(atOffset: length)
      #expect(throws: EngineError.self) {
        try reader.call("loadState", TokensRequest([]), files: [file.fileDescriptor])
      }
    }
    #expect(try !reader.generate(.raw("Hello", tokens: 3)).text.isEmpty)
  }
}

extension Sink {
  fileprivate func decoded(_ type: [Int].Type, first: Bool) throws -> Int { try decoded(Int.self).first ?? -1 }
}
