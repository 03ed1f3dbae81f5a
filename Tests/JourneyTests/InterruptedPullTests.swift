import Core
import Foundation
import Models
import Testing

@Suite("Pulls that are killed half-way")
struct InterruptedPullTests {
  static let bytes = 300_000

  @Test(
    "The next pull goes on where the killed one was, and no process is left over",
    arguments: [
      40_000, 65_536, 150_001, bytes - 1,
    ])
  func resumes(after count: Int) async throws {
    let rig = try Rig()
    try rig.describe(behaviour: "stall/\(count)")
    let pull = try rig.program.start(["packs", "pull", "tiny"])
    #expect(try await eventually { try rig.staged == count })
    let processes = Processes.workers(of: pull.identifier)
    #expect(processes.count >= 2, "launcher and fetch worker")
    pull.send(signal: SIGKILL)
    _ = try await pull.outcome()
    #expect(try await eventually { !processes.contains(where: Processes.isAlive) })
    #expect(try await !rig.isInstalled())

    let again = try await rig.program.run("packs", "pull", "tiny")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try await rig.isInstalled())
    #expect(try rig.server.requests().last?.contains("bytes=\(count)-") == true)
    try rig.remove()
  }

  @Test("Ctrl-C ends a pull with 130 and keeps what came")
  func interrupted() async throws {
    let rig = try Rig()
    let pull = try rig.program.start(["packs", "pull", "tiny"])
    #expect(try await eventually { try rig.staged == 100_000 })
    pull.send(signal: SIGINT)
    #expect(try await pull.outcome().status == 130)
    #expect(try await rig.program.run("packs", "pull", "tiny").status == 0)
    #expect(try rig.server.requests().last?.contains("bytes=100000-") == true)
    #expect(try await rig.isInstalled())
    try rig.remove()
  }

  @Test("Wrong bytes are kept apart, told with 4, and recorded in the error log")
  func wrongBytes() async throws {
    let rig = try Rig()
    try rig.describe(behaviour: "good/0")
    try Data(repeating: 7, count: Self.bytes).write(to: rig.server.folder.appending(path: "weights"))
    let pull = try await rig.program.run("packs", "pull", "tiny", "--json")
    #expect(pull.status == 4)
    #expect(try await !rig.isInstalled())
    let log = try await rig.program.run("log", "--json")
    #expect(try log.objects.contains { $0["subsystem"] as? String == "packs-pull" })
    try rig.remove()
  }

  @Test("A source that cannot be reached is told with a clear error")
  func unreachable() async throws {
    let rig = try Rig()
    try rig.describe(address: "http://127.0.0.1:1/good/0/weights")
    let pull = try await rig.program.run("packs", "pull", "tiny", "--json")
    #expect(pull.status == 1)
    #expect(["no_source_worked", "unreachable"].contains(pull.errorCode), "\(pull.errors)")
    try rig.remove()
  }
}

/// A catalogue of one pack, and a server on this machine that serves it well or badly.
private struct Rig {
  var program: Program
  let server: PackServer
  let data = Data((0..<InterruptedPullTests.bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
  private let root: URL

  init() throws {
    program = try Program()
    root = program.home.appending(path: "root", directoryHint: .isDirectory)
    server = try PackServer(program.home.appending(path: "served"))
    try Folders.make(root.appending(path: "Packs"))
    try data.write(to: server.folder.appending(path: "weights"))
    program.environment["LIBERA_ROOT"] = root.path
    program.environment["LIBERA_PYTHON"] = PackServer.python
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

  func remove() throws {
    server.stop()
    try program.remove()
  }
}

/// Tests/ModelsTests/server.py, which behaves as the address says.
struct PackServer {
  let folder: URL
  let address: String
  private let process = Process()

  init(_ folder: URL) throws {
    self.folder = folder
    try Folders.make(folder)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "ModelsTests/server.py")
    let output = Pipe()
    process.executableURL = URL(filePath: Self.python)
    process.arguments = ["-B", script.path, folder.path]
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    address = "http://127.0.0.1:\(port.trimmingCharacters(in: .whitespacesAndNewlines))"
  }

  func stop() { process.terminate() }

  func requests() throws -> [String] {
    try String(contentsOf: folder.appending(path: "requests.log"), encoding: .utf8).split(separator: "\n")
      .map(String.init)
  }

  static let python: String = {
    if let python = ProcessInfo.processInfo.environment["LIBERA_PYTHON"] { return python }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/python3" }.first { access($0, X_OK) == 0 } ?? "/usr/bin/python3"
  }()
}
