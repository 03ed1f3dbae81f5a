import Core
import Foundation

/// Keeps the library in step with the watched folders: what is new or changed is imported once it is quiet. What disappears
/// stays in the library and is listed as missing; only the person removes it.
actor Watcher {
  struct Root: Sendable, Equatable {
    var folder: String
    var collection: String
  }

  private let roots: [Root]
  /// How long a file must have been left alone: a copy under way or an editor that saves in several steps is waited for.
  private let quiet: Duration
  private let take: @Sendable ([FileFinder.Found], Root) async throws -> Void
  private let report: @Sendable (any Error) async -> Void
  private var tree: FolderTree
  private var pending: [String: ContinuousClock.Instant] = [:]
  private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(
    _ roots: [Root], quiet: Duration = .seconds(2),
    take: @escaping @Sendable ([FileFinder.Found], Root) async throws -> Void,
    report: @escaping @Sendable (any Error) async -> Void
  ) throws {
    self.roots = roots
    self.quiet = quiet
    self.take = take
    self.report = report
    tree = try FolderTree()
  }

  /// Runs until its task is cancelled.
  func run() async {
    let reports = tree.reports
    // Watching begins before the first look, so that nothing falls between the two.
    for root in roots { tree.add(root.folder) }
    if tree.leftOut > 0 { await report(WatchError.limit(tree.leftOut)) }
    await lookThrough()
    await withTaskGroup { group in
      group.addTask { for await data in reports { await self.note(data) } }
      group.addTask { await self.settle() }
      await group.waitForAll()
    }
    tree.stop()
  }

  private func note(_ data: Data) async {
    let before = tree.leftOut
    guard let changed = tree.changes(in: data) else {
      await lookThrough()
      return
    }
    if tree.leftOut > before { await report(WatchError.limit(tree.leftOut)) }
    for path in changed { pending[path] = .now }
    wake.yield()
  }

  /// Everything that lies in the folders now counts as changed; what is known is skipped without being read.
  private func lookThrough() async {
    for root in roots {
      do { for found in try FileFinder.files(under: [root.folder]) { pending[found.file.path] = .now } } catch {
        await report(error)
      }
    }
    wake.yield()
  }

  private func settle() async {
    for await _ in wakes {
      while !pending.isEmpty {
        do { try await Task.sleep(for: quiet / 4) } catch { return }
        let due = pending.filter { .now - $0.value >= quiet }.keys.sorted()
        for path in due { pending[path] = nil }
        for root in roots { await take(due, under: root) }
      }
    }
  }

  private func take(_ paths: [String], under root: Root) async {
    let prefix = root.folder.hasSuffix("/") ? root.folder : root.folder + "/"
    let found = paths.compactMap { path -> FileFinder.Found? in
      var isFolder: ObjCBool = false
      guard path.hasPrefix(prefix), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { return nil }
      return FileFinder.Found(file: URL(filePath: path), name: String(path.dropFirst(prefix.count)))
    }
    guard !found.isEmpty else { return }
    do { try await take(found, root) } catch is CancellationError { return } catch { await report(error) }
  }
}

package enum WatchError: Explained {
  case unavailable(String)
  case limit(Int)
  case notAFolder(String)

  package var code: String {
    switch self {
    case .unavailable: "watch_unavailable"
    case .limit: "watch_limit"
    case .notAFolder: "folder_not_found"
    }
  }
  package var message: String {
    switch self {
    case .unavailable(let reason): "Folders cannot be watched: \(reason)."
    case .limit(let count): "The system's limit of watched folders is reached; \(count) are not watched."
    case .notAFolder(let path): "There is no folder \"\(path)\"."
    }
  }
  package var remedy: String? {
    switch self {
    case .unavailable: "Import the folders by hand."
    case .limit: "Raise fs.inotify.max_user_watches; until then these folders are looked at when the server starts."
    case .notAFolder: "Name a folder that exists and that you may read."
    }
  }
}
