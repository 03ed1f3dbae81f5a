import Core
package import Foundation

/// Originals, kept once each under the hash of their bytes.
package struct Blobs: Sendable {
  package let folder: URL

  package func url(_ hash: String) -> URL {
    folder.appending(path: String(hash.prefix(2)), directoryHint: .isDirectory).appending(path: hash)
  }

  package func contains(_ hash: String) -> Bool { FileManager.default.fileExists(atPath: url(hash).path) }

  /// Copies a file in. Returns its hash; a second copy of the same bytes costs nothing.
  @discardableResult
  package func keep(file: URL) throws -> String {
    try keep { draft in
      let source = try FileHandle(forReadingFrom: file)
      defer { source.closeFile() }
      var digest = SHA256()
      while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
        try Task.checkCancellation()
        digest.update(piece)
        try draft.write(contentsOf: piece)
      }
      return digest.digest
    }
  }

  @discardableResult
  package func keep(_ data: Data) throws -> String {
    try keep { draft in
      try draft.write(contentsOf: data)
      return SHA256.of(data)
    }
  }

  private func keep(_ fill: (FileHandle) throws -> String) throws -> String {
    try Foundation.FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let draft = folder.appending(path: "draft-\(UUID().uuidString)")
    try PrivateFile.create(draft)
    do {
      let handle = try FileHandle(forWritingTo: draft)
      defer { handle.closeFile() }
      let hash = try fill(handle)
      let target = url(hash)
      if contains(hash) {
        try PrivateFile.remove(draft)
      } else {
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        try PrivateFile.replace(target, with: draft)
      }
      return hash
    } catch {
      try PrivateFile.remove(draft)
      throw error
    }
  }

  package func remove(_ hash: String) throws { try PrivateFile.remove(url(hash)) }

  /// Every hash that is kept, and drafts left by a crash.
  func listing() throws -> (hashes: Set<String>, drafts: [URL]) {
    guard let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return ([], []) }
    var hashes: Set<String> = []
    var drafts: [URL] = []
    for case let file as URL in all {
      let name = file.lastPathComponent
      if name.hasPrefix("draft-") { drafts.append(file) } else if name.count == 64 { hashes.insert(name) }
    }
    return (hashes, drafts)
  }
}
