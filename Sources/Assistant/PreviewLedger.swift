package import Core
import Foundation

/// How many runs of local packs a free tier has used. One file, replaced as a whole: a kill at any moment leaves the count
/// before or after, never something between. What happens is told to the local log and nowhere else.
package actor PreviewLedger {
  /// Successful runs that the free tier has.
  package static let free = 3

  struct Count: Codable, Equatable {
    var used = 0
    /// The last runs counted, so that none counts twice.
    var runs: [String] = []
  }

  enum Event: String {
    case used = "preview_model_used"
    case exhausted = "preview_exhausted"
    case gated = "preview_gate_triggered"
    case paid = "preview_to_paid"
  }

  private let file: URL
  private let log: ErrorLog

  init(_ file: URL, log: ErrorLog) {
    self.file = file
    self.log = log
  }

  /// Runs that are left; nil where there is no limit.
  package func left(_ tier: Allowance) throws -> Int? {
    tier == .free ? max(0, Self.free - (try count().used)) : nil
  }

  /// Counts a run that has succeeded; the same run again changes nothing.
  func count(run: String, tier: Allowance) async throws {
    guard tier == .free else { return }
    var count = try count()
    guard !count.runs.contains(run) else { return }
    count.used = min(Self.free, count.used + 1)
    count.runs = (count.runs + [run]).suffix(16)
    try keep(count)
    try await tell(.used, "A preview run of a local pack was used; \(Self.free - count.used) are left.")
    if count.used == Self.free { try await tell(.exhausted, "The preview runs of local packs are used up.") }
  }

  /// A local pack was wanted and none may run.
  func gated() async throws { try await tell(.gated, "An answer was quoted because the preview runs are used up.") }

  func tierChanged(from before: Allowance, to now: Allowance) async throws {
    guard before == .free, now != .free else { return }
    try await tell(.paid, "The tier changed from free to \(now.rawValue).")
  }

  private func count() throws -> Count {
    guard FileManager.default.fileExists(atPath: file.path) else { return Count() }
    var count = try JSON.decode(Count.self, from: Data(contentsOf: file))
    count.used = min(max(0, count.used), Self.free)
    return count
  }

  /// On the disk, not only in the system's memory, before the next run can begin.
  private func keep(_ count: Count) throws { try DurableFile.write(JSON.encode(count), to: file) }

  private func tell(_ event: Event, _ words: String) async throws {
    try await log.record(RemoteError(code: event.rawValue, message: words), in: "allowance")
  }
}
