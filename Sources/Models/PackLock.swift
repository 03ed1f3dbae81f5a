import Foundation

/// One change to a pack at a time, across processes; a killed process's lock is free again.
final class PackLock: Sendable {
  private let descriptor: CInt

  init(_ id: String, in folder: URL) throws {
    guard let lock = try Self.open(id, folder) else { throw PackError.busy(id) }
    descriptor = lock
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// The lock, or nil while somebody else holds it.
  static func free(_ id: String, in folder: URL) throws -> PackLock? {
    try open(id, folder).map { PackLock(descriptor: $0) }
  }

  /// Waits for whoever holds it, for as long as the largest pack takes to be read.
  static func awaited(_ id: String, in folder: URL) async throws -> PackLock {
    for _ in 0..<3_000 {
      if let lock = try free(id, in: folder) { return lock }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw PackError.busy(id)
  }

  /// Closing the descriptor releases it; until then the object must be kept.
  func release() { close(descriptor) }

  /// nil while somebody else holds it. A folder in which no file can be made is no reason to wait.
  private static func open(_ id: String, _ folder: URL) throws -> CInt? {
    let file = folder.appending(path: id + ".lock")
    let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Disk.failure(file) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
