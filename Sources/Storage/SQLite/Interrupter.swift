import CSQLite
import Synchronization

/// Stops the statement a cancelled task is running, and only that one: the next user of the connection is not hit.
package final class Interrupter: Sendable {
  // The pointer is only used under the lock and only until `detach`; sqlite3_interrupt may be called from any thread.
  private struct State: @unchecked Sendable {
    var pointer: OpaquePointer?
    var turn = 0
    var running = false
  }
  private let state: Mutex<State>

  init(_ pointer: OpaquePointer) { state = Mutex(State(pointer: pointer)) }

  /// The next turn's number, known before the work starts so that a cancel which comes early is not lost.
  func begin() -> Int {
    state.withLock {
      $0.turn += 1
      $0.running = true
      return $0.turn
    }
  }

  func end() { state.withLock { $0.running = false } }

  func interrupt(turn: Int) {
    state.withLock { state in
      guard state.running, state.turn == turn, let pointer = state.pointer else { return }
      sqlite3_interrupt(pointer)
    }
  }

  func detach() { state.withLock { $0.pointer = nil } }
}
