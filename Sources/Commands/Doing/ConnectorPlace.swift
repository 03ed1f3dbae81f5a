package import Foundation

/// A kind of place that actions land in: where it is, whether it may be used, and what else was found on this device.
package struct ConnectorPlace: Codable, Sendable, Equatable {
  /// As in the settings: "calendar", "tasks", "notes", "mail", "inbox".
  package var name: String
  package var setting: String
  package var folder: String
  package var allowed: Bool
  /// Folders that look like one, for the person to choose.
  package var found: [String]

  package static func all(_ places: Places, allowed: [String], home: URL) -> [ConnectorPlace] {
    let collections = vdirs(home)
    let mail = ["Maildir", ".maildir", "Mail", ".mail", ".local/share/mail"].flatMap { name in
      let folder = home.appending(path: name)
      return [folder] + children(folder)
    }.filter(isMaildir)
    let notes = ["Notes", "notes", "Documents/Notes", "Documents/notes", "Nextcloud/Notes", "Obsidian"].map {
      home.appending(path: $0)
    }.filter(isFolder)
    func place(_ name: String, _ setting: String, _ folder: URL, _ found: [URL]) -> ConnectorPlace {
      ConnectorPlace(
        name: name, setting: setting, folder: folder.path, allowed: allowed.contains(name),
        found: found.map(\.path).filter { $0 != folder.path })
    }
    return [
      place("calendar", "calendarFolder", places.calendar, collections),
      place("tasks", "tasksFolder", places.tasks, collections), place("notes", "notesFolder", places.notes, notes),
      place("mail", "mailFolder", places.mail, mail), place("inbox", "mailFolder", places.mail, mail),
    ]
  }

  /// Where khal, todoman and vdirsyncer keep collections by habit.
  private static func vdirs(_ home: URL) -> [URL] {
    let roots = [
      ".calendars", ".local/share/calendars", ".local/share/vdirsyncer", ".local/share/khal/calendars",
      ".contacts/calendars",
    ]
    return roots.flatMap { root in
      children(home.appending(path: root)).flatMap { [$0] + children($0) }
    }.filter { folder in
      let names = FileManager.default.subpaths(atPath: folder.path)?.prefix(2000) ?? []
      return names.contains { $0.hasSuffix(".ics") && !$0.contains("/") } || names.contains("displayname")
    }
  }

  private static func isMaildir(_ folder: URL) -> Bool {
    ["cur", "new", "tmp"].allSatisfy { isFolder(folder.appending(path: $0)) }
  }

  private static func isFolder(_ folder: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) && isFolder.boolValue
  }

  private static func children(_ folder: URL) -> [URL] {
    // A folder that cannot be listed holds nothing that could be offered.
    guard isFolder(folder), let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      return []
    }
    return names.sorted().prefix(100).map { folder.appending(path: $0) }.filter(isFolder)
  }
}
