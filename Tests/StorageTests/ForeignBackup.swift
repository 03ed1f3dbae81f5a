import Core
import Foundation

@testable import Storage

/// A backup as an attacker would make it: one of ours, taken apart, changed and put together again with a manifest that fits.
struct ForeignBackup {
  private(set) var files: [(name: String, data: Data)] = []
  let folder: URL

  init(_ vault: Vault) async throws {
    folder = vault.folders.data.appending(path: "foreign-\(UUID().uuidString)")
    try Folders.make(folder)
    let file = folder.appending(path: "made.backup")
    try await vault.backUp(to: file)
    let tar = TarReader(source: try FileSource(file))
    while let member = try tar.next() {
      var data = Data()
      try tar.copy(member) { data.append($0) }
      if member.name != BackupManifest.name { files.append((member.name, data)) }
    }
  }

  subscript(name: String) -> Data? {
    get { files.first { $0.name == name }?.data }
    set {
      if let place = files.firstIndex(where: { $0.name == name }) {
        files[place].data = newValue ?? Data()
      } else if let newValue {
        files.append((name, newValue))
      }
    }
  }

  mutating func add(_ name: String, _ data: Data) { files.append((name, data)) }

  /// Changes the vault in it as any program with SQLite can.
  mutating func change(_ sql: String) throws {
    let file = folder.appending(path: "\(UUID().uuidString).sqlite")
    try self["vault.sqlite"]?.write(to: file)
    do {
      let db = try Connection(file, .write)
      try db.script("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE;")
      try db.script(sql)
    }
    self["vault.sqlite"] = try Data(contentsOf: file)
  }

  func write(types: [String: Character] = [:], listing: ((inout BackupManifest) -> Void)? = nil) throws -> URL {
    let file = folder.appending(path: "\(UUID().uuidString).backup")
    let sink = try FileSink(file)
    let tar = TarWriter(sink: sink)
    var manifest = BackupManifest(created: Date())
    for (name, data) in files {
      if let type = types[name] {
        try sink.write(
          Tar.header(name, size: data.count, type: type) + data + Data(count: TarHeader.padding(data.count)))
      } else {
        try tar.add(name, size: data.count) { try $0(data) }
      }
      manifest.members.append(.init(name: name, size: data.count, sha256: SHA256.of(data)))
    }
    listing?(&manifest)
    let last = try JSON.encode(manifest)
    try tar.add(BackupManifest.name, size: last.count) { try $0(last) }
    try tar.finish()
    return file
  }
}
