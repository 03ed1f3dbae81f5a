import Core
import Foundation
import TestSupport
import Testing
import Workers

@testable import FetchEngine
@testable import Models

@Suite("Model files of the hub")
struct HubTests {
  static let revision = String(repeating: "a1", count: 20)
  private let sandbox: Sandbox
  private let server: PackServer
  private let weights = GGUFWriter.sound()

  init() throws {
    sandbox = try Sandbox()
    server = try PackServer(sandbox.folder.appending(path: "served"))
  }

  /// What a hub answers for a repository with these files.
  static func answer(_ files: [(name: String, data: Data)], licence: String? = "mit") throws -> Data {
    let siblings: [[String: Any]] =
      files.map { ["rfilename": $0.name, "lfs": ["sha256": SHA256.of($0.data), "size": $0.data.count]] }
      + [["rfilename": "README.md", "size": 20]]
    var answer: [String: Any] = ["sha": revision, "siblings": siblings]
    if let licence { answer["cardData"] = ["license": licence] }
    return try JSONSerialization.data(withJSONObject: answer)
  }

  /// A listing of files that are no more than their names.
  private func listing(_ names: [String]) throws -> HubListing {
    try HubListing(Self.answer(names.map { ($0, Data($0.utf8)) }), repository: "a/b", hub: "https://hub.example")
  }

  private func store() throws -> PackStore {
    try PackStore(folder: sandbox.folder.appending(path: "packs"), catalogue: Catalogue(packs: []))
  }

  /// "good" is what the server does with all that is asked of it.
  private func publish(_ file: String, _ weights: Data? = nil, says: Data? = nil) throws {
    let weights = weights ?? self.weights
    let folder = server.folder.appending(path: "resolve/\(Self.revision)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try weights.write(to: folder.appending(path: file))
    try server.serve(says ?? Self.answer([(file, weights)]), as: "listing.json")
  }

  private func pull(_ name: String, into store: PackStore, within bounds: FetchBounds? = nil) async throws
    -> PackStatus?
  {
    let reference = try #require(HubReference(name))
    var installed: PackStatus?
    let call = fetching(with: FetchEngine(bounds, hub: server.address, index: ""))
    for try await event in store.pull(reference, call: call, pauses: []) {
      if case .installed(let status) = event { installed = status }
    }
    return installed
  }

  @Test(
    "A repository is named by its owner, and what is wanted of it behind a colon",
    arguments: [
      ("hf:a/b", "a/b", nil), ("hf:bartowski/Qwen3-4B-GGUF:Q4_K_M", "bartowski/Qwen3-4B-GGUF", "Q4_K_M"),
      ("hf:a/b:sub/c-Q8_0.gguf", "a/b", "sub/c-Q8_0.gguf"), ("a/b", "", nil), ("hf:a", "", nil), ("hf:a/b/c", "", nil),
      ("hf:../b", "", nil), ("hf:a/..", "", nil), ("hf:a/b?x", "", nil), ("hf:a/b:", "", nil), ("hf:a /b", "", nil),
      ("hf:https://a/b", "", nil),
    ] as [(String, String, String?)])
  func names(text: String, repository: String, wanted: String?) {
    let found = HubReference(text)
    #expect((found?.repository ?? "", found?.wanted) == (repository, wanted))
  }

  @Test(
    "The file is the one that is named, laid out as asked, or small and still good",
    arguments: [
      (nil, ["m-Q2_K.gguf", "m-Q8_0.gguf", "m-Q4_K_M.gguf"], "m-Q4_K_M.gguf"),
      (nil, ["m.q8_0.gguf", "m.bf16.gguf"], "m.q8_0.gguf"), (nil, ["only.gguf"], "only.gguf"),
      (nil, ["mmproj-F16.gguf", "m-IQ3_XS.gguf"], "m-IQ3_XS.gguf"),
      (nil, ["lora-F16.gguf", "flora-IQ3_XS.gguf"], "flora-IQ3_XS.gguf"),
      ("f16", ["m-BF16.gguf", "m-F16.gguf"], "m-F16.gguf"), ("Q4_K_M", ["sub/m-q4_k_m.gguf"], "sub/m-q4_k_m.gguf"),
      ("mmproj-F16.gguf", ["mmproj-F16.gguf", "m.gguf"], "mmproj-F16.gguf"),
      (nil, ["m-Q4_K_M-00001-of-00002.gguf", "m-Q8_0.gguf"], "m-Q8_0.gguf"),
      (nil, ["m-IQ1_S.gguf", "m-IQ2_S.gguf"], nil), ("Q6_K", ["m-Q4_K_M.gguf"], nil), (nil, [], nil),
      (nil, ["m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf"], nil),
      ("m-Q8_0-00001-of-00002.gguf", ["m-Q8_0-00001-of-00002.gguf"], nil),
    ] as [(String?, [String], String?)])
  func choice(wanted: String?, names: [String], chosen: String?) throws {
    let reference = try #require(HubReference("hf:a/b" + (wanted.map { ":" + $0 } ?? "")))
    let listing = try listing(names)
    if let chosen {
      #expect(try listing.file(reference).name == chosen)
    } else {
      #expect(throws: PackError.self) { try listing.file(reference) }
    }
  }

  @Test("A file is fetched at the revision that was listed, described by its header, and not fetched twice")
  func pulled() async throws {
    try publish("Tiny Model-Q4_K_M.gguf")
    let store = try store()
    let status = try #require(await pull("hf:good/tiny", into: store))
    #expect(status.pack.id == "tiny-model-q4_k_m-\(SHA256.of(weights).prefix(8))")
    #expect((status.pack.name, status.pack.licence, status.pack.context) == ("Test model", "mit", 4096))
    #expect((status.pack.kind, status.pack.hash, status.verified) == (.chat, .publisher, true))
    #expect(try Data(contentsOf: store.weights(of: status.pack.id)) == weights)
    #expect(
      try server.requests().contains { $0.contains("/good/tiny/resolve/\(Self.revision)/Tiny%20Model-Q4_K_M.gguf") })
    _ = try await pull("hf:good/tiny:Q4_K_M", into: store)
    #expect(try server.requests().filter { $0.contains("resolve") }.count == 1)
  }

  @Test("A file that is not what the hub announced is not installed, nor is one that is no model")
  func wrong() async throws {
    let store = try store()
    var other = weights
    other[other.count - 1] ^= 1
    try publish("m.gguf", says: Self.answer([("m.gguf", other)]))
    #expect(await errorCode { _ = try await pull("hf:good/tiny", into: store) } == "hash_mismatch")
    let noise = Sandbox.noise(5000)
    try publish("n.gguf", says: Self.answer([("n.gguf", noise)]))
    try noise.write(to: server.folder.appending(path: "resolve/\(Self.revision)/n.gguf"))
    #expect(await errorCode { _ = try await pull("hf:good/tiny", into: store) } == "pack_malformed")
    #expect(try store.installed().isEmpty)
  }

  @Test("Only repositories that a terminal has named are asked for, and only files that they list are fetched")
  func bounds() async throws {
    try publish("m.gguf")
    let none = FetchBounds(try Catalogue(packs: []))
    #expect(await errorCode { _ = try await pull("hf:good/tiny", into: store(), within: none) } == "repository_refused")
    #expect(try server.requests().isEmpty)
    let named = FetchBounds(try Catalogue(packs: []), repositories: ["good/tiny"])
    #expect(try await pull("hf:good/tiny", into: store(), within: named) != nil)
    let call = fetching(with: FetchEngine(named, hub: server.address, index: ""))
    let elsewhere = DownloadRequest(
      url: "\(server.address)/good/tiny/resolve/\(Self.revision)/words.gguf",
      to: sandbox.folder.appending(path: "x").path, bytes: 5)
    #expect(
      await errorCode {
        for try await _ in call("listing", try JSON.encode(ListingRequest(repository: "good/tiny"))) {}
        for try await _ in call("download", try JSON.encode(elsewhere)) {}
      } == "not_in_catalogue")
  }

  @Test(
    "What is no hub's answer is an error",
    arguments: [
      "", "[]", "<html>", #"{"sha": "../..", "siblings": []}"#, #"{"siblings": []}"#,
      String(repeating: "[", count: 5000),
    ])
  func hostile(answer: String) async throws {
    try publish("m.gguf", says: Data(answer.utf8))
    await #expect { _ = try await pull("hf:good/tiny", into: store()) } throws: { RemoteError($0).code == "network" }
  }

  @Test("Names that lead elsewhere, sizes and hashes that are none are left out of a listing")
  func cleaned() throws {
    let good = Data("x".utf8)
    var object = try #require(
      JSONSerialization.jsonObject(with: Self.answer([("../../a.gguf", good), ("b/./c.gguf", good)])) as? [String: Any])
    var files = try #require(object["siblings"] as? [[String: Any]])
    files += [
      ["rfilename": "big.gguf", "lfs": ["sha256": SHA256.of(good), "size": -5]],
      ["rfilename": "nohash.gguf", "lfs": ["sha256": "abc", "size": 5]], ["rfilename": "plain.gguf"],
      ["rfilename": "q?x#y .gguf", "lfs": ["sha256": SHA256.of(good), "size": 5]],
      ["rfilename": "line\nbreak.gguf", "lfs": ["sha256": SHA256.of(good), "size": 5]],
      ["rfilename": "turned\u{202E}.gguf", "lfs": ["sha256": SHA256.of(good), "size": 5]],
      ["rfilename": "endless.gguf", "lfs": ["sha256": SHA256.of(good), "size": 1 << 50]],
    ]
    object["siblings"] = files
    let listing = try HubListing(
      JSONSerialization.data(withJSONObject: object), repository: "a/b", hub: "https://hub.example")
    #expect(
      listing.files.map(\.url) == ["https://hub.example/a/b/resolve/\(Self.revision)/q%3Fx%23y%20.gguf"])
  }

  @Test("What came whole and is no model is not kept")
  func malformed() async throws {
    try publish("m.gguf", Data("GGUF and nothing that follows".utf8))
    let store = try store()
    await #expect { try await pull("hf:good/tiny", into: store) } throws: {
      ["pack_malformed", "pack_unsupported"].contains(RemoteError($0).code)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: store.staging.path)
    #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
  }

  @Test("A listing of more files than a worker may tell names the first of them")
  func tooMany() throws {
    let names = (0..<9000).map { String(repeating: "é", count: 60) + "\($0).gguf" }
    let listing = try listing(names)
    #expect(listing.files.first?.name == names[0])
    #expect((500..<9000).contains(listing.files.count))
    #expect(try JSON.encode(FetchEvent.listed(listing)).count < 1 << 20)
  }
}
