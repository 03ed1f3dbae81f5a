import Core
import Foundation

/// The files under what a person named, with the names they get in the library.
struct FileFinder: Sendable {
  struct Found: Sendable, Equatable {
    /// Where it is; a name that is no UTF-8 stands in it as `FileName` writes it.
    var path: String
    /// The path under the imported root, `/`-separated; the file's own name if a file was named.
    var name: String
    /// The folder it was found in, below which no link is followed; nil for a file that was named itself.
    var root: String?
    var bytes = 0

    /// Opened for reading, whatever has taken its place since it was found.
    func open() throws -> RegularFile {
      guard let root else { return try RegularFile(path) }
      return try RegularFile(name, below: root)
    }
  }

  /// What is not read, or read in another place than was named, and why.
  struct Remark: Sendable, Equatable {
    var name: String
    var reason: String
    /// Whether something was passed over.
    var isLeftOut: Bool
  }

  private(set) var files: [Found] = []
  private(set) var remarks: [Remark] = []

  /// What a path names may be a link, which is followed once. Below a folder only regular files count, hidden ones and links
  /// are left out.
  init(under paths: [String], check: () throws -> Void = {}) throws {
    // By bytes, and once: a program may name one file a hundred thousand times.
    var named: Set<[UInt8]> = []
    for path in paths where named.insert(Array(path.utf8)).inserted { try take(path, check) }
  }

  private mutating func take(_ typed: String, _ check: () throws -> Void) throws {
    var path = typed.count > 1 && typed.hasSuffix("/") ? String(typed.dropLast()) : typed
    guard RegularFile.exists(path) else { throw ImportError.notFound(typed) }
    let name = String(path.split(separator: "/").last ?? "/")
    if RegularFile.isLink(path), let leads = RegularFile.resolved(path) {
      remarks.append(Remark(name: name, reason: "it is a link; what it leads to is read: \(leads)", isLeftOut: false))
      path = leads
    }
    do {
      let file = try RegularFile(path)
      files.append(Found(path: path, name: name, bytes: file.bytes))
    } catch FileError.notAFile(_, .folder) {
      try below(path, check)
    } catch {
      // It fails alone, when its turn comes, and says why.
      files.append(Found(path: path, name: name))
    }
  }

  private mutating func below(_ root: String, _ check: () throws -> Void) throws {
    let walk = try FolderWalk(below: root, check: check)
    let prefix = root.hasSuffix("/") ? root : root + "/"
    files += walk.files.map { Found(path: prefix + $0.name, name: $0.name, root: root, bytes: $0.bytes) }
    remarks += walk.leftOut.map { Remark(name: $0.name, reason: $0.reason, isLeftOut: true) }
  }
}

package enum ImportError: Explained {
  case notFound(String)

  package var code: String {
    switch self {
    case .notFound: "path_not_found"
    }
  }
  package var message: String {
    switch self {
    case .notFound(let path): "There is no file or folder \"\(path)\"."
    }
  }
  package var remedy: String? { "Name files or folders that exist and that you may read." }
}
