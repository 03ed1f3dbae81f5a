package import Foundation

/// A disk that forgets what was not synced: Tests/Shims/power.c, compiled and preloaded into a program that works in `root`.
package struct PowerLoss {
  private let root: URL
  private let folder: URL
  private var shadow: URL { folder.appending(path: "shadow") }
  private var library: URL { folder.appending(path: "power.so") }

  package static let needs = "a C compiler and Linux's preloading are needed to lose power"

  /// How much of what was not synced the disk has written all the same.
  package enum Manner: CaseIterable {
    /// Nothing: no bytes, no names.
    case nothing
    /// Of each file some pages, in no order; no names.
    case pages
    /// Names, without the bytes behind them.
    case names
    case namesAndPages
  }

  package init(root: URL) throws {
    self.root = root
    folder = root.deletingLastPathComponent().appending(path: "libera-power-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Shim.build(library, [Shim.source("power.c").path, "-ldl"])
  }

  package func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// What the program is started with: it dies when it asks for the sync of this number.
  package func environment(dyingAt sync: Int?) -> [String: String] {
    var environment = ["LD_PRELOAD": library.path, "LIBERA_POWER_ROOT": root.path, "LIBERA_POWER_SHADOW": shadow.path]
    environment["LIBERA_POWER_AFTER"] = sync.map { "\($0)" }
    return environment
  }

  /// From here on everything that lies in the root counts as synced, and nothing else.
  package func begin() throws {
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
      guard let status = try Self.status(file) else { continue }
      lines += "\(status.kind.rawValue) \(status.number) \(name)\n"
      let data = shadow.appending(path: "data/\(status.number)")
      switch status.kind {
      case .folder: try note(file)
      case .link: try Data(Self.target(of: file).utf8).write(to: data)
      case .file:
        try FileManager.default.copyItem(at: file, to: data)
        guard link(file.path, shadow.appending(path: "pins/\(status.number)").path) == 0 else {
          throw Self.failure(file)
        }
      }
    }
    try Data(lines.utf8).write(to: shadow.appending(path: "names/\(try Self.number(of: folder))"))
  }

  /// The power fails: the root becomes what the disk would hold.
  package func cut(_ manner: Manner) throws {
    let left = folder.appending(path: "left")
    try build(root, number: try Self.number(of: root), as: left, manner)
    try FileManager.default.removeItem(at: root)
    try FileManager.default.moveItem(at: left, to: root)
  }

  /// `now` is where the folder lies at the moment, where it does.
  private func build(_ now: URL?, number: UInt64, as target: URL, _ manner: Manner) throws {
    try FileManager.default.createDirectory(
      at: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for (kind, number, name) in try names(now, number, manner) {
      let (here, there) = (now?.appending(path: name), target.appending(path: name))
      switch kind {
      case .folder: try build(here, number: number, as: there, manner)
      case .link:
        let noted = FileManager.default.contents(atPath: shadow.appending(path: "data/\(number)").path)
        let end = try noted.map { String(decoding: $0, as: UTF8.self) } ?? here.map(Self.target)
        guard symlink(end ?? "", there.path) == 0 else { throw Self.failure(there) }
      case .file:
        try bytes(number, here, manner).write(to: there)
        guard chmod(there.path, mode(number, here)) == 0 else { throw Self.failure(there) }
      }
    }
  }

  private func names(_ now: URL?, _ number: UInt64, _ manner: Manner) throws -> [(Kind, UInt64, String)] {
    if manner == .names || manner == .namesAndPages {
      guard let now else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: now.path).compactMap { name in
        try Self.status(now.appending(path: name)).map { ($0.kind, $0.number, name) }
      }
    }
    guard let data = FileManager.default.contents(atPath: shadow.appending(path: "names/\(number)").path) else {
      return []
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard let kind = Kind(rawValue: String(parts[0])), let number = UInt64(parts[1]) else { return nil }
      return (kind, number, String(parts[2]))
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

  /// Who may do what with a file, as it is now.
  private func mode(_ number: UInt64, _ here: URL?) -> mode_t {
    var status = stat()
    let places = [shadow.appending(path: "pins/\(number)"), here].compactMap(\.self)
    return places.contains { lstat($0.path, &status) == 0 } ? status.st_mode & 0o777 : 0o600
  }

  private enum Kind: String {
    case folder = "d"
    case file = "f"
    case link = "l"
  }

  /// Nil for what is neither file, folder nor link.
  private static func status(_ file: URL) throws -> (kind: Kind, number: UInt64)? {
    var status = stat()
    guard lstat(file.path, &status) == 0 else { throw failure(file) }
    let kinds = [S_IFDIR: Kind.folder, S_IFREG: .file, S_IFLNK: .link]
    return kinds[status.st_mode & S_IFMT].map { ($0, UInt64(status.st_ino)) }
  }

  private static func number(of folder: URL) throws -> UInt64 {
    guard let status = try status(folder) else { throw failure(folder) }
    return status.number
  }

  private static func target(of link: URL) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: link.path)
  }

  private static func failure(_ file: URL) -> NSError {
    NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: [NSFilePathErrorKey: file.path])
  }
}
