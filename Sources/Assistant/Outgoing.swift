import Models

/// What went over the network since the start of this program: because a person asked for it, or because
/// `libera chat` looked for a better pack.
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

extension House {
  /// Begins a line of what went out; its place is where it is kept up to date.
  func beganOutgoing(_ kind: Outgoing.Kind, _ pack: String) -> Int {
    outgoing.append(Outgoing(kind: kind, pack: pack, places: [], bytes: 0))
    return outgoing.count - 1
  }

  func keepOutgoing(_ line: Int, _ event: PullEvent, _ before: inout Int64?) {
    outgoing[line].take(event, before: &before)
  }
}
