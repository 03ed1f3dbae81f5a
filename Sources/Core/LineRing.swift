import Foundation

/// The last entries of one kind, a line of JSON each, in a file that its owner alone can read.
struct LineRing<Entry: Codable & Sendable>: Sendable {
  private let file: URL
  private let capacity: Int
  private var count: Int?

  init(_ file: URL, capacity: Int) { (self.file, self.capacity) = (file, capacity) }

  /// Oldest first.
  func entries() throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
    // A line torn by a power cut is skipped; every other one still counts.
    return lines.suffix(capacity).compactMap { try? JSON.decode(Entry.self, from: Data($0)) }
  }

  mutating func append(_ entry: Entry) throws {
    let written = try count ?? entries().count
    if written >= capacity * 2 || !FileManager.default.fileExists(atPath: file.path) {
      let kept = try entries().suffix(capacity - 1)
      try Folders.make(file.deletingLastPathComponent())
      try Data(kept.map { try JSON.line($0) + "\n" }.joined().utf8).write(to: file, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      count = kept.count
    }
    let handle = try FileHandle(forWritingTo: file)
    defer { handle.closeFile() }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data((JSON.line(entry) + "\n").utf8))
    count = (count ?? written) + 1
  }

  mutating func clear() throws {
    count = 0
    try FileManager.default.removeIfThere(file)
  }
}
