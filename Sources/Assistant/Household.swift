package import Core
package import Resources
import Safety
import Storage
import Synchronization
package import Workers

/// A house inside a program that is not ours: it opens no connection and owns its data folder until it is closed. Its engines run
/// where `host` says.
package final class Household: Sendable {
  package let house: House
  private let lock: Mutex<OwnerLock?>

  /// The newest format of the vault that this version reads.
  package static var vaultFormat: Int { Schema.migrations.map(\.format).max() ?? 0 }

  private init(_ house: House, _ lock: OwnerLock) {
    self.house = house
    self.lock = Mutex(lock)
  }

  /// Takes the data folder for this program alone, finishes what a restore left, and opens the house.
  package static func open(
    _ folders: Folders, on host: WorkerHost, sensors: (any Sensors)? = nil, installation: Installation? = nil,
    platform: (any PlatformModel)? = nil, signposts: (any AnswerSignposts)? = nil
  ) async throws -> Household {
    try folders.check()
    for folder in [folders.data, folders.configuration, folders.scratch] { try Folders.make(folder) }
    guard case .taken(let lock) = try OwnerLock.take(folders.ownerLock) else { throw AssistantError.folderInUse }
    try Restore.finish(folders)
    let house = try House(
      folders: folders, sensors: sensors ?? deviceSensors, launcher: nil,
      seal: .unsealed("this program has not sealed itself"), host: host, installation: installation,
      platform: platform, signposts: signposts)
    await house.open()
    return Household(house, lock)
  }

  /// Ends every engine; then another may own the folder.
  package func close() async {
    await house.close()
    lock.withLock { $0 = nil }
  }
}
