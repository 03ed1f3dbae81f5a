package import Core
import Foundation
import Synchronization

/// Everything kept about a person's documents and conversations: one SQLite file, the originals, the vectors.
///
/// One writer and a few readers, each an actor with its own connection, so that a search never waits for an import.
/// What is stored is reached through the shelves: `documents`, `conversations`, `vectors`, ...
package final class Vault: Sendable {
  package let folders: Folders
  package let blobs: Blobs
  let writer: ConnectionQueue
  private let readers: [ConnectionQueue]
  private let next = Atomic(0)
  private let changes = Atomic(0)
  let vectorStores: VectorStores

  /// Opens the vault, creating or migrating it. `migrations` differ only in tests.
  package init(_ folders: Folders, migrations: [Migration] = Schema.migrations, readers: Int = 2) throws {
    self.folders = folders
    try Folders.make(folders.data)
    try Restore.finish(folders)
    try Folders.make(folders.blobs)
    try PrivateFile.create(folders.vault)
    let connection = try Connection(folders.vault, .write)
    try Migrator(file: folders.vault, migrations: migrations).migrate(connection)
    writer = ConnectionQueue(connection)
    self.readers = try (0..<readers).map { _ in ConnectionQueue(try Connection(folders.vault, .read)) }
    blobs = Blobs(folder: folders.blobs)
    vectorStores = VectorStores(folder: folders.data.appending(path: "vectors", directoryHint: .isDirectory))
  }

  /// Counts every committed change of documents, so that caches know when they are stale.
  package var revision: Int { changes.load(ordering: .acquiring) }

  /// Reads one consistent state. Stops with `CancellationError` when the task is cancelled.
  package func read<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async throws -> Result {
    let turn = next.add(1, ordering: .relaxed).oldValue
    return try await readers[abs(turn % readers.count)].run { connection in
      try connection.snapshot { try body(connection) }
    }
  }

  /// One immediate transaction, on the disk when it returns. Keep it short: everything else that writes waits for it.
  package func write<Result: Sendable>(
    touchingDocuments: Bool = true, _ body: @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let result = try await writer.run { connection in
      try connection.transaction { try body(connection) }
    }
    if touchingDocuments { noteChange() }
    return result
  }

  func noteChange() { changes.add(1, ordering: .releasing) }

  /// Goes back to the copy taken before the last migration. No vault may be open in this folder. What was there until now is kept
  /// beside it until something is destroyed.
  package static func goBackBeforeMigration(_ folders: Folders) throws { try Migrator.goBack(folders.vault) }

  /// Of which format the vault is, and the copy from before the last migration; nil where there is none. No vault may be open there.
  package static func formats(_ folders: Folders) throws -> (now: Int?, before: Int?) {
    (try Migrator.format(of: folders.vault), try Migrator.format(of: Migrator.wayBack(of: folders.vault)))
  }

  /// What SQLite and the foreign keys find wrong; empty when all is well.
  package func integrityFindings() async throws -> [String] {
    try await read { connection in
      let structure = try connection.rows("PRAGMA integrity_check(20)", as: { $0.text(0) }).filter { $0 != "ok" }
      let keys = try connection.rows("PRAGMA foreign_key_check", as: { "\($0.text(0)) row \($0.int(1))" })
      return structure + keys.map { "a reference leads nowhere: \($0)" }
    }
  }
}

/// One connection and its queue of work.
actor ConnectionQueue {
  private let connection: Connection
  private let interrupter: Interrupter

  init(_ connection: sending Connection) {
    interrupter = connection.interrupter
    self.connection = connection
  }

  func run<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async throws -> Result {
    let interrupter = self.interrupter
    let turn = interrupter.begin()
    defer { interrupter.end() }
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try body(connection)
    } onCancel: {
      interrupter.interrupt(turn: turn)
    }
  }
}
