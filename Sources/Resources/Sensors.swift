import Foundation

/// Where readings come from: the platform, or a script. Reading is a handful of small files and never blocks for long.
package protocol Sensors: Sendable {
  func read() -> Reading
  /// Ticks when something happened that should be read now rather than at the next poll.
  func alarms() -> AsyncStream<Void>
  /// What a process really holds in memory, or nil where that cannot be read.
  func memory(of process: Int32) -> ProcessMemory?
  /// Joules that the processor has used since some moment, or nil where nobody counts them.
  func joules() -> Double?
}

package struct ProcessMemory: Sendable, Equatable, Codable {
  /// In memory now, shared files included.
  package var resident: UInt64
  /// What comes back when it ends: a file's pages can be had without that.
  package var own: UInt64
}

extension Sensors {
  package func joules() -> Double? { nil }
}

/// What does not change while the program runs.
package struct Device: Sendable, Equatable, Codable {
  package var totalMemory: UInt64
  package var cores: Int

  package init(totalMemory: UInt64, cores: Int) {
    self.totalMemory = totalMemory
    self.cores = cores
  }
}

/// Time since some fixed moment, and waiting; tests and scripts supply their own.
package struct Timekeeper: Sendable {
  package var now: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void

  package static func system() -> Timekeeper {
    let began = ContinuousClock.now
    return Timekeeper(now: { ContinuousClock.now - began }, sleep: { try await Task.sleep(for: $0) })
  }
}
