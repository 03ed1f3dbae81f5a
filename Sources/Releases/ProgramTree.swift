import CLinux
import Core
package import Foundation
import Workers

/// The folder that a tar file became: `bin`, `lib/libera` and `share`, wherever it lies and whatever it is called by now.
package struct ProgramTree: Sendable, Equatable {
  package let folder: URL

  package init(_ folder: URL) { self.folder = URL(filePath: folder.path, directoryHint: .notDirectory) }

  /// What the running program stands in.
  package enum Standing: Sendable, Equatable {
    case tree(ProgramTree, String)
    case package
    case elsewhere(String)
    /// Something of the person's lies in the folder too.
    case shared(String, [String])
  }

  package static func standing(_ programs: URL) throws -> Standing {
    if programs.path.hasPrefix("/usr/") { return .package }
    let lib = programs.deletingLastPathComponent()
    let tree = lib.deletingLastPathComponent()
    guard programs.lastPathComponent == "libera", lib.lastPathComponent == "lib",
      FileManager.default.fileExists(atPath: programs.appending(path: "sbom.json").path)
    else { return .elsewhere(programs.path) }
    let others =
      try FileManager.default.contentsOfDirectory(atPath: tree.path).filter { !["bin", "lib", "share"].contains($0) }
      + FileManager.default.contentsOfDirectory(atPath: lib.path).filter { $0 != "libera" }
    return others.isEmpty ? .tree(ProgramTree(tree), tree.path) : .shared(tree.path, others)
  }

  package static func around(_ programs: URL) throws -> ProgramTree {
    let standing = try standing(programs)
    guard case .tree(let tree, _) = standing else { throw ReleaseError.notHere(standing) }
    return tree
  }

  package var parent: URL { folder.deletingLastPathComponent() }
  private func beside(_ name: String) -> URL { parent.appending(path: name, directoryHint: .notDirectory) }
  /// The version that was there before, whole; while an upgrade runs for a moment the one that is to come, whole as well.
  package var previous: ProgramTree { ProgramTree(beside("\(folder.lastPathComponent)-previous")) }
  /// Where a version is unpacked; what an earlier try left there is thrown away.
  package var part: ProgramTree { ProgramTree(beside(".\(folder.lastPathComponent).part")) }
  package var unpressed: URL { beside(".\(folder.lastPathComponent).tar") }
  package var exists: Bool { FileManager.default.fileExists(atPath: folder.path) }

  package var program: URL { folder.appending(path: "lib/libera/libera") }
  private var keyFile: URL { folder.appending(path: "lib/libera/publisher.pub") }

  private struct Parts: Codable {
    struct Metadata: Codable {
      struct Component: Codable { var name: String, version: String }
      var component: Component
    }
    var metadata: Metadata
  }

  /// As the list of what is inside says.
  package func version() throws -> ReleaseVersion {
    let list = folder.appending(path: "lib/libera/sbom.json")
    let data = try RegularFile.whole(list.path, limit: 16 << 20)
    guard let parts = try? JSON.decode(Parts.self, from: data),  // anything else is no list of ours
      parts.metadata.component.name == "libera", let version = ReleaseVersion(parts.metadata.component.version)
    else { throw ReleaseError.unreadable(list.path) }
    return version
  }

  /// The publisher's, where the program carries one: whoever has installed it trusts its holder from then on.
  package func key() throws -> PublisherKey? {
    guard RegularFile.exists(keyFile.path) else { return nil }
    return try PublisherKey(Self.keyText(keyFile.path))
  }

  package static func keyText(_ path: String) throws -> String {
    String(decoding: try RegularFile.whole(path, limit: PublisherKey.mostBytes), as: UTF8.self)
  }

  /// The key by which it was taken goes on holding, unless it brings a new one itself.
  package func keep(key text: String) throws {
    guard !RegularFile.exists(keyFile.path) else { return }
    try DurableFile.write(Data(text.utf8), to: keyFile)
    chmod(keyFile.path, 0o644)
  }

  /// What a program says of itself, so that one which does not start here is never put in place of one that does.
  package struct Voice: Codable, Sendable, Equatable {
    package var version: String
    /// The newest format of the vault that it reads.
    package var vault: Int?
    package init(version: String, vault: Int?) { (self.version, self.vault) = (version, vault) }
  }

  package func voice() throws -> Voice {
    let (ours, theirs) = try Spawner.socketPair()
    defer { close(ours) }
    let process: CInt
    do {
      defer { close(theirs) }
      process = try Spawner.start(
        program.path, ["version", "--json"], environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"],
        files: [Spawner.nothing, theirs, Spawner.nothing])
    } catch { throw ReleaseError.doesNotStart(RemoteError(error).message) }
    let deadline = ContinuousClock.now + .seconds(60)
    let said = Self.read(ours, until: deadline)
    let status = Self.end(of: process, until: deadline)
    guard status == 0 else { throw ReleaseError.doesNotStart("it ended with \(status)") }
    do { return try JSON.decode(Voice.self, from: said) } catch {
      throw ReleaseError.doesNotStart("it says nothing of its version")
    }
  }

  /// What comes until the other side closes, a little at most.
  private static func read(_ socket: CInt, until deadline: ContinuousClock.Instant) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while all.count < buffer.count, ContinuousClock.now < deadline {
      var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, 200) > 0 else { continue }
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      all.append(contentsOf: buffer[..<count])
    }
    return all
  }

  /// The code or the signal it ended with, 0 for a good end; what goes on after the deadline is ended. Foundation's `Process` wants a
  /// pair of datagram sockets to hear of the end; where it got none, in the installed program, it waited for ever.
  private static func end(of process: CInt, until deadline: ContinuousClock.Instant) -> CInt {
    var status: CInt = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      // Not a child of ours: how it ended cannot be known, so it counts as failed.
      if ended < 0, errno != EINTR { return -1 }
      if ContinuousClock.now >= deadline { kill(process, SIGKILL) }
      usleep(5000)
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : signal
  }

  /// Each takes the other's place, in one step: there is no moment at which neither is there.
  package func exchange(with other: ProgramTree) throws {
    guard libera_exchange(folder.path, other.folder.path) == 0 else {
      let reason = systemReason()
      if [EACCES, EPERM, EROFS].contains(errno) { throw ReleaseError.notWritable(parent.path) }
      throw ReleaseError.cannotExchange(parent.path, reason: reason)
    }
    try DurableFile.sync(parent)
  }

  package func remove() throws {
    if exists { try FileManager.default.removeItem(at: folder) }
  }
}
