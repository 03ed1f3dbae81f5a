package import Foundation

/// Where things lie on this device. Nothing is written outside these three folders, except `permissions` and `toolServers` beside the second.
package struct Folders: Sendable, Equatable {
  package var data: URL
  package var configuration: URL
  package var cache: URL

  /// `home` (the `--home` option) puts data and configuration into one folder; caches stay where the system keeps caches.
  package init(home: URL? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
    let user = URL(filePath: environment["HOME"] ?? NSHomeDirectory(), directoryHint: .isDirectory)
    func folder(_ variable: String, _ fallback: String) -> URL {
      let base = environment[variable].flatMap {
        $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil
      }
      return (base ?? user.appending(path: fallback, directoryHint: .isDirectory))
        .appending(path: "libera", directoryHint: .isDirectory)
    }
    data = home ?? folder("XDG_DATA_HOME", ".local/share")
    configuration = home ?? folder("XDG_CONFIG_HOME", ".config")
    cache = folder("XDG_CACHE_HOME", ".cache")
  }

  package init(data: URL, configuration: URL, cache: URL) {
    (self.data, self.configuration, self.cache) = (data, configuration, cache)
  }

  package var packs: URL { data.appending(path: "packs", directoryHint: .isDirectory) }
  package var vault: URL { data.appending(path: "vault.sqlite") }
  package var blobs: URL { data.appending(path: "blobs", directoryHint: .isDirectory) }
  /// What loaded packs had read of conversations, while they are out of memory.
  package var prompts: URL { data.appending(path: "prompts", directoryHint: .isDirectory) }
  package var actions: URL { data.appending(path: "actions", directoryHint: .isDirectory) }
  /// What the page backs up, until the person puts it elsewhere.
  package var backups: URL { data.appending(path: "backups", directoryHint: .isDirectory) }
  package var errorLog: URL { data.appending(path: "errors.jsonl") }
  package var traceLog: URL { data.appending(path: "traces.jsonl") }
  /// The last lines typed into `chat`.
  package var chatHistory: URL { data.appending(path: "chat-history") }
  package var ownerSocket: URL { data.appending(path: "owner.sock") }
  package var ownerLock: URL { data.appending(path: "owner.lock") }
  package var settings: URL { configuration.appending(path: "settings.json") }
  /// What only a terminal decides. The main process writes into all three folders, so this file lies in none of them: its seal must
  /// never let it write here.
  package var permissions: URL { besideConfiguration("permissions") }
  /// The tool servers that a terminal has added, with what each may reach.
  package var toolServers: URL { besideConfiguration("tools") }

  private func besideConfiguration(_ name: String) -> URL {
    let folder = configuration.standardizedFileURL
    return folder.deletingLastPathComponent().appending(path: "\(folder.lastPathComponent).\(name).json")
  }

  /// What a tool server keeps for itself: its home. Not in `scratch`, for the main process may not write what such a server runs.
  package func home(ofTool name: String) -> URL {
    toolHomes.appending(path: name, directoryHint: .isDirectory)
  }
  package var toolHomes: URL { cache.appending(path: "tools", directoryHint: .isDirectory) }
  /// What the main process keeps in the cache. Beside it lie the engine and the tools that other processes run, which it must not
  /// be able to write.
  package var scratch: URL { cache.appending(path: "scratch", directoryHint: .isDirectory) }

  /// A folder as a person wrote it, `~/Notes` or a whole path.
  package static func named(_ text: String) -> URL {
    URL(filePath: (text as NSString).expandingTildeInPath, directoryHint: .isDirectory)
  }

  /// Creates a folder of ours readable by its owner alone.
  package static func make(_ folder: URL) throws {
    var above: [URL] = []
    var missing = folder.standardizedFileURL
    while !FileManager.default.fileExists(atPath: missing.path), missing.path != "/" {
      missing.deleteLastPathComponent()
      above.append(missing)
    }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // A file that is safely on the disk is lost all the same if the folder it is in is not.
    for parent in above { try DurableFile.sync(parent) }
  }
}
