package import Core
package import Foundation

/// Brings a backup back, on this machine or another.
package enum Restore {
  /// Reads a backup to its end, checks every byte, and only then puts it in place. No vault may be open in the folder. What is
  /// there already is replaced only if `replacing` says so.
  @discardableResult
  package static func restore(
    _ file: URL, into folders: Folders, password: String? = nil, replacing: Bool = false
  ) throws -> BackupManifest {
    if !replacing, FileManager.default.fileExists(atPath: folders.vault.path) {
      throw StorageError.wouldReplace(path: folders.data.path)
    }
    try Folders.make(folders.data)
    let draft = Folders(home: folders.data.appending(path: "restore-\(UUID().uuidString).draft"))
    try Folders.make(draft.data)
    do {
      let manifest = try unpack(try source(file, password), into: draft.data)
      try check(draft)
      try put(draft, in: folders)
      try FileManager.default.removeItem(at: draft.data)
      return manifest
    } catch {
      try FileManager.default.removeItem(at: draft.data)
      throw error
    }
  }

  private static func source(_ file: URL, _ password: String?) throws -> any ByteSource {
    let start = try FileSource(file).read(SealedStream.magic.count)
    let source = try FileSource(file)
    if start == SealedStream.magic {
      guard let password else { throw StorageError.passwordNeeded }
      _ = try source.read(SealedStream.magic.count)
      return try OpeningSource(source, password: password)
    }
    guard start.starts(with: Data("vault.sqlite".utf8)) else { throw StorageError.notABackup(file.path) }
    return source
  }

  private static func unpack(_ source: any ByteSource, into folder: URL) throws -> BackupManifest {
    let tar = TarReader(source: source)
    var found: [BackupManifest.Member] = []
    var manifest: BackupManifest?
    while let member = try tar.next() {
      guard manifest == nil else { throw StorageError.damagedBackup("something follows its manifest") }
      if member.name == BackupManifest.name {
        guard member.size < 1 << 30 else { throw StorageError.damagedBackup("its manifest is too large") }
        var data = Data()
        try tar.copy(member) { data.append($0) }
        do { manifest = try JSON.decode(BackupManifest.self, from: data) } catch {
          throw StorageError.damagedBackup("its manifest cannot be read")
        }
        continue
      }
      guard isOurs(member.name) else { throw StorageError.damagedBackup("it holds a file named “\(member.name)”") }
      let target = folder.appending(path: member.name)
      try Folders.make(target.deletingLastPathComponent())
      let sink = try FileSink(target)
      var digest = SHA256()
      try tar.copy(member) {
        digest.update($0)
        try sink.write($0)
      }
      try sink.finish()
      found.append(.init(name: member.name, size: member.size, sha256: digest.digest))
    }
    guard let manifest else { throw StorageError.damagedBackup("its manifest is missing") }
    guard manifest.format == 1 else { throw StorageError.newer(found: manifest.format, known: 1) }
    guard manifest.members == found else { throw StorageError.damagedBackup("a file is not what the manifest says") }
    // The end of an encrypted backup is authenticated too; reading on reaches it.
    _ = try source.read(Tar.block * 2)
    return manifest
  }

  /// Only names a backup of ours can hold, and none that leaves the folder.
  static func isOurs(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\0") }) else { return false }
    switch parts[0] {
    case "vault.sqlite", "settings.json": return parts.count == 1
    case "blobs":
      return parts.count == 3 && parts[2].count == 64 && parts[2].allSatisfy(\.isHexDigit)
        && parts[2].hasPrefix(parts[1])
    case "actions": return parts.count > 1
    default: return false
    }
  }

  /// The vault must be sound, and have exactly the tables and triggers ours has: a trigger is code that would run here.
  private static func check(_ draft: Folders) throws {
    let connection = try Connection(draft.vault, .write)
    let format = try connection.first("PRAGMA user_version", as: { $0.int(0) }) ?? 0
    guard let newest = Schema.migrations.last?.format, format <= newest else {
      throw StorageError.newer(found: format, known: Schema.migrations.last?.format ?? 0)
    }
    let pristine = try Connection(draft.data.appending(path: "pristine.sqlite"), .write)
    for step in Schema.migrations where step.format <= format { try pristine.script(step.sql) }
    // What the word indexes keep for themselves is left out: its wording is SQLite's own and changes with its versions.
    let query = """
      SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema
      WHERE name NOT GLOB '*words_[cdi]*' AND name NOT GLOB 'names_[cdi]*' AND name NOT LIKE 'sqlite_%' ORDER BY 1
      """
    guard
      try connection.rows(query, as: { $0.text(0) }) == pristine.rows(query, as: { $0.text(0) })
    else { throw StorageError.damagedBackup("its tables are not those of a vault") }
    let findings = try connection.rows("PRAGMA integrity_check(1)", as: { $0.text(0) }).filter { $0 != "ok" }
    if let finding = findings.first { throw StorageError.damagedBackup(finding) }
    for blob in try Blobs(folder: draft.blobs).listing().hashes {
      guard try SHA256.of(file: Blobs(folder: draft.blobs).url(blob)) == blob else {
        throw StorageError.damagedBackup("an original has other bytes than its name says")
      }
    }
    do { _ = try Settings(over: draft.settings) } catch {
      throw StorageError.damagedBackup("its settings cannot be read")
    }
    _ = try connection.truncateLog()
  }

  /// Originals first, the vault last: until then the old one is untouched.
  private static func put(_ draft: Folders, in folders: Folders) throws {
    let blobs = Blobs(folder: folders.blobs)
    for hash in try Blobs(folder: draft.blobs).listing().hashes where !blobs.contains(hash) {
      try Folders.make(blobs.url(hash).deletingLastPathComponent())
      try PrivateFile.replace(blobs.url(hash), with: Blobs(folder: draft.blobs).url(hash))
    }
    if FileManager.default.fileExists(atPath: folders.actions.path) {
      try FileManager.default.removeItem(at: folders.actions)
    }
    if FileManager.default.fileExists(atPath: draft.actions.path) {
      try FileManager.default.moveItem(at: draft.actions, to: folders.actions)
    }
    if FileManager.default.fileExists(atPath: draft.settings.path) {
      try Folders.make(folders.configuration)
      try PrivateFile.replace(folders.settings, with: draft.settings)
    }
    let vectors = folders.data.appending(path: "vectors")
    if FileManager.default.fileExists(atPath: vectors.path) { try FileManager.default.removeItem(at: vectors) }
    for companion in ["-wal", "-shm"] { try PrivateFile.remove(URL(filePath: folders.vault.path + companion)) }
    try PrivateFile.remove(Migrator.wayBack(of: folders.vault))
    try PrivateFile.replace(folders.vault, with: draft.vault)
  }
}
