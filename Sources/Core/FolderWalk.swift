import Foundation

/// The regular files below a folder. Links are not followed, nothing is opened but folders, and depth and number are bounded.
package struct FolderWalk {
  package struct File: Sendable, Equatable {
    /// The path below the folder.
    package var name: String
    package var bytes: Int
  }

  /// What was found and is not read, and why.
  package struct LeftOut: Sendable, Equatable {
    package var name: String
    package var reason: String
  }

  package static let deepest = 64
  package static let most = 1_000_000

  /// In the order of their names.
  package private(set) var files: [File] = []
  /// The folders below, not the folder itself.
  package private(set) var folders: [String] = []
  package private(set) var leftOut: [LeftOut] = []
  private var seen = 0

  /// Hidden files and folders are passed over. `root` itself must be a folder and no link to one.
  package init(below root: String, check: () throws -> Void = {}) throws {
    let descriptor = FileName.withPath(root) { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let reason = errno
      guard reason == ENOENT || reason == ENOTDIR || reason == ELOOP else {
        throw FileError.refused(root, reason: systemReason(reason))
      }
      throw FileError.notAFolder(root)
    }
    try look(descriptor, "", depth: 0, check)
    files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Whether a folder lies there that is no link to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return FileName.withPath(path) { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Takes the descriptor over.
  private mutating func look(_ descriptor: CInt, _ prefix: String, depth: Int, _ check: () throws -> Void) throws {
    guard let folder = fdopendir(descriptor) else {
      leftOut.append(LeftOut(name: prefix, reason: systemReason()))
      close(descriptor)
      return
    }
    defer { closedir(folder) }
    for name in names(folder) {
      try check()
      guard seen < Self.most else {
        leftOut.append(LeftOut(name: prefix, reason: "there are more than \(Self.most) files"))
        return
      }
      seen += 1
      try take(name, in: descriptor, prefix, depth: depth, check)
    }
  }

  private func names(_ folder: OpaquePointer) -> [[UInt8]] {
    var names: [[UInt8]] = []
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    while names.count <= Self.most, let entry = readdir(folder) {
      // A name may be longer than the type says.
      let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
      guard start[0] != UInt8(ascii: ".") else { continue }
      names.append(
        Array(
          UnsafeBufferPointer(start: start, count: strlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))))
      )
    }
    return names
  }

  private mutating func take(
    _ bytes: [UInt8], in descriptor: CInt, _ prefix: String, depth: Int, _ check: () throws -> Void
  ) throws {
    let name = prefix + FileName.text(bytes)
    let path = bytes.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard fstatat(descriptor, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      // Gone again meanwhile: there is nothing to read.
      if errno != ENOENT { leftOut.append(LeftOut(name: name, reason: systemReason())) }
      return
    }
    guard let kind = RegularFile.irregular(status) else {
      files.append(File(name: name, bytes: Int(status.st_size)))
      return
    }
    guard kind == .folder else {
      leftOut.append(LeftOut(name: name, reason: "it is \(kind.rawValue), which is not followed"))
      return
    }
    guard depth < Self.deepest else {
      leftOut.append(LeftOut(name: name, reason: "it lies more than \(Self.deepest) folders deep"))
      return
    }
    let inner = openat(descriptor, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard inner >= 0 else {
      if errno != ENOENT { leftOut.append(LeftOut(name: name, reason: systemReason())) }
      return
    }
    folders.append(name)
    try look(inner, name + "/", depth: depth + 1, check)
  }
}
