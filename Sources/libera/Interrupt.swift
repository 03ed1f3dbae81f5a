import Core
import Foundation
import Synchronization

/// Ctrl-C stops the work at hand and not the program; a second one within that work ends the program.
enum Interrupt {
  static func cancelling(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await work() }
    if try await stopping({ task.cancel() }, { try await task.value }) { throw CancellationError() }
  }

  /// Ctrl-C calls `stop`, and the work ends of its own accord. True if it was pressed.
  @discardableResult
  static func stopping(
    _ stop: @escaping @Sendable () -> Void, _ work: () async throws -> Void
  ) async throws -> Bool {
    let pressed = Atomic(false)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      if pressed.exchange(true, ordering: .relaxed) { exit(ExitCode.interrupted.rawValue) }
      stop()
    }
    let before = signal(SIGINT, SIG_IGN)
    source.resume()
    defer {
      source.cancel()
      signal(SIGINT, before)
    }
    try await work()
    return pressed.load(ordering: .relaxed)
  }

  /// When the program was first asked to end, in nanoseconds; 0 before.
  private static let asked = Atomic<UInt64>(0)

  /// How long the house may take to be left in order once the program was asked to end.
  private static let patience = 10.0

  /// Returns when the program is asked to end, by Ctrl-C or by the system. From then on it ends: at a second request at once,
  /// and by itself after a while, whatever disk or worker does not answer. What the vault was told is safe without farewell.
  /// `other`: returns where it is to end for another reason.
  static func awaitEnd(or other: (@Sendable () async -> Void)? = nil) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    if let other {
      Task {
        await other()
        asked.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
        leaveBehind()
        end.yield()
      }
    }
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let now = DispatchTime.now().uptimeNanoseconds
        let first = asked.compareExchange(expected: 0, desired: now, ordering: .relaxed).original
        // One wish may arrive twice: from the terminal and from whoever started the program.
        if first != 0, now - first < 1_000_000_000 { return }
        if first != 0 { _exit(ExitCode.interrupted.rawValue) }
        leaveBehind()
        end.yield()
      }
      source.resume()
      return source
    }
    for await _ in ends { break }
    // They stay for good: a second request must still be heard.
    for source in sources { _ = Unmanaged.passRetained(source as AnyObject) }
  }

  private static func leaveBehind() {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: patience)
      Terminal().note("libera: " + say("Something did not end within \(Int(patience)) s and was left behind."))
      _exit(ExitCode.failed.rawValue)
    }
  }
}
