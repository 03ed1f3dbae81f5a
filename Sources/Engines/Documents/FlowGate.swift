import Foundation
import Workers

/// Holds a parser back while what it has sent was not yet taken, so that a long document never lies in memory as a whole.
///
/// The engine's thread passes, the reading thread gives credit.
final class FlowGate: Sendable {
  private let condition = NSCondition()
  // Touched only while `condition` is locked; the type cannot say so.
  private nonisolated(unsafe) var room: Int?

  func open(_ window: Int?) { condition.withLock { room = window } }

  func give(_ bytes: Int) {
    condition.withLock {
      room = room.map { $0 + max(0, bytes) }
      condition.signal()
    }
  }

  /// Returns when there is room, or nobody waits for the rest any more.
  func pass(_ bytes: Int, _ cancelled: CancelFlag) {
    condition.withLock {
      while let room, room <= 0, !cancelled.isSet { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1)) }
      room = room.map { $0 - bytes }
    }
  }
}
