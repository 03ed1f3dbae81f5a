package import Core
package import Foundation
package import Storage

/// Vault, originals, actions and settings in one file.
package enum BackUp: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute, in a folder that the house may write to, and replaced when the new one is complete. nil: a file with today's date
    /// in the house's own folder for backups.
    package var path: String?
    package var password: String?
    package init(path: String? = nil, password: String? = nil) { (self.path, self.password) = (path, password) }
  }
  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    package struct Done: Codable, Sendable {
      package var files: Int
      package var bytes: Int
      package var encrypted: Bool
      /// Where it lies.
      package var path: String
      /// What did not come back as it was, and why, in sentences; empty for a backup.
      package var remarks: [String]
      package init(_ manifest: BackupManifest, encrypted: Bool, path: String, remarks: [String] = []) {
        (self.path, self.remarks) = (path, remarks)
        files = manifest.members.count
        bytes = manifest.members.map(\.size).reduce(0, +)
        self.encrypted = encrypted
      }
    }
    /// 0 to 1.
    package var progress: Double?
    package var done: Done?
  }
  package static let name = "backup"
  package static let places: [String: PlaceUse] = ["path": .writes]
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let file = try input.path.map { URL(filePath: $0) } ?? house.folders.newBackup()
    let manifest = try await house.vault.backUp(to: file, password: input.password) { done, of in
      emit(Event(progress: of > 0 ? Double(done) / Double(of) : 1))
    }
    emit(Event(done: .init(manifest, encrypted: input.password != nil, path: file.path)))
  }

  /// Puts a finished backup where the person wants it, whole or not at all, on whatever disk that is: one that is pulled out once this
  /// has returned holds it.
  package static func move(_ made: URL, to target: URL) throws {
    func refusal() -> MoveError { .notMoved(target.path, systemReason()) }
    let folder = target.deletingLastPathComponent()
    if rename(made.path, target.path) == 0 { return try DurableFile.sync(folder) }
    guard errno == EXDEV else { throw refusal() }
    let draft = folder.appending(path: ".\(target.lastPathComponent).draft")
    // Where others can put files, too, nothing of theirs is written through.
    unlink(draft.path)
    let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal() }
    defer { close(descriptor) }
    do {
      let whole = try RegularFile(made.path)
      var done = 0
      while let piece = try whole.piece(at: done, upTo: 1 << 20) {
        guard Descriptor.write(piece, to: descriptor) else { throw refusal() }
        done += piece.count
      }
      guard fsync(descriptor) == 0, rename(draft.path, target.path) == 0 else { throw refusal() }
    } catch {
      unlink(draft.path)
      throw error
    }
    try DurableFile.sync(folder)
    try FileManager.default.removeItem(at: made)
  }

  private enum MoveError: Explained {
    case notMoved(String, String)
    var code: String { "backup_not_moved" }
    var message: String {
      if case .notMoved(let path, let reason) = self { "The backup cannot be put at \(path): \(reason)." } else { "" }
    }
    var remedy: String? { "It lies whole in the folder “backups” of the data folder." }
  }
}

extension Folders {
  /// A free name for a backup of this moment.
  fileprivate func newBackup() throws -> URL {
    try Folders.make(backups)
    let moment = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
      .replacingOccurrences(of: ":", with: "")
    return backups.appending(path: "libera-\(moment)-\(UUID().uuidString.prefix(4)).backup")
  }
}
