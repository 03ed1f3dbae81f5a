import Core
import Foundation
import Models
import TestSupport

/// A catalogue of one pack, and a server on this machine that serves it well or badly.
struct PullRig {
  static let bytes = 300_000
  let server: PackServer
  var program: Program
  let data = Data((0..<PullRig.bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
  private let root: URL

  /// With a certificate it serves over TLS.
  init(certified: (URL) throws -> Certificate? = { _ in nil }) throws {
    program = try Program()
    root = program.home.appending(path: "root", directoryHint: .isDirectory)
    server = try PackServer(program.home.appending(path: "served"), certificate: certified(program.home))
    try Folders.make(root.appending(path: "Packs"))
    try server.serve(data)
    program.environment["LIBERA_ROOT"] = root.path
    try describe(behaviour: "stall/100000")
  }

  func describe(behaviour: String) throws { try describe(address: "\(server.address)/\(behaviour)/weights") }

  func describe(address: String) throws {
    let part: [String: Any] = ["url": address, "bytes": data.count]
    let file: [String: Any] = [
      "name": "weights", "bytes": data.count, "sha256": SHA256.of(data), "parts": [part],
    ]
    let pack: [String: Any] = [
      "id": "tiny", "version": 1, "name": "Tiny", "kind": "vad", "family": "tiny", "parameters": 1,
      "quantization": "F32", "bytes": data.count, "sha256": SHA256.of(data), "hash": "catalogue", "licence": "MIT",
      "context": 2048, "default": false, "sources": [["name": "local server", "files": [file]]],
    ]
    try JSONSerialization.data(withJSONObject: ["packs": [pack]])
      .write(to: root.appending(path: "Packs/catalogue.json"), options: .atomic)
  }

  /// The bytes of the weights that have come so far.
  var staged: Int {
    get throws {
      let folder = program.home.appending(path: "packs/.staging/tiny")
      guard FileManager.default.fileExists(atPath: folder.path) else { return 0 }
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".state") }
        .map { try FileManager.default.attributesOfItem(atPath: folder.appending(path: $0).path)[.size] as? Int ?? 0 }
        .max() ?? 0
    }
  }

  func isInstalled() async throws -> Bool {
    let tiny = try await program.run("packs", "list", "--json").objects.first
    return tiny?["installed"] is [String: Any] && tiny?["verified"] as? Bool == true
  }
}
