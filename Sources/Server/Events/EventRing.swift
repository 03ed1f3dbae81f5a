import Assistant
package import Core
package import Foundation
import Synchronization

/// The last events of this run, in order, for any number of readers.
///
/// A reader holds only its place, so a slow one costs nothing: when the ring has moved past it, it is told what it missed and
/// goes on from there. Ids are "epoch-number"; an id of an earlier run of the server is recognised as such. For a program its own frames
/// alone are numbered: how much others are told, the numbers do not tell.
package final class EventRing: Sendable {
  private struct Frame {
    var data = Data()
    /// Whose run it tells of, and its number among theirs.
    var owner = Caller.stranger
    var own: UInt64 = 0
  }

  private struct State {
    var frames: [Frame] = []  // a circle of `limit` places
    var first: UInt64 = 1  // the number of the oldest frame kept
    var next: UInt64 = 1
    var bytes = 0
    /// How many there were of each party.
    var counts: [String: UInt64] = [:]
    var beats: UInt64 = 0
    var listeners: [Int: (reader: Caller, wake: @Sendable () -> Void)] = [:]
    var lastListener = 0
  }

  package let epoch: String
  private let limit: Int
  private let byteLimit: Int
  private let state = Mutex(State())

  package init(events: Int, bytes: Int) {
    limit = max(1, events)
    byteLimit = bytes
    epoch = String(UInt64.random(in: 1 << 32...UInt64.max), radix: 36)
  }

  /// `payload` is one line of JSON.
  package func publish(_ payload: Data, from owner: Caller) {
    let wakes = state.withLock { state -> [@Sendable () -> Void] in
      var frame = Data("data: ".utf8)
      frame.append(payload)
      frame.append(contentsOf: [10, 10])
      let place = Int(state.next % UInt64(limit))
      if state.next - state.first == UInt64(limit) { drop(&state) }
      if state.frames.count < limit {
        while state.frames.count <= place { state.frames.append(Frame()) }
      }
      let party = Handed.folder(of: owner)
      state.counts[party, default: 0] += 1
      state.frames[place] = Frame(data: frame, owner: owner, own: state.counts[party] ?? 0)
      state.bytes += frame.count
      state.next += 1
      while state.bytes > byteLimit, state.next - state.first > 1 { drop(&state) }
      // A program may hold thousands of streams: what it may not see wakes none of them.
      return state.listeners.values.filter { $0.reader.sees(owner) }.map(\.wake)
    }
    for wake in wakes { wake() }
  }

  private func drop(_ state: inout State) {
    let place = Int(state.first % UInt64(limit))
    state.bytes -= state.frames[place].data.count
    state.frames[place] = Frame()
    state.first += 1
  }

  /// Keeps nothing of what was published; a reader that had not read it is told that it missed something.
  package func forget() {
    state.withLock { state in
      while state.first < state.next { drop(&state) }
    }
  }

  /// Lets every reader send a sign of life.
  package func beat() {
    let wakes = state.withLock { state in
      state.beats += 1
      return state.listeners.values.map(\.wake)
    }
    for wake in wakes { wake() }
  }

  package func listen(as reader: Caller, _ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = (reader, wake)
      return state.lastListener
    }
  }

  package func leave(_ listener: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: listener) } }

  /// Whether something that the reader may see came after what it has read.
  func holdsMore(from place: Place, for reader: Caller) -> Bool {
    state.withLock { state in
      if place.held != nil { return true }
      return (max(place.next, state.first)..<state.next).contains {
        reader.sees(state.frames[Int($0 % UInt64(limit))].owner)
      }
    }
  }

  package var listenerCount: Int { state.withLock { $0.listeners.count } }
  package var beats: UInt64 { state.withLock { $0.beats } }

  /// Where a reader starts: after the id it saw last, or at the end when it is new. `missed` when that id is out of reach.
  package func place(after id: String?, for reader: Caller) -> (next: UInt64, missed: Bool) {
    state.withLock { state in
      guard let id, !id.isEmpty else { return (state.next, false) }
      let parts = id.split(separator: "-")
      let last = reader.isPerson ? state.next - 1 : state.counts[Handed.folder(of: reader)] ?? 0
      guard parts.count == 2, parts[0] == epoch, let seen = UInt64(parts[1]), seen <= last else {
        return (state.next, true)
      }
      if reader.isPerson { return seen + 1 >= state.first ? (seen + 1, false) : (state.first, true) }
      let next = (state.first..<state.next).first { number in
        let frame = state.frames[Int(number % UInt64(limit))]
        return reader.sees(frame.owner) && frame.own > seen
      }
      guard let next else { return (state.next, seen < last) }
      return (next, state.frames[Int(next % UInt64(limit))].own > seen + 1)
    }
  }

  /// Where a reader stands: so much of the frame with this number has gone out.
  package struct Place: Sendable {
    package var next: UInt64
    fileprivate var taken = 0
    /// The frame that is under way, for a person's page alone: programs, which may hold thousands of streams, hold nothing by them.
    fileprivate var held: Data?
    package init(next: UInt64) { self.next = next }
  }

  package enum Reading: Sendable, Equatable {
    /// 0: there is nothing more yet.
    case bytes(Int)
    /// Older frames than those that come now were gone already.
    case missed
    /// The rest of the frame that was under way is gone.
    case torn
  }

  /// What the reader may see from its place on; moves that.
  package func read(
    from place: inout Place, into buffer: UnsafeMutableRawBufferPointer, for reader: Caller
  ) -> Reading {
    state.withLock { state in
      if place.next < state.first, place.held == nil {
        guard place.taken == 0 else { return .torn }
        place.next = state.first
        return .missed
      }
      var count = 0
      while count < buffer.count, place.held != nil || (state.first..<state.next).contains(place.next) {
        let frame = state.frames[Int(place.next % UInt64(limit))]
        if place.held == nil, !reader.sees(frame.owner) {
          place.next += 1
          continue
        }
        let data = place.held ?? frame.data
        let head = Data("id: \(epoch)-\(reader.isPerson ? place.next : frame.own)\n".utf8)
        for (part, start) in [(head, 0), (data, head.count)] {
          let from = place.taken - start
          let piece = min(part.count - from, buffer.count - count)
          guard from >= 0, piece > 0 else { continue }
          part.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), from: from..<from + piece)
          (count, place.taken) = (count + piece, place.taken + piece)
        }
        if place.taken == head.count + data.count {
          (place.next, place.taken, place.held) = (place.next + 1, 0, nil)
        } else if reader.isPerson {
          place.held = data
        }
      }
      return .bytes(count)
    }
  }
}
