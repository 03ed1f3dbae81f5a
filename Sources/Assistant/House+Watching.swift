import Core
import Foundation
import Resources
import Storage

/// Watched folders: which, is kept in the vault; watching goes on while a server runs.
extension House {
  /// Watches the stored folders from now on, as they are set at each moment.
  package func watch() async throws {
    watches = true
    catchUp()
    try await followWatched()
  }

  /// How long a file must have been left alone before it is imported.
  func settle(after quiet: Duration) { self.quiet = quiet }

  func stopWatching() async {
    watching?.cancel()
    await watching?.value
    watching = nil
  }

  func watch(_ folder: String, collection: String) async throws {
    // A link is followed now, once: where it leads later is not what the person chose.
    guard let place = RegularFile.isLink(folder) ? RegularFile.resolved(folder) : folder, FolderWalk.isFolder(place)
    else { throw WatchError.notAFolder(folder) }
    try await vault.watched.add(place, collection: collection)
    try await followWatched()
  }

  func unwatch(_ folder: String) async throws {
    let known = try await vault.watched.list().map(\.folder)
    // By the name it has, or by a link that leads to it.
    guard let place = [folder, RegularFile.resolved(folder)].compactMap(\.self).first(where: known.contains) else {
      throw StorageError.missing(kind: "watched folder", id: folder)
    }
    try await vault.watched.remove(place)
    try await followWatched()
  }

  private func followWatched() async throws {
    guard watches else { return }
    await stopWatching()
    let roots = try await vault.watched.list().map { Watcher.Root(folder: $0.folder, collection: $0.collection) }
    guard !roots.isEmpty else { return }
    let watcher = try Watcher(roots, quiet: quiet) { [weak self] files, root in
      try await self?.take(files, under: root)
    } report: { [weak self] error in
      await self?.note(error, in: "watch")
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
    try await governor.during { [changed] in try await importing(changed, into: root.collection) { _ in } }
  }

  /// Imported under this name and not touched since; files are not read again at every start to find that out.
  private func isUnchanged(
    _ file: FileFinder.Found, _ status: (bytes: Int, changed: Double)?, in collection: String
  ) async throws -> Bool {
    guard let status, let document = try await vault.documents.find(source: file.path, collection: collection),
      // That some records of a file are here does not say that all are.
      document.state != .stored, document.kind != "records"
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
