import Core
import Foundation
import Workers

/// Folders of its own for a launcher, in a scratch folder.
struct LaunchPlace {
  let base: URL
  let folders: Folders

  init() throws {
    base = try scratch()
    folders = Folders(
      home: base.appending(path: "home", directoryHint: .isDirectory),
      environment: ["HOME": base.path, "XDG_CACHE_HOME": base.appending(path: "cache").path])
  }

  /// A launcher, gone with what it started when the work is done.
  func launching(offline: Bool = false, _ work: (Launcher) async throws -> Void) async throws {
    let launcher = try Launcher(folders, offline: offline)
    do { try await work(launcher) } catch {
      await launcher.stop()
      throw error
    }
    await launcher.stop()
    try remove()
  }

  func remove() throws { try FileManager.default.removeItem(at: base) }
}
