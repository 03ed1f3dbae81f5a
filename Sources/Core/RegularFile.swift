package import Foundation

/// A regular file, opened for reading; closed when nobody holds it any more.
///
/// What lies in a folder may have been put there by anybody: a pipe blocks whoever opens it, a device answers without end, a
/// link leads elsewhere. So nothing is opened by other means where the content is not our own: opening never waits, and what
/// is not a regular file is refused by what was really opened, whatever stood there a moment before.
package final class RegularFile: Sendable {
  /// As it was asked for.
  package let path: String
  /// Good as long as the file is held: `withExtendedLifetime` where only this number is handed on.
  package let descriptor: CInt
  /// When it was opened.
  package let bytes: Int

  private static let manner = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

  /// For a path that the person named or that is our own: links on the way are followed.
  package convenience init(_ path: String) throws {
    // Opening some devices already does something to them.
    var seen = stat()
    guard FileName.withPath(path, { stat($0, &seen) }) == 0 else { throw Self.failure(path) }
    guard let kind = Self.irregular(seen) else {
      try self.init(path, FileName.withPath(path) { open($0, Self.manner) })
      return
    }
    throw FileError.notAFile(path, kind)
  }

  /// For what was found in a folder: `name` may lead through folders, and no part of it is a link. The folder
  /// itself was named by the person and may be one.
  package convenience init(_ name: String, below root: String) throws {
    let path = root.hasSuffix("/") ? root + name : root + "/" + name
    var folder = FileName.withPath(root) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard folder >= 0 else { throw Self.failure(root) }
    defer { close(folder) }
    var parts = FileName.bytes(name).split(separator: UInt8(ascii: "/"))[...]
    guard let last = parts.popLast(), !parts.contains(Array("..".utf8)[...]), last.elementsEqual("..".utf8) == false
    else { throw FileError.missing(path) }
    for part in parts {
      let next = (part + [0]).withUnsafeBytes {
        openat(
          folder, $0.assumingMemoryBound(to: CChar.self).baseAddress!, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else { throw Self.failure(path) }
      close(folder)
      folder = next
    }
    let opened = (last + [0]).withUnsafeBytes {
      openat(folder, $0.assumingMemoryBound(to: CChar.self).baseAddress!, Self.manner | O_NOFOLLOW)
    }
    try self.init(path, opened)
  }

  /// Takes the descriptor over.
  private init(_ path: String, _ descriptor: CInt) throws {
    guard descriptor >= 0 else { throw Self.failure(path) }
    var status = stat()
    let known = fstat(descriptor, &status)
    guard known == 0, Self.irregular(status) == nil else {
      let failure = known == 0 ? FileError.notAFile(path, Self.irregular(status) ?? .other) : Self.failure(path)
      close(descriptor)
      throw failure
    }
    (self.path, self.descriptor, bytes) = (path, descriptor, Int(status.st_size))
  }

  deinit { close(descriptor) }

  /// Enough to tell whether a file is still the one that was read: its place, its size and its last changes.
  package struct Stamp: Sendable, Equatable {
    private var numbers: [Int] = []
    private var changed = 0.0

    package static let unknown = Stamp()

    private init() {}
    fileprivate init(_ status: stat) {
      #if canImport(Darwin)
        let (written, touched) = (status.st_mtimespec, status.st_ctimespec)
      #else
        let (written, touched) = (status.st_mtim, status.st_ctim)
      #endif
      numbers = [
        Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
        written.tv_sec, Int(written.tv_nsec), touched.tv_sec, Int(touched.tv_nsec),
      ]
      // Nobody but the system sets this one.
      changed = Double(touched.tv_sec)
    }

    package func isOlder(than date: Date) -> Bool { changed < date.timeIntervalSince1970 }
  }

  /// nil where the system does not tell.
  package var stamp: Stamp? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Stamp(status) : nil
  }

  // MARK: Reading

  /// The whole of it. A file that has more bytes, or grows beyond that meanwhile, is refused.
  package func whole(limit: Int) throws -> Data {
    guard bytes <= limit else { throw FileError.tooLarge(path, bytes: bytes, limit: limit) }
    var data = Data()
    while let piece = try piece(at: data.count, upTo: 1 << 20) {
      data += piece
      guard data.count <= limit else { throw FileError.tooLarge(path, bytes: data.count, limit: limit) }
    }
    return data
  }

  /// Up to so many bytes from a place on; nil at the end.
  package func piece(at offset: Int, upTo count: Int) throws -> Data? {
    var data = Data(count: count)
    let read = data.withUnsafeMutableBytes { Descriptor.read(descriptor, at: offset, into: $0) }
    guard read >= 0 else { throw FileError.unreadable(path, reason: systemReason()) }
    return read == 0 ? nil : data.prefix(read)
  }

  /// Whether anything stands at the end of the path, links followed.
  package static func exists(_ path: String) -> Bool { FileName.withPath(path) { access($0, F_OK) == 0 } }

  /// Where a path leads when every link on the way is followed; nil where nothing is.
  package static func resolved(_ path: String) -> String? {
    FileName.withPath(path) { realpath($0, nil) }.map { found in
      defer { free(found) }
      return FileName.text(UnsafeBufferPointer(start: found, count: strlen(found)).map { UInt8(bitPattern: $0) })
    }
  }

  /// Whether the path's last part is a link.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return FileName.withPath(path) { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// When the file's content or whereabouts were last changed, by a clock that nobody can set back through the file itself.
  package var changed: Double {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .infinity }
    #if canImport(Darwin)
      return Double(status.st_ctimespec.tv_sec)
    #else
      return Double(status.st_ctim.tv_sec)
    #endif
  }

  /// The whole of a small file by its path.
  package static func whole(_ path: String, limit: Int) throws -> Data { try RegularFile(path).whole(limit: limit) }

  // MARK: What stands there

  /// What stands there instead of a regular file; nil where one does.
  static func irregular(_ status: stat) -> FileError.Kind? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: .folder
    case S_IFLNK: .link
    case S_IFIFO: .pipe
    case S_IFSOCK: .socket
    case S_IFCHR, S_IFBLK: .device
    default: .other
    }
  }

  private static func failure(_ path: String) -> FileError {
    switch errno {
    case ENOENT, ENOTDIR: .missing(path)
    case ELOOP: .notAFile(path, .link)
    case ENXIO: .notAFile(path, .socket)
    default: .refused(path, reason: systemReason())
    }
  }
}
