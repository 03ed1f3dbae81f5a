package import Foundation

/// Models that the test run has put somewhere beforehand. A missing one skips a test, visibly.
package enum Prepared {
  /// The default packs as `./libera test` has installed them, in the home that `LIBERA_TEST_HOME` names; nil without it.
  package static let packs = ProcessInfo.processInfo.environment["LIBERA_TEST_HOME"].flatMap {
    there(URL(filePath: $0).appending(path: "packs"))
  }

  /// Weights as they were fetched: in `LIBERA_TEST_PACKS`, else in the cache folder.
  package static let folder: URL = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["LIBERA_TEST_PACKS"] { return URL(filePath: named, directoryHint: .isDirectory) }
    let cache = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    return URL(filePath: cache, directoryHint: .isDirectory).appending(path: "libera/test-packs")
  }()

  package static func weights(_ name: String) -> URL? { there(folder.appending(path: name).resolvingSymlinksInPath()) }

  private static func there(_ file: URL) -> URL? { FileManager.default.fileExists(atPath: file.path) ? file : nil }
}
