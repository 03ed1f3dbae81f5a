import Core
import Foundation
import Spoken
import Synchronization
import Workers

/// A thread that decodes while the engine's thread goes on listening. It rings when something is done.
final class Lane: Sendable {
  private let queue: DispatchQueue
  private let bell: Wakeup
  private let outstanding = Mutex(0)

  init(_ name: String, bell: Wakeup) {
    queue = DispatchQueue(label: "libera.speech.\(name)", qos: .userInitiated)
    self.bell = bell
  }

  var isIdle: Bool { outstanding.withLock { $0 == 0 } }

  func submit<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) -> Job<Value> {
    let job = Job<Value>()
    outstanding.withLock { $0 += 1 }
    queue.async { [self] in
      let began = ContinuousClock.now
      job.settle(Result(catching: work), after: began)
      outstanding.withLock { $0 -= 1 }
      bell.ring()
    }
    return job
  }

  /// Returns when nothing runs any more.
  func drain() { queue.sync {} }
}

/// Something a lane will have done.
final class Job<Value: Sendable>: Sendable {
  private let value = Mutex<(result: Result<Value, any Error>?, milliseconds: Double)>((nil, 0))
  var result: Result<Value, any Error>? { value.withLock { $0.result } }
  /// What it took, also where nothing came of it.
  var milliseconds: Double { value.withLock { $0.milliseconds } }
  fileprivate func settle(_ result: sending Result<Value, any Error>, after began: ContinuousClock.Instant) {
    value.withLock { $0 = (result, began.msUntilNow) }
  }
}

/// Wakes a thread that waits in `poll`.
final class Wakeup: Sendable {
  let descriptor: CInt
  private let button: CInt

  init() throws {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SpeechError.unreadable(systemReason()) }
    (descriptor, button) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }
  deinit {
    close(descriptor)
    close(button)
  }

  /// A full pipe is rung already.
  func ring() {
    var byte: UInt8 = 1
    _ = write(button, &byte, 1)
  }
  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
