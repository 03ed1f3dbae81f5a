import Foundation

/// Folders that the library is kept in step with.
package struct WatchedShelf: Sendable {
  let vault: Vault

  package func add(_ folder: String, collection: String) async throws {
    try await vault.write(touchingDocuments: false) { db in
      try db.run(
        "INSERT OR REPLACE INTO watched (folder, collection, created) VALUES (?, ?, ?)", folder, collection, Date())
    }
  }

  package func remove(_ folder: String) async throws {
    try await vault.write(touchingDocuments: false) { try $0.run("DELETE FROM watched WHERE folder = ?", folder) }
  }

  package func list() async throws -> [(folder: String, collection: String)] {
    try await vault.read { db in
      try db.rows("SELECT folder, collection FROM watched ORDER BY folder") { ($0.text(0), $0.text(1)) }
    }
  }
}

extension Vault {
  package var watched: WatchedShelf { WatchedShelf(vault: self) }
}
