import Core
package import Foundation

/// The right to write in a data folder. One process holds it at a time; the kernel takes it back when that process ends,
/// however it ends. Letting go of the last reference gives it back.
package final class OwnerLock: Sendable {
  package enum Outcome: Sendable {
    case taken(OwnerLock)
    /// Another process holds it; nil if it has not written its number yet.
    case held(by: Int32?)
  }

  private let descriptor: CInt

  /// Never waits.
  package static func take(_ file: URL) throws -> Outcome {
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw WorkerError.dataFolder("\(file.path): \(systemReason())") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      defer { close(descriptor) }
      guard reason == EWOULDBLOCK else {
        throw WorkerError.dataFolder("\(file.path): \(systemReason(reason))")
      }
      return .held(by: holder(descriptor))
    }
    let line = "\(getpid())\n"
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, line, line.utf8.count, 0) == line.utf8.count else {
      let reason = systemReason()
      close(descriptor)
      throw WorkerError.dataFolder("\(file.path): \(reason)")
    }
    return .taken(OwnerLock(descriptor))
  }

  private init(_ descriptor: CInt) { self.descriptor = descriptor }
  // The file stays: removing it would let two processes lock two files of one name.
  deinit {
    // A child that was started this very moment still holds a copy of the descriptor until it becomes another program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func holder(_ descriptor: CInt) -> Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &text, text.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: text[..<count], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
