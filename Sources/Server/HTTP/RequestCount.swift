import Core
import Foundation
import Synchronization

/// The requests of each program that are being taken, worked on or answered, and what they hold of memory.
final class RequestCount: Sendable {
  private let held = Mutex<[String: (count: Int, bytes: Int)]>([:])
  private let (most, mostBytes): (Int, Int)

  init(_ bounds: Bounds) { (most, mostBytes) = (bounds.requests, bounds.requestBytes) }

  /// `bytes`: what its body may take.
  func enter(_ program: String, bytes: Int) throws -> RequestShare {
    try held.withLock { held in
      let (count, sum) = held[program, default: (0, 0)]
      guard count < most, count == 0 || sum + bytes <= mostBytes else { throw ServerError.busy(limit: count) }
      held[program] = (count + 1, sum + bytes)
    }
    return RequestShare(program, bytes, in: self)
  }

  /// `own`: what the request that asks holds itself, where it has been told nothing yet. One that is alone is told however much it is.
  fileprivate func hold(_ bytes: Int, of program: String, own: Int?) throws {
    try held.withLock { held in
      let (count, sum) = held[program, default: (0, 0)]
      guard sum + bytes <= mostBytes || sum == own else { throw ServerError.untaken(limit: mostBytes) }
      held[program] = (count, sum + bytes)
    }
  }

  fileprivate func give(_ bytes: Int, of program: String) {
    held.withLock { held in
      guard let (count, sum) = held[program] else { return }
      held[program] = (count, sum - bytes)
    }
  }

  fileprivate func leave(_ program: String, _ bytes: Int) {
    held.withLock { held in
      guard let (count, sum) = held[program] else { return }
      held[program] = count > 1 ? (count - 1, sum - bytes) : nil
    }
  }
}

/// One request of a program: what its body may take of memory, and what it was told and has not taken yet.
final class RequestShare: Sendable {
  /// Of the request that is being answered, where a program has sent it.
  @TaskLocal static var mine: RequestShare?

  private let program: String
  private let body: Int
  private let requests: RequestCount
  private let state = Mutex((told: 0, isOver: false))

  fileprivate init(_ program: String, _ body: Int, in requests: RequestCount) {
    (self.program, self.body, self.requests) = (program, body, requests)
  }

  func hold(_ bytes: Int) throws {
    try state.withLock { state in
      guard !state.isOver else { return }
      try requests.hold(bytes, of: program, own: state.told == 0 ? body : nil)
      state.told += bytes
    }
  }

  func give(_ bytes: Int) {
    state.withLock { state in
      let bytes = min(bytes, state.told)
      guard !state.isOver else { return }
      requests.give(bytes, of: program)
      state.told -= bytes
    }
  }

  func leave() {
    state.withLock { state in
      guard !state.isOver else { return }
      requests.leave(program, body + state.told)
      state.isOver = true
    }
  }
}

/// What an operation tells: for the program that asked it is counted from when it is told until the next of it is wanted. Where nobody
/// takes it, the operation ends, and does not go on piling it up.
struct CountedEvents: AsyncSequence, Sendable {
  private let events: AsyncThrowingStream<Data, any Error>
  private let share = RequestShare.mine

  init(_ events: AsyncThrowingStream<Data, any Error>) { self.events = events }

  /// Operations tell without looking at who takes it.
  static func counting(_ events: AsyncThrowingStream<Data, any Error>) -> AsyncThrowingStream<Data, any Error> {
    guard let share = RequestShare.mine else { return events }
    return streaming { emit in
      for try await event in events {
        try share.hold(event.count)
        emit(event)
      }
    }
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncThrowingStream<Data, any Error>.Iterator
    fileprivate let share: RequestShare?
    private var last = 0

    fileprivate init(_ base: AsyncThrowingStream<Data, any Error>.Iterator, _ share: RequestShare?) {
      (self.base, self.share) = (base, share)
    }

    mutating func next() async throws -> Data? {
      share?.give(last)
      last = 0
      let event = try await base.next()
      last = event?.count ?? 0
      return event
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events.makeAsyncIterator(), share) }
}
