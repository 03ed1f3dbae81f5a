import Core
import Foundation
package import Storage

/// Vault, originals, actions and settings in one file.
package enum BackUp: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute; replaced when the new one is complete.
    package var path: String
    package var password: String?
    package init(path: String, password: String? = nil) {
      self.path = path
      self.password = password
    }
  }
  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    package struct Done: Codable, Sendable {
      package var files: Int
      package var bytes: Int
      package var encrypted: Bool
      /// What did not come back as it was, and why, in sentences; empty for a backup.
      package var remarks: [String]
      package init(_ manifest: BackupManifest, encrypted: Bool, remarks: [String] = []) {
        self.remarks = remarks
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
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
      let manifest = try await house.vault.backUp(to: URL(filePath: input.path), password: input.password) { done, of in
        emit(Event(progress: of > 0 ? Double(done) / Double(of) : 1))
      }
      emit(Event(done: .init(manifest, encrypted: input.password != nil)))
    }
  }
}
