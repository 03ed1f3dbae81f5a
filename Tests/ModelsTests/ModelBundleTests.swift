import Core
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("Packs in one file, for machines that never go online")
struct ModelBundleTests {
  let sandbox: Sandbox
  let one = Sandbox.noise(20_001)
  let two = Sandbox.noise(700, seed: 2)

  init() throws { sandbox = try Sandbox() }

  private func store() throws -> PackStore {
    var store = try PackStore(
      folder: sandbox.folder.appending(path: "packs"),
      catalogue: Catalogue(packs: [Sandbox.pack("one", data: one), Sandbox.pack("two", kind: .speech, data: two)]))
    store.availableMemory = { 8 << 30 }
    return store
  }

  /// One member as tar writes it; what is given beside name and data is what a stranger might write.
  private static func member(
    _ name: String, _ data: Data, kind: String = "0", bytes: Int? = nil, prefix: String = "", sum: Int? = nil
  ) -> Data {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at place: Int) {
      header.replaceSubrange(place..<(place + text.utf8.count), with: text.utf8)
    }
    put(name, at: 0)
    put("0000644\0", at: 100)
    put(String(format: "%011o", bytes ?? data.count), at: 124)
    put(kind, at: 156)
    put("ustar\u{0}00", at: 257)
    put(prefix, at: 345)
    put("        ", at: 148)
    put(String(format: "%06o\0 ", sum ?? header.reduce(0) { $0 + Int($1) }), at: 148)
    return Data(header) + data + Data(count: (512 - data.count % 512) % 512)
  }

  private static let end = Data(count: 1024)

  private func opened(_ members: Data...) throws -> ModelBundle {
    let file = try sandbox.file("bundle.tar", members.reduce(Data(), +))
    return try store().bundle(at: file.path)
  }

  private func refused(_ members: Data..., holding words: String, _ place: SourceLocation = #_sourceLocation) throws {
    let file = try sandbox.file("bundle.tar", members.reduce(Data(), +))
    #expect(sourceLocation: place) { try store().bundle(at: file.path) } throws: {
      RemoteError($0).code == "bundle_refused" && RemoteError($0).message.contains(words)
    }
    #expect(try store().installed().isEmpty, sourceLocation: place)
  }

  @Test("Each pack of a bundle is installed and verified; what is here already is left as it is")
  func installs() async throws {
    let store = try store()
    let bundle = try opened(
      Self.member("LICENCES", Data("MIT".utf8)), Self.member("one.bin", one), Self.member("two.bin", two), Self.end)
    #expect(bundle.members.map(\.id) == ["one", "two"])
    for member in bundle.members {
      let status = try await store.install(member, of: bundle)
      #expect(status.verified && status.installed != nil)
    }
    #expect(try Data(contentsOf: store.weights(of: "one")) == one)
    #expect(try Data(contentsOf: store.weights(of: "two")) == two)
    let before = try store.record(of: "one")?.installed
    _ = try await store.install(bundle.members[0], of: bundle)
    #expect(try store.record(of: "one")?.installed == before)
  }

  @Test("A bundle that tar made is read")
  func made() async throws {
    for (name, data) in [("one.bin", one), ("two.bin", two)] { _ = try sandbox.file(name, data) }
    let file = sandbox.folder.appending(path: "made.tar").path
    #expect(
      Sandbox.run("tar", "--format=ustar", "-C", sandbox.folder.path, "-cf", file, "one.bin", "two.bin") == 0)
    #expect(try store().bundle(at: file).members.map(\.id) == ["one", "two"])
  }

  @Test("Weights of the right size and the wrong content are refused, and those before them stay")
  func changed() async throws {
    let store = try store()
    let bundle = try opened(
      Self.member("one.bin", one), Self.member("two.bin", Sandbox.noise(700, seed: 3)), Self.end)
    _ = try await store.install(bundle.members[0], of: bundle)
    #expect(await errorCode { try await store.install(bundle.members[1], of: bundle) } == "hash_mismatch")
    #expect(try store.installed().map(\.pack.id) == ["one"])
    let left = try FileManager.default.contentsOfDirectory(atPath: store.staging.path)
    #expect(left.allSatisfy { $0.hasSuffix(".lock") })
  }

  @Test(
    "Names that lead elsewhere, or to nothing the catalogue has, are refused before anything is installed",
    arguments: [
      "/etc/one.bin", "../one.bin", "packs/../../one.bin", "./one.bin", "one.gguf", "three.bin", "", ".staging",
    ])
  func names(name: String) throws {
    try refused(Self.member("two.bin", two), Self.member(name, one), Self.end, holding: "no pack")
  }

  @Test(
    "Links, folders, devices, and names that are continued elsewhere are refused",
    arguments: ["1", "2", "3", "5", "x", "L", "g", "S"])
  func kinds(kind: String) throws {
    try refused(Self.member("one.bin", Data(), kind: kind), Self.end, holding: "no plain file")
  }

  @Test("A prefix, a wrong size, a pack that stands twice, damage and a missing end are refused")
  func damaged() throws {
    let sound = Self.member("one.bin", one)
    try refused(Self.member("one.bin", one, prefix: "../../etc"), Self.end, holding: "no plain file")
    try refused(Self.member("one.bin", one + Data([1])), Self.end, holding: "20001 belong")
    try refused(Self.member("one.bin", one, bytes: 8_000_000_000), Self.end, holding: "ends within")
    try refused(Self.member("LICENCES", Data(count: 2 << 20)), Self.end, holding: "too large")
    try refused(sound, sound, Self.end, holding: "twice")
    try refused(Self.member("one.bin", one, sum: 1), Self.end, holding: "no tar file")
    try refused(sound, holding: "no end")
    try refused(Data(sound.prefix(9_000)), holding: "ends within")
    try refused(Self.end, holding: "no pack in it")
    try refused(Sandbox.noise(4096), holding: "no tar file")
  }
}
