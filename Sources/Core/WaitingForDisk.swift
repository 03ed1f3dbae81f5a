import Foundation
import Synchronization

/// Work that waits for a disk, on a thread of its own: the few threads that everything else shares stay free, so that a large
/// file or a disk that does not answer delays nobody else.
///
/// Whoever is cancelled leaves at once; the work hears of it from `check`, which then throws. What it brings too late goes to
/// `unclaimed`.
package func waitingForDisk<Value: Sendable>(
  unclaimed: @escaping @Sendable (Value) -> Void = { _ in },
  _ work: @escaping @Sendable (_ check: () throws -> Void) throws -> Value
) async throws -> Value {
  try Task.checkCancellation()
  let (values, feed) = AsyncThrowingStream.makeStream(of: Value.self)
  let gone = Gone()
  feed.onTermination = { _ in gone.flag.store(true, ordering: .relaxed) }
  Thread.detachNewThread {
    do {
      let value = try work { if gone.flag.load(ordering: .relaxed) { throw CancellationError() } }
      if case .enqueued = feed.yield(value) {} else { unclaimed(value) }
      feed.finish()
    } catch { feed.finish(throwing: error) }
  }
  for try await value in values { return value }
  throw CancellationError()
}

private final class Gone: Sendable {
  let flag = Atomic(false)
}
