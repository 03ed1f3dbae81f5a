package import Foundation

/// What was done, and what is needed to take it back. Written before and after the deed, so that a crash between the two is
/// seen: an action is done exactly once.
package struct ActionRecord: Codable, Sendable, Equatable {
  package enum State: String, Codable, Sendable {
    /// Written down, perhaps done.
    case begun
    /// Mail in the outbox, until its time to be taken back is over.
    case waiting
    /// Handed to the program that sends it.
    case sending
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
  /// When mail in the outbox goes.
  package var sendAt: Date?
  /// What was heard, and the frame that was made of it.
  package var heard: String?
  package var frame: String?
  /// The program that sends it was asked to: it may have gone, so it is never sent again.
  package var handedOver: Bool?
  /// What rings.
  package var alarm: AlarmKind?
  /// The alarms and timers that it stopped before they rang, by their actions.
  package var stopped: [String]?
  /// The rule by which it repeats, empty where it does not; nil in what earlier versions have written.
  package var recurrence: String?
  /// The reminder in whose place it stands: that one rings again when this is taken back.
  package var replaces: String?
  /// When it came back from a backup: what it would have done before does not happen then.
  package var restored: Date?
}

/// Remembers actions across crashes, in a file of the data folder. The latest entry of an id counts.
package final class FileJournal: Sendable {
  private let lines: RecordLines<ActionRecord>

  package init(_ file: URL) { lines = RecordLines(file) }

  package func append(_ record: ActionRecord) throws { try lines.append(record) }

  /// What has stood in the action's file by our hand, and what was about to: of a change that a crash broke off either is there.
  func digests(of id: String) throws -> Set<String> {
    Set(try lines.all().lazy.filter { $0.id == id }.compactMap(\.digest))
  }

  package func records() throws -> [ActionRecord] { try lines.latest(by: \.id).ordered }
}
