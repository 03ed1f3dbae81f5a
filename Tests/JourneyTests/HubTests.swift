import Core
import Foundation
import Models
import TestSupport
import Testing

/// The weights of the small pack, whatever the catalogue calls them.
private let published = Prepared.weights("smollm2.gguf")

@Suite("Models of the hub", .enabled(if: published != nil, "no published weights in LIBERA_TEST_PACKS"))
struct HubJourney {
  @Test("One that is named in a terminal is fetched, described by its header and answers; only a terminal can name one")
  func fetched() async throws {
    var program = try Program()
    let server = try PackServer(program.home.appending(path: "served"))
    program.environment["HF_ENDPOINT"] = server.address + "/"
    let weights = try #require(published)
    let (bytes, hash) = (try #require(Disk.size(weights)), try await SHA256.of(file: weights))
    let revision = String(repeating: "b2", count: 20)
    let folder = server.folder.appending(path: "resolve/\(revision)")
    try Folders.make(folder)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "Small-Q4_1.gguf"), withDestinationURL: weights)
    let file: [String: Any] = ["rfilename": "Small-Q4_1.gguf", "lfs": ["sha256": hash, "size": bytes]]
    try JSONSerialization.data(withJSONObject: ["sha": revision, "siblings": [file]])
      .write(to: server.folder.appending(path: "listing.json"))

    let pull = try await program.run("packs", "pull", "hf:good/small", "--json")
    #expect(pull.status == 0, "\(pull.errors)")
    let id = "small-q4_1-\(hash.prefix(8))"
    let smoke = try await program.run("packs", "smoke", id)
    #expect(smoke.status == 0 && smoke.output.contains("Paris"), "\(smoke.output)\(smoke.errors)")
    #expect(try await program.run("settings", "get", "repositories").output.contains("good/small"))

    // What a terminal takes back is asked for no more.
    #expect(try await program.run("packs", "remove", id).status == 0)
    let asked = try server.requests().count
    let malformed = try await program.run("packs", "pull", "hf:good", "--json")
    #expect(malformed.status == 2, "\(malformed.errors)")
    #expect(try server.requests().count == asked)
  }
}
