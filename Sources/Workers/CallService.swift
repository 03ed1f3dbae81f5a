import Core
import Foundation

/// Serves the calls that come over a channel with one engine, one after the other: the same in a worker's process and in a thread
/// of this program.
///
/// One thread is in `run` and uses the engine; another is in `listen`, and so can cancel, adjust and notice the end while the
/// engine is busy.
// The engine is used by two threads only as its protocol says: `handle` on one, `adjust` on the other. `bounds` is set before either
// begins.
final class CallService: @unchecked Sendable {
  private let channel: Channel
  private let queue = CallQueue()
  private var engine: (any Engine)?
  var bounds: StretchWatch?

  init(_ engine: any Engine, on channel: Channel) {
    self.engine = engine
    self.channel = channel
  }

  /// Returns when the other side has gone and the call that ran then has ended.
  func run() {
    let engine = engine
    while let next = queue.next() {
      let sink = ChannelSink(channel: channel, request: next.request)
      do {
        if next.call.cancelled.isSet { throw CancellationError() }
        try engine?.handle(next.call, sink)
        sink.end()
      } catch { sink.fail(error) }
      queue.finished()
      for file in next.call.files { close(file) }
    }
    for entry in queue.rest() { for file in entry.call.files { close(file) } }
  }

  /// Lets go of the engine, and so gives its memory back. Only when both threads have returned.
  func discard() { engine = nil }

  /// Takes frames until the other side goes.
  func listen() throws {
    defer { queue.close() }
    let engine = engine
    while let frame = try channel.read() {
      switch frame.kind {
      case .call:
        let (operation, body) = try frame.readCall()
        let call = Call(operation: operation, body: body, files: frame.files, cancelled: CancelFlag(bounds: bounds))
        do { try queue.add(frame.request, call) } catch {
          for file in frame.files { close(file) }
          throw error
        }
      case .cancel:
        // One that has not begun ends at once; it must not wait for what runs.
        if let waiting = queue.cancel(frame.request) {
          ChannelSink(channel: channel, request: waiting.request).fail(CancellationError())
          for file in waiting.call.files { close(file) }
        }
      case .adjust: if queue.isRunning(frame.request) { engine?.adjust(frame.payload) }
      default: throw WorkerError.malformed("a frame that only workers send")
      }
    }
  }

  /// Tells the call that runs that it is given up, and the engine with it.
  func giveUp(_ error: any Error) {
    if let request = queue.request { ChannelSink(channel: channel, request: request).fail(error, .ended) }
  }

  /// Nothing more is begun, and what runs is told to end.
  func stop() { queue.close() }
}

/// Stands in where an engine could not be made: every call is told why.
final class AbsentEngine: Engine {
  private let reason: RemoteError
  init(_ reason: RemoteError) { self.reason = reason }
  func handle(_ call: Call, _ reply: some ReplySink) throws { throw reason }
}

/// The calls waiting for the engine, in order.
private final class CallQueue: Sendable {
  struct Entry {
    var request: UInt64
    var call: Call
  }

  private static let most = 1024
  private let condition = NSCondition()
  // Both are touched only while `condition` is locked; the type cannot say so.
  private nonisolated(unsafe) var waiting: [Entry] = []
  private nonisolated(unsafe) var running: Entry?
  private nonisolated(unsafe) var isClosed = false

  func add(_ request: UInt64, _ call: Call) throws {
    try condition.withLock {
      guard !isClosed else { throw WorkerError.malformed("a call after the end") }
      guard waiting.count < CallQueue.most else { throw WorkerError.malformed("more than \(CallQueue.most) calls") }
      waiting.append(Entry(request: request, call: call))
      condition.signal()
    }
  }

  /// Waits for the next call; nil once nothing more can come.
  func next() -> Entry? {
    condition.withLock {
      while waiting.isEmpty && !isClosed { condition.wait() }
      guard !isClosed else { return nil }
      running = waiting.removeFirst()
      return running
    }
  }

  func finished() { condition.withLock { running = nil } }

  func isRunning(_ request: UInt64) -> Bool { request == self.request }

  /// The call that the engine is at.
  var request: UInt64? { condition.withLock { running?.request } }

  /// Tells the call that runs; takes one that has not begun out of the queue and hands it back.
  func cancel(_ request: UInt64) -> Entry? {
    condition.withLock {
      if let running, running.request == request { running.call.cancelled.set() }
      return waiting.firstIndex { $0.request == request }.map { waiting.remove(at: $0) }
    }
  }

  /// What was never begun, once it is closed.
  func rest() -> [Entry] {
    condition.withLock {
      defer { waiting = [] }
      return waiting
    }
  }

  func close() {
    condition.withLock {
      isClosed = true
      running?.call.cancelled.set()
      condition.signal()
    }
  }
}

/// Where an engine's replies go.
private struct ChannelSink: ReplySink {
  let channel: Channel
  let request: UInt64

  func event(_ value: some Encodable) throws { try send(.event, JSON.encode(value)) }

  func bytes(_ payload: UnsafeRawBufferPointer) throws {
    do { try channel.write(.bytes, request: request, payload) } catch WorkerError.socket { throw CancellationError() }
  }

  func end() {
    do { try send(.end, Data()) } catch {
      // The other side has gone; the reader thread sees it too and ends the process.
    }
  }

  func fail(_ error: any Error, _ kind: WireFrame.Kind = .failed) {
    do { try send(kind, JSON.encode(RemoteError(error))) } catch {
      // As above.
    }
  }

  private func send(_ kind: WireFrame.Kind, _ payload: Data) throws {
    do { try payload.withUnsafeBytes { try channel.write(kind, request: request, $0) } } catch WorkerError.socket {
      // Nobody listens any more, so the engine may stop.
      throw CancellationError()
    }
  }
}
