import Core
import Foundation
import Models

/// What a home takes of the device's storage, in bytes.
public struct StorageUse: Sendable, Codable, Equatable {
  /// Documents with their passages and vectors, and conversations.
  public var documents: Int64
  public var models: Int64
  /// Logs, settings, actions.
  public var other: Int64
  /// What the device has left.
  public var free: Int64
}

extension Libera {
  /// What the home takes of the device's storage, as its files are now.
  public func storage() async throws -> StorageUse {
    let folders = house.folders
    do {
      return try await waitingForDisk { check in
        let documents = [folders.blobs] + ["", "-wal", "-shm"].map { URL(filePath: folders.vault.path + $0) }
        let kept = try Self.size(of: documents, check)
        let models = try Self.size(of: [folders.packs], check)
        let all = try Self.size(of: Set([folders.data, folders.configuration]).sorted { $0.path < $1.path }, check)
        return StorageUse(
          documents: kept, models: models, other: max(0, all - kept - models), free: try Disk.free(folders.data))
      }
    } catch { throw LiberaError.told(error) }
  }

  /// Of files and of everything in folders. What goes while it is looked at counts nothing; links are not followed.
  private static func size(of places: [URL], _ check: () throws -> Void) throws -> Int64 {
    var sum: Int64 = 0
    for place in places {
      sum += bytes(place)
      guard let inside = FileManager.default.enumerator(atPath: place.path) else { continue }
      for case let name as String in inside {
        try check()
        sum += bytes(place.appending(path: name))
      }
    }
    return sum
  }

  private static func bytes(_ file: URL) -> Int64 {
    var status = stat()
    guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int64(status.st_size)
  }
}
