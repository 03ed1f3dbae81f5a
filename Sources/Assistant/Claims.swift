import Synchronization

/// What one task at a time may hold. Whoever waits for it sleeps, and is woken when it is let go.
final class Claims: Sendable {
  private struct State {
    /// Who waits for each thing that is held, by ticket.
    var held: [String: [Int: CheckedContinuation<Void, Never>]] = [:]
    var tickets = 0
  }
  private let state = Mutex(State())

  /// Returns once the thing is held; it must then be released. A cancelled task holds nothing.
  func hold(_ key: String) async throws {
    while !isTaken(key) {
      try Task.checkCancellation()
      await freed(key)
    }
  }

  func release(_ key: String) {
    let waiting = state.withLock { $0.held.removeValue(forKey: key) } ?? [:]
    for continuation in waiting.values { continuation.resume() }
  }

  private func isTaken(_ key: String) -> Bool {
    state.withLock { state in
      guard state.held[key] == nil else { return false }
      state.held[key] = [:]
      return true
    }
  }

  private func freed(_ key: String) async {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // It may have been let go, or this task cancelled, since it was asked for.
          guard state.held[key] != nil, !Task.isCancelled else { return false }
          state.held[key]?[ticket] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.held[key]?.removeValue(forKey: ticket) }?.resume()
    }
  }
}
