import Core

/// What can go wrong with the vault.
package enum StorageError: Explained, Equatable {
  case sqlite(code: Int32, message: String, statement: String)
  case busy
  case full
  case unreadable(path: String, reason: String)
  case newer(found: Int, known: Int)
  /// A backup or an export.
  case newerFile(found: Int, known: Int)
  case corrupt(String)
  case missing(kind: String, id: String)
  case alreadyThere(document: String, collection: String)
  case noWayBack
  case invalid(String)
  case notAHash
  case wouldReplace(path: String)
  case notABackup(String)
  case damagedBackup(String)
  case passwordNeeded
  case passwordWrong

  package var code: String {
    switch self {
    case .sqlite: "vault_failed"
    case .busy: "vault_busy"
    case .full: DiskFull().code
    case .unreadable: "vault_unreadable"
    case .newer: "vault_newer"
    case .newerFile: "file_newer"
    case .corrupt: "vault_damaged"
    case .missing(let kind, _): "\(kind)_not_found"
    case .alreadyThere: "document_already_there"
    case .noWayBack: "no_way_back"
    case .invalid, .notAHash: "invalid"
    case .wouldReplace: "replacing_refused"
    case .notABackup: "not_a_backup"
    case .damagedBackup: "backup_damaged"
    case .passwordNeeded: "password_needed"
    case .passwordWrong: "password_wrong"
    }
  }

  package var message: String {
    switch self {
    case .sqlite(let code, let message, let statement):
      "The vault refused a step (SQLite \(code): \(message)) in “\(statement.prefix(120))”."
    case .busy: "Another process is writing to the vault and did not finish in time."
    case .full: DiskFull().message
    case .unreadable(let path, let reason): "\(path) cannot be used: \(reason)."
    case .newer(let found, let known):
      "The vault was written by a newer version (format \(found); this version knows \(known))."
    case .newerFile(let found, let known):
      "The file was written by a newer version (format \(found); this version knows \(known))."
    case .corrupt(let finding): "The vault's integrity check found: \(finding)."
    case .missing(let kind, let id): "There is no \(kind) “\(id)”."
    case .alreadyThere(let document, let collection): "“\(document)” is in the collection “\(collection)” already."
    case .noWayBack: "There is no copy of the vault from before its last migration."
    case .invalid(let what): what
    case .notAHash: "Where the hash of a file should stand, something else stands."
    case .wouldReplace(let path): "There is a vault in \(path) already; restoring would replace it."
    case .notABackup(let path): "\(path) is not a backup made by LiberaGPT."
    case .damagedBackup(let what): "The backup is damaged: \(what)."
    case .passwordNeeded: "The backup is encrypted."
    case .passwordWrong: "The password does not open this backup, or the file is damaged."
    }
  }

  package var remedy: String? {
    switch self {
    case .sqlite: "Try again; \"libera doctor\" tells of the disk. If it lasts, restore a backup."
    case .missing(let kind, _) where ["document", "conversation", "collection"].contains(kind):
      "\"libera \(kind)s list\" shows what there is."
    case .missing, .noWayBack, .invalid, .notAHash: nil
    case .alreadyThere: "Nothing was moved. Remove one of the two first."
    case .wouldReplace: "Nothing was changed. With --replace the backup takes the place of what is there."
    case .busy: "Try again; if it lasts, look for another LiberaGPT that is running."
    case .full: DiskFull().remedy
    case .unreadable: "Check that the folder exists, is yours and can be written."
    case .newer, .newerFile: "Update LiberaGPT; nothing was touched."
    case .corrupt: "Restore a backup; the damaged file was left as it is."
    case .notABackup: "Choose a file written by “libera backup”."
    case .damagedBackup: "Nothing was restored. Use another copy of the backup."
    case .passwordNeeded: "Give the password it was made with."
    case .passwordWrong: "Check the password; nothing was restored."
    }
  }
}
