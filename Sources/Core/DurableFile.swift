package import Foundation

/// Files that are whole whenever the power fails: as they were, or as they are to be. What a call has done is on the disk when
/// it returns, the name in its folder too.
package enum DurableFile {
  /// Readable by its owner alone. `staging` is a folder of the same disk that it is written in first; else its own.
  package static func write(_ data: Data, to file: URL, staging: URL? = nil) throws {
    let folder = staging ?? file.deletingLastPathComponent()
    let draft = folder.appending(path: ".\(file.lastPathComponent).part")
    let descriptor = try begin(draft)
    // Closing it lets the next one begin.
    defer { close(descriptor) }
    do {
      guard Descriptor.write(data, to: descriptor), fsync(descriptor) == 0 else { throw refusal(folder) }
    } catch {
      unlink(draft.path)
      throw error
    }
    try move(draft, to: file)
  }

  /// An empty draft of our own: who writes the same file at the same moment, in this process or another, waits until it has its place.
  private static func begin(_ draft: URL) throws -> CInt {
    while true {
      let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw refusal(draft.deletingLastPathComponent()) }
      // A file system without locks leaves it at one writer, as it mostly is.
      while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
      var (mine, there) = (stat(), stat())
      let isDraft = fstat(descriptor, &mine) == 0 && lstat(draft.path, &there) == 0 && mine.st_ino == there.st_ino
      if isDraft, ftruncate(descriptor, 0) == 0 { return descriptor }
      let failure = refusal(draft.deletingLastPathComponent())
      close(descriptor)
      // One that is there no more has become what somebody else has written.
      if isDraft { throw failure }
    }
  }

  /// A file or folder takes the name `place`, and the place of a file that had it.
  package static func move(_ file: URL, to place: URL) throws {
    guard rename(file.path, place.path) == 0 else { throw refusal(place) }
    let (from, to) = (file.deletingLastPathComponent(), place.deletingLastPathComponent())
    try sync(to)
    if from.path != to.path { try sync(from) }
  }

  /// What is in the file, or which names are in the folder, is on the disk when this returns.
  package static func sync(_ place: URL) throws {
    let descriptor = open(place.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw refusal(place) }
    defer { close(descriptor) }
    // Some file systems have nothing to do for folders and say so in this way.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw refusal(place) }
  }

  private static func refusal(_ place: URL) -> NSError {
    NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: [NSFilePathErrorKey: place.path])
  }
}
