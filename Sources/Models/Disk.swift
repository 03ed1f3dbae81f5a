import Core
package import Foundation

/// The file operations that installing needs and Foundation lacks or does not make durable.
package enum Disk {
  package static func size(_ file: URL) -> Int64? {
    var info = stat()
    return stat(file.path, &info) == 0 ? Int64(info.st_size) : nil
  }

  package static func exists(_ file: URL) -> Bool { access(file.path, F_OK) == 0 }

  /// Also a link that leads nowhere, and what cannot be looked at.
  static func isThere(_ file: URL) -> Bool {
    var info = stat()
    return lstat(file.path, &info) == 0 || ![ENOENT, ENOTDIR].contains(errno)
  }

  package static func free(_ folder: URL) throws -> Int64 {
    var info = statvfs()
    guard statvfs(folder.path, &info) == 0 else { throw failure(folder) }
    return Int64(info.f_bavail) * Int64(info.f_frsize)
  }

  /// Replaces `target`; after it returns, the change survives a power cut.
  package static func rename(_ source: URL, to target: URL) throws {
    try during(target) {
      try DurableFile.sync(source)
      try DurableFile.move(source, to: target)
    }
  }

  package static func synchronize(_ file: URL) throws { try during(file) { try DurableFile.sync(file) } }

  package static func remove(_ file: URL) throws {
    guard exists(file) || RegularFile.isLink(file.path) else { return }
    do {
      try FileManager.default.removeItem(at: file)
    } catch {
      throw PackError.folder(file.path, detail: "cannot be removed (\(error.localizedDescription))")
    }
  }

  package static func write(_ data: Data, to file: URL) throws {
    try during(file) { try DurableFile.write(data, to: file) }
  }

  private static func during(_ file: URL, _ work: () throws -> Void) throws {
    do { try work() } catch { throw failure(file, CInt((error as NSError).code)) }
  }

  package static func failure(_ file: URL, _ number: CInt = errno) -> PackError {
    .folder(file.path, detail: systemReason(number))
  }
}
