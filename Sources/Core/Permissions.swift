package import Foundation

/// What may reach beyond this device: decided at a terminal, obeyed by the launcher.
///
/// They are kept apart from the settings because the main process writes those, and it may write nothing in their place: it lies
/// beside the configuration folder and not in it (`Folders.permissions`).
package struct Permissions: Codable, Sendable, Equatable {
  /// No process with a network is started.
  package var offline: Bool
  /// The program that sends mail, with its arguments.
  package var sendmail: String?

  package init(offline: Bool = false, sendmail: String? = nil) {
    self.offline = offline
    self.sendmail = sendmail
  }

  /// nil where nothing was ever decided. A file that somebody else could have written is not believed.
  package static func read(_ file: URL) throws -> Permissions? {
    let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw PermissionsError(file, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 65_536 else {
      throw PermissionsError(file, "it is no small file")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw PermissionsError(file, "somebody else may have written it")
    }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
      return try JSON.decode(Permissions.self, from: handle.read(upToCount: 65_536) ?? Data())
    } catch { throw PermissionsError(file, "it cannot be read") }
  }

  package func write(to file: URL) throws {
    try Folders.make(file.deletingLastPathComponent())
    do { try DurableFile.write(JSON.encode(self, pretty: true), to: file) } catch {
      throw PermissionsError(file, error.localizedDescription)
    }
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
    "Until then nothing does. Delete that file, then set \"offline\" and \"sendmail\" again with libera settings set."
  }
}
