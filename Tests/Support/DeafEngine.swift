import Foundation
import Synchronization
package import Workers

/// Engines in threads that answer each operation with one event, but for the first call of all that is not "load": that one is deaf, and
/// goes on for longer than a call may that was cancelled.
package final class DeafOnce: Sendable {
  /// Says that the deaf call has begun.
  package let begun: AsyncStream<Void>
  private let begin: AsyncStream<Void>.Continuation
  private let isDeaf = Atomic(true)
  private let answers: [String: any Encodable & Sendable]

  package init(_ answers: [String: any Encodable & Sendable]) {
    self.answers = answers
    (begun, begin) = AsyncStream.makeStream()
  }

  package var host: WorkerHost { .threads { _ in Hearing(house: self) } }

  private final class Hearing: Engine {
    let house: DeafOnce
    init(house: DeafOnce) { self.house = house }

    func handle(_ call: Call, _ reply: some ReplySink) throws {
      if call.operation != "load", house.isDeaf.exchange(false, ordering: .relaxed) {
        house.begin.yield()
        return Thread.sleep(forTimeInterval: 7)
      }
      guard let answer = house.answers[call.operation] else { throw WorkerError.unknownOperation(call.operation) }
      try reply.event(answer)
    }
  }
}
