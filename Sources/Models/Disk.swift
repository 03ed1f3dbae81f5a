package import Foundation

/// The file operations that installing needs and Foundation lacks or does not make durable.
package enum Disk {
  package static func close(_ handle: FileHandle) {
    // A handle that was only read from has nothing left to lose.
    do { try handle.close() } catch { return }
  }

  package static func size(_ file: URL) -> Int64? {
    var info = stat()
    return stat(file.path, &info) == 0 ? Int64(info.st_size) : nil
  }

  package static func exists(_ file: URL) -> Bool { access(file.path, F_OK) == 0 }

  package static func free(_ folder: URL) throws -> Int64 {
    var info = statvfs()
    guard statvfs(folder.path, &info) == 0 else { throw failure(folder) }
    return Int64(info.f_bavail) * Int64(info.f_frsize)
  }

  /// Replaces `target`; after it returns, the change survives a power cut.
  package static func rename(_ source: URL, to target: URL) throws {
    try synchronize(source)
    guard Foundation.rename(source.path, target.path) == 0 else { throw failure(target) }
    try synchronize(target.deletingLastPathComponent())
  }

  package static func synchronize(_ file: URL) throws {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(file) }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(file) }
  }

  package static func remove(_ file: URL) throws {
    guard exists(file) || isLink(file) else { return }
    do {
      try FileManager.default.removeItem(at: file)
    } catch {
      throw PackError.folder(file.path, detail: "cannot be removed (\(error.localizedDescription))")
    }
  }

  package static func write(_ data: Data, to file: URL) throws {
    let temporary = file.appendingPathExtension("new")
    do { try data.write(to: temporary) } catch { throw failure(temporary) }
    guard chmod(temporary.path, 0o600) == 0 else { throw failure(temporary) }
    try rename(temporary, to: file)
  }

  package static func failure(_ file: URL) -> PackError {
    .folder(file.path, detail: String(cString: strerror(errno)))
  }

  private static func isLink(_ file: URL) -> Bool {
    var info = stat()
    return lstat(file.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
  }
}
