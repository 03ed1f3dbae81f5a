package import Foundation

/// What the time of the last answers went to: names and numbers, no word of the person.
package actor TraceLog {
  /// One answer.
  package struct Entry: Codable, Sendable, Equatable {
    /// A part of its time, right after the part before it.
    package struct Phase: Codable, Sendable, Equatable {
      package var name: String
      package var ms: Double
      package init(_ name: String, ms: Double) { (self.name, self.ms) = (name, ms) }
    }
    /// A moment at which the device changed something.
    package struct Moment: Codable, Sendable, Equatable {
      package var name: String
      package var atMs: Double
      package init(_ name: String, atMs: Double) { (self.name, self.atMs) = (name, atMs) }
    }

    /// Milliseconds since 1970.
    package var beganMs: Double
    package var phases: [Phase]
    package var moments: [Moment]
    /// As in "pack" or "mode".
    package var names: [String: String]
    /// As in "prompt tokens".
    package var numbers: [String: Double]
    /// How the device stood at the end, as in "free memory in MB".
    package var device: [String: Double]

    package init(
      began: Date, phases: [Phase], moments: [Moment] = [], names: [String: String] = [:],
      numbers: [String: Double] = [:], device: [String: Double] = [:]
    ) {
      (beganMs, self.phases, self.moments) = (began.timeIntervalSince1970 * 1000, phases, moments)
      (self.names, self.numbers, self.device) = (names, numbers, device)
    }

    package var ms: Double { phases.map(\.ms).reduce(0, +) }
  }

  package static let capacity = 200

  private var ring: LineRing<Entry>

  package init(_ file: URL) { ring = LineRing(file, capacity: Self.capacity) }

  package func record(_ entry: Entry) throws { try ring.append(entry) }

  package func entries() throws -> [Entry] { try ring.entries() }

  package func clear() throws { try ring.clear() }
}
