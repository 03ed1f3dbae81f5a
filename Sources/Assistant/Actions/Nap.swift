import Core
import Synchronization

/// A sleep that another task can cut short.
final class Nap: Sendable {
  private let sleeping = Mutex<(task: Task<Void, Never>?, isDue: Bool)>((nil, false))

  /// Ends the sleep that is on, or the next one if none is.
  func wake() {
    sleeping.withLock { state in
      if let task = state.task { task.cancel() } else { state.isDue = true }
    }
  }

  /// Returns after the time, on `wake`, or when the task is cancelled.
  func sleep(_ duration: Duration) async {
    let task = Task { _ = await waited(duration) }
    sleeping.withLock { state in
      if state.isDue { task.cancel() }
      state = (task, false)
    }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    sleeping.withLock { $0.task = nil }
  }
}
