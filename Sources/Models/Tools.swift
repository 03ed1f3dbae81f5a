package import Foundation

/// The scripts' folder and the Python that runs them.
package struct Tools: Codable, Sendable, Equatable {
  /// Names the Python to use, in place of the one that set-up made.
  package static let variable = "LIBERA_PYTHON"

  package var python: String
  package var scripts: String

  package init(python: String, scripts: String) {
    self.python = python
    self.scripts = scripts
  }

  /// What the fetch worker must be able to read beside the system's own folders: the scripts, the Python environment and the
  /// installation it points to, and pip's configuration, which says where packages come from.
  package var readable: [String] {
    let environment = URL(filePath: python).deletingLastPathComponent().deletingLastPathComponent()
    let installation = URL(filePath: python).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent()
    let home = FileManager.default.homeDirectoryForCurrentUser
    let pip = [".config/pip/pip.conf", ".pip/pip.conf"].map { home.appending(path: $0) }
    return [URL(filePath: scripts), environment, installation].filter { $0.path != "/" }.map(\.path)
      + pip.filter(Disk.exists).map(\.path)
  }

  /// LIBERA_PYTHON, else the newest environment that set-up made in the cache folder; nil where there is neither, as where the program
  /// was installed from a package: then what needs no conversion can still be fetched.
  package static func locate(
    cache: URL, scripts: URL, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Tools? {
    if let python = environment[variable] {
      guard access(python, X_OK) == 0 else { throw PackError.pythonMissing }
      return Tools(python: python, scripts: scripts.path)
    }
    guard Disk.exists(cache) else { return nil }
    return try FileManager.default.contentsOfDirectory(atPath: cache.path)
      .filter { $0.hasPrefix("python-") && !$0.hasSuffix(".part") }
      .map { cache.appending(path: "\($0)/bin/python") }
      .filter { access($0.path, X_OK) == 0 }
      .max { (PackRecord.Stamp(of: $0)?.modified ?? 0) < (PackRecord.Stamp(of: $1)?.modified ?? 0) }
      .map { Tools(python: $0.path, scripts: scripts.path) }
  }
}
