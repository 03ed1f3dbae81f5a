/// Waits. False where the task was cancelled meanwhile: whatever it waited for has no more use.
package func waited(_ time: Duration) async -> Bool {
  do { try await Task.sleep(for: time) } catch { return false }
  return true
}
