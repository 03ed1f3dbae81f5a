package import Core
package import Foundation
import Synchronization

/// An original that no purge removes while this is there.
package final class HeldOriginal: Sendable {
  package let hash: String
  private let blobs: Blobs

  fileprivate init(_ hash: String, in blobs: Blobs) {
    (self.hash, self.blobs) = (hash, blobs)
    blobs.hold(hash)
  }

  deinit { blobs.release(hash) }
}

/// Originals, kept once each under the hash of their bytes.
package struct Blobs: Sendable {
  package let folder: URL
  private let held = Held()

  package init(folder: URL) { self.folder = folder }

  /// Originals that are being read though nothing refers to them yet, with how many read them.
  private final class Held: Sendable {
    let hashes = Mutex<[String: Int]>([:])
    /// Files that are being written under a name for the time being.
    let drafts = Mutex<Set<String>>([])
  }

  /// From `hold` on a purge leaves the original alone, until `release`.
  func hold(_ hash: String) { held.hashes.withLock { $0[hash, default: 0] += 1 } }

  func release(_ hash: String) {
    held.hashes.withLock { hashes in
      hashes[hash] = hashes[hash].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }

  /// The only place where an original's path is made: of a hash, and of nothing else that may stand where one should.
  package func url(_ hash: String) throws -> URL {
    guard SHA256.isHash(hash) else { throw StorageError.notAHash }
    return place(hash)
  }

  package func contains(_ hash: String) -> Bool {
    guard SHA256.isHash(hash) else { return false }
    return FileManager.default.fileExists(atPath: place(hash).path)
  }

  private func place(_ hash: String) -> URL {
    folder.appending(path: String(hash.prefix(2)), directoryHint: .isDirectory).appending(path: hash)
  }

  /// Copies a file in, unless its bytes are here.
  ///
  /// Reading takes as long as the disk does: not for a thread that others wait for. `check` is asked now and then and may throw.
  package func keep(_ file: RegularFile, check: () throws -> Void = {}) throws -> HeldOriginal {
    // Held from before it is here.
    let seen = HeldOriginal(try hash(file, check) { _ in }, in: self)
    if contains(seen.hash) { return seen }
    let kept = try keep { draft in try hash(file, check) { try draft.write(contentsOf: $0) } }
    // The file may have been changed between the two readings.
    return kept == seen.hash ? seen : HeldOriginal(kept, in: self)
  }

  /// As many bytes as it had when it was opened: one that grows while it is read must come to an end.
  private func hash(_ file: RegularFile, _ check: () throws -> Void, _ body: (Data) throws -> Void) throws -> String {
    var digest = SHA256()
    var done = 0
    while done < file.bytes, let piece = try file.piece(at: done, upTo: min(1 << 20, file.bytes - done)) {
      try check()
      digest.update(piece)
      try body(piece)
      done += piece.count
    }
    return digest.digest
  }

  @discardableResult
  package func keep(_ data: Data) throws -> String {
    try keep { draft in
      try draft.write(contentsOf: data)
      return SHA256.of(data)
    }
  }

  private func keep(_ fill: (FileHandle) throws -> String) throws -> String {
    try Folders.make(folder)
    let draft = folder.appending(path: "draft-\(UUID().uuidString)")
    _ = held.drafts.withLock { $0.insert(draft.lastPathComponent) }
    defer { _ = held.drafts.withLock { $0.remove(draft.lastPathComponent) } }
    try PrivateFile.create(draft)
    do {
      let handle = try FileHandle(forWritingTo: draft)
      defer { handle.closeFile() }
      let hash = try fill(handle)
      let target = try url(hash)
      if contains(hash) {
        try PrivateFile.remove(draft)
      } else {
        try Folders.make(target.deletingLastPathComponent())
        try PrivateFile.replace(target, with: draft)
      }
      return hash
    } catch {
      try PrivateFile.remove(draft)
      throw error
    }
  }

  /// Removes those that nobody reads: who holds one from now on finds that it is not here, and keeps it anew. They are gone from the disk
  /// once the folders are synced.
  func remove(_ hashes: Set<String>) throws -> (folders: Set<URL>, held: Int) {
    var (folders, count) = (Set<URL>(), 0)
    for hash in hashes {
      let file = try url(hash)
      try held.hashes.withLock { reading in
        guard reading[hash] == nil else { return count += 1 }
        try PrivateFile.remove(file)
        folders.insert(file.deletingLastPathComponent())
      }
    }
    return (folders, count)
  }

  /// Removes what the writing of originals has left behind where it was ended.
  func removeDrafts(_ drafts: [URL]) throws {
    let written = held.drafts.withLock { $0 }
    let left = drafts.filter { !written.contains($0.lastPathComponent) }
    for draft in left { try PrivateFile.remove(draft) }
    if !left.isEmpty { try PrivateFile.sync(folder) }
  }

  /// Every hash that is kept, and drafts: those being written and those left by a crash.
  func listing() throws -> (hashes: Set<String>, drafts: [URL]) {
    guard let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return ([], []) }
    var hashes: Set<String> = []
    var drafts: [URL] = []
    for case let file as URL in all {
      let name = file.lastPathComponent
      if name.hasPrefix("draft-") { drafts.append(file) } else if SHA256.isHash(name) { hashes.insert(name) }
    }
    return (hashes, drafts)
  }
}
