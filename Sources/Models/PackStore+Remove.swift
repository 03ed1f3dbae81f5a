import Core
import Foundation

extension PackStore {
  package func remove(_ id: String) throws {
    guard PackID.isValid(id) else { throw PackError.unknownPack(id, catalogue.packs.map(\.id)) }
    let lock = try PackLock(id, in: staging)
    defer { lock.release() }
    let fetched = staging.appending(path: id, directoryHint: .isDirectory)
    guard Disk.exists(recordFile(of: id)) || Disk.exists(fetched) else { throw PackError.notInstalled(id) }
    // Without its record the pack is gone, whatever happens next.
    try Disk.remove(recordFile(of: id))
    try clear(home(of: id))
    try Disk.remove(fetched)
  }

  /// Removes what a kill left behind: folders without a record, files no record names, copies that were being made. What a
  /// broken-off pull has fetched stays, so that it can go on, and so does what somebody else has put here. For the owner of the data
  /// folder, at its start.
  package func clean() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where PackID.isValid(name) {
      guard let lock = try PackLock.free(name, in: staging) else { continue }
      defer { lock.release() }
      if let record = try readableRecord(of: name) {
        try clear(home(of: name), except: record.file)
      } else if !Disk.isThere(recordFile(of: name)) {
        try clear(home(of: name))
      }
      // A record that cannot be read stays, for the version that can, or until the pack is pulled again.
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: staging.path) where name.hasPrefix(Self.copyPrefix)
    {
      try Disk.remove(staging.appending(path: name))
    }
  }

  /// Removes the weights of a pack's folder, and what was being written there; the folder too once nothing is left in it.
  private func clear(_ home: URL, except kept: String? = nil) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: home.path, isDirectory: &isFolder), isFolder.boolValue else { return }
    let files = try FileManager.default.contentsOfDirectory(atPath: home.path)
    let ours = files.filter { $0 != kept && ($0.starts(with: /weights-[0-9a-f]{12}[.-]/) || $0 == ".pack.json.part") }
    for file in ours { try Disk.remove(home.appending(path: file)) }
    if ours.count == files.count { try Disk.remove(home) }
  }

  /// A name for a copy in the making; it begins like no pack's name does.
  func newCopy() -> URL { staging.appending(path: "\(Self.copyPrefix)\(UUID().uuidString)") }
  private static var copyPrefix: String { ".copy-" }
}
