package import Core
import Storage

package struct WatchedFolder: Codable, Sendable {
  /// Absolute.
  package var folder: String
  package var collection: String?
  package init(folder: String, collection: String? = nil) { (self.folder, self.collection) = (folder, collection) }
}

package enum ListWatched: Operation {
  package static let name = "watched"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<WatchedFolder>) async throws {
    for (folder, collection) in try await house.vault.watched.list() {
      emit(WatchedFolder(folder: folder, collection: collection))
    }
  }
}

/// A folder to be kept in step with while a server runs.
package enum WatchFolder: Operation {
  package static let name = "watch"
  package static let places: [String: PlaceUse] = ["folder": .reads]
  package static func run(_ input: WatchedFolder, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.watching.watch(input.folder, collection: input.collection ?? "documents")
    emit(Nothing())
  }
}

/// Its documents stay.
package enum UnwatchFolder: Operation {
  package static let name = "unwatch"
  package static let places: [String: PlaceUse] = ["folder": .reads]
  package static func run(_ input: WatchedFolder, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.watching.unwatch(input.folder)
    emit(Nothing())
  }
}
