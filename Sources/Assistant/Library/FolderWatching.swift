import Core
import Foundation
import Resources
import Storage

/// Keeps the library in step with the watched folders while a server runs. Which these are is kept in the vault.
package actor FolderWatching {
  private let vault: Vault
  private let library: LibraryIndex
  private let importing: Importing
  private let governor: Governor
  private let errors: ErrorLog
  private var isOn = false
  private var watching: Task<Void, Never>?
  private var quiet = Duration.seconds(2)

  init(_ vault: Vault, _ library: LibraryIndex, _ importing: Importing, _ governor: Governor, _ errors: ErrorLog) {
    (self.vault, self.library, self.importing) = (vault, library, importing)
    (self.governor, self.errors) = (governor, errors)
  }

  /// Watches the stored folders from now on, as they are set at each moment.
  package func start() async throws {
    isOn = true
    await library.keepUp()
    try await follow()
  }

  func close() async {
    isOn = false
    await stop()
  }

  /// How long a file must have been left alone before it is imported.
  func settle(after quiet: Duration) { self.quiet = quiet }

  func stop() async {
    let former = watching
    watching = nil
    former?.cancel()
    await former?.value
  }

  func watch(_ folder: String, collection: String) async throws {
    // A link is followed now, once: where it leads later is not what the person chose.
    guard let place = RegularFile.isLink(folder) ? RegularFile.resolved(folder) : folder, FolderWalk.isFolder(place)
    else { throw WatchError.notAFolder(folder) }
    try await vault.watched.add(place, collection: Attached.library(collection))
    try await follow()
  }

  func unwatch(_ folder: String) async throws {
    let known = try await vault.watched.list().map(\.folder)
    // By the name it has, or by a link that leads to it.
    guard let place = [folder, RegularFile.resolved(folder)].compactMap(\.self).first(where: known.contains) else {
      throw StorageError.missing(kind: "watched folder", id: folder)
    }
    try await vault.watched.remove(place)
    try await follow()
  }

  private func follow() async throws {
    guard isOn else { return }
    var roots: [Watcher.Root] = []
    // Whoever changed the folders meanwhile may have begun to watch: there is never a second watcher, which nobody would end.
    repeat {
      await stop()
      roots = try await vault.watched.list().map { Watcher.Root(folder: $0.folder, collection: $0.collection) }
    } while watching != nil
    guard isOn, !roots.isEmpty else { return }
    let watcher = try Watcher(roots, quiet: quiet) { [weak self] files, root in
      try await self?.take(files, under: root)
    } report: { [errors] error in
      await errors.note(error, in: "watch")
    }
    watching = Task { await watcher.run() }
  }

  private func take(_ files: [FileFinder.Found], under root: Watcher.Root) async throws {
    let now = try await waitingForDisk { _ in files.map { Self.status(of: $0) } }
    var changed: [FileFinder.Found] = []
    for (file, status) in zip(files, now) where try await !isUnchanged(file, status, in: root.collection) {
      changed.append(file)
    }
    guard !changed.isEmpty else { return }
    try await governor.during { [changed, importing] in try await importing.run(changed, into: root.collection) { _ in }
    }
  }

  /// Imported under this name and not touched since; files are not read again at every start to find that out.
  private func isUnchanged(
    _ file: FileFinder.Found, _ status: (bytes: Int, changed: Double)?, in collection: String
  ) async throws -> Bool {
    guard let status, let document = try await vault.documents.find(source: file.path, collection: collection),
      // That some records of a file are here does not say that all are.
      document.state != .stored, !["records", "mailbox"].contains(document.kind)
    else { return false }
    guard status.bytes == document.bytes else { return false }
    // The change time cannot be set back. A minute more than the import needed between reading and storing.
    return status.changed + 60 < document.created.timeIntervalSince1970
  }

  private static func status(of file: FileFinder.Found) -> (bytes: Int, changed: Double)? {
    do {
      let opened = try file.open()
      return (opened.bytes, opened.changed)
    } catch { return nil }  // the import says why it cannot be read
  }
}
