import Core
import Foundation
import Testing

/// Where tests find real models: `LIBERA_TEST_PACKS`, else the cache folder. A missing model skips a test, visibly.
enum TestPacks {
  static let folder: URL = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["LIBERA_TEST_PACKS"] { return URL(filePath: named, directoryHint: .isDirectory) }
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return URL(filePath: cache, directoryHint: .isDirectory).appending(path: "libera/test-packs")
  }()

  static let chat = file("smollm2.gguf")
  static let embedder = file("minilm.gguf")

  static let hasChat = FileManager.default.fileExists(atPath: chat.path)
  static let hasEmbedder = FileManager.default.fileExists(atPath: embedder.path)

  static func file(_ name: String) -> URL { folder.appending(path: name) }
}

extension Trait where Self == ConditionTrait {
  static var needsChatPack: Self {
    .enabled(if: TestPacks.hasChat, "no chat model at \(TestPacks.chat.path)")
  }
  static var needsMends: Self {
    .enabled(if: Version.engineIsMended, "the engine is built without our patches (LIBERA_MENDS=OFF)")
  }
  static var needsEmbedder: Self {
    .enabled(if: TestPacks.hasEmbedder, "no embedding model at \(TestPacks.embedder.path)")
  }
}
