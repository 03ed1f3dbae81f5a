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

  /// Returns when the program is asked to end, by Ctrl-C or by the system.
  static func awaitEnd() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { end.yield() }
      source.resume()
      return source
    }
    for await _ in ends { break }
    sources.forEach { $0.cancel() }
  }
}
