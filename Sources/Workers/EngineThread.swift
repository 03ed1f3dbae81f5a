import CLinux
import Core
import Foundation
import Safety
import Synchronization

/// An engine in a thread of this program, at the other end of a socket as a worker's process would be.
///
/// It cannot be ended from outside: told to end, it ends when its engine comes back from what it computes, and one that does not
/// come back is left behind.
final class EngineThread: ChildProcess {
  /// How long an engine that was told to end may take to come back.
  private static let patience = Duration.seconds(5)
  /// What others wrote can be nested deeply; a thread's usual stack is small on some systems.
  private static let stackBytes = 64 << 20

  private struct State {
    var isOver = false
    var isEnding = false
    var service: CallService?
    /// The thread while it runs.
    var thread: pthread_t?
  }

  private let channel: Channel
  private let condition = NSCondition()
  // Touched only while `condition` is locked; the type cannot say so.
  private nonisolated(unsafe) var state = State()

  /// Greets over a copy of the socket, then serves until the other side goes. An engine that cannot be made tells every call why.
  init(_ kind: WorkerKind, socket: CInt, inBackground: Bool, engine: @escaping @Sendable () throws -> any Engine) throws
  {
    let own = libera_duplicate(socket)
    guard own >= 0 else { throw WorkerError.socket(systemReason()) }
    channel = Channel(own)
    let thread = Thread { [self] in run(kind, inBackground, engine) }
    thread.stackSize = Self.stackBytes
    thread.name = "libera.\(kind.rawValue)"
    thread.qualityOfService = inBackground ? .utility : .userInitiated
    thread.start()
  }

  var number: CInt { getpid() }
  var isProcess: Bool { false }

  var processorTime: Duration? {
    condition.withLock { state.thread.flatMap(Self.computed) }
  }

  func kill() {
    let service = condition.withLock {
      state.isEnding = true
      condition.broadcast()
      return state.service
    }
    service?.stop()
    channel.shut()
  }

  func wait() -> ExitReason {
    let limit = Date(timeIntervalSinceNow: Double(Self.patience.components.seconds))
    return condition.withLock {
      while !state.isOver, condition.wait(until: limit) {}
      return state.isOver ? .code(0) : .abandoned
    }
  }

  // MARK: The thread itself

  private func run(_ kind: WorkerKind, _ inBackground: Bool, _ engine: () throws -> any Engine) {
    condition.withLock { state.thread = pthread_self() }
    // That it cannot be put behind others costs them speed and is no reason not to work.
    if inBackground { _ = libera_low_thread_priority() }
    serve(kind, engine)
    libera_return_memory()
    condition.withLock {
      state.isOver = true
      state.thread = nil
      condition.broadcast()
    }
  }

  private func serve(_ kind: WorkerKind, _ engine: () throws -> any Engine) {
    defer { channel.shut() }
    // Whoever goes before all has begun is told nothing, and a greeting that makes no sense is answered by the channel's end.
    do { guard try greet(kind) else { return } } catch { return }
    let made: any Engine
    do { made = try engine() } catch { made = AbsentEngine(RemoteError(error)) }
    let service = CallService(made, on: channel)
    let bounds = StretchWatch(nil) { [weak self, weak service] error in
      service?.giveUp(error)
      self?.kill()
    }
    defer { bounds.close() }
    service.bounds = bounds
    let goesOn = condition.withLock {
      state.service = service
      return !state.isEnding
    }
    guard goesOn else { return forget(service) }
    let hasHeard = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [channel] in
      // What cannot be understood ends the conversation, as it would end a process.
      do { try service.listen() } catch { channel.shut() }
      hasHeard.signal()
    }
    service.run()
    channel.shut()
    hasHeard.wait()
    forget(service)
  }

  private func forget(_ service: CallService) {
    condition.withLock { state.service = nil }
    service.discard()
  }

  private func greet(_ kind: WorkerKind) throws -> Bool {
    guard let frame = try channel.read() else { return false }
    for file in frame.files { close(file) }
    let setup = try frame.readHello(WorkerSetup.self)
    guard setup.kind == kind.rawValue else { throw WorkerError.malformed("a greeting for a \(setup.kind) worker") }
    let seal = SealReport.unsealed("the engine runs inside this program")
    try channel.write(.hello(WorkerGreeting(kind: kind.rawValue, process: getpid(), seal: seal)))
    return true
  }

  private static func computed(_ thread: pthread_t) -> Duration? {
    #if canImport(Glibc)
      var clock = clockid_t()
      var time = timespec()
      guard pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    #else
      return nil
    #endif
  }
}
