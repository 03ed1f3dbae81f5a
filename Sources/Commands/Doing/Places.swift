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
  package init(folders: Folders) {
    let base = folders.actions
    self.init(
      calendar: base.appending(path: "calendar"), tasks: base.appending(path: "tasks"),
      notes: base.appending(path: "notes"),
      mail: base.appending(path: "mail"))
  }
}

/// Files that are whole or absent: written beside their place, flushed, and renamed into it.
enum WholeFile {
  static func write(_ text: String, to file: URL) throws {
    try write(Data(text.utf8), to: file)
  }

  static func write(_ data: Data, to file: URL, staging: URL? = nil) throws {
    let folder = file.deletingLastPathComponent()
    let staged = (staging ?? folder).appending(path: "." + file.lastPathComponent + ".part")
    do {
      try Folders.make(folder)
      try Folders.make(staged.deletingLastPathComponent())
    } catch {
      throw CommandError.placeUnusable(folder.path, "\(error.localizedDescription)")
    }
    let handle = open(staged.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard handle >= 0 else { throw CommandError.placeUnusable(folder.path, String(cString: strerror(errno))) }
    var sent = 0
    while sent < data.count {
      let count = data.withUnsafeBytes {
        Foundation.write(handle, $0.baseAddress?.advanced(by: sent), data.count - sent)
      }
      guard count > 0 else { break }
      sent += count
    }
    let flushed = fsync(handle) == 0
    close(handle)
    guard sent == data.count, flushed, rename(staged.path, file.path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(staged.path)
      throw CommandError.placeUnusable(folder.path, reason)
    }
  }

  /// Enough to tell whether a file is still as it was written.
  static func digest(_ data: Data) -> String {
    String(data.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
