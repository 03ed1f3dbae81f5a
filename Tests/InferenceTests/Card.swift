import Core
import Foundation
import Inference
import Safety
import TestSupport
import Testing
import Workers

/// The graphics card that tests use: Mesa's driver that computes on the processor, where it and the engine's part for cards are here.
enum Card {
  private static let driver = [
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
  ].first { FileManager.default.fileExists(atPath: $0) }

  /// Workers that see this card alone.
  static func host(_ more: [String: String] = [:]) -> WorkerHost {
    .processes(
      environment: [GraphicsCard.variable: "0", "VK_ICD_FILENAMES": driver ?? "/nonexistent"].merging(more) { $1 })
  }

  /// Why it is not here; nil where it is.
  static func absence() async throws -> String? {
    let worker = try await host().start(.chat, seal: SealSpecification(.gpuEngine))
    let answer = try await worker.ask("card", "", for: CardAnswer.self)
    await worker.stop()
    if case .none(let reason) = answer { return reason }
    return nil
  }

  /// A card that is taken away with the submission of work of this number: Tests/Shims/lostcard.c in the place of Vulkan's own library.
  struct Lost {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "libera-lost-card-\(UUID().uuidString)")
      try Folders.make(folder)
      let name = "libvulkan.so.1"
      let real = try #require(Lost.library(name))
      let stub = folder.appending(path: "stub.so")
      try Shim.build(stub, ["-x", "c", "-Wl,-soname,\(real)", "/dev/null"])
      try Shim.build(
        folder.appending(path: name), ["-Wl,--no-as-needed", Shim.source("lostcard.c").path, stub.path])
    }

    func environment(after submissions: Int) -> [String: String] {
      ["LD_LIBRARY_PATH": folder.path, "LIBERA_TEST_LOST_AFTER": "\(submissions)"]
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    private static func library(_ name: String) -> String? {
      ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"].map { "\($0)/\(name)" }
        .first { FileManager.default.fileExists(atPath: $0) }
    }
  }
}

extension Trait where Self == ConditionTrait {
  static var needsCard: Self {
    .enabled("no part for graphics cards (LIBERA_GPU=vulkan ./libera setup) or no driver (mesa-vulkan-drivers)") {
      try await Card.absence() == nil
    }
  }
}
