package import Core
import Foundation
import Synchronization

/// One reader's event stream over the ring.
package final class EventFeed: BodySource {
  private struct State {
    var next: UInt64
    var missed: Bool
    var greeted = false
    var known = 0
    var beat: UInt64
    var pending = Data()
    var listener: Int?
  }

  private let ring: EventRing
  private let reader: Caller
  private let state: Mutex<State>

  package init(_ ring: EventRing, after id: String?, for reader: Caller) {
    self.ring = ring
    self.reader = reader
    let place = ring.place(after: id)
    state = Mutex(State(next: place.next, missed: place.missed, beat: ring.beats))
  }

  /// How many operations there are that the reader may look up: counted after it began to listen, so that none is missed.
  func greet(_ known: Int) { state.withLock { $0.known = known } }

  package func attach(_ wake: @escaping @Sendable () -> Void) {
    let listener = ring.listen(as: reader, wake)
    state.withLock { $0.listener = listener }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    state.withLock { state in
      if state.pending.isEmpty { fill(&state, capacity: buffer.count) }
      guard !state.pending.isEmpty else { return .nothingYet }
      let count = min(buffer.count, state.pending.count)
      state.pending.copyBytes(to: buffer, count: count)
      state.pending = count == state.pending.count ? Data() : Data(state.pending.dropFirst(count))
      return .bytes(count)
    }
  }

  package var owes: Bool {
    let (next, isPending) = state.withLock { ($0.next, !$0.pending.isEmpty) }
    return isPending || ring.holdsMore(from: next, for: reader)
  }

  private func fill(_ state: inout State, capacity: Int) {
    if !state.greeted {
      state.greeted = true
      let hello = "{\"epoch\":\"\(ring.epoch)\",\"operations\":\(state.known)}"
      state.pending.append(Data("retry: 1000\nevent: hello\ndata: \(hello)\n\n".utf8))
    }
    let (data, missed) = ring.frames(from: &state.next, bytes: capacity, for: reader)
    if missed || state.missed {
      state.missed = false
      state.pending.append(Data("event: missed\ndata: {}\n\n".utf8))
    }
    state.pending.append(data)
    let beats = ring.beats
    if beats != state.beat {
      state.beat = beats
      if state.pending.isEmpty { state.pending.append(Data(": \n\n".utf8)) }
    }
  }

  package func close() {
    let listener = state.withLock { state in
      defer { state.listener = nil }
      return state.listener
    }
    if let listener { ring.leave(listener) }
  }
}
