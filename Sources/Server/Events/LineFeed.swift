package import Foundation
import Synchronization

/// The events of one operation as they come, over the connection that asked: one JSON object a line, or server-sent events.
/// The operation waits while the reader is behind, and ends when the reader goes.
package final class LineFeed: BodySource {
  private struct State {
    var pending = Data()
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

  /// Returns when there is room for more. However long, an event does not wait for itself: nobody reads before the first is there.
  package func send(_ data: Data) async {
    state.withLock { if !$0.closed { $0.pending.append(data) } }
    signal()
    await withCheckedContinuation { continuation in
      let full = state.withLock { state -> Bool in
        guard !state.closed, state.pending.count - data.count > Self.highWater else { return false }
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
      guard !state.pending.isEmpty else { return (state.ended ? .end : .nothingYet, nil) }
      let count = min(buffer.count, state.pending.count)
      state.pending.copyBytes(to: buffer, count: count)
      state.pending = count == state.pending.count ? Data() : Data(state.pending.dropFirst(count))
      guard state.pending.count <= Self.highWater / 2, let room = state.room else { return (.bytes(count), nil) }
      state.room = nil
      return (.bytes(count), room)
    }
    room?.resume()
    return result
  }

  package var owes: Bool { state.withLock { !$0.ended || !$0.pending.isEmpty } }

  package func close() {
    let (work, room) = state.withLock { state in
      defer {
        state.closed = true
        state.wake = nil
        state.room = nil
        state.pending = Data()
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
          await feed.send(gzip?.pack(frame) ?? frame)
          if !began { told.yield(nil) }
          began = true
        }
        told.yield(nil)
      } catch {
        if began { await feed.send(gzip?.pack(failure(error)) ?? failure(error)) }
        told.yield(error)
      }
      if let gzip { await feed.send(gzip.pack(Data(), isLast: true)) }
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
    response.headers.append(("Cache-Control", "no-store"))
    if gzip != nil { response.headers.append(("Content-Encoding", "gzip")) }
    return response
  }
}
