import Core
package import Foundation

/// A small program of the system, started for one text: it reads the text and writes what it makes of it. A child of this
/// process inherits its locks, so that it reaches no network either.
package enum Filter {
  /// Where a program of this name lies, or nil.
  package static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// `input` must fit a pipe (64 kB). What goes beyond `most` bytes ends the program.
  package static func run(_ program: String, _ words: [String], input: Data, most: Int) async throws -> Data {
    let (toChild, fromChild) = (try pipe(), try pipe())
    defer { close(fromChild.read) }
    let child: OwnChild
    do {
      defer { for end in [toChild.read, fromChild.write] { close(end) } }
      child = OwnChild(
        try Spawner.start(
          program, words, environment: Spawner.plainEnvironment(),
          files: [toChild.read, fromChild.write, Spawner.nothing]))
    } catch {
      close(toChild.write)
      throw error
    }
    _ = input.withUnsafeBytes { write(toChild.write, $0.baseAddress, $0.count) }
    close(toChild.write)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try read(fromChild.read, child, program, most: most) })
        }
      }
    } onCancel: {
      child.kill()
    }
  }

  private static func read(_ descriptor: CInt, _ child: OwnChild, _ program: String, most: Int) throws -> Data {
    var output = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while output.count <= most {
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
      guard count > 0 else { break }
      output.append(contentsOf: buffer[..<count])
    }
    if output.count > most { child.kill() }
    let reason = child.wait()
    guard reason == .code(0) else { throw WorkerError.notStarted(program: program, reason: "\(reason)") }
    return output
  }

  private static func pipe() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw WorkerError.socket(systemReason()) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
