/// What a pull tells while it works.
package enum PullEvent: Sendable, Equatable {
  /// A source is tried, by its name.
  case source(String)
  case progress(PullProgress)
  case step(String)
  /// The transfer is tried again after a pause.
  case retrying(reason: String, seconds: Double)
  case restarted(reason: String)
  /// A source did not work; the next one is tried.
  case sourceFailed(name: String, reason: String)
  case quarantined(path: String)
  case installed(PackStatus)
}

package struct PullProgress: Sendable, Equatable {
  package var done: Int64
  package var total: Int64
  /// Bytes per second over the last moments, once there is something to go by.
  package var speed: Double?
  package var secondsLeft: Double?
}

/// Speed and time left from the bytes so far; bytes that were there before the pull count as done and not as speed.
struct PullMeter {
  let total: Int64
  private var samples: [(at: Double, done: Int64)] = []

  init(total: Int64) { self.total = total }

  mutating func progress(_ done: Int64, at seconds: Double) -> PullProgress {
    if let last = samples.last, done < last.done { samples = [] }
    samples.append((seconds, done))
    samples.removeAll { seconds - $0.at > 5 && $0.at != seconds }
    var progress = PullProgress(done: done, total: total)
    if let first = samples.first, seconds - first.at >= 0.5, done > first.done {
      let speed = Double(done - first.done) / (seconds - first.at)
      (progress.speed, progress.secondsLeft) = (speed, Double(max(0, total - done)) / speed)
    }
    return progress
  }
}
