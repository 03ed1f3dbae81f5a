package import Foundation

/// The one error log: what failed, in which subsystem, at most 2,000 entries, readable and deletable by the person, and
/// without their words: what stands in quotation marks or looks like a path is taken out before anything is written.
package actor ErrorLog {
  package struct Entry: Codable, Sendable, Equatable {
    package var time: Date
    package var subsystem: String
    package var code: String
    package var message: String
  }

  package static let capacity = 2_000

  private let file: URL
  private var count: Int?

  package init(_ file: URL) { self.file = file }

  package func record(_ error: any Error, in subsystem: String, at time: Date = Date()) throws {
    let remote = RemoteError(error)
    try append(Entry(time: time, subsystem: subsystem, code: remote.code, message: Redaction.redacted(remote.message)))
  }

  package func entries() throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
    // A line torn by a power cut is skipped; every other one still counts.
    return lines.suffix(Self.capacity).compactMap { try? JSON.decode(Entry.self, from: Data($0)) }
  }

  package func clear() throws {
    count = 0
    if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
  }

  private func append(_ entry: Entry) throws {
    let written = try count ?? entries().count
    if written >= Self.capacity * 2 || !FileManager.default.fileExists(atPath: file.path) {
      let kept = try entries().suffix(Self.capacity - 1)
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
}
