import Core
import Foundation
package import Inference

/// What was measured of each pack on this device. A cache: what is missing is measured again.
package struct Tuning {
  struct Entry: Codable, Equatable {
    /// The number it computes best with.
    var threads: Int?
    /// Tokens per second of reading.
    var promptSpeed: Double?
    /// What `tune` found besides; nil leaves the usual.
    var microBatch: Int?
    var kvType: KVType?

    func apply(to request: inout LoadRequest) {
      request.threads = threads
      if let microBatch { request.microBatch = microBatch }
      if let kvType { request.kvType = kvType }
    }
  }

  private let file: URL
  private var entries: [String: Entry] = [:]

  init(_ file: URL) {
    self.file = file
    guard let data = FileManager.default.contents(atPath: file.path) else { return }
    do {
      entries = try JSON.decode([String: Entry].self, from: data)
    } catch { entries = [:] }  // damaged: measured again
  }

  subscript(pack: String) -> Entry { entries[Self.key(pack)] ?? Entry() }

  mutating func keep(for pack: String, _ change: (inout Entry) -> Void) throws {
    change(&entries[Self.key(pack), default: Entry()])
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(entries, pretty: true).write(to: file, options: .atomic)
  }

  mutating func forget() throws {
    entries = [:]
    if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
  }

  /// The cache folder may be shared between machines.
  private static func key(_ pack: String) -> String {
    "\(pack) \(Processor.features) \(ProcessInfo.processInfo.activeProcessorCount)"
  }

  /// One way to compute and what it gave.
  package struct Row: Codable, Sendable, Equatable {
    package var threads: Int
    package var microBatch: Int
    package var kvType: KVType
    package var promptTokensPerSecond: Double
    package var tokensPerSecond: Double

    enum CodingKeys: String, CodingKey {
      case threads
      case microBatch = "micro_batch"
      case kvType = "kv_type"
      case promptTokensPerSecond = "prompt_tokens_per_s"
      case tokensPerSecond = "tokens_per_s"
    }

    /// Seconds for a usual answer: a prompt of 600 tokens, an answer of 100.
    var cost: Double { 600 / max(promptTokensPerSecond, 0.01) + 100 / max(tokensPerSecond, 0.01) }
  }

  /// The cheapest way; within 5 % of it the one with fewer threads, then the one measured first, which is the usual one.
  package static func best(of rows: [Row]) -> Row? {
    guard let least = rows.map(\.cost).min() else { return nil }
    let good = rows.filter { $0.cost <= least * 1.05 }
    let threads = good.map(\.threads).min()
    return good.first { $0.threads == threads }
  }

  /// Half, three quarters and all of the processors, and one.
  package static func threadCounts(processors: Int) -> [Int] {
    Array(Set([1, processors / 2, processors * 3 / 4, processors].filter { $0 > 0 })).sorted()
  }
}
