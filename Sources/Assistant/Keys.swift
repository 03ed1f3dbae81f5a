package import Core
package import Foundation
import Synchronization

/// What a key of another program is known by, without its secret.
package struct KeyEntry: Codable, Sendable, Equatable {
  package var name: String
  package var rights: [Right]
  package var made: Date
  package var used: Date?
}

/// The keys with which other programs use the API: each has a name and the rights it was given. A key's secret is told once;
/// what is kept, in a file of the owner's alone, is what it hashes to. One process works with a data folder at a time, so no
/// other one writes here meanwhile.
package final class Keys: Sendable {
  private struct Key: Codable {
    var entry: KeyEntry
    var hash: String
    /// Stands for the key where a name would not do: one that was revoked and made anew is another key.
    var id: String { String(hash.prefix(16)) }
  }

  private struct State {
    var keys: [Key]?
    /// When the times of use were last written down.
    var noted = ContinuousClock.now
  }

  package let file: URL
  private let state = Mutex(State())

  package init(folder: URL) { file = folder.appending(path: "keys.json") }

  package func list() throws -> [KeyEntry] { try state.withLock { try known(&$0).map(\.entry) } }

  /// The secret of a new key.
  package func add(_ name: String, _ rights: Set<Right>) throws -> String {
    let allowed = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789-_. ".unicodeScalars.contains($0)
    }
    guard (1...64).contains(name.count), allowed else { throw KeyError.badName }
    guard !rights.isEmpty else { throw KeyError.noRights }
    let secret = SHA256.secret()
    let entry = KeyEntry(name: name, rights: rights.sorted { $0.rawValue < $1.rawValue }, made: Date(), used: nil)
    try state.withLock { state in
      let keys = try known(&state)
      guard !keys.contains(where: { $0.entry.name == name }) else { throw KeyError.taken(name) }
      try write(keys + [Key(entry: entry, hash: SHA256.of(Data(secret.utf8)))], &state)
    }
    return secret
  }

  package func revoke(_ name: String) throws {
    try state.withLock { state in
      let keys = try known(&state)
      guard keys.contains(where: { $0.entry.name == name }) else { throw KeyError.unknown(name) }
      try write(keys.filter { $0.entry.name != name }, &state)
    }
  }

  /// Whose secret this is; the use is noted. Looking up what it hashes to tells nothing of how near a guess was.
  package func caller(_ secret: String) throws -> Caller? {
    try state.withLock { state in
      var keys = try known(&state)
      let hash = SHA256.of(Data(secret.utf8))
      guard let place = keys.firstIndex(where: { $0.hash == hash }) else { return nil }
      let isFirst = keys[place].entry.used == nil
      keys[place].entry.used = Date()
      state.keys = keys
      if isFirst || ContinuousClock.now - state.noted > .seconds(60) {
        // When it was used last is no reason to refuse it where the disk takes nothing more.
        do { try write(keys, &state) } catch { state.noted = .now }
      }
      return .key(id: keys[place].id, rights: Set(keys[place].entry.rights))
    }
  }

  package func holds(_ id: String) throws -> Bool { try state.withLock { try known(&$0).contains { $0.id == id } } }

  private func known(_ state: inout State) throws -> [Key] {
    if let keys = state.keys { return keys }
    var info = stat()
    guard lstat(file.path, &info) == 0 else {
      guard errno == ENOENT else { throw KeyError.unreadable(file.path, systemReason()) }
      state.keys = []
      return []
    }
    // Whoever may write here can make himself a key.
    guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), info.st_mode & 0o077 == 0 else {
      throw KeyError.unreadable(file.path, "it is not a file of your own that nobody else may read or write")
    }
    do {
      let keys = try JSON.decode([Key].self, from: Data(contentsOf: file))
      guard keys.allSatisfy({ SHA256.isHash($0.hash) }) else {
        throw KeyError.unreadable(file.path, "it is not what LiberaGPT wrote")
      }
      state.keys = keys
      return keys
    } catch let error as KeyError { throw error } catch {
      throw KeyError.unreadable(file.path, "it is not what LiberaGPT wrote")
    }
  }

  private func write(_ keys: [Key], _ state: inout State) throws {
    let data = try JSON.encode(keys)
    try Folders.make(file.deletingLastPathComponent())
    do { try DurableFile.write(data, to: file) } catch {
      throw KeyError.unreadable(file.path, systemReason(Int32((error as NSError).code)))
    }
    state.keys = keys
    state.noted = .now
  }
}

package enum KeyError: Explained, Equatable {
  case badName
  case noRights
  case taken(String)
  case unknown(String)
  case unreadable(String, String)

  package var code: String {
    switch self {
    case .badName: "key_name_unusable"
    case .noRights: "key_without_rights"
    case .taken: "key_name_taken"
    case .unknown: "key_not_found"
    case .unreadable: "keys_unreadable"
    }
  }
  package var message: String {
    switch self {
    case .badName: "A key's name is 1 to 64 letters, digits, spaces, dots, hyphens or underscores."
    case .noRights: "A key needs at least one right."
    case .taken(let name): "There is a key named \(name) already."
    case .unknown(let name): "There is no key named \(name)."
    case .unreadable(let path, let reason): "The file of keys, \(path), cannot be used: \(reason)."
    }
  }
  package var remedy: String? {
    switch self {
    case .badName, .unknown: nil
    case .noRights: "The rights are \(Right.allCases.map(\.rawValue).joined(separator: ", "))."
    case .taken: "`libera keys revoke NAME` ends it."
    case .unreadable: "Delete the file; every key is then gone and must be made anew with `libera keys add`."
    }
  }
}
