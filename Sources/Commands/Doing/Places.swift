package import Core
package import Foundation

/// Where actions land, and which of them the person allows.
package struct Places: Sendable, Equatable {
  /// A vdir collection each: one `.ics` a file.
  package var calendar: URL
  package var tasks: URL
  package var notes: URL
  /// A Maildir; drafts go to its `.Drafts`.
  package var mail: URL
  package var allowed: Set<Intent>
  /// Who writes the mail.
  package var sender: String?
  /// Mail goes out through a program and not only into the drafts, this long after it was confirmed.
  package var sendsAfter: TimeInterval?

  package init(
    calendar: URL, tasks: URL, notes: URL, mail: URL, allowed: Set<Intent> = Set(Intent.allCases), sender: String? = nil
  ) {
    self.calendar = calendar
    self.tasks = tasks
    self.notes = notes
    self.mail = mail
    self.allowed = allowed
    self.sender = sender
  }

  /// In the data folder, unless settings name other places.
  package init(folders: Folders, settings: Settings) {
    let base = folders.actions
    func place(_ setting: String?, _ own: String) -> URL {
      guard let setting, !setting.isEmpty else { return base.appending(path: own) }
      return Folders.named(setting)
    }
    self.init(
      calendar: place(settings.calendarFolder, "calendar"), tasks: place(settings.tasksFolder, "tasks"),
      notes: place(settings.notesFolder, "notes"), mail: place(settings.mailFolder, "mail"),
      allowed: Set(
        Intent.allCases.filter { intent in intent.form.permission.map(settings.connectors.contains) ?? true }),
      sender: settings.mailFrom)
    let sends = !(settings.sendmail ?? "").isEmpty && settings.mailFrom != nil
    sendsAfter = sends ? TimeInterval(max(0, settings.mailUndoSeconds)) : nil
  }
}

/// Files that are whole or absent: written beside their place, flushed, and renamed into it.
enum WholeFile {
  static func write(_ text: String, to file: URL) throws {
    try write(Data(text.utf8), to: file)
  }

  static func write(_ data: Data, to file: URL, staging: URL? = nil) throws {
    let folder = file.deletingLastPathComponent()
    do {
      try Folders.make(folder)
      if let staging { try Folders.make(staging) }
    } catch {
      throw CommandError.placeUnusable(folder.path, "\(error.localizedDescription)")
    }
    do { try DurableFile.write(data, to: file, staging: staging) } catch { throw refusal(folder, error) }
  }

  private static func refusal(_ folder: URL, _ error: any Error) -> any Error {
    refusal(folder, number: Int32(clamping: (error as NSError).code))
  }

  static func refusal(_ place: URL, number: Int32 = errno) -> any Error {
    DiskFull.isMeant(by: number)
      ? DiskFull() : CommandError.placeUnusable(place.path, systemReason(number))
  }

  /// Into another folder of a Maildir, under its own name.
  static func move(_ path: String, to folder: URL) throws -> URL {
    do {
      for part in Maildir.parts { try Folders.make(folder.appending(path: part)) }
    } catch { throw CommandError.placeUnusable(folder.path, "\(error.localizedDescription)") }
    let target = folder.appending(path: "cur").appending(path: URL(filePath: path).lastPathComponent)
    do { try DurableFile.move(URL(filePath: path), to: target) } catch { throw refusal(target, error) }
    return target
  }

  /// Enough to tell whether a file is still as it was written.
  static func digest(_ data: Data) -> String {
    String(data.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}

enum Maildir {
  /// The folders that make a folder a Maildir: read, new, and not yet whole.
  static let parts = ["cur", "new", "tmp"]
}
