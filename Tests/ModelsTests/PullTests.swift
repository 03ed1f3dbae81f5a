import Core
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("Pulling a pack")
struct PullTests {
  let sandbox: Sandbox
  let server: PackServer
  let data = Sandbox.noise(300_000)

  init() throws {
    sandbox = try Sandbox()
    server = try PackServer(sandbox.folder.appending(path: "served"))
    try server.serve(data)
  }

  private func store(_ urls: [String], version: Int = 1, data: Data? = nil) throws -> PackStore {
    let data = data ?? self.data
    let sources = urls.enumerated().map { index, url in
      Sandbox.source(data, [Sandbox.part(url: url, data)], name: "source \(index)")
    }
    return try PackStore(
      folder: sandbox.folder.appending(path: "packs"),
      catalogue: Catalogue(packs: [Sandbox.pack(version: version, data: data, sources: sources)]))
  }

  private func expectInstalled(_ store: PackStore, _ data: Data? = nil) throws {
    #expect(try Data(contentsOf: store.weights(of: "tiny")) == data ?? self.data)
    #expect(try store.status(of: "tiny").verified)
    #expect(!Disk.exists(store.staging.appending(path: "tiny")))
  }

  private func expectNothing(_ store: PackStore) throws {
    #expect(try store.record(of: "tiny") == nil)
    #expect(!Disk.exists(store.home(of: "tiny")))
  }

  @Test("A pull fetches, verifies and installs, and a second one has nothing to do")
  func pulls() async throws {
    let store = try store([server.url("good")])
    let events = try await store.pullAll("tiny")
    try expectInstalled(store)
    guard case .progress(let last)? = events.last(where: { if case .progress = $0 { true } else { false } }) else {
      Issue.record("no progress was told")
      return
    }
    #expect((last.done, last.total) == (300_000, 300_000))
    _ = try await store.pullAll("tiny")
    #expect(try server.requests().count == 1)
  }

  @Test("A newer version in the catalogue takes the old one's place, and only once all of it is right")
  func upgrades() async throws {
    _ = try await store([server.url("good")]).pullAll("tiny")
    let newer = Sandbox.noise(200_000, seed: 2)
    try server.serve(newer)

    let broken = try store([server.url("cut", "1000")], version: 2, data: newer)
    #expect(try broken.list().filter(\.upgradable).map(\.pack.version) == [2])
    await #expect(throws: (any Error).self) { try await broken.pullAll("tiny", attempts: 2) }
    #expect(try Data(contentsOf: broken.weights(of: "tiny")) == data)

    let store = try store([server.url("good")], version: 2, data: newer)
    _ = try await store.pullAll("tiny")
    try expectInstalled(store, newer)
    #expect(try store.record(of: "tiny")?.pack.version == 2)
    #expect(try !store.list().contains { $0.upgradable })
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.home(of: "tiny").path).count == 2)
  }

  @Test("A transfer that breaks off goes on where it was", arguments: [1, 9_999, 65_536, 150_000, 299_999])
  func resumes(at count: Int) async throws {
    let store = try store([server.url("cut", "\(count)")])
    let attempts = 300_000 / count + 2
    if attempts < 100 {
      _ = try await store.pullAll("tiny", attempts: attempts)
      try expectInstalled(store)
    } else {
      await #expect(throws: (any Error).self) { try await store.pullAll("tiny", attempts: 3) }
      try expectNothing(store)
    }
    let requests = try server.requests()
    #expect(requests[1].contains(#"bytes=\#(count)- "one""#))
  }

  @Test("A pull that was stopped half-way is continued by the next one, not begun again")
  func continued() async throws {
    let first = try store([server.url("cut", "120000")])
    await #expect(throws: (any Error).self) { try await first.pullAll("tiny", attempts: 1) }
    try expectNothing(first)
    let second = try store([server.url("good")])
    _ = try await second.pullAll("tiny")
    try expectInstalled(second)
    #expect(try server.requests().last?.contains("bytes=120000-") == true)
  }

  @Test("A consumer that goes away stops the transfer")
  func cancelled() async throws {
    let store = try store([server.url("stall", "100000")])
    for try await event in store.pull("tiny", call: inProcess, convert: converting) {
      if case .progress = event { break }
    }
    try expectNothing(store)
    // The lock is free again once the work has ended.
    while try PackLock.free("tiny", in: store.staging)?.release() == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    _ = try await store.pullAll("tiny")
    try expectInstalled(store)
  }

  @Test(
    "Servers that ignore ranges, change the file, answer with another range or give nothing to compare by: never glued",
    arguments: ["deaf", "swapped", "mixed", "bare", "shifted"])
  func awkward(behaviour: String) async throws {
    let store = try store([server.url(behaviour, "100000"), server.url("good")])
    _ = try await store.pullAll("tiny", attempts: 4)
    try expectInstalled(store)
    if behaviour != "shifted" { #expect(try store.record(of: "tiny")?.source == "source 0") }
  }

  @Test(
    "Servers that announce a wrong length or never end are left for the next source",
    arguments: [("announce", "-5"), ("announce", "5"), ("endless", "0"), ("squeezed", "0"), ("status", "404")])
  func liars(behaviour: String, argument: String) async throws {
    let alone = try store([server.url(behaviour, argument)])
    await #expect(throws: (any Error).self) { try await alone.pullAll("tiny") }
    try expectNothing(alone)
    let both = try store([server.url(behaviour, argument), server.url("good")])
    let events = try await both.pullAll("tiny")
    try expectInstalled(both)
    #expect(events.contains { if case .sourceFailed(name: "source 0", _) = $0 { true } else { false } })
  }

  @Test(
    "A server that stalls, or goes on with a few bytes a second, is given up on and asked again",
    arguments: ["stall", "trickle"])
  func stalls(behaviour: String) async throws {
    let store = try store([server.url(behaviour, "50000")])
    let events = try await store.pullAll("tiny", patience: 1)
    try expectInstalled(store)
    #expect(events.contains { if case .retrying = $0 { true } else { false } })
  }

  @Test("A host that cannot be reached is left for the next source at once")
  func unreachable() async throws {
    let store = try store(["http://127.0.0.1:1/good/0/weights", server.url("good")])
    let events = try await store.pullAll("tiny")
    try expectInstalled(store)
    #expect(!events.contains { if case .retrying = $0 { true } else { false } })
  }

  @Test("A server that is busy is asked again after a pause")
  func busy() async throws {
    let store = try store([server.url("busy", "2")])
    let events = try await store.pullAll("tiny", attempts: 3)
    try expectInstalled(store)
    #expect(events.filter { if case .retrying = $0 { true } else { false } }.count == 2)
  }

  @Test("A wrong file is quarantined, nothing is installed, and what was installed before stays")
  func wrongHash() async throws {
    let store = try store([server.url("good")])
    _ = try await store.pullAll("tiny")
    let newer = Sandbox.noise(300_000, seed: 9)
    var pack = Sandbox.pack(version: 2, data: newer)
    pack.sources = [Sandbox.source(newer, [Sandbox.part(url: server.url("good"), newer)])]
    let next = try PackStore(folder: store.folder, catalogue: Catalogue(packs: [pack]))
    #expect(try next.status(of: "tiny").upgradable)
    await #expect { try await next.pullAll("tiny") } throws: { RemoteError($0).code == "hash_mismatch" }
    #expect(try Data(contentsOf: next.weights(of: "tiny")) == data)
    let kept = try FileManager.default.contentsOfDirectory(atPath: next.quarantine.path)
    #expect(kept.count == 1)
    try server.serve(newer)
    _ = try await next.pullAll("tiny")
    try expectInstalled(next, newer)
    #expect(try FileManager.default.contentsOfDirectory(atPath: next.home(of: "tiny").path).count == 2)
  }

  @Test("Redirects are followed, but not in circles, not to unencrypted hosts and not to other servers of this machine")
  func redirects() async throws {
    let good = try store([server.url("elsewhere", "good")])
    _ = try await good.pullAll("tiny")
    try expectInstalled(good)
    try good.remove("tiny")
    let other = try PackServer(sandbox.folder.appending(path: "other"))
    let neighbour = try #require(URL(string: other.url("good"))?.port)
    for (behaviour, argument, code) in [
      ("circle", "0", "too_many_redirects"), ("away", "0", "insecure_address"),
      ("beside", "\(neighbour)", "insecure_address"),
    ] {
      let bad = try store([server.url(behaviour, argument)])
      await #expect { try await bad.pullAll("tiny") } throws: { RemoteError($0).code == code }
      try expectNothing(bad)
    }
  }

  @Test("A link that stands where the parts of a pack are joined is not followed")
  func joinedLink() async throws {
    let whole = data + data
    let part = Sandbox.part(url: server.url("good"), data)
    let pack = Sandbox.pack(data: whole, sources: [Sandbox.source(whole, [part, part])])
    let store = try PackStore(
      folder: sandbox.folder.appending(path: "packs"), catalogue: Catalogue(packs: [pack]))
    let vault = try sandbox.file("vault", data)
    let joined = store.staging.appending(path: "tiny/weights.joined")
    try Folders.make(joined.deletingLastPathComponent())
    try FileManager.default.createSymbolicLink(at: joined, withDestinationURL: vault)
    await #expect(throws: (any Error).self) { try await store.pullAll("tiny") }
    #expect(try Data(contentsOf: vault) == data)
    try FileManager.default.removeItem(at: joined)
    _ = try await store.pullAll("tiny")
    try expectInstalled(store, whole)
  }

  @Test(
    "A server that never ends its head, or the body of a refusal or redirection, is given up",
    arguments: [("babble", "404"), ("babble", "302"), ("babble", "416"), ("titles", "0")])
  func endlessRefusals(behaviour: String, argument: String) async throws {
    let store = try store([server.url(behaviour, argument)])
    await #expect { try await store.pullAll("tiny") } throws: { RemoteError($0).code == "no_source_worked" }
    try expectNothing(store)
  }

  @Test(
    "Only https, and http to this machine, is spoken",
    arguments: [
      "http://example.invalid/f", "ftp://127.0.0.1/f", "file:///etc/passwd", "http://127.0.0.1.example.invalid/f",
      "nonsense",
      "http://127.0.0.1@example.invalid/f",
    ])
  func insecure(url: String) async throws {
    let store = try store([url])
    await #expect { try await store.pullAll("tiny") } throws: { RemoteError($0).code == "insecure_address" }
  }

  @Test("A fetch worker goes where its catalogue says, whoever asks for more")
  func bounds() async throws {
    let pack = Sandbox.pack(data: data, sources: [Sandbox.source(data, [Sandbox.part(url: server.url("good"), data)])])
    let bounds = FetchBounds(try Catalogue(packs: [pack]))
    let call = fetching(within: bounds)
    func refused(_ operation: String, _ body: some Encodable) async {
      #expect(await errorCode { for try await _ in call(operation, try JSON.encode(body)) {} } == "not_in_catalogue")
    }
    let part = sandbox.folder.appending(path: "part").path
    let elsewhere = server.url("good") + "?words=of+the+person"
    await refused("download", DownloadRequest(url: elsewhere, to: part, bytes: 1))
    await refused("published", PublishedRequest(url: elsewhere))
    let strange = Sandbox.part(url: elsewhere, data)
    await refused("reach", ReachRequest(part: strange))
    var package = DownloadRequest(to: part, bytes: 1)
    package.package = .init(name: "words-of-the-person", version: "1", file: "x")
    await refused("download", package)
    #expect(try server.requests().isEmpty)
    for try await _ in call(
      "download", try JSON.encode(DownloadRequest(url: server.url("good"), to: part, bytes: 300_000)))
    {}
    #expect(try Data(contentsOf: URL(filePath: part)) == data)
  }

  @Test(
    "A full disk is an error with numbers, and nothing is installed",
    .enabled(if: geteuid() == 0, "needs root, to mount a small disk"))
  func fullDisk() async throws {
    let mount = sandbox.folder.appending(path: "small")
    try FileManager.default.createDirectory(at: mount, withIntermediateDirectories: true)
    try #require(Sandbox.run("mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", mount.path) == 0)
    defer { #expect(Sandbox.run("umount", mount.path) == 0) }
    let pack = Sandbox.pack(data: data, sources: [Sandbox.source(data, [Sandbox.part(url: server.url("good"), data)])])
    let store = try PackStore(folder: mount, catalogue: Catalogue(packs: [pack]))
    await #expect { try await store.pullAll("tiny") } throws: { RemoteError($0).code == "not_enough_space" }
    #expect(try server.requests().isEmpty, "the disk is looked at before the first byte")
    // The disk fills while the file comes.
    let part = mount.appending(path: "part")
    let request = DownloadRequest(url: server.url("good"), to: part.path, bytes: Int64(data.count))
    #expect(
      await errorCode { for try await _ in inProcess("download", try JSON.encode(request)) {} } == "not_enough_space")
  }

  @Test("A pack whose hash the publisher states is fetched by it, and says where the hash is from")
  func published() async throws {
    var pack = Sandbox.pack(data: data)
    (pack.sha256, pack.hash) = (nil, .publisher)
    for (hash, works) in [(SHA256.of(data), true), (SHA256.of(Data()), false), ("none", false)] {
      let part = Pack.Part(url: server.url("published", hash), package: nil, member: nil, bytes: 300_000, sha256: nil)
      pack.sources = [
        .init(name: "hub", files: [.init(name: "weights", bytes: 300_000, sha256: nil, parts: [part])], convert: nil)
      ]
      let store = try PackStore(
        folder: sandbox.folder.appending(path: "packs-\(hash.prefix(4))"), catalogue: Catalogue(packs: [pack]))
      if works {
        _ = try await store.pullAll("tiny")
        #expect(try store.status(of: "tiny").sha256 == hash)
        #expect(try store.record(of: "tiny")?.pack.hash == .publisher)
      } else {
        await #expect(throws: (any Error).self) { try await store.pullAll("tiny") }
        try expectNothing(store)
      }
    }
  }
}
