import Core
import Foundation

/// One call under way.
struct Exchange {
  /// Replies that may lie unread for one call, by number and by bytes, before the other side counts as gone mad.
  static let mostUnread = 1 << 16
  private static let mostUnreadBytes = 256 << 20
  var operation: String
  /// How long the call may take, from when those before it have ended.
  var deadline: Duration?
  /// nil once the consumer has gone; the end of the call is still awaited.
  var continuation: AsyncThrowingStream<CallReply, any Error>.Continuation?
  private var unread = Unread(most: mostUnread, mostBytes: mostUnreadBytes)
  /// What may still be told.
  private var room: Int

  init(
    _ operation: String, deadline: Duration?, most: Int,
    continuation: AsyncThrowingStream<CallReply, any Error>.Continuation
  ) {
    self.operation = operation
    self.deadline = deadline
    self.continuation = continuation
    room = most
  }

  /// Counts a reply that has come; false when that is more than may be told.
  mutating func count(_ frame: WireFrame) -> Bool {
    room -= frame.payload.count + WireFrame.headerBytes
    return room >= 0
  }

  /// Counts a reply that was handed on; false when too much lies unread.
  mutating func count(
    _ bytes: Int, _ outcome: AsyncThrowingStream<CallReply, any Error>.Continuation.YieldResult?
  ) -> Bool {
    switch outcome {
    case .enqueued(let room): unread.count(bytes, room: room)
    case .dropped: false
    default: true
    }
  }
}

/// What lies in a stream of at most so many, counted by its bytes as well.
struct Unread {
  let most: Int
  let mostBytes: Int
  private var sizes: [Int] = []
  private var bytes = 0

  init(most: Int, mostBytes: Int) { (self.most, self.mostBytes) = (most, mostBytes) }

  /// One more was taken in, and there is room for so many others; false when too much lies there.
  mutating func count(_ size: Int, room: Int) -> Bool {
    sizes.append(size)
    bytes += size
    let read = max(0, sizes.count - (most - room))
    bytes -= sizes.prefix(read).reduce(0, +)
    sizes.removeFirst(read)
    return bytes <= mostBytes
  }
}
