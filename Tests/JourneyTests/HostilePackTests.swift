import Foundation
import Testing

@Suite("Hostile model files", .enabled(if: Program.preparedPacks != nil, Program.needsPacks))
struct HostilePackTests {
  enum Attack: String, CaseIterable {
    case empty, random, magicThenRandom, endlessTensors, endlessEntries, endlessText, cutInHeader, cutInWeights

    func data(from real: Data) -> Data {
      func header(tensors: UInt64, entries: UInt64) -> Data {
        var data = Data("GGUF".utf8)
        withUnsafeBytes(of: UInt32(3).littleEndian) { data.append(contentsOf: $0) }
        for count in [tensors, entries] { withUnsafeBytes(of: count.littleEndian) { data.append(contentsOf: $0) } }
        return data
      }
      let noise = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
      return switch self {
      case .empty: Data()
      case .random: noise
      case .magicThenRandom: Data("GGUF".utf8) + noise
      case .endlessTensors: header(tensors: .max, entries: 0) + noise
      case .endlessEntries: header(tensors: 1, entries: 1 << 62) + noise
      case .endlessText: header(tensors: 0, entries: 1) + Data(repeating: 0xFF, count: 64)
      case .cutInHeader: real.prefix(100_000)
      case .cutInWeights: real.prefix(real.count / 2)
      }
    }
  }

  @Test("A file that is no sound model is refused with its reason and leaves nothing", arguments: Attack.allCases)
  func refused(attack: Attack) async throws {
    let program = try Program()
    let packs = try #require(Program.preparedPacks).appending(path: "smollm2-135m-instruct-q4_1")
    let names = try FileManager.default.contentsOfDirectory(atPath: packs.path)
    let weights = try #require(names.filter { $0.hasSuffix(".gguf") }.min { $0.count < $1.count })
    let real = try Data(contentsOf: packs.appending(path: weights), options: .alwaysMapped)
    let file = program.home.appending(path: "model.gguf")
    try attack.data(from: real).write(to: file)

    let outcome = try await program.run("packs", "import", file.path, "--json")
    #expect(outcome.status == 4, "\(outcome.errors)")
    #expect(["pack_malformed", "pack_unsupported"].contains(outcome.errorCode), "\(outcome.errors)")
    let installed = try await program.run("packs", "list", "--json")
    #expect(try installed.objects.allSatisfy { $0["installed"] is NSNull })
    let left = try FileManager.default.subpathsOfDirectory(atPath: program.home.appending(path: "packs").path)
    #expect(left.filter { !$0.hasSuffix(".lock") } == [".staging"], "\(left)")
  }

  @Test("Weights that are noise behind a sound header cost an answer at most, never the program")
  func noiseInWeights() async throws {
    let program = try Program()
    let packs = try #require(Program.preparedPacks).appending(path: "smollm2-135m-instruct-q4_1")
    let names = try FileManager.default.contentsOfDirectory(atPath: packs.path)
    let weights = try #require(names.filter { $0.hasSuffix(".gguf") }.min { $0.count < $1.count })
    var data = try Data(contentsOf: packs.appending(path: weights))
    for place in stride(from: data.count / 2, to: data.count, by: 7) { data[place] = 0xFF }
    let file = program.home.appending(path: "noise.gguf")
    try data.write(to: file)
    #expect(try await program.run("packs", "import", file.path).status == 0)
    let list = try await program.run("packs", "list", "--json")
    let own = try #require(try list.objects.first { ($0["id"] as? String)?.hasPrefix("noise-") == true })
    let smoke = try await program.run("packs", "smoke", try #require(own["id"] as? String))
    #expect([0, 1, 4, 5].contains(smoke.status))
    #expect(try await program.run("packs", "remove", try #require(own["id"] as? String)).status == 0)
  }
}
