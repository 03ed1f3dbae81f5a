import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp

/// The way from a home without models to one that has them, without a connection of the app's own.
@Suite(
  "Getting a model, walked", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
@MainActor
struct ModelLinkTests {
  private static let id = "smollm2-135m-instruct-q4_1"

  /// The weights of an installed pack.
  private func weights() throws -> URL {
    let folder = try #require(KitHome.preparedPacks).appending(path: Self.id)
    let name = try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("weights-") }
    return folder.appending(path: try #require(name))
  }

  @Test("The browser is asked for the model's address; its file becomes the pack by its bytes, whatever it is called")
  func get() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let asked = Mutex([URL]())
      let visit = Visit(libera)
      let stage = visit.stage
      stage.change {
        $0.openURL = OpenURLAction { url in
          asked.withLock { $0.append(url) }
          return .handled
        }
      }
      try await visit.until("first.next")
      try stage.tap("first.next")
      try await visit.until("pack.get.\(Self.id)")
      visit.check("models that can be got")
      try stage.tap("pack.get.\(Self.id)")
      let urls = asked.withLock { $0 }
      let address = try #require(urls.first)
      #expect(urls.count == 1 && address.scheme == "https" && address.pathExtension == "gguf")

      let file = home.base.appending(path: "download (2)")
      try FileManager.default.linkItem(at: weights(), to: file)
      try stage.tap("packs.add")
      try stage.give([file])
      try await visit.until("pack.verify.\(Self.id)")
      visit.check("a model that was got")
      #expect(!stage.has("pack.get.\(Self.id)"))
      #expect(try stage.find("first.chatModel").words == stage.words(.hasChatModel))
      #expect(try stage.find("pack.\(Self.id)").spoken.contains(stage.words(.hereVerified)))
      #expect(FileManager.default.fileExists(atPath: file.path), "the person's own file stays")
      stage.leave()
    }
  }

  @Test("A pack has an address only where one whole file is checked by a hash, and what does not fit offers none")
  func addresses() async throws {
    try await KitHome(withPacks: false).during { libera in
      let packs = try await libera.packs.list()
      func address(_ id: String) -> URL? { packs.first { $0.id == id }?.address }
      #expect(address("bge-small-en-v1.5-q8_0")?.host() == "huggingface.co")
      #expect(address("whisper-small-f16") != nil && address("silero-vad-6.2.0") != nil)
      #expect(address("whisper-base-q8_0") == nil, "it is converted from several files")
      #expect(address("gemma-2-2b-it-q5_k_m") == nil, "its hash is not known here")
      var pack = try #require(packs.first { $0.address != nil })
      pack.fits = false
      let row = Stage(PackRow(pack: pack, screen: PacksScreen(libera), tryOut: {}, remove: {}))
      #expect(!row.has("pack.get.\(pack.id)"))
    }
  }
}
