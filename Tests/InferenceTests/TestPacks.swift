import Core
import Foundation
import TestSupport
import Testing

/// Real models. A missing one skips a test, visibly.
enum TestPacks {
  static let chat = file("smollm2.gguf")
  static let embedder = file("minilm.gguf")
  static let sentences = file("use.gguf")

  static let hasChat = FileManager.default.fileExists(atPath: chat.path)
  static let hasEmbedder = FileManager.default.fileExists(atPath: embedder.path)
  static let hasSentences = FileManager.default.fileExists(atPath: sentences.path)

  static func file(_ name: String) -> URL { Prepared.folder.appending(path: name) }
}

extension Trait where Self == ConditionTrait {
  static var needsChatPack: Self {
    .enabled(if: TestPacks.hasChat, "no chat model at \(TestPacks.chat.path)")
  }
  static var needsMends: Self {
    .enabled(if: Version.engineIsMended, "the engine is built without our patches (LIBERA_MENDS=OFF)")
  }
  static var needsSentences: Self {
    .enabled(if: TestPacks.hasSentences, "no encoder of many languages at \(TestPacks.sentences.path)")
  }
  static var needsEmbedder: Self {
    .enabled(if: TestPacks.hasEmbedder, "no embedding model at \(TestPacks.embedder.path)")
  }
}
