package import Foundation
import Synchronization

/// The events of one operation as they come, over the connection that asked: one JSON object a line, or server-sent events.
/// The operation waits while the reader is behind, and ends when the reader goes.
package final class LineFeed: BodySource {
  private struct State {
    var pending = Data()
    /// How much of that has gone out.
    var taken = 0
    var left: Int { pending.count - taken }
    var ended = false
    var closed = false
    var wake: (@Sendable () -> Void)?
    var room: CheckedContinuation<Void, Never>?
    var work: Task<Void, Never>?
  }

  private static let highWater = 256 << 10
  private let state = Mutex(State())

  package init() {}

  /// Starts filling the feed; `fill` calls `send` and its task is cancelled when the reader goes.
  package func run(_ fill: @escaping @Sendable (LineFeed) async -> Void) {
    let task = Task {
      await fill(self)
      self.state.withLock { $0.ended = true }
      self.signal()
    }
    let closed = state.withLock { state in
      state.work = task
      return state.closed
    }
    if closed { task.cancel() }
  }

  package func send(_ data: Data) {
    state.withLock { if !$0.closed { $0.pending.append(data) } }
    signal()
  }

  /// Returns when there is room for more.
  package func room() async {
    await withCheckedContinuation { continuation in
      let full = state.withLock { state -> Bool in
        guard !state.closed, state.left > Self.highWater else { return false }
        state.room = continuation
        return true
      }
      if !full { continuation.resume() }
    }
  }

  private func signal() { state.withLock { $0.wake }?() }

  package func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    let (result, room) = state.withLock { state -> (BodyRead, CheckedContinuation<Void, Never>?) in
      guard state.left > 0 else { return (state.ended ? .end : .nothingYet, nil) }
      let count = min(buffer.count, state.left)
      state.pending.copyBytes(to: buffer, from: state.taken..<state.taken + count)
      state.taken += count
      // Now and then, not with each piece: what is long would be moved as often as it has pieces.
      if state.taken >= state.left {
        state.pending = Data(state.pending.dropFirst(state.taken))
        state.taken = 0
      }
      guard state.left <= Self.highWater / 2, let room = state.room else { return (.bytes(count), nil) }
      state.room = nil
      return (.bytes(count), room)
    }
    room?.resume()
    return result
  }

  package var owes: Bool { state.withLock { !$0.ended || $0.left > 0 } }

  package func close() {
    let (work, room) = state.withLock { state in
      defer {
        state.closed = true
        state.wake = nil
        state.room = nil
        (state.pending, state.taken) = (Data(), 0)
      }
      return (state.work, state.room)
    }
    work?.cancel()
    room?.resume()
  }
}

extension LineFeed {
  /// The frames over the connection that asked. Waits for the first one, so that what fails at once has a status of its own;
  /// what fails later says so in a last frame. `packed`: by gzip, each frame so that it can be read when it comes.
  static func response(
    _ frames: some AsyncSequence<Data, any Error> & Sendable, type: String, packed: Bool = false,
    failure: @escaping @Sendable (any Error) -> Data
  ) async throws -> Response {
    let feed = LineFeed()
    let gzip = packed ? Gzip() : nil
    let (first, told) = AsyncStream<(any Error)?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    feed.run { feed in
      var began = false
      do {
        for try await frame in frames where !frame.isEmpty {
          feed.send(gzip?.pack(frame) ?? frame)
          // Nobody reads before the first is known to be there, and that may be longer than there is room for.
          if !began { told.yield(nil) }
          began = true
          await feed.room()
        }
        told.yield(nil)
      } catch {
        if began { feed.send(gzip?.pack(failure(error)) ?? failure(error)) }
        told.yield(error)
      }
      if let gzip { feed.send(gzip.pack(Data(), isLast: true)) }
      told.finish()
    }
    var outcome = first.makeAsyncIterator()
    guard let failure = await outcome.next() else {
      feed.close()
      throw CancellationError()
    }
    if let failure {
      feed.close()
      throw failure
    }
    var response = Response(type: type, .stream(feed))
    if gzip != nil { response.headers.append(("Content-Encoding", "gzip")) }
    return response
  }
}
