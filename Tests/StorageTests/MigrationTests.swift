import Core
import Foundation
import Testing

@testable import Storage

@Suite("Formats of the vault")
struct MigrationTests {
  private let next = Migration(format: 8, sql: "ALTER TABLE documents ADD COLUMN language TEXT")

  @Test("A migration keeps what was there, and there is a way back to before it")
  func wayBack() async throws {
    let rig = Rig()
    do { try await Rig.add("kept words", named: "a", to: rig.vault()) }
    do {
      let vault = try Vault(rig.folders, migrations: Schema.migrations + [next])
      #expect(try await vault.read { try $0.first("PRAGMA user_version", as: { $0.int(0) }) } == 8)
      try await Rig.add("after the migration", named: "b", to: vault)
    }
    #expect(throws: StorageError.newer(found: 8, known: 7)) { try rig.vault() }
    try Vault.goBackBeforeMigration(rig.folders)
    let vault = try rig.vault()
    #expect(try await vault.documents.list().map(\.name) == ["a"])
    #expect(try await vault.words.match("kept", headingWeight: 1, limit: 1).count == 1)
    #expect(try await vault.integrityFindings() == [])
    #expect(throws: StorageError.noWayBack) { try Vault.goBackBeforeMigration(rig.folders) }
  }

  @Test("A vault of the first format keeps its documents, chunks, words and vectors, and its ids are never used again")
  func firstFormat() async throws {
    let rig = Rig()
    do {
      let old = try Vault(rig.folders, migrations: Array(Schema.migrations.prefix(1)))
      try await old.write { db in
        try db.script(
          """
          INSERT INTO collections VALUES (1, 'documents', 0);
          INSERT INTO documents (id, collection, name, hash, title, kind, state, bytes, created, updated)
            VALUES (4, 1, 'kept', 'abc', 'Kept', 'text', 'indexed', 5, 0, 0), (9, 1, 'gone', 'def', 'G', 'text', 'ready', 5, 0, 0);
          INSERT INTO pages (document, number, start, text) VALUES (4, 1, 0, 'kept words');
          INSERT INTO chunks (id, document, ordinal, start, end, heading, text, tokens) VALUES (7, 4, 0, 0, 10, '', 'kept words', 2);
          INSERT INTO embedders VALUES (1, 'test', 2);
          INSERT INTO vectors VALUES (7, 1, x'0000803f01000000');
          DELETE FROM documents WHERE id = 9;
          """)
      }
    }
    let vault = try rig.vault()
    #expect(try await vault.documents.list().map(\.name) == ["kept"])
    #expect(try await vault.documents.text(4) == "kept words")
    #expect(try await vault.words.match("kept", headingWeight: 1, limit: 9).map(\.chunk) == [7])
    #expect(try await vault.vectors(embedder: "test", dimensions: 2).count() == 1)
    #expect(try await vault.integrityFindings() == [])
    #expect(try await Rig.add("new", named: "new", to: vault) == 10)
    try await vault.documents.remove([4])
    #expect(try await vault.read { try $0.first("SELECT count(*) FROM chunks WHERE id = 7", as: { $0.int(0) }) } == 0)
  }

  @Test("A migration that fails half way changes nothing")
  func failing() async throws {
    let rig = Rig()
    do { try await Rig.add("kept words", named: "a", to: rig.vault()) }
    let broken = Migration(format: 8, sql: "CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);")
    #expect(throws: StorageError.self) { try Vault(rig.folders, migrations: Schema.migrations + [broken]) }
    let vault = try rig.vault()
    #expect(try await vault.documents.list().count == 1)
    #expect(
      try await vault.read { try $0.first("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", as: { $0.int(0) }) }
        == 0)
  }

  @Test("The copy from before a migration goes when data is destroyed")
  func copyGoes() async throws {
    let rig = Rig()
    do { try await Rig.add("zanzibarite", named: "a", to: rig.vault()) }
    let vault = try Vault(rig.folders, migrations: Schema.migrations + [next])
    #expect(try rig.files(containing: "zanzibarite").contains("vault.sqlite.before-migration"))
    try await vault.destroy(.documents)
    #expect(try rig.files(containing: "zanzibarite") == [])
  }

  @Test("A file that is no database is refused and left as it is")
  func foreign() throws {
    let rig = Rig()
    try Folders.make(rig.folders.data)
    let noise = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    try noise.write(to: rig.folders.vault)
    #expect(throws: StorageError.self) { try rig.vault() }
    #expect(try Data(contentsOf: rig.folders.vault) == noise)
  }

  @Test("Every file and folder is its owner's alone")
  func modes() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    try await Rig.add("one", named: "a", to: vault)
    try await Rig.embed(vault)
    for path in [""] + (try FileManager.default.subpathsOfDirectory(atPath: rig.folders.data.path)) {
      let file = rig.folders.data.appending(path: path).path
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == (isFolder ? 0o700 : 0o600), "\(path)")
    }
  }

  @Test("A cancelled read stops inside SQLite, and the connection works on")
  func cancelled() async throws {
    let rig = Rig()
    let vault = try Vault(rig.folders, readers: 1)
    let endless = Task {
      try await vault.read { db in
        try db.first(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", as: { $0.int(0) })
      }
    }
    try await Task.sleep(for: .milliseconds(30))
    endless.cancel()
    await #expect(throws: CancellationError.self) { try await endless.value }
    #expect(try await vault.documents.list().isEmpty)
  }

  @Test("Two vaults on one folder, as two processes have them, both write and both see it")
  func two() async throws {
    let rig = Rig()
    let (first, second) = (try rig.vault(), try rig.vault())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, vault) in [first, second].enumerated() {
        group.addTask {
          for number in 0..<25 { try await Rig.add("text \(index) \(number)", named: "\(index)-\(number)", to: vault) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await first.documents.list().count == 50)
    #expect(try await second.documents.list().count == 50)
    #expect(try await second.integrityFindings() == [])
  }
}
