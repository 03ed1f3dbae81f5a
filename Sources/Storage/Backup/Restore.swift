package import Core
package import Foundation

/// Brings a backup back, on this machine or another. Whoever wrote it, it brings words and files and nothing that acts.
package enum Restore {
  /// What a restore came to.
  package struct Outcome: Sendable {
    package var manifest: BackupManifest
    /// What did not come back as it was, and why, in sentences for the person.
    package var remarks: [String]
  }

  /// What only the rooms above this one can tell of a backup.
  package struct Readers: Sendable {
    /// Whether this is an answer's record, and the headings of a document that is half read.
    package var isRecord: @Sendable (String) -> Bool
    package var isHeadings: @Sendable (String) -> Bool
    /// Makes the actions in the first folder harmless before they come to lie in the second; returns what the person should know.
    package var settleActions: @Sendable (_ restored: URL, _ home: URL) throws -> [String]

    package init(
      isRecord: @escaping @Sendable (String) -> Bool, isHeadings: @escaping @Sendable (String) -> Bool,
      settleActions: @escaping @Sendable (_ restored: URL, _ home: URL) throws -> [String]
    ) {
      (self.isRecord, self.isHeadings, self.settleActions) = (isRecord, isHeadings, settleActions)
    }
  }

  /// Reads a backup to its end, checks every byte, makes a vault of it, and only then puts it in place. No vault may be open in
  /// the folder. What is there already is replaced only if `replacing` says so.
  @discardableResult
  package static func restore(
    _ file: URL, into folders: Folders, password: String? = nil, replacing: Bool = false, readers: Readers
  ) throws -> Outcome {
    try finish(folders)
    if !replacing, FileManager.default.fileExists(atPath: folders.vault.path) {
      throw StorageError.wouldReplace(path: folders.data.path)
    }
    let prepared = try prepare(file, for: folders, password: password, readers: readers)
    try commit(prepared, folders)
    try finish(folders)
    return prepared.outcome
  }

  /// A backup that was read and checked, in a folder of its own beside what is here, which stands as it was.
  package struct Prepared: Sendable {
    fileprivate var draft: URL
    package var outcome: Outcome

    package func discard() throws {
      defer { Drafts.end(draft) }
      try FileManager.default.removeIfThere(draft)
    }
  }

  /// Reads a backup to its end and checks every byte; nothing is replaced. A vault may be open in the folder. `check` throws where
  /// it is no longer wanted, `progress` hears how much of the file was read, from 0 to 1.
  package static func prepare(
    _ file: URL, for folders: Folders, password: String? = nil, readers: Readers,
    check: @escaping () throws -> Void = {}, progress: @escaping (Double) -> Void = { _ in }
  ) throws -> Prepared {
    try Folders.make(folders.data)
    let draft = Drafts.begin("restore", in: folders, isFolder: true)
    do {
      try Folders.make(draft)
      let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
      let source = try WatchedSource(Unpacking.source(file, password)) { place in
        try check()
        progress(min(1, Double(place) / Double(max(1, bytes))))
      }
      let outcome = try fill(Folders(home: draft), from: source, of: bytes, for: folders, readers)
      try PrivateFile.syncTree(draft)
      return Prepared(draft: draft, outcome: outcome)
    } catch {
      defer { Drafts.end(draft) }
      try FileManager.default.removeIfThere(draft)
      throw error
    }
  }

  /// From this step on the restore is done, whatever happens to the machine: what is left is moving, and whoever opens the folder
  /// next does that. What is written into the vault meanwhile is lost.
  package static func commit(_ prepared: Prepared, _ folders: Folders) throws {
    do { try PrivateFile.move(prepared.draft, to: ready(folders)) } catch {
      try prepared.discard()
      throw error
    }
    Drafts.end(prepared.draft)
  }

  private static func fill(
    _ draft: Folders, from source: any ByteInput, of bytes: Int, for folders: Folders, _ readers: Readers
  ) throws -> Outcome {
    let foreign = draft.data.appending(path: "unpacked", directoryHint: .isDirectory)
    try Folders.make(foreign)
    let manifest = try Unpacking(folder: foreign, bytes: bytes).unpack(source)
    let unpacked = Folders(home: foreign)
    let size = try FileManager.default.attributesOfItem(atPath: unpacked.vault.path)[.size] as? Int ?? 0
    try Unpacking.needRoom(for: size, in: foreign)
    var remarks: [String] = []
    let watched = try ForeignVault(unpacked.vault).rebuild(at: draft.vault)
    if !watched.isEmpty {
      remarks.append("It watched \(watched.count) folders, which are not watched here: \(named(watched)).")
    }
    remarks += try dropUnread(in: draft.vault, readers)
    for hash in try Blobs(folder: unpacked.blobs).listing().hashes {
      guard try SHA256.of(file: Blobs(folder: unpacked.blobs).url(hash)) == hash else {
        throw StorageError.damagedBackup("an original has other bytes than its name says")
      }
    }
    remarks += try settings(unpacked.settings, to: draft.settings, over: folders.settings)
    try Folders.make(unpacked.actions)
    remarks += try readers.settleActions(unpacked.actions, folders.actions)
    try FileManager.default.moveItem(at: unpacked.actions, to: draft.actions)
    try Folders.make(unpacked.blobs)
    try FileManager.default.moveItem(at: unpacked.blobs, to: draft.blobs)
    try FileManager.default.removeItem(at: foreign)
    return Outcome(manifest: manifest, remarks: remarks)
  }

  /// Records and headings that are none would only be in the way; the words they belong to stay.
  private static func dropUnread(in vault: URL, _ readers: Readers) throws -> [String] {
    let db = try Connection(vault, .write)
    func drop(_ table: String, _ column: String, unless isGood: (String) -> Bool) throws -> Int {
      var bad: [Int64] = []
      try db.each("SELECT rowid, \(column) FROM \(table) WHERE \(column) IS NOT NULL", []) {
        if !isGood($0.text(1)) { bad.append($0.int64(0)) }
      }
      for row in bad { try db.run("UPDATE \(table) SET \(column) = NULL WHERE rowid = ?", row) }
      return bad.count
    }
    let (records, headings) = try db.transaction {
      (
        try drop("messages", "record", unless: readers.isRecord),
        try drop("documents", "headings", unless: readers.isHeadings)
      )
    }
    try db.script("PRAGMA journal_mode = DELETE")
    guard records + headings > 0 else { return [] }
    return ["\(records + headings) records of answers and documents could not be read and stayed behind."]
  }

  private static func settings(_ restored: URL, to draft: URL, over local: URL) throws -> [String] {
    guard FileManager.default.fileExists(atPath: restored.path) else { return [] }
    do {
      let (settings, kept) = try Settings(over: local).taking(Data(contentsOf: restored))
      try settings.write(to: draft)
      // Read as at every start, by whatever a settings file is held to.
      _ = try Settings(over: draft)
      return kept.isEmpty ? [] : ["These settings stay as they are on this machine: \(kept.joined(separator: ", "))."]
    } catch let error as StorageError { throw error } catch {
      throw StorageError.damagedBackup("its settings cannot be read")
    }
  }

  private static func named(_ words: [String]) -> String {
    let shown = words.prefix(10).map {
      "“\(String($0.unicodeScalars.filter { $0.value >= 32 && !(127..<160).contains($0.value) }.map(Character.init)).letters(200))”"
    }
    return shown.joined(separator: ", ") + (words.count > 10 ? ", …" : "")
  }

  // MARK: Putting it in place

  private static func ready(_ folders: Folders) -> URL {
    folders.data.appending(path: "restore.ready", directoryHint: .isDirectory)
  }

  /// Moves what a restore has made ready to where it belongs, the vault last; goes on where it was broken off. Whoever opens the
  /// folder calls this first.
  package static func finish(_ folders: Folders) throws {
    let ready = Folders(home: ready(folders))
    guard FileManager.default.fileExists(atPath: ready.data.path) else { return }
    let (blobs, restored) = (Blobs(folder: folders.blobs), Blobs(folder: ready.blobs))
    for hash in try restored.listing().hashes where !blobs.contains(hash) {
      try Folders.make(blobs.url(hash).deletingLastPathComponent())
      try PrivateFile.replace(blobs.url(hash), with: restored.url(hash))
    }
    if FileManager.default.fileExists(atPath: ready.actions.path) {
      try FileManager.default.removeIfThere(folders.actions)
      try PrivateFile.move(ready.actions, to: folders.actions)
    }
    if FileManager.default.fileExists(atPath: ready.settings.path) {
      // Not moved: settings may lie on another disk.
      try Settings(over: ready.settings).write(to: folders.settings)
    }
    let vectors = folders.data.appending(path: "vectors")
    for made in [vectors, folders.prompts] { try FileManager.default.removeIfThere(made) }
    if FileManager.default.fileExists(atPath: ready.vault.path) {
      for companion in ["-wal", "-shm"] { try PrivateFile.remove(URL(filePath: folders.vault.path + companion)) }
      try PrivateFile.remove(Migrator.wayBack(of: folders.vault))
      try PrivateFile.remove(Migrator.wayForth(of: folders.vault))
      try PrivateFile.sync(folders.data)
      try PrivateFile.replace(folders.vault, with: ready.vault)
    }
    try FileManager.default.removeItem(at: ready.data)
    try PrivateFile.sync(folders.data)
  }
}
