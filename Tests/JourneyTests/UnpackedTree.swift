import CSodium
import Core
import Foundation
import Releases
import TestSupport
import Testing

/// The program as the tar file lays it out, in a folder and with a home of its own, and versions to put in its place. Those are small:
/// a script that knows its version and starts the real program, from its own folder, for everything else.
struct UnpackedTree {
  private let scratch: Scratch
  var base: URL { scratch.folder }
  /// What a version of this program calls itself here.
  static let (old, new) = (Version.current, "9.9.0")
  private let key: SigningKey

  var tree: ProgramTree { ProgramTree(base.appending(path: "place/libera-1")) }
  var home: URL { base.appending(path: "home") }
  var published: URL { base.appending(path: "published") }
  func archive(_ version: String = new) -> URL {
    published.appending(path: "libera-\(version)-\(ReleaseName.system).tar.gz")
  }

  /// `carriesKey`: its publisher's, by which it holds every other version to be of the same.
  init(carriesKey: Bool = true) throws {
    scratch = try Scratch("upgrade")
    key = SigningKey()
    for place in [published, base.appending(path: "place"), home] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      chmod(place.path, 0o700)
    }
    let lib = tree.folder.appending(path: "lib/libera")
    try lay(out: tree.folder, Self.old, voice: nil)
    for name in ["libera", "libera-worker"] {
      try FileManager.default.copyItem(
        at: Program.binary.deletingLastPathComponent().appending(path: name), to: lib.appending(path: name))
    }
    if carriesKey { try Data(key.publicText.utf8).write(to: lib.appending(path: "publisher.pub")) }
  }

  /// The folders of a version. `voice` nil: its programs are put there by whoever calls.
  func lay(out folder: URL, _ version: String, voice: String?) throws {
    let lib = folder.appending(path: "lib/libera")
    for place in ["bin", "lib/libera/Packs", "share"] {
      try FileManager.default.createDirectory(at: folder.appending(path: place), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "bin/libera").path, withDestinationPath: "../lib/libera/libera")
    try Data(#"{"metadata": {"component": {"name": "libera", "version": "\#(version)"}}}"#.utf8)
      .write(to: lib.appending(path: "sbom.json"))
    try Data(#"{"packs": []}"#.utf8).write(to: lib.appending(path: "Packs/catalogue.json"))
    guard let voice else { return }
    let real = tree.folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "real")
    let script = """
      #!/bin/sh
      if [ "$1" = version ]; then echo '\(voice)'; exit 0; fi
      here=$(dirname "$(readlink -f "$0")")
      [ -e "$here/real" ] || ln '\(real.path)' "$here/real"
      exec "$here/real" "$@"

      """
    try Data(script.utf8).write(to: lib.appending(path: "libera"))
    chmod(lib.appending(path: "libera").path, 0o755)
    if !FileManager.default.fileExists(atPath: real.path) {
      try FileManager.default.copyItem(at: Program.binary, to: real)
    }
  }

  static func voice(_ version: String, vault: Int = 4) -> String { #"{"vault":\#(vault),"version":"\#(version)"}"# }

  /// Packs a version as `./libera package` does and publishes it, signed.
  func publish(_ version: String = new, voice: String? = nil, files: Int = 3, _ change: (URL) throws -> Void = { _ in })
    throws
  {
    let folder = base.appending(path: "laid/libera-\(version)-\(ReleaseName.system)")
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
    try lay(out: folder, version, voice: voice ?? Self.voice(version))
    for number in 0..<files {
      let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255) }
      try Data(bytes).write(to: folder.appending(path: "share/file-\(number)"))
    }
    try change(folder)
    let script = Checkout.root.appending(path: "Packaging/archive.py").path
    try Self.run(["python3", "-B", script, "tree", folder.path, archive(version).path, "1790000000"])
    try sign()
  }

  static func run(_ words: [String]) throws {
    try #require(try Tool.run(words).status == 0, "\(words)")
  }

  /// The checksums of all that is published, and their signature.
  func sign(with other: SigningKey? = nil) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: published.path).filter { $0.hasSuffix(".tar.gz") }
    let sums = try names.sorted().map {
      "\(try SHA256.of(file: published.appending(path: $0)))  \($0)\n"
    }.joined()
    try Data(sums.utf8).write(to: published.appending(path: ReleaseName.sums))
    try Data((other ?? key).signature(of: Data(sums.utf8), "LiberaGPT").utf8)
      .write(to: published.appending(path: ReleaseName.signature))
  }

  var keyFile: URL {
    get throws {
      let file = base.appending(path: "key.pub")
      try Data(key.publicText.utf8).write(to: file)
      return file
    }
  }

  func start(_ words: [String], through wrapper: [String] = [], beside more: [String: String] = [:]) throws -> Running {
    var environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
    environment["XDG_CACHE_HOME"] = base.appending(path: "cache").path
    environment["NO_COLOR"] = "1"
    let program = tree.folder.appending(path: "bin/libera").path
    return try Running(wrapper + [program] + words + ["--home", home.path], environment: environment, input: Data())
  }

  func run(_ words: String..., through wrapper: [String] = []) async throws -> Program.Outcome {
    try await start(words, through: wrapper).outcome()
  }

  /// What the installed program says of itself: it works.
  func version() async throws -> String? {
    let outcome = try await run("version", "--json")
    guard outcome.status == 0 else { return nil }
    return try outcome.objects.first?["version"] as? String
  }

  /// What lies beside the program.
  var beside: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: tree.parent.path).sorted() }
  }
}

/// As minisign makes and uses one.
struct SigningKey {
  private var (publicKey, secretKey) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
  private let id = (0..<8).map { _ in UInt8.random(in: 0...255) }

  init() { crypto_sign_keypair(&publicKey, &secretKey) }

  var publicText: String {
    "untrusted comment: a key for tests\n\(Data("Ed".utf8 + id + publicKey).base64EncodedString())\n"
  }

  private func signed(_ bytes: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: 64)
    crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), secretKey)
    return signature
  }

  func signature(of data: Data, _ comment: String) -> String {
    var hash = [UInt8](repeating: 0, count: 64)
    crypto_generichash(&hash, 64, Array(data), UInt64(data.count), nil, 0)
    let signature = signed(hash)
    return """
      untrusted comment: signature
      \(Data("ED".utf8 + id + signature).base64EncodedString())
      trusted comment: \(comment)
      \(Data(signed(signature + Array(comment.utf8))).base64EncodedString())

      """
  }
}
