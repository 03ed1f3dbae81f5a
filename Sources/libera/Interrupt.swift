import Core
import Foundation
import Synchronization

/// Ctrl-C stops the work at hand and not the program; a second one within that work ends the program.
enum Interrupt {
  static func cancelling(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let state = Mutex<(task: Task<Void, any Error>?, isStopped: Bool)>((nil, false))
    let isPressed = try await stopping {
      state.withLock { state in
        state.isStopped = true
        state.task?.cancel()
      }
    } _: {
      // Begun only now, so that Ctrl-C is heard from its first moment on.
      let task = state.withLock { state in
        let task = Task { try await work() }
        if state.isStopped { task.cancel() }
        state.task = task
        return task
      }
      try await task.value
    }
    if isPressed { throw CancellationError() }
  }

  /// How often Ctrl-C was pressed while `stopping` listened. The signal's own handler counts: a source of Dispatch begins and ends to
  /// listen some time after it is told to, and what comes meanwhile would be lost.
  private static let presses = Atomic(0)

  /// Ctrl-C calls `stop`, and the work ends of its own accord. True if it was pressed.
  @discardableResult
  static func stopping(
    _ stop: @escaping @Sendable () -> Void, _ work: () async throws -> Void
  ) async throws -> Bool {
    let already = presses.load(ordering: .sequentiallyConsistent)
    // A look that began before the work was over must not count what is pressed afterwards, for another work.
    let state = Mutex((isStopped: false, isOver: false))
    let looking = DispatchSource.makeTimerSource(queue: .global())
    looking.setEventHandler {
      let stops = state.withLock { state in
        let count = state.isOver ? 0 : presses.load(ordering: .sequentiallyConsistent) - already
        if count > 1 { exit(ExitCode.interrupted.rawValue) }
        defer { state.isStopped = state.isStopped || count == 1 }
        return count == 1 && !state.isStopped
      }
      if stops { stop() }
    }
    looking.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(50))
    let before = signal(SIGINT) { _ in Interrupt.presses.add(1, ordering: .sequentiallyConsistent) }
    looking.resume()
    func end() {
      state.withLock { $0.isOver = true }
      signal(SIGINT, before)
      looking.cancel()
    }
    do { try await work() } catch {
      end()
      throw error
    }
    end()
    return presses.load(ordering: .sequentiallyConsistent) != already
  }

  /// When the program was first asked to end, in nanoseconds; 0 before.
  private static let asked = Atomic<UInt64>(0)

  /// How long the house may take to be left in order once the program was asked to end.
  private static let patience = 10.0

  /// From its return on the program hears that it is asked to end, by Ctrl-C or by the system, and no longer ends as the system ends
  /// one that does not listen.
  static func listen() async -> End {
    let end = End()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let now = DispatchTime.now().uptimeNanoseconds
        let first = asked.compareExchange(expected: 0, desired: now, ordering: .relaxed).original
        // One wish may arrive twice: from the terminal and from whoever started the program.
        if first != 0, now - first < 1_000_000_000 { return }
        if first != 0 { _exit(ExitCode.interrupted.rawValue) }
        end.begin()
      }
      // Ignored before somebody listens, a signal would be lost.
      await withCheckedContinuation { listens in
        source.setRegistrationHandler {
          #if canImport(Darwin)
            signal(number, SIG_IGN)
          #endif
          listens.resume()
        }
        source.resume()
      }
      // It stays for good: a second request must still be heard.
      _ = Unmanaged.passRetained(source as AnyObject)
    }
    return end
  }

  /// The end of the program, once it is asked for: at a second request at once, and by itself after a while, whatever disk or worker
  /// does not answer. What the vault was told is safe without farewell.
  struct End: Sendable {
    private let wishes: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation

    fileprivate init() { (wishes, wish) = AsyncStream.makeStream() }

    fileprivate func begin() {
      leaveBehind()
      wish.yield()
    }

    /// Returns when it is asked for. `other`: returns where it is to come for another reason.
    func wait(or other: (@Sendable () async -> Void)? = nil) async {
      if let other {
        Task {
          await other()
          asked.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
          begin()
        }
      }
      for await _ in wishes { break }
    }
  }

  private static func leaveBehind() {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: patience)
      Terminal().note("libera: " + say("Something did not end within \(Int(patience)) s and was left behind."))
      _exit(ExitCode.failed.rawValue)
    }
  }
}
