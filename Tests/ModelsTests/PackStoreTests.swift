import Core
import Foundation
import Testing

@testable import Models

@Suite("The packs on this device")
struct PackStoreTests {
  let sandbox: Sandbox
  let data = Sandbox.noise(20_000)

  init() throws { sandbox = try Sandbox() }

  private func store(_ packs: [Pack]) throws -> PackStore {
    var store = try PackStore(folder: sandbox.folder.appending(path: "packs"), catalogue: Catalogue(packs: packs))
    store.availableMemory = { 8 << 30 }
    return store
  }

  @Test("Weights that changed after their hash was found right, before they were in their place, are not installed")
  func changedMeanwhile() async throws {
    let store = try store([Sandbox.pack(data: data)])
    let changed = try sandbox.file("changed", Data(data.reversed()))
    await #expect(throws: (any Error).self) {
      try await store.install(changed, as: store.catalogue.packs[0], source: "test", sha256: SHA256.of(data))
    }
    #expect(try store.record(of: "tiny") == nil)
  }

  @Test("A file that is already here is installed when it is the right one, and only then")
  func installs() async throws {
    let store = try store([Sandbox.pack(data: data)])
    let wrong = try sandbox.file("wrong", Sandbox.noise(20_000, seed: 2))
    await #expect { try await store.install("tiny", from: wrong) } throws: { RemoteError($0).code == "hash_mismatch" }
    #expect(try store.record(of: "tiny") == nil)
    #expect(Disk.exists(wrong))
    try await store.install("tiny", from: sandbox.file("right", data))
    #expect(try Data(contentsOf: store.weights(of: "tiny")) == data)
    #expect(try store.status(of: "tiny").verified)
  }

  @Test("Verify finds a changed byte, says so, and the list no longer calls the pack verified")
  func verifies() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    try await store.verify("tiny")
    let weights = try store.weights(of: "tiny")
    var changed = data
    changed[7] ^= 1
    try changed.write(to: weights)
    #expect(try !store.status(of: "tiny").verified)
    await #expect { try await store.verify("tiny") } throws: { RemoteError($0).code == "pack_damaged" }
    try data.write(to: weights)
    try await store.verify("tiny")
    #expect(try store.status(of: "tiny").verified)
    await #expect { try await store.verify("nothing") } throws: { RemoteError($0).code == "pack_not_installed" }
  }

  @Test("A record that nobody can read costs its own pack alone, which can be installed again")
  func unreadable() async throws {
    var other = Sandbox.pack(data: data)
    other.id = "other"
    let store = try store([Sandbox.pack(data: data), other])
    try await store.install("tiny", from: sandbox.file("right", data))
    try await store.install("other", from: sandbox.file("right", data))
    try Data("{\"form\": \"of a later version\"}".utf8).write(to: store.recordFile(of: "other"))
    #expect(try store.installed().map(\.pack.id) == ["tiny"])
    #expect(try store.list().filter { $0.installed != nil }.map(\.pack.id) == ["tiny"])
    try store.clean()
    #expect { try store.weights(of: "other") } throws: { RemoteError($0).code == "pack_damaged" }
    try await store.install("other", from: sandbox.file("right", data))
    #expect(try store.list().count { $0.installed != nil } == 2)
  }

  @Test("A file that was changed behind its time's back is hashed again before it is loaded, and then refused for good")
  func checks() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    let weights = try store.weights(of: "tiny")
    try await store.check("tiny")
    try flip(7, of: weights)
    #expect(try !store.status(of: "tiny").verified)
    await #expect { try await store.check("tiny") } throws: { RemoteError($0).code == "pack_damaged" }
    #expect { try store.weights(of: "tiny") } throws: { RemoteError($0).code == "pack_damaged" }
    // It is remembered, even when the byte is put back, until somebody has the hash computed again.
    try flip(7, of: weights)
    let next = try self.store([Sandbox.pack(data: data)])
    await #expect { try await next.check("tiny") } throws: { RemoteError($0).code == "pack_damaged" }
    try await next.verify("tiny")
    try await next.check("tiny")
    #expect(try next.weights(of: "tiny") == weights)
  }

  @Test("A file that was only copied or touched is hashed again and then trusted as before")
  func touched() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    let weights = try store.weights(of: "tiny")
    try data.write(to: weights)
    #expect(try !store.status(of: "tiny").verified)
    try await store.check("tiny")
    #expect(try store.status(of: "tiny").verified)
  }

  /// Changes one byte in place and sets the file's time back to what it was.
  private func flip(_ place: Int, of file: URL) throws {
    var before = stat()
    try #require(stat(file.path, &before) == 0)
    let handle = try FileHandle(forUpdating: file)
    try handle.seek(toOffset: UInt64(place))
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: UInt64(place))
    try handle.write(contentsOf: [byte ^ 1])
    try handle.close()
    try #require(utimensat(AT_FDCWD, file.path, [before.st_atim, before.st_mtim], 0) == 0)
    var after = stat()
    try #require(stat(file.path, &after) == 0)
    #expect(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec && after.st_size == before.st_size)
  }

  @Test("What a kill leaves behind is never shown as installed, and is cleaned")
  func leftovers() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try FileManager.default.createDirectory(at: store.home(of: "tiny"), withIntermediateDirectories: true)
    let half = store.home(of: "tiny").appending(path: "weights-000000000000.bin")
    try data.prefix(100).write(to: half)
    #expect(try store.status(of: "tiny").installed == nil)
    #expect(throws: PackError.notInstalled("tiny")) { try store.weights(of: "tiny") }
    try store.clean()
    #expect(!Disk.exists(store.home(of: "tiny")))
    try await store.install("tiny", from: sandbox.file("right", data))
    try data.write(to: half)
    try data.write(to: store.newCopy())
    try store.clean()
    #expect(!Disk.exists(half))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.staging.path).allSatisfy { $0.hasSuffix(".lock") })
    #expect(try store.status(of: "tiny").verified)
  }

  @Test("What a person has put among the packs stays where it is")
  func others() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    let own = store.home(of: "my-models")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    try data.write(to: own.appending(path: "weights-000000000000.bin"))
    let files = [
      own.appending(path: "model.gguf"), store.folder.appending(path: "loose.gguf"),
      store.home(of: "tiny").appending(path: "notes.txt"),
    ]
    for file in files { try data.write(to: file) }
    let link = store.folder.appending(path: "elsewhere")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: sandbox.file("right", data))
    try store.clean()
    for file in files + [link] { #expect(Disk.isThere(file), "\(file.path)") }
    #expect(try store.others() == ["elsewhere", "loose.gguf", "my-models"])
    #expect(throws: PackError.notInstalled("my-models")) { try store.remove("my-models") }
    try store.remove("tiny")
    for file in files { #expect(Disk.isThere(file), "\(file.path)") }
    #expect(try store.status(of: "tiny").installed == nil)
  }

  @Test("What a pull that was broken off has fetched can be removed")
  func brokenOff() throws {
    let store = try store([Sandbox.pack(data: data)])
    let fetched = store.staging.appending(path: "slow-0123abcd", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: fetched, withIntermediateDirectories: true)
    try data.write(to: fetched.appending(path: "part"))
    try store.clean()
    #expect(Disk.exists(fetched))
    try store.remove("slow-0123abcd")
    #expect(!Disk.exists(fetched))
    #expect(throws: PackError.notInstalled("slow-0123abcd")) { try store.remove("slow-0123abcd") }
  }

  @Test("Removing a pack removes all of it")
  func removes() async throws {
    let store = try store([Sandbox.pack(data: data)])
    #expect(throws: PackError.notInstalled("tiny")) { try store.remove("tiny") }
    try await store.install("tiny", from: sandbox.file("right", data))
    try store.remove("tiny")
    #expect(!Disk.exists(store.home(of: "tiny")))
    #expect(throws: PackError.self) { try store.remove("../served") }
  }

  @Test("Weights that an earlier version had laid out anew are left, and cleaned")
  func leavesDerived() async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    let derived = store.home(of: "tiny").appending(path: "weights-0123456789ab-q8_0-01234567.gguf")
    try data.write(to: derived)
    let file = store.recordFile(of: "tiny")
    var fields = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    fields["derived"] = ["file": derived.lastPathComponent, "layout": "Q8_0"]
    fields["declined"] = ["layout": "Q4_0"]
    try JSONSerialization.data(withJSONObject: fields).write(to: file)
    #expect(try Data(contentsOf: store.weights(of: "tiny")) == data)
    try store.clean()
    #expect(!Disk.exists(derived))
    try await store.verify("tiny")
  }

  @Test("A file of the user's own is described by its header and listed beside the catalogue's")
  func imports() async throws {
    let store = try store([Sandbox.pack(data: data)])
    let file = try sandbox.file("Mein Modell (v2).gguf", GGUFWriter.sound())
    let status = try await store.importFile(file)
    #expect(status.pack.id == "mein-modell--v2--\(SHA256.of(GGUFWriter.sound()).prefix(8))")
    #expect((status.pack.family, status.pack.context, status.pack.hash) == ("llama", 4096, .user))
    #expect(status.verified && status.fit.fits)
    #expect(try store.list().map(\.pack.id) == ["tiny", status.pack.id])
    #expect(Disk.exists(file))
    let broken = try sandbox.file("broken.gguf", GGUFWriter.sound().dropLast(400))
    await #expect { try await store.importFile(broken) } throws: { RemoteError($0).code == "pack_malformed" }
    #expect(try store.list().count == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.staging.path).allSatisfy { $0.hasSuffix(".lock") })
  }

  @Test(
    "A file of the user's that the catalogue knows becomes that pack, whatever it is called; one of the same size does not"
  )
  func recognises() async throws {
    let sound = GGUFWriter.sound()
    let store = try store([Sandbox.pack("known", kind: .chat, data: sound), Sandbox.pack("voice", data: data)])
    let status = try await store.importFile(sandbox.file("download (1).bin", sound))
    #expect(status.pack.id == "known" && status.pack.licence == "MIT" && status.verified)
    #expect(try Data(contentsOf: store.weights(of: "known")) == sound)
    #expect(try await store.importFile(sandbox.file("no name", data)).pack.kind == .vad)
    let other = try sandbox.file("other.bin", Sandbox.noise(20_000, seed: 3))
    await #expect { try await store.importFile(other) } throws: { RemoteError($0).code == "pack_malformed" }
    #expect(try store.list().map(\.pack.id) == ["known", "voice"])
  }

  @Test("A line of the list has the fields scripts rely on, absent ones as null")
  func line() throws {
    let line = try JSON.encode(try store([Sandbox.pack(data: data)]).list()[0])
    let fields = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    let wanted = [
      "id", "kind", "family", "parameters", "quantization", "bytes", "sha256", "licence", "context", "installed",
      "verified", "fit", "sources",
    ]
    #expect(Set(fields.keys).isSuperset(of: wanted))
    #expect(fields["installed"] is NSNull)
    let fit = try #require(fields["fit"] as? [String: Any])
    #expect(Set(fit.keys) == ["fits", "context", "footprint_bytes", "reason"])
    #expect((fields["sources"] as? [String])?.count == 1)
  }

  @Test(
    "A record that names anything but files of its own pack is refused",
    arguments: [
      ("\"file\"", "../../../etc/passwd"), ("\"sha256\"", "../x"), ("\"id\"", "other"), ("\"file\"", ".hidden"),
    ])
  func records(key: String, value: String) async throws {
    let store = try store([Sandbox.pack(data: data)])
    try await store.install("tiny", from: sandbox.file("right", data))
    let file = store.recordFile(of: "tiny")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      line.drop { $0 == " " }.hasPrefix(key) ? "\(key): \"\(value)\"," : String(line)
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    #expect { try store.record(of: "tiny") } throws: { RemoteError($0).code == "pack_damaged" }
    #expect { try store.weights(of: "tiny") } throws: { RemoteError($0).code == "pack_damaged" }
  }
}
