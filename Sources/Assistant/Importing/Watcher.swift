import Core
import Foundation

/// Keeps the library in step with the watched folders: what is new or changed is imported once it is quiet. What disappears
/// stays in the library and is listed as missing; only the person removes it.
actor Watcher {
  struct Root: Sendable, Equatable {
    var folder: String
    var collection: String
  }

  /// Told apart by its bytes: texts that only look alike are equal, files are not.
  private struct Path: Hashable {
    var bytes: [UInt8]
    init(_ path: String) { bytes = Array(path.utf8) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let roots: [Root]
  /// How long a file must have been left alone: a copy under way or an editor that saves in several steps is waited for.
  private let quiet: Duration
  private let take: @Sendable ([FileFinder.Found], Root) async throws -> Void
  private let report: @Sendable (any Error) async -> Void
  private var tree: FolderTree
  private var pending: [Path: ContinuousClock.Instant] = [:]
  private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let (losses, loss) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

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
    for root in roots { tree.follow(root.folder) }
    if !tree.gone.isEmpty { loss.yield() }
    if tree.leftOut > 0 { await report(WatchError.limit(tree.leftOut)) }
    await lookThrough()
    await withTaskGroup { group in
      group.addTask { for await data in reports { await self.note(data) } }
      group.addTask { await self.settle() }
      group.addTask { await self.lookForLost() }
      group.addTask { await self.lookForReplaced() }
      await group.waitForAll()
    }
    tree.stop()
  }

  private func note(_ data: Data) async {
    let (before, gone) = (tree.leftOut, tree.gone)
    guard let changed = tree.changes(in: data) else { return await lookThrough() }
    if tree.leftOut > before { await report(WatchError.limit(tree.leftOut)) }
    await tell(gone)
    for path in changed { pending[Path(path)] = .now }
    wake.yield()
  }

  /// Of the folders that are gone, those that were not among these.
  private func tell(_ known: Set<[UInt8]>) async {
    for root in tree.gone.subtracting(known) {
      await report(WatchError.notAFolder(String(decoding: root, as: UTF8.self)))
      loss.yield()
    }
  }

  /// A disk that is mounted over a watched folder, or where one was mounted, is told by nobody.
  private func lookForReplaced() async {
    while await waited(quiet * 3) {
      let watched = tree.watched
      do {
        let replaced = try await waitingForDisk { _ in FolderTree.replaced(among: watched) }
        let gone = tree.gone
        tree.lose(replaced)
        await tell(gone)
      } catch { return }  // It was cancelled: nothing else is thrown.
    }
  }

  /// A watched folder that was removed, moved elsewhere or lies on a disk that is not here is watched again once it is back.
  private func lookForLost() async {
    for await _ in losses {
      while !tree.gone.isEmpty {
        guard await waited(quiet) else { return }
        for root in tree.gone.map({ String(decoding: $0, as: UTF8.self) }) where FolderWalk.isFolder(root) {
          for path in tree.follow(root) { pending[Path(path)] = .now }
          wake.yield()
        }
      }
    }
  }

  /// Everything that lies in the folders now counts as changed; what is known is skipped without being read.
  private func lookThrough() async {
    for root in roots {
      do {
        let walk = try await waitingForDisk { try FolderWalk(below: root.folder, check: $0) }
        for file in walk.files { pending[Path(root.folder + "/" + file.name)] = .now }
        if let first = walk.leftOut.first {
          await report(WatchError.leftOut(walk.leftOut.count, root.folder + "/" + first.name, first.reason))
        }
      } catch is CancellationError { return } catch { await report(error) }
    }
    wake.yield()
  }

  private func settle() async {
    for await _ in wakes {
      while !pending.isEmpty {
        guard await waited(quiet / 4) else { return }
        let due = pending.filter { .now - $0.value >= quiet }.keys
        for path in due { pending[path] = nil }
        let paths = due.map(\.text).sorted()
        for root in roots { await take(paths, under: root) }
      }
    }
  }

  private func take(_ paths: [String], under root: Root) async {
    let prefix = root.folder.hasSuffix("/") ? root.folder : root.folder + "/"
    // By bytes: a slash and an accent behind it are one letter.
    let names = paths.filter { $0.utf8.starts(with: prefix.utf8) }
      .map { String(decoding: $0.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) }
    guard !names.isEmpty else { return }
    do {
      let (found, refused) = try await waitingForDisk { check in
        try Self.look(at: names, below: root.folder, check)
      }
      for error in refused { await report(error) }
      if !found.isEmpty { try await take(found, root) }
    } catch is CancellationError { return } catch { await report(error) }
  }

  /// Those that are regular files now; what cannot be opened is told, what is gone again is not.
  private static func look(
    at names: [String], below root: String, _ check: () throws -> Void
  ) throws -> (found: [FileFinder.Found], refused: [FileError]) {
    // A folder that has become a link may lead to a place that the person did not choose.
    guard FolderWalk.isFolder(root) else { throw WatchError.notAFolder(root) }
    var (found, refused): ([FileFinder.Found], [FileError]) = ([], [])
    for name in names {
      try check()
      do {
        let file = try RegularFile(name, below: root)
        found.append(FileFinder.Found(path: file.path, name: name, root: root, bytes: file.bytes))
      } catch FileError.missing {
        continue
      } catch FileError.notAFile(_, .folder) {
        continue
      } catch let error as FileError { refused.append(error) }
    }
    return (found, refused)
  }
}

package enum WatchError: Explained {
  case unavailable(String)
  case limit(Int)
  case leftOut(Int, String, String)
  case notAFolder(String)

  package var code: String {
    switch self {
    case .unavailable: "watch_unavailable"
    case .limit: "watch_limit"
    case .leftOut: "watch_left_out"
    case .notAFolder: "folder_not_found"
    }
  }
  package var message: String {
    switch self {
    case .unavailable(let reason): "Folders cannot be watched: \(reason)."
    case .limit(let count): "The system's limit of watched folders is reached; \(count) are not watched."
    case .leftOut(let count, let name, let reason):
      "\(count) \(count == 1 ? "thing" : "things") in a watched folder cannot be read; the first is \"\(name)\": \(reason)."
    case .notAFolder(let path): "There is no folder \"\(path)\"."
    }
  }
  package var remedy: String? {
    switch self {
    case .unavailable: "Import the folders by hand."
    case .limit: "Raise fs.inotify.max_user_watches; until then these folders are looked at when the server starts."
    case .leftOut: "What links lead to is imported by its own name."
    case .notAFolder: "Name a folder that exists and that you may read."
    }
  }
}
