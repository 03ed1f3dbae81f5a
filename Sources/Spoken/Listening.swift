import Core
package import Foundation
import Synchronization
import Workers

/// One dictation in progress. Feed it sound, read its events; `cancel` leaves it at any time.
///
/// The sound of an utterance is kept until its words have settled. When the worker dies, the next one gets that sound again,
/// so nothing that was said is lost.
package final class Listening: Sendable {
  package let events: AsyncThrowingStream<ListenEvent, any Error>
  let yields: Bool
  private let continuation: AsyncThrowingStream<ListenEvent, any Error>.Continuation
  private let feed: Feed
  private let over = Mutex(false)
  private let work = Mutex<Task<Void, Never>?>(nil)
  private let worker = Mutex<(now: Worker?, change: ListenAdjustment)>((nil, ListenAdjustment()))
  private let bytesPerSecond: Int
  private static let mostRestarts = 2

  init(_ request: ListenRequest, yields: Bool, ready: @escaping @Sendable () async throws -> Worker) {
    self.yields = yields
    bytesPerSecond = request.format.rate * request.format.frameBytes
    feed = Feed(most: 120 * bytesPerSecond, grain: request.format.frameBytes)
    (events, continuation) = AsyncThrowingStream.makeStream(of: ListenEvent.self)
    let work = Task { [self] in
      let problem: (any Error)?
      do {
        try await run(request, ready)
        problem = nil
      } catch { problem = error }
      await feed.end()
      // Before the events end, so that whoever has seen their end may listen again.
      over.withLock { $0 = true }
      continuation.finish(throwing: problem)
    }
    continuation.onTermination = { _ in work.cancel() }
    self.work.withLock { $0 = work }
  }

  /// Returns when it has let go of the worker, be it finished or cancelled.
  package func ended() async { await work.withLock { $0 }?.value }

  package var isOver: Bool { over.withLock { $0 } }

  /// Returns when the worker has taken the sound, which slows down whoever is faster; at once while it still loads, for the
  /// first two minutes.
  package func feed(_ bytes: Data) async { await feed.append(bytes) }

  /// No more sound comes; the last words and `done` follow.
  package func finish() async { await feed.end() }

  /// Ends at once; nothing more comes.
  package func cancel() { continuation.finish(throwing: CancellationError()) }

  /// What the governor allows from now on.
  package func adjust(_ change: ListenAdjustment) {
    let worker = worker.withLock { state in
      state.change.take(change)
      return state.now
    }
    // Fails only where the worker has gone, which `run` sees by itself; the next worker begins with `state.change`.
    do { try worker?.adjust(change) } catch { return }
  }

  private func run(_ request: ListenRequest, _ ready: @Sendable () async throws -> Worker) async throws {
    var restarts = 0
    var spoken = 0  // utterances settled by earlier workers
    while true {
      let worker = try await ready()
      try Task.checkCancellation()
      let change = self.worker.withLock { state in
        state.now = worker
        return state.change
      }
      var request = request
      change.apply(to: &request)
      let (begin, theirs) = try await feed.connect()
      let offset = Double(begin) / Double(bytesPerSecond)
      let events: AsyncThrowingStream<ListenEvent, any Error> = Transcriber.decoded(
        worker.call("listen", request, files: [theirs], most: .stream))
      close(theirs)
      var settled = spoken
      do {
        for try await event in events {
          if case .final(let utterance) = event { settled = spoken + utterance.number }
          let placed = event.moved(by: offset, after: spoken)
          continuation.yield(placed)
          await acknowledge(placed)
        }
        return try Task.checkCancellation()
      } catch let error as WorkerError where error.code == "worker_died" && restarts < Listening.mostRestarts {
        restarts += 1
        spoken = settled
      }
    }
  }

  private func acknowledge(_ event: ListenEvent) async {
    switch event {
    case .speech(let second): await feed.forget(before: Int((second - 1) * Double(bytesPerSecond)))
    case .final(let utterance): await feed.forget(before: Int(utterance.end * Double(bytesPerSecond)))
    default: break
    }
  }
}

extension ListenEvent {
  /// The same event in the time and numbering of the whole dictation.
  fileprivate func moved(by offset: Double, after spoken: Int) -> ListenEvent {
    switch self {
    case .speech(let second): return .speech(at: second + offset)
    case .partial(var words):
      words.utterance += spoken
      return .partial(words)
    case .final(var utterance):
      utterance.number += spoken
      utterance.start += offset
      utterance.end += offset
      for index in utterance.transcript.words.indices {
        utterance.transcript.words[index].start += offset
        utterance.transcript.words[index].end += offset
      }
      return .final(utterance)
    case .stopped, .done: return self
    }
  }
}

/// Keeps the sound that may be needed again and pours it into the worker's socket.
// Everything but `queue` is touched on `queue` alone.
private final class Feed: @unchecked Sendable {
  private let queue = DispatchQueue(label: "libera.speech.feed")
  private let most: Int
  private let grain: Int
  private var kept = Data()
  private var begin = 0  // where `kept` lies in the whole sound
  private var socket: CInt = -1
  private var isEnded = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(most: Int, grain: Int) {
    self.most = most
    self.grain = grain
  }
  deinit { if socket >= 0 { close(socket) } }

  /// A new socket for the worker, into which everything kept is poured first; says where that begins.
  func connect() async throws -> (begin: Int, theirs: CInt) {
    let pair = try Spawner.socketPair()
    return await on { feed in
      feed.drop()
      // Later, because nobody reads until the call has been made. Only then is the socket known: what is appended before
      // belongs to what is kept, and would be heard twice.
      feed.queue.async {
        feed.socket = pair.ours
        feed.pour(feed.kept)
        if feed.isEnded { feed.drop() }
        feed.letIn()
      }
      return (feed.begin, pair.theirs)
    }
  }

  func append(_ bytes: Data) async {
    await room()
    await on { feed in
      guard !feed.isEnded else { return }
      feed.kept.append(bytes)
      feed.pour(bytes)
      let excess = feed.kept.count - feed.most
      if excess > 0 { feed.cut(excess + feed.most / 4) }
    }
  }

  func end() async {
    await on { feed in
      feed.isEnded = true
      feed.drop()
      feed.letIn()
    }
  }

  /// Nobody takes sound yet, and what may be kept is kept: whoever is faster than a microphone waits.
  private func room() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        if socket >= 0 || isEnded || kept.count < most { continuation.resume() } else { waiting.append(continuation) }
      }
    }
  }

  private func letIn() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func forget(before place: Int) async { await on { feed in feed.cut(place - feed.begin) } }

  private func cut(_ count: Int) {
    // A sample stays whole, or everything after it would be noise.
    let whole = min(max(0, count), kept.count) / grain * grain
    kept = Data(kept.dropFirst(whole))
    begin += whole
  }

  private func drop() {
    if socket >= 0 { close(socket) }
    socket = -1
  }

  private func pour(_ bytes: Data) {
    guard socket >= 0 else { return }
    // A worker that has gone: what is kept stays for the next.
    if !Descriptor.send(bytes, to: socket, Int32(MSG_NOSIGNAL)) { drop() }
  }

  private func on<Value: Sendable>(_ body: @escaping @Sendable (Feed) -> Value) async -> Value {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body(self)) } }
  }
}
