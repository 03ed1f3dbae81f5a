import Core
import Foundation
import Synchronization

/// The open vector files, one for each embedder.
final class VectorStores: Sendable {
  private let folder: URL
  private let open = Mutex<[Int64: VectorStore]>([:])

  init(folder: URL) { self.folder = folder }

  func store(_ embedder: Int64, dimensions: Int) throws -> VectorStore {
    try open.withLock { stores in
      if let store = stores[embedder] { return store }
      try Folders.make(folder)
      let store = try VectorStore(file: folder.appending(path: "\(embedder).vec"), dimensions: dimensions)
      stores[embedder] = store
      return store
    }
  }

  var opened: [Int64: VectorStore] { open.withLock { $0 } }

  /// Closes and deletes the file of an embedder that is no longer used.
  func discard(_ embedder: Int64) throws {
    try open.withLock { stores in
      stores[embedder] = nil
      try PrivateFile.remove(folder.appending(path: "\(embedder).vec"))
    }
  }

  /// Deletes the files nothing refers to any more.
  func sweep(keeping embedders: Set<Int64>) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".vec") {
      guard let embedder = Int64(name.dropLast(".vec".count)), !embedders.contains(embedder) else { continue }
      open.withLock { $0[embedder] = nil }
      try PrivateFile.remove(folder.appending(path: name))
    }
    try PrivateFile.sync(folder)
  }
}
