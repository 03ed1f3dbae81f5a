package import Core
import Foundation
import Safety
import Synchronization
import Workers

/// The settings as they are now: read anywhere without waiting, changed here alone.
package final class CurrentSettings: Sendable {
  private let state: Mutex<(now: Settings, refused: [SettingsError])>
  private let file: URL
  private let launcher: Launcher?

  init(_ file: URL, _ launcher: Launcher?) throws {
    let read = try Settings.read(file)
    state = Mutex((read.settings, read.refused))
    (self.file, self.launcher) = (file, launcher)
  }

  package var now: Settings { state.withLock { $0.now } }
  /// What the settings file said and could not be taken.
  var refused: [SettingsError] { state.withLock { $0.refused } }

  /// One setting by its name, from JSON, kept in the file. `failure`: what the launcher could not do at once.
  func change(_ name: String, to json: String) async throws -> (now: Settings, failure: (any Error)?) {
    var failure: (any Error)?
    if name == "offline", try now.setting(name, to: json).offline {
      do { try await launcher?.goOffline() } catch { failure = error }
    }
    try await learnPermissions()
    // Within the lock, so that of two changes at once neither takes the other back.
    let changed = try state.withLock { state in
      let changed = try state.now.setting(name, to: json)
      guard launcher == nil || Permissions(of: changed) == Permissions(of: state.now) else {
        throw SettingsError.terminalOnly(name, json)
      }
      try changed.write(to: file)
      state.now = changed
      state.refused.removeAll { $0.setting == name }
      return changed
    }
    return (changed, failure)
  }

  /// What the launcher obeys; a terminal may have changed it meanwhile.
  func learnPermissions() async throws {
    guard let permissions = try await launcher?.permissions() else { return }
    state.withLock { $0.now = permissions.governing($0.now) }
  }

  /// Back to the defaults.
  func forget() async throws {
    try FileManager.default.removeIfThere(file)
    state.withLock { $0 = (Settings(), []) }
    try await learnPermissions()
  }
}
