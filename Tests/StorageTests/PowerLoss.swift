import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// A disk that forgets what was not synced: Tests/Shims/power.c, compiled and preloaded into a program that works in `root`.
struct PowerLoss {
  let root: URL
  private let folder: URL
  private var shadow: URL { folder.appending(path: "shadow") }
  private var library: URL { folder.appending(path: "power.so") }

  static let needsCompiler: Comment = "a C compiler and Linux's preloading are needed to lose power"

  /// How much of what was not synced the disk has written all the same.
  enum Manner: CaseIterable {
    /// Nothing: no bytes, no names.
    case nothing
    /// Of each file some pages, in no order; no names.
    case pages
    /// Names, without the bytes behind them.
    case names
    case namesAndPages
  }

  init(root: URL) throws {
    self.root = root
    folder = root.deletingLastPathComponent().appending(path: "libera-power-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Shim.build(library, [Shim.source("power.c").path, "-ldl"])
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// What the program is started with: it dies when it asks for the sync of this number.
  func environment(dyingAt sync: Int?) -> [String: String] {
    var environment = ["LD_PRELOAD": library.path, "LIBERA_POWER_ROOT": root.path, "LIBERA_POWER_SHADOW": shadow.path]
    environment["LIBERA_POWER_AFTER"] = sync.map { "\($0)" }
    return environment
  }

  /// From here on everything that lies in the root counts as synced, and nothing else.
  func begin() throws {
    if FileManager.default.fileExists(atPath: shadow.path) { try FileManager.default.removeItem(at: shadow) }
    for kind in ["data", "names", "pins"] {
      try FileManager.default.createDirectory(at: shadow.appending(path: kind), withIntermediateDirectories: true)
    }
    try note(root)
  }

  private func note(_ folder: URL) throws {
    var lines = ""
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: name)
      let status = try Self.status(file)
      lines += "\(status.isFolder ? "d" : "f") \(status.number) \(name)\n"
      if status.isFolder {
        try note(file)
      } else {
        try FileManager.default.copyItem(at: file, to: shadow.appending(path: "data/\(status.number)"))
        try #require(link(file.path, shadow.appending(path: "pins/\(status.number)").path) == 0)
      }
    }
    try Data(lines.utf8).write(to: shadow.appending(path: "names/\(try Self.status(folder).number)"))
  }

  /// The power fails: the root becomes what the disk would hold.
  func cut(_ manner: Manner) throws {
    let left = folder.appending(path: "left")
    try build(root, number: try Self.status(root).number, as: left, manner)
    try FileManager.default.removeItem(at: root)
    try FileManager.default.moveItem(at: left, to: root)
  }

  /// `now` is where the folder lies at the moment, where it does.
  private func build(_ now: URL?, number: UInt64, as target: URL, _ manner: Manner) throws {
    try FileManager.default.createDirectory(
      at: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for (isFolder, number, name) in try names(now, number, manner) {
      let (here, there) = (now?.appending(path: name), target.appending(path: name))
      if isFolder {
        try build(here, number: number, as: there, manner)
      } else {
        try bytes(number, here, manner).write(to: there)
        try #require(chmod(there.path, 0o600) == 0)
      }
    }
  }

  private func names(_ now: URL?, _ number: UInt64, _ manner: Manner) throws -> [(Bool, UInt64, String)] {
    if manner == .names || manner == .namesAndPages {
      guard let now else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: now.path).compactMap { name in
        let status = try Self.status(now.appending(path: name))
        return status.isPlain ? (status.isFolder, status.number, name) : nil
      }
    }
    guard let data = FileManager.default.contents(atPath: shadow.appending(path: "names/\(number)").path) else {
      return []
    }
    return try String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      return (parts[0] == "d", try #require(UInt64(parts[1])), String(parts[2]))
    }
  }

  private func bytes(_ number: UInt64, _ here: URL?, _ manner: Manner) throws -> Data {
    let synced = FileManager.default.contents(atPath: shadow.appending(path: "data/\(number)").path) ?? Data()
    guard manner == .pages || manner == .namesAndPages else { return synced }
    let pinned = FileManager.default.contents(atPath: shadow.appending(path: "pins/\(number)").path)
    guard let written = try pinned ?? here.map({ try Data(contentsOf: $0) }) else { return synced }
    var mixed = Data()
    let size = Bool.random() ? written.count : synced.count
    for start in stride(from: 0, to: size, by: 4096) {
      let source = Bool.random() ? written : synced
      let page = start < source.count ? source[start..<min(start + 4096, source.count, size)] : Data()
      mixed += page
      // A page that was never written is full of zeros.
      mixed += Data(count: min(4096, size - start) - page.count)
    }
    return mixed
  }

  private static func status(_ file: URL) throws -> (isFolder: Bool, isPlain: Bool, number: UInt64) {
    var status = stat()
    try #require(lstat(file.path, &status) == 0, "\(file.path)")
    let kind = status.st_mode & S_IFMT
    return (kind == S_IFDIR, kind == S_IFDIR || kind == S_IFREG, UInt64(status.st_ino))
  }
}
