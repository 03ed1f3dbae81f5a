import Foundation
import Synchronization

/// Watches, from a thread of its own, one stretch of work at a time that cannot be told to stop, and gives the engine up when it
/// takes too long or too much memory: in a worker that ends the process.
final class StretchWatch: Sendable {
  private struct Stretch {
    var end: ContinuousClock.Instant
    var mostPages: Int
    var error: @Sendable () -> any Error
  }

  /// How often it looks while there is anything to watch.
  private static let interval: UInt32 = 50_000

  private let condition = NSCondition()
  // Touched only while `condition` is locked; the type cannot say so.
  private nonisolated(unsafe) var stretch: Stretch?
  private nonisolated(unsafe) var isOver = false
  private let memory: OwnMemory?
  private let act: @Sendable (any Error) -> Void

  /// `act` tells the client and gives the engine up. `memory` nil: what it takes cannot be told from what others take.
  init(_ memory: OwnMemory?, act: @escaping @Sendable (any Error) -> Void) {
    self.memory = memory
    self.act = act
    Thread.detachNewThread { self.watch() }
  }

  func begin(_ time: Duration, bytes: Int, _ error: @escaping @Sendable () -> any Error) {
    let most = memory?.dataPages.map { $0 + bytes / Int(sysconf(CInt(_SC_PAGESIZE))) } ?? .max
    condition.withLock {
      stretch = Stretch(end: .now + time, mostPages: most, error: error)
      condition.signal()
    }
  }

  func end() { condition.withLock { stretch = nil } }

  /// Nothing is watched any more.
  func close() {
    condition.withLock {
      isOver = true
      condition.signal()
    }
  }

  private func watch() {
    while true {
      condition.withLock { while stretch == nil && !isOver { condition.wait() } }
      usleep(StretchWatch.interval)
      let exceeded = condition.withLock { () -> (any Error)? in
        guard let stretch, .now > stretch.end || (memory?.dataPages ?? 0) > stretch.mostPages else { return nil }
        return stretch.error()
      }
      if let exceeded { return act(exceeded) }
      if condition.withLock({ isOver }) { return }
    }
  }
}

/// How much memory of its own this process has, which a sealed process can still see if it opened the file before.
struct OwnMemory {
  private let descriptor: CInt

  init() { descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC) }

  /// Pages of data and stack; nil where the system does not tell.
  var dataPages: Int? {
    guard descriptor >= 0 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { text in
      let count = pread(descriptor, text.baseAddress, text.count, 0)
      guard count > 0 else { return nil }
      let words = text.prefix(count).split(separator: UInt8(ascii: " "))
      return words.count > 5 ? Int(String(decoding: words[5], as: UTF8.self)) : nil
    }
  }
}
