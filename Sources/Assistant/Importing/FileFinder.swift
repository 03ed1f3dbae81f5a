import Core
import Foundation

/// The files under what a person named, with the names they get in the library.
struct FileFinder {
  struct Found: Sendable, Equatable {
    var file: URL
    /// The path under the imported root, `/`-separated; the file's own name if a file was named.
    var name: String
  }

  /// Regular files only, hidden ones and packages of the system left out, in a stable order; links are not followed out of
  /// the folder.
  static func files(under paths: [String]) throws -> [Found] {
    try paths.flatMap { path -> [Found] in
      let root = URL(filePath: path).standardizedFileURL
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder) else {
        throw ImportError.notFound(path)
      }
      guard isFolder.boolValue else { return [Found(file: root, name: root.lastPathComponent)] }
      return try below(root)
    }
  }

  /// 0 where it cannot be told: reading it will say why.
  static func size(_ file: URL) -> Int {
    do { return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0 } catch { return 0 }
  }

  private static func below(_ root: URL) throws -> [Found] {
    let keys: [URLResourceKey] = [.isRegularFileKey]
    guard
      let walk = FileManager.default.enumerator(
        at: root, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles, .skipsPackageDescendants])
    else { throw ImportError.notFound(root.path) }
    var found: [Found] = []
    let prefix = root.path.hasSuffix("/") ? root.path : root.path + "/"
    for case let file as URL in walk {
      guard try file.resourceValues(forKeys: Set(keys)).isRegularFile == true else { continue }
      found.append(Found(file: file, name: String(file.path.dropFirst(prefix.count))))
    }
    return found.sorted { $0.name < $1.name }
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
