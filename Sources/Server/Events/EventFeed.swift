package import Core
import Foundation
import Synchronization

/// One reader's event stream over the ring. What is told goes from there to whoever reads: however long it is and however many read it,
/// nothing of it lies here.
package final class EventFeed: BodySource {
  private struct State {
    var place: EventRing.Place
    var missed: Bool
    var greeted = false
    var known = 0
    var beat: UInt64
    /// Words of the feed's own.
    var pending = Data()
    var listener: Int?
  }

  private let ring: EventRing
  private let reader: Caller
  private let state: Mutex<State>

  package init(_ ring: EventRing, after id: String?, for reader: Caller) {
    self.ring = ring
    self.reader = reader
    let place = ring.place(after: id, for: reader)
    state = Mutex(State(place: .init(next: place.next), missed: place.missed, beat: ring.beats))
  }

  /// How many operations there are that the reader may look up: counted after it began to listen, so that none is missed.
  func greet(_ known: Int) { state.withLock { $0.known = known } }

  package func attach(_ wake: @escaping @Sendable () -> Void) {
    let listener = ring.listen(as: reader, wake)
    state.withLock { $0.listener = listener }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    state.withLock { state in
      if !state.greeted {
        state.greeted = true
        let hello = "{\"epoch\":\"\(ring.epoch)\",\"operations\":\(state.known)}"
        state.pending.append(Data("retry: 1000\nevent: hello\ndata: \(hello)\n\n".utf8))
        if state.missed { state.pending.append(Self.missed) }
      }
      let beats = ring.beats
      if state.pending.isEmpty {
        switch ring.read(from: &state.place, into: buffer, for: reader) {
        case .bytes(0): if beats != state.beat { state.pending.append(Data(": \n\n".utf8)) }
        case .bytes(let count):
          state.beat = beats
          return .bytes(count)
        case .missed: state.pending.append(Self.missed)
        // It comes back with the last id that it has, and hears then that it missed something.
        case .torn: return .end
        }
      }
      state.beat = beats
      guard !state.pending.isEmpty else { return .nothingYet }
      let count = min(buffer.count, state.pending.count)
      state.pending.copyBytes(to: buffer, count: count)
      state.pending = Data(state.pending.dropFirst(count))
      return .bytes(count)
    }
  }

  private static let missed = Data("event: missed\ndata: {}\n\n".utf8)

  package var owes: Bool {
    let (place, isPending) = state.withLock { ($0.place, !$0.pending.isEmpty) }
    return isPending || ring.holdsMore(from: place, for: reader)
  }

  package func close() {
    let listener = state.withLock { state in
      defer { state.listener = nil }
      return state.listener
    }
    if let listener { ring.leave(listener) }
  }
}
