import Core
import Foundation

/// Copies a file in pieces, so that it can be cancelled and a full disk is told apart from other failures.
enum FileCopy {
  static func copy(_ source: URL, to target: URL, progress: (Int64) -> Void) async throws {
    let from = try RegularFile(source.path)
    try await move(from, 0..<Int.max, to: target, O_CREAT | O_EXCL, progress)
  }

  /// Copies a stretch of a file.
  static func copy(
    _ source: RegularFile, _ stretch: Range<Int>, to target: URL, progress: (Int64) -> Void
  ) async throws {
    try await move(source, stretch, to: target, O_CREAT | O_EXCL, progress)
  }

  /// Adds a file to another's end; what is added is on the disk when this returns.
  static func append(_ source: URL, to target: URL) async throws {
    try await move(RegularFile(source.path), 0..<Int.max, to: target, O_APPEND) { _ in }
    try Disk.synchronize(target)
  }

  private static func move(
    _ from: RegularFile, _ stretch: Range<Int>, to target: URL, _ flags: CInt, _ progress: (Int64) -> Void
  ) async throws {
    let to = open(target.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard to >= 0 else { throw Disk.failure(target) }
    defer { close(to) }
    var done: Int64 = 0
    while true {
      try Task.checkCancellation()
      let left = stretch.count - Int(done)
      guard left > 0, let buffer = try from.piece(at: stretch.lowerBound + Int(done), upTo: min(left, 1 << 20)) else {
        return
      }
      guard Descriptor.write(buffer, to: to) else { throw failure(target) }
      done += Int64(buffer.count)
      progress(done)
      await Task.yield()
    }
  }

  private static func failure(_ target: URL) -> PackError {
    guard DiskFull.isMeant(by: errno) else { return Disk.failure(target) }
    return .notEnoughSpace(needed: 1, available: 0, folder: target.deletingLastPathComponent().path)
  }
}
