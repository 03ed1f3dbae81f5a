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
  /// Folders where one might lie that could not be looked into, and why.
  package var unlisted: [String]

  package static func all(_ places: Places, allowed: [String], home: URL) -> [ConnectorPlace] {
    var collections = Search()
    // Where khal, todoman and vdirsyncer keep collections by habit.
    for root in [
      ".calendars", ".local/share/calendars", ".local/share/vdirsyncer", ".local/share/khal/calendars",
      ".contacts/calendars",
    ] {
      for folder in collections.children(home.appending(path: root)) {
        for place in [folder] + collections.children(folder) where collections.isCollection(place) {
          collections.found.append(place)
        }
      }
    }
    var mail = Search()
    for name in ["Maildir", ".maildir", "Mail", ".mail", ".local/share/mail"] {
      let folder = home.appending(path: name)
      mail.found += ([folder] + mail.children(folder)).filter(isMaildir)
    }
    var notes = Search()
    notes.found = ["Notes", "notes", "Documents/Notes", "Documents/notes", "Nextcloud/Notes", "Obsidian"].map {
      home.appending(path: $0)
    }.filter(isFolder)
    func place(_ name: String, _ setting: String, _ folder: URL, _ search: Search) -> ConnectorPlace {
      ConnectorPlace(
        name: name, setting: setting, folder: folder.path, allowed: allowed.contains(name),
        found: search.found.map(\.path).filter { $0 != folder.path }, unlisted: search.unlisted)
    }
    return [
      place("calendar", "calendarFolder", places.calendar, collections),
      place("tasks", "tasksFolder", places.tasks, collections), place("notes", "notesFolder", places.notes, notes),
      place("mail", "mailFolder", places.mail, mail), place("inbox", "mailFolder", places.mail, mail),
    ]
  }

  private struct Search {
    var found: [URL] = []
    var unlisted: [String] = []

    mutating func names(_ folder: URL) -> [String] {
      guard ConnectorPlace.isFolder(folder) else { return [] }
      do { return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } catch {
        let line = "\(folder.path): \((error as NSError).localizedDescription)"
        if !unlisted.contains(line) { unlisted.append(line) }
        return []
      }
    }

    mutating func children(_ folder: URL) -> [URL] {
      names(folder).prefix(100).map { folder.appending(path: $0) }.filter(ConnectorPlace.isFolder)
    }

    mutating func isCollection(_ folder: URL) -> Bool {
      names(folder).contains { $0.hasSuffix(".ics") || $0 == "displayname" }
    }
  }

  private static func isMaildir(_ folder: URL) -> Bool {
    Maildir.parts.allSatisfy { isFolder(folder.appending(path: $0)) }
  }

  private static func isFolder(_ folder: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
