import CLinux
import Foundation
import Synchronization

/// A process somebody started for us, or a thread that stands in for one. `wait` blocks and is for threads of our own.
package protocol ChildProcess: Sendable {
  var number: CInt { get }
  /// Whether the number is its own, so that the system tells what it holds and has computed.
  var isProcess: Bool { get }
  /// What a thread has computed so far, where the system tells.
  var processorTime: Duration? { get }
  func kill()
  func wait() -> ExitReason
}

extension ChildProcess {
  package var isProcess: Bool { true }
  package var processorTime: Duration? { nil }
}

/// A child of this process.
final class OwnChild: ChildProcess {
  let number: CInt
  /// Whether it starts others, which end with it: every child leads a group of its own.
  private let endsGroup: Bool
  private let isReaped = Mutex(false)

  init(_ number: CInt, endsGroup: Bool = false) { (self.number, self.endsGroup) = (number, endsGroup) }

  /// Safe at any time: once reaped, the number may mean another process and is left alone.
  func kill() { isReaped.withLock { if !$0 { end() } } }

  private func end() {
    let target = endsGroup ? -number : number
    #if canImport(Glibc)
      _ = Glibc.kill(target, SIGKILL)
    #else
      _ = Darwin.kill(target, SIGKILL)
    #endif
  }

  func wait() -> ExitReason {
    guard libera_await(number) == 0 else { return .unknown }
    // What it started and left behind goes while its number is still its own.
    if endsGroup { kill() }
    return isReaped.withLock {
      $0 = true
      return Spawner.wait(number)
    }
  }
}

/// The last lines a worker wrote to stderr, bounded. Read by the connection's reading thread alone.
final class LastWords: Sendable {
  private static let most = 4096
  let descriptor: CInt
  private let text = Mutex(Data())

  /// Takes over the reading end of a pipe.
  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Takes what has arrived; false when nothing more will come.
  @discardableResult
  func listen() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    text.withLock { $0 = ($0 + buffer.prefix(count)).suffix(LastWords.most) }
    return true
  }

  /// The last three lines, once the process has ended.
  func recall() -> String {
    while listen() {}
    return text.withLock { String(decoding: $0, as: UTF8.self) }
      .split(whereSeparator: \.isNewline).suffix(3).joined(separator: " / ")
  }
}
