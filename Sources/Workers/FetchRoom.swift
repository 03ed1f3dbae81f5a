import Core
import Foundation
import Safety

/// Where a worker with a network may write: the packs' staging folder, as it lay when the launcher began. The main process can put
/// a link in its place; then nothing is started.
struct FetchRoom: Sendable {
  private let path: String

  init(_ folders: Folders) {
    func resolved(_ folder: URL) -> String? {
      guard let found = realpath(folder.path, nil) else { return nil }
      defer { free(found) }
      return String(cString: found)
    }
    let packs = resolved(folders.packs) ?? resolved(folders.data).map { $0 + "/packs" } ?? folders.packs.path
    path = packs + "/.staging"
  }

  /// The open folder; whoever opens it closes it.
  func open() throws -> CInt {
    let folder = Self.open(folder: path)
    guard folder >= 0 else { throw WorkerError.dataFolder("\(path): \(systemReason())") }
    #if os(Linux)
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/self/fd/\(folder)", &buffer, buffer.count)
      guard length > 0, String(decoding: buffer[..<length], as: UTF8.self) == path else {
        close(folder)
        throw WorkerError.dataFolder("\(path) is no longer where it was")
      }
    #endif
    return folder
  }

  private static func open(folder path: String) -> CInt {
    #if canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    #else
      Darwin.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    #endif
  }

  private static func isFile(_ path: String) -> Bool {
    // Why one that is named cannot be read is said by the worker, which tries it.
    do { return try !RegularFile(path).path.isEmpty } catch { return false }
  }

  /// For a worker that holds the folder as its descriptor `staging`: a name that nobody can put anything else behind.
  func seal(staging: CInt) -> SealSpecification {
    // That file and nothing beside it: a folder's name opens no folder.
    let authorities = [Spawner.authorities()].compactMap(\.self).filter(Self.isFile)
    #if os(Linux)
      return SealSpecification(.fetch, readable: authorities, writable: ["/proc/self/fd/\(staging)"])
    #else
      return SealSpecification(.fetch, readable: authorities, writable: [path])
    #endif
  }
}

/// What a desktop shows as it is: no markup, no escape sequences, no line breaks, nothing that turns the direction of writing.
enum PlainWords {
  static func of(_ text: String, _ most: Int) -> String {
    let scalars = text.unicodeScalars.prefix(most * 4).map { scalar -> UnicodeScalar in
      switch scalar {
      case "<": return "‹"
      case ">": return "›"
      case "&": return "＆"
      default: break
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return " "
      default: return scalar
      }
    }
    return String(String(String.UnicodeScalarView(scalars)).prefix(most))
  }
}
