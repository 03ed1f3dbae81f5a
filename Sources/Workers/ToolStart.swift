import Core
import Foundation
package import Safety

/// A tool server as the launcher has it started: by our worker program, which takes on the seal and then becomes the server.
package struct ToolStart: Codable, Sendable {
  private static let mostMemory: UInt64 = 4 << 30
  private static let mostOpenFiles: UInt64 = 1024

  package let seal: SealSpecification
  private let program: String
  private let arguments: [String]
  /// A folder of its own, where it starts and may write.
  private let home: String
  /// They may be secrets, so they are no part of what stands on its command line.
  private var variables: [String: String] = [:]

  private enum CodingKeys: CodingKey { case seal, program, arguments, home }

  init(_ server: ToolServer, in folders: Folders) throws {
    try server.check(outside: folders)
    let home = folders.home(ofTool: server.name)
    try Folders.make(home)
    func real(_ path: String) -> String { RegularFile.resolved(path) ?? path }
    var seal = SealSpecification(
      server.network ? .connectedTool : .tool, readable: [real(server.program)] + server.readable,
      writable: [real(home.path)] + server.writable, memoryBytes: Self.mostMemory)
    seal.openFiles = Self.mostOpenFiles
    seal.lowPriority = true
    self.seal = seal
    self.home = home.path
    (program, arguments, variables) = (server.program, server.arguments, server.environment)
  }

  /// Starts whoever speaks for it on the given descriptors: the server in its seal, or the bridge to one elsewhere.
  static func spawn(_ server: ToolServer, in folders: Folders, files: [CInt]) throws -> CInt {
    let program = try WorkerProgram.find()
    if let address = server.address {
      return try Spawner.start(
        program, ["bridge"],
        environment: BridgeStart.environment(address, key: server.key, authority: server.authority), files: files)
    }
    let start = try ToolStart(server, in: folders)
    return try Spawner.start(
      program, ["tool", try JSON.line(start)], environment: start.environment(), files: files)
  }

  /// Nothing that tells of the person, but for what the terminal has given it.
  func environment(_ whole: [String: String] = ProcessInfo.processInfo.environment) -> [String: String] {
    let kept: Set = ["LANG", "LC_ALL", "LC_CTYPE", "TZ"]
    return whole.filter { kept.contains($0.key) }
      .merging(["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home]) { $1 }
      .merging(variables) { $1 }
  }

  /// Within the worker program, before any thread exists: it takes on the seal, and becomes the server. A foreign program is not
  /// started where the seal cannot be had.
  package func become() throws -> Never {
    guard chdir(home) == 0 else { throw WorkerError.dataFolder("\(home): \(systemReason())") }
    let report = Seal.worker(seal, files: [])
    guard report.isSealed else { throw WorkerError.notStarted(program: program, reason: report.summary) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    execv(program, &words)
    throw WorkerError.notStarted(program: program, reason: systemReason())
  }
}
