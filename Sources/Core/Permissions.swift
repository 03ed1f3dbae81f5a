package import Foundation

/// What may reach beyond this device and beyond the house's own folders: decided at a terminal, obeyed by the launcher and by the
/// seal of the main process.
///
/// They are kept apart from the settings because the main process writes those, and it may write nothing in their place: it lies
/// beside the configuration folder and not in it (`Folders.permissions`).
package struct Permissions: Codable, Sendable, Equatable {
  /// No process with a network is started.
  package var offline: Bool
  /// The program that sends mail, with its arguments.
  package var sendmail: String?
  /// Folders of the person's own that actions are written to.
  package var calendarFolder: String?
  package var tasksFolder: String?
  package var notesFolder: String?
  package var mailFolder: String?
  /// Pages of others that may use the API with a key.
  package var origins: [String]?
  /// Of the hub, from which models may be fetched.
  package var repositories: [String]?

  package init(offline: Bool = false, sendmail: String? = nil) {
    self.offline = offline
    self.sendmail = sendmail
  }

  /// What settings ask for of these.
  package init(of settings: Settings) {
    self.init(offline: settings.offline, sendmail: settings.sendmail)
    (calendarFolder, tasksFolder) = (settings.calendarFolder, settings.tasksFolder)
    (notesFolder, mailFolder) = (settings.notesFolder, settings.mailFolder)
    (origins, repositories) = (settings.origins, settings.repositories)
  }

  /// The same settings, as far as these permit.
  package func governing(_ settings: Settings) -> Settings {
    var settings = settings
    (settings.offline, settings.sendmail) = (offline, sendmail)
    (settings.calendarFolder, settings.tasksFolder) = (calendarFolder, tasksFolder)
    (settings.notesFolder, settings.mailFolder) = (notesFolder, mailFolder)
    (settings.origins, settings.repositories) = (origins, repositories)
    return settings
  }

  /// The folders that are named. The main process opens them at its start: one that is named later is written to from the next
  /// start on.
  package var folders: [URL] {
    [calendarFolder, tasksFolder, notesFolder, mailFolder].compactMap(\.self).filter { SettingRule.isFolder($0) }
      .map(Folders.named)
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
    "Until then nothing does. Delete that file, then set what it held again with libera settings set: offline, sendmail, and the folders of actions."
  }
}
