import Core
import Foundation
import Synchronization

/// Files only their owner can read, put in place whole or not at all.
enum PrivateFile {
  /// Creates an empty file with mode 0600; one that is there keeps its content and gets the mode.
  static func create(_ file: URL) throws { _ = try opened(file) }

  /// A file that nobody has made yet, to be written by this handle: in a folder of others its name may soon be another file's.
  static func make(_ file: URL) throws -> FileHandle { try opened(file, O_EXCL | O_NOFOLLOW) }

  private static func opened(_ file: URL, _ how: CInt = 0) throws -> FileHandle {
    let descriptor = open(file.path, O_CREAT | O_RDWR | O_CLOEXEC | how, 0o600)
    guard descriptor >= 0 else { throw failure(file) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard fchmod(descriptor, 0o600) == 0 else { throw failure(file) }
    return handle
  }

  static func remove(_ file: URL) throws {
    if unlink(file.path) != 0, errno != ENOENT { throw failure(file) }
  }

  /// `new` takes the place of `old` in one step, and both the file and the step are on the disk when this returns.
  static func replace(_ old: URL, with new: URL) throws {
    try sync(new)
    try move(new, to: old)
  }

  /// A file or folder takes another name, on the disk when this returns.
  static func move(_ file: URL, to place: URL) throws { try during(place) { try DurableFile.move(file, to: place) } }

  /// Everything below a folder is on the disk when this returns.
  static func syncTree(_ folder: URL) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      try sync(folder.appending(path: name))
    }
    try sync(folder)
  }

  static func sync(_ file: URL) throws { try during(file) { try DurableFile.sync(file) } }

  private static func during(_ file: URL, _ work: () throws -> Void) throws {
    do { try work() } catch { throw failure(file, CInt((error as NSError).code)) }
  }

  static func failure(_ file: URL, _ number: CInt = errno) -> StorageError {
    DiskFull.isMeant(by: number) ? .full : .unreadable(path: file.path, reason: systemReason(number))
  }
}

/// Files and folders of the data folder that end in ".draft" while they are being made. Those that nobody makes were left behind by
/// a program that was ended, and are removed.
enum Drafts {
  private static let made = Mutex<Set<String>>([])

  /// A new one, named after what it is for.
  static func begin(_ kind: String, in folders: Folders, isFolder: Bool = false) -> URL {
    let name = "\(kind)-\(UUID().uuidString).draft"
    _ = made.withLock { $0.insert(name) }
    return folders.data.appending(path: name, directoryHint: isFolder ? .isDirectory : .notDirectory)
  }

  /// It was removed, or stands in its place.
  static func end(_ draft: URL) { _ = made.withLock { $0.remove(draft.lastPathComponent) } }

  static func removeLeft(in folders: Folders) throws {
    for draft in try FileManager.default.contentsOfDirectory(at: folders.data, includingPropertiesForKeys: nil)
    where isOurs(draft.lastPathComponent) && !made.withLock({ $0.contains(draft.lastPathComponent) }) {
      try FileManager.default.removeItem(at: draft)
    }
  }

  /// A person's own may end so too.
  private static func isOurs(_ name: String) -> Bool {
    name.hasSuffix(".draft") && UUID(uuidString: String(name.dropLast(".draft".count).suffix(36))) != nil
  }
}
