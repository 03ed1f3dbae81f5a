import Core
import Foundation

#if os(Linux)
  import CLinux  // a build with optimisation finds a file's times there
#endif

/// How a browser that is opened by a program gets its code without anyone else seeing it. Every user of a machine may read the
/// command lines of all programs; so the browser is given the name of a file that only its user can read, and the file leads
/// to the page.
struct HandOver: Sendable {
  /// A browser that has not come by then was not opened; the code holds no longer either.
  static let seconds = 30.0
  private static let beginning = "hand-over-"
  private static let ending = ".html"

  private let path: String
  /// The file that was made, which is not another one of the same name.
  private let inode: ino_t

  var address: String { URL(filePath: path, directoryHint: .notDirectory).absoluteString }

  /// Nothing but a port and a code enters the file, so it leads nowhere but to this device.
  init(to page: LauncherMessages.Browse, in folder: String) throws {
    guard page.port > 0, page.code.utf8.count == 64, page.code.utf8.allSatisfy({ Self.digits.contains($0) }) else {
      throw WorkerError.badRequest("a page is opened by its port and a code of 64 hexadecimal digits")
    }
    let place = try Self.open(folder)
    defer { close(place) }
    var source = SystemRandomNumberGenerator()
    let name = Self.beginning + (0..<2).map { _ in String(source.next() as UInt64, radix: 36) }.joined() + Self.ending
    let file = openat(place, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw WorkerError.dataFolder("\(folder)/\(name): \(systemReason())") }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var info = stat()
    guard fstat(file, &info) == 0 else { throw WorkerError.dataFolder(systemReason()) }
    (path, inode) = ("\(folder)/\(name)", info.st_ino)
    do { try handle.write(contentsOf: Data(Self.html(page).utf8)) } catch {
      remove()
      throw error
    }
  }

  func remove() {
    var info = stat()
    if lstat(path, &info) == 0, info.st_ino == inode { unlink(path) }
  }

  /// Removes what was left by a launcher that was killed. What is younger may be another one's, at this moment.
  static func sweep(_ folder: String) {
    guard let place = opendir(folder) else { return }
    defer { closedir(place) }
    while let entry = readdir(place) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var info = stat()
      guard name.hasPrefix(beginning), name.hasSuffix(ending),
        fstatat(dirfd(place), name, &info, AT_SYMLINK_NOFOLLOW) == 0,
        info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), Double(time(nil)) - changed(info) > 2 * seconds
      else { continue }
      unlinkat(dirfd(place), name, 0)
    }
  }

  private static func changed(_ info: stat) -> Double {
    #if os(Linux)
      Double(info.st_mtim.tv_sec)
    #else
      Double(info.st_mtimespec.tv_sec)
    #endif
  }

  private static func open(_ folder: String) throws -> CInt {
    #if canImport(Glibc)
      let place = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #else
      let place = Darwin.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #endif
    guard place >= 0 else { throw WorkerError.dataFolder("\(folder): \(systemReason())") }
    var info = stat()
    guard fstat(place, &info) == 0, info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
      close(place)
      throw WorkerError.dataFolder("\(folder): it is not yours alone to write in")
    }
    return place
  }

  private static let digits = Set("0123456789abcdef".utf8)

  private static func html(_ page: LauncherMessages.Browse) -> String {
    let address = "http://127.0.0.1:\(page.port)/#key=\(page.code)"
    return """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <title>Libera</title>
      <noscript><meta http-equiv="refresh" content="0; url=\(address)"></noscript>
      <script>location.replace("\(address)")</script>

      """
  }
}
