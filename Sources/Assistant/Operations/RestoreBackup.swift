package import Core
import Foundation
import Storage

/// Puts a backup in the place of everything that is here. It is read and checked to its end while the program goes on; then the
/// program ends, and whoever opens the data folder next finds what was restored. Only who serves can be asked for this:
/// `libera restore` does it while nothing runs.
package enum RestoreBackup: Operation {
  package struct Input: Codable, Sendable {
    package var path: String
    package var password: String?
    /// The person was told what goes, and agreed.
    package var replacing: Bool
    package init(path: String, password: String? = nil, replacing: Bool) {
      (self.path, self.password, self.replacing) = (path, password, replacing)
    }
  }
  package static let name = "restore"
  package static let places: [String: PlaceUse] = ["path": .reads]
  package static func check(_ input: Input, from caller: Caller) throws {
    if case .key = caller { throw CallerError.personOnly("Restoring a backup") }
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<BackUp.Event>) async throws {
    guard house.reception != nil else { throw AssistantError.restoreRefused }
    guard input.replacing else { throw StorageError.wouldReplace(path: house.folders.data.path) }
    let (file, folders) = (URL(filePath: input.path), house.folders)
    let prepared = try await waitingForDisk(unclaimed: { (late: Restore.Prepared) in
      // It stays as a draft that nothing reads.
      do { try late.discard() } catch { Task { await house.errors.note(error, in: name) } }
    }) { check -> Restore.Prepared in
      try withoutActuallyEscaping(check) { check in
        var told = -1
        return try Restore.prepare(
          file, for: folders, password: input.password, readers: .ofTheHouse, check: check
        ) { share in
          let percent = Int(share * 100)
          if percent != told { emit(BackUp.Event(progress: share)) }
          told = percent
        }
      }
    }
    try await house.departure.leave {
      try Restore.commit(prepared, folders)
      emit(
        BackUp.Event(
          done: .init(
            prepared.outcome.manifest, encrypted: input.password != nil, path: file.lastPathComponent,
            remarks: prepared.outcome.remarks)))
    }
  }
}
