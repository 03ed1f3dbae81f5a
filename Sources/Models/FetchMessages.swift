package import Foundation
package import Workers

// What the fetch worker understands. It is given paths inside the packs' staging folder and the scripts of Packs/, and
// sees nothing else of the user's. Archives and converters run as its children, which close themselves to any network
// before they read (Packs/sealed.py), and only ever see bytes whose SHA-256 the catalogue states.

/// Operation "download": fetches what is missing of one file into `to`, beside which it keeps `to`.state for resuming.
package struct DownloadRequest: Codable, Sendable, Equatable {
  /// Exactly one of both.
  package var url: String?
  package var package: Pack.PackageFile?
  package var to: String
  package var bytes: Int64
  package var sha256: String?
  /// Seconds without a byte after which the transfer counts as stalled.
  package var patience = 30
  package var tools: Tools?

  package init(url: String? = nil, package: Pack.PackageFile? = nil, to: String, bytes: Int64, sha256: String? = nil) {
    self.url = url
    self.package = package
    self.to = to
    self.bytes = bytes
    self.sha256 = sha256
  }
}

/// Operation "published": asks the publisher for a file's SHA-256 and size without fetching it.
package struct PublishedRequest: Codable, Sendable, Equatable {
  package var url: String
  package init(url: String) { self.url = url }
}

/// Operation "script": runs a script of Packs/ over files of the staging folder.
package struct ScriptRequest: Codable, Sendable, Equatable {
  package var script: String
  package var arguments: [String]
  package var tools: Tools
  package init(script: String, arguments: [String], tools: Tools) {
    self.script = script
    self.arguments = arguments
    self.tools = tools
  }
}

package enum FetchEvent: Codable, Sendable, Equatable {
  case progress(done: Int64, total: Int64)
  /// What was there could not be continued and is fetched again.
  case restarted(reason: String)
  case downloaded(bytes: Int64, sha256: String)
  case published(sha256: String, bytes: Int64)
  /// Something a person should know, such as a converter that could not close itself to the network.
  case notice(String)
}

/// The scripts' folder and the Python that runs them.
package struct Tools: Codable, Sendable, Equatable {
  package var python: String
  package var scripts: String

  package init(python: String, scripts: String) {
    self.python = python
    self.scripts = scripts
  }

  /// LIBERA_PYTHON, else the newest environment that set-up made in the cache folder.
  package static func locate(
    cache: URL, scripts: URL, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Tools {
    if let python = environment["LIBERA_PYTHON"] {
      guard access(python, X_OK) == 0 else { throw PackError.pythonMissing }
      return Tools(python: python, scripts: scripts.path)
    }
    guard Disk.exists(cache) else { throw PackError.pythonMissing }
    let found = try FileManager.default.contentsOfDirectory(atPath: cache.path)
      .filter { $0.hasPrefix("python-") && !$0.hasSuffix(".part") }
      .map { cache.appending(path: "\($0)/bin/python") }
      .filter { access($0.path, X_OK) == 0 }
      .max { (PackRecord.Stamp(of: $0)?.modified ?? 0) < (PackRecord.Stamp(of: $1)?.modified ?? 0) }
    guard let found else { throw PackError.pythonMissing }
    return Tools(python: found.path, scripts: scripts.path)
  }

  /// The Packs folder: LIBERA_PACKS, else the nearest one above the program.
  package static func scriptsFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: URL = URL(filePath: CommandLine.arguments[0])
  ) throws -> URL {
    if let folder = environment["LIBERA_PACKS"] { return URL(filePath: folder, directoryHint: .isDirectory) }
    var place = (Bundle.main.executableURL ?? program).resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<8 {
      let folder = place.appending(path: "Packs", directoryHint: .isDirectory)
      if Disk.exists(folder.appending(path: "catalogue.json")) { return folder }
      place.deleteLastPathComponent()
    }
    throw PackError.scriptsMissing(program.path)
  }
}

/// One call to the fetch worker: an operation, its body, the replies. Tests run the engine in process behind it.
package typealias FetchCall = @Sendable (_ operation: String, _ body: Data) -> AsyncThrowingStream<Reply, any Error>
