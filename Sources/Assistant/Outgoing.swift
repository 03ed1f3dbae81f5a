import Models
import Synchronization

/// What went over the network since the start of this program, because a person asked for it.
package struct Outgoing: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable {
    /// Whether a place where packs are published answers; nothing was fetched.
    case asked
    case fetched
  }

  package var kind: Kind
  /// The pack, by its id.
  package var pack: String
  /// The places, as the catalogue names them, in the order they were tried.
  package var places: [String]
  /// Of the pack's file; what was there from an earlier try is not among them.
  package var bytes: Int64

  /// Takes an event of a pull into account. `before`: the bytes that were there when the place was tried.
  mutating func take(_ event: PullEvent, before: inout Int64?) {
    switch event {
    case .source(let name):
      places.append(name)
      before = nil
    case .progress(let progress):
      let first = before ?? progress.done
      before = progress.done
      bytes += max(0, progress.done - first)
    case .restarted: before = 0
    default: break
    }
  }
}

/// The lines of what went out.
final class OutgoingLog: Sendable {
  private let lines = Mutex<[Outgoing]>([])

  var all: [Outgoing] { lines.withLock(\.self) }

  /// Begins a line; its number is where it is kept up to date.
  func begin(_ kind: Outgoing.Kind, _ pack: String) -> Int {
    lines.withLock { lines in
      lines.append(Outgoing(kind: kind, pack: pack, places: [], bytes: 0))
      return lines.count - 1
    }
  }

  func keep(_ line: Int, _ event: PullEvent, _ before: inout Int64?) {
    lines.withLock { $0[line].take(event, before: &before) }
  }
}
