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

  /// nil where nothing was ever decided. Of a file that was written by hand no more counts than a terminal would have taken; folders
  /// and the program that sends mail are held to that where they are used.
  package static func read(_ file: URL) throws -> Permissions? {
    guard var read = try TerminalFile.read(Permissions.self, from: file) else { return nil }
    read.origins = read.origins?.filter(SettingRule.isOrigin)
    read.repositories = read.repositories?.filter(SettingRule.isRepository)
    return read
  }

  package func write(to file: URL) throws { try TerminalFile.write(self, to: file) }
}
