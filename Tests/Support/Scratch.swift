package import Foundation

/// A folder of a test's own. It goes with whoever holds it last, and with it what stands beside it under its name.
package final class Scratch: Sendable {
  package let folder: URL

  /// `name` says in the folder's name whose it is.
  package init(_ name: String, in place: URL = FileManager.default.temporaryDirectory) throws {
    folder = place.appending(path: "libera-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  package func file(_ name: String, _ data: Data) throws -> URL {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file
  }

  deinit {
    let (place, name) = (folder.deletingLastPathComponent(), folder.lastPathComponent)
    do {
      for one in try FileManager.default.contentsOfDirectory(atPath: place.path) where one.hasPrefix(name) {
        try FileManager.default.removeItem(at: place.appending(path: one))
      }
    } catch { print("\(folder.path) stays: \(error)") }
  }
}
