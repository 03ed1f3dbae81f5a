import Core
import Foundation
package import Safety
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The inside of a worker: greets, seals, then serves calls one after the other until the other side goes.
///
/// Two threads: this one runs the engine, a reader thread takes frames and so can cancel, adjust and notice the end while the
/// engine is busy.
package enum Host {
  /// How long an engine may take to come back once the other side has gone, before the process ends without it.
  private static let grace = 0.25

  /// `engine` is made after sealing. `given` is the seal that the launcher wants; then whoever greets has no say in it.
  /// `reachesGPU`: whether it was built to compute on one; otherwise the seal is narrower. Never returns.
  package static func run(
    kind: String, seal given: SealSpecification? = nil, socket: CInt = 3, reachesGPU: Bool = false,
    engine: (WorkerSetup) throws -> any Engine
  ) -> Never {
    let channel = Channel(socket)
    let memory = OwnMemory()
    let setup: WorkerSetup
    do {
      guard let frame = try channel.read() else { exit(EX_OK) }
      do { setup = try frame.readHello(WorkerSetup.self) } catch {
        // The other side learns our version from our greeting before we go.
        try channel.write(.hello(WorkerGreeting(kind: kind, process: getpid(), seal: .unsealed("it never began"))))
        throw error
      }
      guard setup.kind == kind else { throw WorkerError.malformed("a greeting for a \(setup.kind) worker") }
      guard var specification = given ?? setup.seal else { throw WorkerError.malformed("a greeting without a seal") }
      if !reachesGPU, specification.profile == .gpuEngine { specification.profile = .engine }
      let seal = Seal.worker(specification, files: given == nil ? frame.files : [])
      let made: any Engine
      do { made = try engine(setup) } catch { made = AbsentEngine(RemoteError(error)) }
      try channel.write(.hello(WorkerGreeting(kind: kind, process: getpid(), seal: seal)))
      serve(made, on: channel, memory)
    } catch { fail(error) }
  }

  private static func serve(_ engine: any Engine, on channel: Channel, _ memory: OwnMemory) -> Never {
    let queue = CallQueue()
    let bounds = Bounds(memory) { error in
      if let request = queue.request { ChannelSink(channel: channel, request: request).fail(error, .ended) }
      FileHandle.standardError.write(Data("libera-worker: \(RemoteError(error).message)\n".utf8))
      _exit(EX_TEMPFAIL)
    }
    // The engine is used by two threads only as its protocol says: `handle` on one, `adjust` on the other.
    nonisolated(unsafe) let shared = engine
    Thread.detachNewThread { read(channel, into: queue, shared, bounds) }
    while let next = queue.next() {
      let sink = ChannelSink(channel: channel, request: next.request)
      do {
        if next.call.cancelled.isSet { throw CancellationError() }
        try engine.handle(next.call, sink)
        sink.end()
      } catch { sink.fail(error) }
      queue.finished()
      for file in next.call.files { close(file) }
    }
    _exit(EX_OK)
  }

  private static func read(_ channel: Channel, into queue: CallQueue, _ engine: any Engine, _ bounds: Bounds) {
    do {
      while let frame = try channel.read() {
        switch frame.kind {
        case .call:
          let (operation, body) = try frame.readCall()
          let call = Call(operation: operation, body: body, files: frame.files, cancelled: CancelFlag(bounds: bounds))
          try queue.add(frame.request, call)
        case .cancel:
          // One that has not begun ends at once; it must not wait for what runs.
          if let waiting = queue.cancel(frame.request) {
            ChannelSink(channel: channel, request: waiting.request).fail(CancellationError())
            for file in waiting.call.files { close(file) }
          }
        case .adjust: if queue.isRunning(frame.request) { engine.adjust(frame.payload) }
        default: throw WorkerError.malformed("a frame that only workers send")
        }
      }
      queue.close()
      Thread.sleep(forTimeInterval: grace)
      _exit(EX_OK)
    } catch { fail(error) }
  }

  private static func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("libera-worker: \(error)\n".utf8))
    _exit(EX_PROTOCOL)
  }
}

/// Stands in where an engine could not be made: every call is told why.
private final class AbsentEngine: Engine {
  private let reason: RemoteError
  init(_ reason: RemoteError) { self.reason = reason }
  func handle(_ call: Call, _ reply: some ReplySink) throws { throw reason }
  func adjust(_ body: Data) {}
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

  func fail(_ error: any Error, _ kind: Frame.Kind = .failed) {
    do { try send(kind, JSON.encode(RemoteError(error))) } catch {
      // As above.
    }
  }

  private func send(_ kind: Frame.Kind, _ payload: Data) throws {
    do { try payload.withUnsafeBytes { try channel.write(kind, request: request, $0) } } catch WorkerError.socket {
      // Nobody listens any more, so the engine may stop.
      throw CancellationError()
    }
  }
}
