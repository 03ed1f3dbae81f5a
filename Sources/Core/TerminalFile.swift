package import Foundation

/// A small file with what only a terminal decides. It lies where the main process may not write (`Folders.permissions`); one that
/// somebody else could have written is not believed.
package enum TerminalFile {
  private static let mostBytes = 65_536

  /// nil where there is none.
  package static func read<Value: Decodable>(_ type: Value.Type, from file: URL) throws -> Value? {
    let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw PermissionsError(file, systemReason()) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= mostBytes else {
      throw PermissionsError(file, "it is no small file")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw PermissionsError(file, "somebody else may have written it")
    }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
      return try JSON.decode(type, from: handle.read(upToCount: mostBytes) ?? Data())
    } catch { throw PermissionsError(file, "it cannot be read") }
  }

  package static func write(_ value: some Encodable, to file: URL) throws {
    let data = try JSON.encode(value, pretty: true)
    guard data.count <= mostBytes else { throw PermissionsError(file, "it would be too long") }
    try Folders.make(file.deletingLastPathComponent())
    do { try DurableFile.write(data, to: file) } catch { throw PermissionsError(file, error.localizedDescription) }
  }
}

package struct PermissionsError: Explained {
  private let path: String
  private let reason: String
  init(_ file: URL, _ reason: String) {
    path = file.path
    self.reason = reason
  }
  package var code: String { "permissions_refused" }
  package var message: String { "What may reach beyond this device is not known: \(path): \(reason)." }
  package var remedy: String? {
    "Until then nothing does. Delete that file, then decide again what it held: libera settings set for offline, sendmail and the folders of actions, libera tools add for tool servers."
  }
}
