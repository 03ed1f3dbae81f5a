import Core
import Foundation

/// Takes a backup apart into a folder of its own. Whatever the archive says, there are only regular files in it afterwards, under
/// names that a backup of ours has, and the disk has room left.
struct Unpacking {
  let folder: URL
  /// Of the whole backup: no file in it is larger, whatever is said of it.
  let bytes: Int
  private static let mostFiles = 1_000_000
  /// What other programs, and the vault that is made of this one, are left at least.
  private static let reserve = 16 << 20

  static func source(_ file: URL, _ password: String?) throws -> any ByteInput {
    // A pipe or a device has no end, and opening one may never return.
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw StorageError.notABackup(file.path)
    }
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

  func unpack(_ source: any ByteInput) throws -> BackupManifest {
    let tar = TarReader(source: source)
    var found: [BackupManifest.Member] = []
    var manifest: BackupManifest?
    // What the list of files may take at most, by the files that came.
    var listing = 4096
    while let member = try tar.next() {
      guard member.size <= bytes else { throw StorageError.damagedBackup("it ends too early") }
      guard manifest == nil else { throw StorageError.damagedBackup("something follows its manifest") }
      if member.name == BackupManifest.name {
        guard member.size <= listing else { throw StorageError.damagedBackup("its manifest is too large") }
        var data = Data()
        try tar.copy(member) { data.append($0) }
        do { manifest = try JSON.decode(BackupManifest.self, from: data) } catch {
          throw StorageError.damagedBackup("its manifest cannot be read")
        }
        continue
      }
      guard Self.isOurs(member.name) else { throw StorageError.damagedBackup("it holds a file that is not ours") }
      guard found.count < Self.mostFiles else { throw StorageError.damagedBackup("it holds too many files") }
      guard member.name != "settings.json" || member.size <= Settings.mostBytes else {
        throw StorageError.damagedBackup("its settings are too large")
      }
      found.append(try take(member, from: tar))
      listing += 512 + 6 * member.name.utf8.count
    }
    guard let manifest else { throw StorageError.damagedBackup("its manifest is missing") }
    guard manifest.format == 1 else { throw StorageError.newerFile(found: manifest.format, known: 1) }
    guard manifest.members == found else { throw StorageError.damagedBackup("a file is not what the manifest says") }
    guard found.first?.name == "vault.sqlite" else { throw StorageError.damagedBackup("it holds no vault") }
    // The end of an encrypted backup is authenticated too; reading on reaches it.
    _ = try source.read(TarHeader.block * 2)
    return manifest
  }

  private func take(_ member: TarReader.Member, from tar: TarReader) throws -> BackupManifest.Member {
    try Self.needRoom(for: member.size, in: folder)
    let target = folder.appending(path: member.name)
    // A second file of one name, or of one that this file system takes for the same, would lay itself over the first.
    guard !FileManager.default.fileExists(atPath: target.path), !isBelowFile(member.name) else {
      throw StorageError.damagedBackup("a name stands in it twice")
    }
    try Folders.make(target.deletingLastPathComponent())
    let sink = try FileSink(target)
    var digest = SHA256()
    try tar.copy(member) {
      digest.update($0)
      try sink.write($0)
    }
    try sink.finish()
    return .init(name: member.name, size: member.size, sha256: digest.digest)
  }

  /// Whether a part of the name is that of a file that has come.
  private func isBelowFile(_ name: String) -> Bool {
    var above = folder
    return ForeignName.parts(name).dropLast().contains { part in
      above.append(path: String(part))
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: above.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }

  static func needRoom(for bytes: Int, in folder: URL) throws {
    var status = statvfs()
    guard statvfs(folder.path, &status) == 0 else { throw PrivateFile.failure(folder) }
    let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    let needed = UInt64(bytes) + UInt64(reserve)
    guard free.overflow || free.partialValue >= needed else { throw StorageError.full }
  }

  /// Only names a backup of ours can hold, and none that leaves the folder.
  static func isOurs(_ name: String) -> Bool {
    let parts = ForeignName.parts(name)
    guard parts.count <= 16, parts.allSatisfy(ForeignName.isPart) else { return false }
    switch parts[0] {
    case "vault.sqlite", "settings.json": return parts.count == 1
    case "blobs":
      return parts.count == 3 && SHA256.isHash(parts[2]) && parts[1] == parts[2].prefix(2)
    case "actions": return parts.count > 1
    default: return false
    }
  }
}
