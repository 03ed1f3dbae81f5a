package import Foundation

/// What was done, and what is needed to take it back. Written before and after the deed, so that a crash between the two is
/// seen: an action is done exactly once.
package struct ActionRecord: Codable, Sendable, Equatable {
  package enum State: String, Codable, Sendable {
    /// Written down, perhaps done.
    case begun
    case done
    case undone
    /// Never came about.
    case failed
  }

  package var id: String
  package var intent: Intent
  /// The card's text: what was done, in words.
  package var summary: String
  package var state: State
  package var at: Date
  /// The file that was written, and the digest of what stands in it.
  package var file: String?
  package var digest: String?
  /// What was read, for reading actions.
  package var messages: [MailSummary]?
  package var reason: String?
}

/// Remembers actions across crashes. The latest entry of an id counts.
package protocol Journal: Sendable {
  func append(_ record: ActionRecord) throws
  func records() throws -> [ActionRecord]
}

/// One JSON object per line, appended and flushed to the disk; a line torn by a crash is skipped.
package final class FileJournal: Journal {
  private let file: URL

  package init(_ file: URL) { self.file = file }

  package func append(_ record: ActionRecord) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A leading newline ends a line that a crash left torn; empty lines are skipped when reading.
    var line = Data([0x0A])
    line += try encoder.encode(record)
    line.append(0x0A)
    let handle = open(file.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard handle >= 0 else { throw CommandError.placeUnusable(file.path, String(cString: strerror(errno))) }
    defer { close(handle) }
    let written = line.withUnsafeBytes { write(handle, $0.baseAddress, $0.count) }
    guard written == line.count, fsync(handle) == 0 else {
      throw CommandError.placeUnusable(file.path, String(cString: strerror(errno)))
    }
  }

  package func records() throws -> [ActionRecord] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    var latest: [String: ActionRecord] = [:]
    var order: [String] = []
    for line in try Data(contentsOf: file).split(separator: 0x0A) {
      // A torn last line is what a crash leaves; what it was about to say is found again by `Doer.recover`.
      guard let record = try? JSONDecoder().decode(ActionRecord.self, from: Data(line)) else { continue }
      if latest.updateValue(record, forKey: record.id) == nil { order.append(record.id) }
    }
    return order.compactMap { latest[$0] }
  }
}
