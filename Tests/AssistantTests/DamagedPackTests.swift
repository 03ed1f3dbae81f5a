import Core
import Foundation
import Inference
import Models
import Resources
import TestSupport
import Testing

@testable import Assistant

/// Real packs in a house of their own; one byte of them is then another.
@Suite("A pack whose file was changed after it was installed")
struct DamagedPackTests {
  @Test("writes no answer", .enabled(if: Packs.areThere, Packs.needed))
  func chat() async throws {
    let open = try OpenHouse()
    let id = "smollm2-135m-instruct-q4_1"
    try await open.house.packs.install(id, from: Packs.file("smollm2.gguf"))
    var request = GenerateRequest(.raw([.trusted("The capital of France is")]))
    request.maximumTokens = 2
    func ask() async throws { for try await _ in Completions(open.house).generate(request, model: id) {} }
    try await ask()
    // Under the eyes of the worker that has it loaded.
    try Packs.flip(open.house.packs.weights(of: id))
    await #expect { try await ask() } throws: { RemoteError($0).code == "pack_damaged" }
    #expect(await !open.house.governor.isLoaded(id))
    await #expect { try await ask() } throws: { RemoteError($0).code == "pack_damaged" }
    await open.house.close()
  }

  @Test(
    "makes no vectors, and a verification that fails ends the worker that has it",
    .enabled(if: Packs.areThere, Packs.needed))
  func embed() async throws {
    let open = try OpenHouse()
    let id = "all-minilm-l6-v2-f16"
    try await open.house.packs.install(id, from: Packs.file("minilm.gguf"))
    #expect(try await Completions(open.house).embed(.texts(["one"]), model: id, long: .fails).vectors.count == 1)
    try Packs.flip(open.house.packs.weights(of: id))
    #expect(await errorCode { try await open.all(VerifyPack.self, PackInput(id: id)) } == "pack_damaged")
    #expect(await !open.house.governor.isLoaded(id))
    #expect(
      await errorCode { try await Completions(open.house).embed(.texts(["one"]), model: id, long: .fails) }
        == "pack_damaged")
    await open.house.close()
  }

  @Test("hears nothing", .enabled(if: Packs.areThere, Packs.needed))
  func speech() async throws {
    let open = try OpenHouse()
    try await open.house.packs.install("whisper-base-q8_0", from: Packs.file("whisper-base.bin"))
    try await open.house.packs.install("silero-vad-6.2.0", from: Packs.file("silero.bin"))
    try await open.house.listener.speaking { _ in }
    try Packs.flip(open.house.packs.weights(of: "silero-vad-6.2.0"))
    #expect(await errorCode { try await open.house.listener.speaking { _ in } } == "pack_damaged")
    #expect(await !open.house.governor.isLoaded("whisper-base-q8_0"))
    await open.house.close()
  }
}

private enum Packs {
  static var areThere: Bool {
    ["smollm2.gguf", "minilm.gguf", "whisper-base.bin", "silero.bin"].allSatisfy {
      FileManager.default.fileExists(atPath: file($0).path)
    }
  }
  static let needed: Comment = "the default packs are not prepared; ./libera test does that"

  static func file(_ name: String) -> URL { Prepared.folder.appending(path: name) }

  /// Changes one byte in the middle, in place, and sets the file's time back.
  static func flip(_ file: URL) throws {
    var before = stat()
    try #require(stat(file.path, &before) == 0)
    let handle = try FileHandle(forUpdating: file)
    let place = UInt64(before.st_size) / 2
    try handle.seek(toOffset: place)
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: place)
    try handle.write(contentsOf: [byte ^ 1])
    try handle.close()
    try #require(utimensat(AT_FDCWD, file.path, [before.st_atim, before.st_mtim], 0) == 0)
  }
}
