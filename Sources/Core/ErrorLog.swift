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

  private var ring: LineRing<Entry>

  package init(_ file: URL) { ring = LineRing(file, capacity: Self.capacity) }

  package func record(_ error: any Error, in subsystem: String, at time: Date = Date()) throws {
    let remote = RemoteError(error)
    try ring.append(
      Entry(
        time: time, subsystem: subsystem, code: remote.code, message: Visible.text(Redaction.redacted(remote.message))))
  }

  package func entries() throws -> [Entry] { try ring.entries() }

  package func clear() throws { try ring.clear() }
}
