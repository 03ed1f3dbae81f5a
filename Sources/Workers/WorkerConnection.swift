import CLinux
import Core
import Foundation
import Synchronization

/// The calling side of a channel: any number of calls at once, their replies told apart by a thread that does nothing but
/// read. Nothing here blocks a thread of Swift's pool: writing happens on a queue of its own.
final class WorkerConnection: Sendable {
  /// Of the numbers that a worker tells, before the point: bytes, milliseconds and seconds since 1970 have fewer.
  private static let mostDigits = 12

  /// What a worker is held to; beyond it the worker is ended. Other processes (the owner, the launcher) are not ours to end.
  struct Rules: Sendable {
    var kind: String
    /// How long a call may go on after it was cancelled.
    var grace: Duration = .seconds(5)
    /// The most memory, mapped files included, that the process may hold while it works; nil: whatever it likes.
    var mostBytes: UInt64?
    /// What it holds now; nil when it is gone.
    var held: @Sendable () -> UInt64? = { nil }
  }

  private struct State {
    var nextRequest: UInt64 = 1
    var exchanges: [UInt64: Exchange] = [:]
    var greeting: CheckedContinuation<WireFrame, any Error>?
    var hasGreeted = false
    var closed: (any Error)?
    /// Why the other side is being ended, from the moment that is decided.
    var verdict: (any Error)?
    /// Somebody looks at the memory it holds.
    var isWeighed = false
    /// Whose time is running: the oldest call that has not ended.
    var running: UInt64?
    var awaitingEnd: [CheckedContinuation<Void, Never>] = []
  }

  private let channel: Channel
  private let state = Mutex(State())
  private let writer = DispatchQueue(label: "libera.connection.write")
  private let lastWords: LastWords?
  private let rules: Rules?
  private let ended: @Sendable ((any Error)?) -> any Error

  /// `ended` is called once, on the reading thread, with what went wrong (nil: the stream simply ended), and says which error
  /// the calls at hand get.
  init(
    _ channel: Channel, lastWords: LastWords? = nil, rules: Rules? = nil,
    ended: @escaping @Sendable ((any Error)?) -> any Error
  ) {
    self.channel = channel
    self.lastWords = lastWords
    self.rules = rules
    self.ended = ended
  }

  /// Sends our greeting, starts reading and returns theirs.
  func open(_ hello: WireFrame) async throws -> WireFrame {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.greeting = continuation }
        Thread.detachNewThread { self.readAll() }
        send(hello)
      }
    } onCancel: {
      channel.shut()
    }
  }

  func call(
    _ operation: String, _ body: Data, files: [CInt], deadline: Duration? = nil, most: ReplyBound = .usual
  ) -> AsyncThrowingStream<CallReply, any Error> {
    // Only workers are held to it.
    let most = rules == nil ? .max : most.bytes(for: body)
    let copies = files.map { libera_duplicate($0) }
    return AsyncThrowingStream(CallReply.self, bufferingPolicy: .bufferingOldest(Exchange.mostUnread)) {
      continuation in
      func refuse(_ error: any Error) {
        for copy in copies where copy >= 0 { close(copy) }
        continuation.finish(throwing: error)
      }
      guard !copies.contains(where: { $0 < 0 }) else {
        return refuse(WorkerError.socket("a descriptor to be handed over is not open"))
      }
      guard body.count + operation.utf8.count + 2 <= WireFrame.mostBytes else {
        return refuse(WorkerError.tooLarge(body.count))
      }
      let (request, closed) = state.withLock { state in
        let request = state.nextRequest
        state.nextRequest += 1
        let closed = state.closed ?? state.verdict
        if closed == nil {
          state.exchanges[request] = Exchange(
            operation, deadline: deadline, most: most, continuation: continuation)
        }
        return (request, closed)
      }
      if let closed { return refuse(closed) }
      continuation.onTermination = { [weak self] in if case .cancelled = $0 { self?.cancel(request) } }
      send(.call(operation, body, request: request, files: copies))
      timeNext()
      beginWeighing()
    }
  }

  /// Changes the call that is running now: the oldest that has neither ended nor been cancelled.
  func adjust(_ body: Data) {
    guard
      let request = state.withLock({ state in
        state.exchanges.filter { $0.value.continuation != nil }.keys.min()
      })
    else { return }
    send(WireFrame(.adjust, request: request, payload: body))
  }

  var isOpen: Bool { state.withLock { $0.closed == nil && $0.verdict == nil } }

  /// Says that no more calls will come; the other side then ends of its own accord.
  func finish() { writer.async { self.channel.finish() } }

  func shut() { channel.shut() }

  /// Returns when the other side has gone and every call has been told.
  func end() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.closed == nil { state.awaitingEnd.append(continuation) }
        return state.closed != nil
      }
      if isOver { continuation.resume() }
    }
  }

  private func send(_ frame: WireFrame) {
    writer.async {
      defer { for file in frame.files where frame.kind == .call { close(file) } }
      // A socket that cannot be written to is one the reading thread is about to find closed.
      do { try self.channel.write(frame) } catch { self.channel.shut() }
    }
  }

  private func readAll() {
    var problem: (any Error)?
    do {
      while try waitForFrames() {
        while let frame = try channel.takeFrame() { try take(frame) }
      }
    } catch { problem = error }
    channel.shut()
    let error = ended(state.withLock { $0.verdict } ?? problem)
    let (continuations, greeting, waiting) = state.withLock { state in
      defer {
        state.closed = error
        state.exchanges = [:]
        state.greeting = nil
        state.awaitingEnd = []
      }
      return (state.exchanges.values.compactMap(\.continuation), state.greeting, state.awaitingEnd)
    }
    greeting?.resume(throwing: error)
    for continuation in continuations { continuation.finish(throwing: error) }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for bytes on the socket, meanwhile listening to what is said on stderr; false at the end.
  private func waitForFrames() throws -> Bool {
    while true {
      var watched = [
        pollfd(fd: channel.socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: lastWords?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&watched, 2, -1) > 0 else { continue }
      if watched[1].revents != 0 { lastWords?.listen() }
      if watched[0].revents != 0 { return try channel.receive() }
    }
  }

  private func take(_ frame: WireFrame) throws {
    for file in frame.files { close(file) }
    guard frame.files.isEmpty else { throw WorkerError.malformed("a descriptor nobody asked for") }
    let (hasGreeted, excess) = state.withLock { state in
      let fits = state.exchanges[frame.request]?.count(frame) ?? true
      return (state.hasGreeted, fits ? nil : state.exchanges[frame.request]?.operation)
    }
    if let excess { throw WorkerError.toldTooMuch(kind: rules?.kind ?? "other", operation: excess) }
    guard hasGreeted else {
      guard frame.kind == .hello else { throw WorkerError.malformed("something before the greeting") }
      let greeting = state.withLock { state in
        defer { state.greeting = nil }
        state.hasGreeted = true
        return state.greeting
      }
      greeting?.resume(returning: frame)
      return
    }
    switch frame.kind {
    case .event:
      // Whoever takes a worker over may make it say anything, and sums are made of what it says.
      if rules != nil, JSON.holdsNumber(in: frame.payload, longerThan: Self.mostDigits) {
        throw WorkerError.malformed("a number that nothing here can have")
      }
      try deliver(.event(frame.payload), frame.payload.count, to: frame.request)
    case .bytes: try deliver(.bytes(frame.payload), frame.payload.count, to: frame.request)
    case .end: try finish(frame.request, nil)
    case .failed, .ended:
      let error: RemoteError
      do { error = try JSON.decode(RemoteError.self, from: frame.payload) } catch {
        throw WorkerError.malformed("an unreadable error")
      }
      if frame.kind == .ended { condemn(WorkerError.gaveUp(kind: rules?.kind ?? "other", reason: error.message)) }
      try finish(frame.request, error.code == "cancelled" ? CancellationError() : error)
    case .hello, .call, .cancel, .adjust: throw WorkerError.malformed("a frame out of place")
    }
  }

  /// Never hands on under the lock: whoever cancels a consumer holds that task's own lock while it waits for ours, and waking
  /// the consumer waits for the task's. Only the reading thread delivers and finishes, so the order stays.
  private func deliver(_ reply: CallReply, _ bytes: Int, to request: UInt64) throws {
    guard let exchange = state.withLock({ $0.exchanges[request] }) else {
      throw WorkerError.malformed("a reply to no question")
    }
    let outcome = exchange.continuation?.yield(reply)
    let fits = state.withLock { $0.exchanges[request]?.count(bytes, outcome) }
    guard fits ?? true else { throw WorkerError.flooded }
  }

  private func finish(_ request: UInt64, _ error: (any Error)?) throws {
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: request) }
    guard let exchange else { throw WorkerError.malformed("an end to no question") }
    exchange.continuation?.finish(throwing: error)
    timeNext()
  }
}

// MARK: Time
extension WorkerConnection {
  private func cancel(_ request: UInt64, telling error: (any Error)? = nil) {
    // What is let go of here is released outside the lock.
    let consumer = state.withLock { state in
      defer { state.exchanges[request]?.continuation = nil }
      return state.exchanges[request]?.continuation
    }
    guard let consumer else { return }
    send(WireFrame(.cancel, request: request))
    guard let rules else { return }
    after(rules.grace) { $0.end(request, rules) }
    if let error { consumer.finish(throwing: error) }
  }

  /// A cancelled call that still has not ended ends the whole worker: nothing less stops what does not listen.
  private func end(_ request: UInt64, _ rules: Rules) {
    guard let operation = state.withLock({ $0.exchanges[request]?.operation }) else { return }
    condemn(
      WorkerError.unresponsive(kind: rules.kind, operation: operation, seconds: rules.grace.wholeSeconds))
  }

  /// From here on nothing new is asked of it; the reading thread ends the process and tells those who wait.
  private func condemn(_ error: any Error) {
    state.withLock { if $0.verdict == nil { $0.verdict = error } }
    channel.shut()
  }

  // MARK: Memory

  /// Only while it works: an idle worker takes nothing more.
  private func beginWeighing() {
    guard let rules, rules.mostBytes != nil else { return }
    let begins = state.withLock { state in
      defer { state.isWeighed = true }
      return !state.isWeighed
    }
    if begins { weigh(rules) }
  }

  private func weigh(_ rules: Rules) {
    after(.milliseconds(250)) { connection in
      let goesOn = connection.state.withLock { state in
        state.isWeighed = !state.exchanges.isEmpty && state.verdict == nil
        return state.isWeighed
      }
      guard goesOn, let most = rules.mostBytes else { return }
      if let held = rules.held(), held > most {
        return connection.condemn(WorkerError.tooMuchMemory(kind: rules.kind, held: held, allowed: most))
      }
      connection.weigh(rules)
    }
  }

  /// Calls run in the order they were made, so a call's time begins when those before it have ended.
  private func timeNext() {
    let next: (request: UInt64, operation: String, deadline: Duration)? = state.withLock { state in
      guard let oldest = state.exchanges.keys.min(), oldest != state.running else { return nil }
      state.running = oldest
      guard let exchange = state.exchanges[oldest], let deadline = exchange.deadline else { return nil }
      return (oldest, exchange.operation, deadline)
    }
    guard let next, let rules else { return }
    after(next.deadline) {
      $0.cancel(
        next.request,
        telling: WorkerError.overdue(
          kind: rules.kind, operation: next.operation, seconds: next.deadline.wholeSeconds))
    }
  }

  /// By a clock that stands still while the machine sleeps.
  private func after(_ time: Duration, _ act: @escaping @Sendable (WorkerConnection) -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + time.seconds) { [weak self] in if let self { act(self) } }
  }
}

extension Duration {
  fileprivate var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
