import Core
package import Foundation

/// What a backup says about itself, as its last member.
package struct BackupManifest: Codable, Sendable, Equatable {
  package struct Member: Codable, Sendable, Equatable {
    package var name: String
    package var size: Int
    package var sha256: String
  }

  package var format = 1
  package var created: Date
  package var members: [Member] = []

  static let name = "manifest.json"
}

extension Vault {
  /// Writes vault, originals, actions and settings to one file, which takes its name only when it is complete. Without a password it is
  /// a tar archive anyone can open.
  @discardableResult
  package func backUp(
    to file: URL, password: String? = nil, progress: @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) async throws -> BackupManifest {
    try await backUp(to: file, password: password, effort: .usual, progress: progress)
  }

  @discardableResult
  func backUp(
    to file: URL, password: String?, effort: SealedStream.Effort,
    progress: @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) async throws -> BackupManifest {
    let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).draft")
    let copy = Drafts.begin("backup", in: folders)
    defer { Drafts.end(copy) }
    do {
      try PrivateFile.create(copy)
      try await writer.run { db in
        let target = try Connection(copy, .write)
        try db.copy(to: target)
        try target.script("PRAGMA journal_mode = DELETE")
      }
      // Where others can put files, too, nothing of theirs is written through.
      try PrivateFile.remove(draft)
      var sink: any ByteSink = try FileSink(draft)
      if let password { sink = try SealingSink(sink, password: password, effort: effort) }
      let manifest = try write(copy, to: TarWriter(sink: sink), progress)
      try PrivateFile.replace(file, with: draft)
      try PrivateFile.remove(copy)
      return manifest
    } catch {
      for leftover in [draft, copy] { try PrivateFile.remove(leftover) }
      throw error
    }
  }

  private func write(
    _ copy: URL, to tar: TarWriter, _ progress: (_ done: Int, _ of: Int) -> Void
  ) throws -> BackupManifest {
    var files = [("vault.sqlite", copy)]
    files += try blobs.listing().hashes.sorted().map { ("blobs/\($0.prefix(2))/\($0)", try blobs.url($0)) }
    files += try Self.files(under: folders.actions).map { ("actions/\($0)", folders.actions.appending(path: $0)) }
    if FileManager.default.fileExists(atPath: folders.settings.path) {
      files.append(("settings.json", folders.settings))
    }
    let sizes = try files.map { try Self.size(of: $0.1) }
    let total = sizes.reduce(0, +)
    var manifest = BackupManifest(created: Date())
    var done = 0
    for ((name, file), size) in zip(files, sizes) {
      let source = try FileSource(file)
      var digest = SHA256()
      try tar.add(name, size: size) { write in
        while case let piece = try source.read(1 << 20), !piece.isEmpty {
          try Task.checkCancellation()
          digest.update(piece)
          try write(piece)
          done += piece.count
          progress(done, total)
        }
      }
      manifest.members.append(.init(name: name, size: size, sha256: digest.digest))
    }
    let last = try JSON.encode(manifest, pretty: true)
    try tar.add(BackupManifest.name, size: last.count) { try $0(last) }
    try tar.finish()
    return manifest
  }

  package static func files(under folder: URL) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter { path in
      // Links are not followed out of the folder.
      let type = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)[.type]
      return type as? FileAttributeType == .typeRegular
    }
  }

  private static func size(of file: URL) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue ?? 0
  }
}
