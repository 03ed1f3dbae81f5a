import Core
public import Foundation
public import Observation

/// What the system does with files beyond keeping them.
public protocol FileKeeping: Sendable {
  func isProtected(_ file: URL) throws -> Bool
  /// Until the device is unlocked for the first time since its start, nobody reads it. What is made in a folder later is like the folder.
  func protect(_ file: URL) throws
  func isInBackups(_ folder: URL) throws -> Bool
  /// The folder remembers it, with all that is in it.
  func putInBackups(_ folder: URL, _ isIn: Bool) throws
}

/// The folder with everything that is kept: encrypted while the device has not been unlocked, and out of the backups that leave the
/// device unless the person wants it in them.
@MainActor @Observable
public final class HomeKeeping: Fallible {
  private let folder: URL
  private let files: any FileKeeping
  public private(set) var isInBackups = false

  public init(_ folder: URL, _ files: any FileKeeping) { (self.folder, self.files) = (folder, files) }

  /// Before anything is written there. What cannot be had is told, and no reason to keep a person from their documents.
  public func prepare() {
    do {
      let isNew = !FileManager.default.fileExists(atPath: folder.path)
      try Folders.make(folder)
      if isNew { try files.putInBackups(folder, false) }
      isInBackups = try files.isInBackups(folder)
      try protect()
    } catch { failed(error) }
  }

  /// What is there already too, as from an older version.
  private func protect() throws {
    guard try !files.isProtected(folder) else { return }
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      try files.protect(folder.appending(path: path))
    }
    // Last: where this was interrupted it begins anew.
    try files.protect(folder)
  }

  public func putInBackups(_ isIn: Bool) {
    do {
      try files.putInBackups(folder, isIn)
      problem = nil
    } catch { failed(error) }
    do { isInBackups = try files.isInBackups(folder) } catch { failed(error) }
  }
}
