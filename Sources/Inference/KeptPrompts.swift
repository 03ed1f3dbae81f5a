import Core
package import Foundation
import Synchronization

/// Where what has been read of a conversation waits while its pack is out of memory: one file for each pack, which is gone as soon as it has
/// been taken up.
package final class KeptPrompts: Sendable {
  /// A hundred thousand tokens of a small pack, or some thousands of a large one.
  static let mostBytes = 512 << 20

  private let folder: URL
  let onTrouble: @Sendable (any Error) -> Void
  /// How often all were forgotten: what was read before is not kept.
  private let forgotten = Mutex(0)

  /// `onTrouble`: what failed is read anew, so that nobody need be told but the log.
  package init(_ folder: URL, onTrouble: @escaping @Sendable (any Error) -> Void) {
    (self.folder, self.onTrouble) = (folder, onTrouble)
  }

  /// Conversations or documents were removed, whose words these files may hold.
  package func forget() throws {
    try forgotten.withLock {
      $0 += 1
      try FileManager.default.removeIfThere(folder)
    }
  }

  /// To be asked before anything is looked up that a model is to read, and handed to `keep` once it has: an answer takes a while, and its
  /// conversation may be deleted meanwhile.
  package var now: Int { forgotten.withLock(\.self) }

  /// Hands out an empty file, which takes the name of the pack where `write` says that it is whole, and nothing was forgotten since the
  /// conversation was read.
  func keep(_ pack: String, readAt moment: Int, write: (FileHandle) async throws -> Bool) async {
    guard moment == now else { return }
    let draft = folder.appending(path: ".\(pack).part")
    do {
      try Folders.make(folder)
      try FileManager.default.removeIfThere(draft)
      // Where this fails, opening the file says why.
      _ = FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
      let file = try FileHandle(forWritingTo: draft)
      let isWhole = try await finishing {
        try await write(file)
      } then: {
        do { try file.close() } catch { onTrouble(error) }
      }
      try forgotten.withLock {
        if isWhole, $0 == moment { return try DurableFile.move(draft, to: place(of: pack)) }
        try FileManager.default.removeIfThere(draft)
      }
    } catch {
      onTrouble(error)
      do { try FileManager.default.removeIfThere(draft) } catch { onTrouble(error) }
    }
  }

  /// The pack's file, which has no name any more; nil where there is none.
  func take(_ pack: String) -> FileHandle? {
    let place = place(of: pack)
    guard RegularFile.exists(place.path) else { return nil }
    do {
      let file = try FileHandle(forReadingFrom: place)
      try FileManager.default.removeItem(at: place)
      return file
    } catch {
      onTrouble(error)
      return nil
    }
  }

  private func place(of pack: String) -> URL { folder.appending(path: "\(pack).prompt") }
}
