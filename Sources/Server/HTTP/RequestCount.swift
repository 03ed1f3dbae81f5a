import Synchronization

/// The requests of each program that are being taken, worked on or answered.
final class RequestCount: Sendable {
  /// One request, and what its body may take of memory.
  struct Entry: Sendable {
    var program: String
    var bytes: Int
  }

  private let held = Mutex<[String: (count: Int, bytes: Int)]>([:])
  private let (most, mostBytes): (Int, Int)

  init(_ bounds: Bounds) { (most, mostBytes) = (bounds.requests, bounds.requestBytes) }

  func enter(_ entry: Entry) throws {
    try held.withLock { held in
      let (count, bytes) = held[entry.program, default: (0, 0)]
      guard count < most, count == 0 || bytes + entry.bytes <= mostBytes else { throw ServerError.busy(limit: count) }
      held[entry.program] = (count + 1, bytes + entry.bytes)
    }
  }

  func leave(_ entry: Entry) {
    held.withLock { held in
      guard let (count, bytes) = held[entry.program] else { return }
      held[entry.program] = count > 1 ? (count - 1, bytes - entry.bytes) : nil
    }
  }
}
