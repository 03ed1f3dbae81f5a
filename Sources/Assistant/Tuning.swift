import Core
import Foundation
package import Inference

/// How each pack was found to compute fastest on this device. A cache: without it the next load measures threads again.
package struct Tuning {
  package struct Choice: Codable, Sendable, Equatable {
    package var threads: Int
    package var microBatch: Int?
    package var kvType: KVType?

    init(threads: Int, microBatch: Int? = nil, kvType: KVType? = nil) {
      self.threads = threads
      self.microBatch = microBatch
      self.kvType = kvType
    }

    func apply(to request: inout LoadRequest) {
      request.threads = threads
      if let microBatch { request.microBatch = microBatch }
      if let kvType { request.kvType = kvType }
    }
  }

  private let file: URL
  private var choices: [String: Choice] = [:]

  init(_ file: URL) {
    self.file = file
    guard let data = FileManager.default.contents(atPath: file.path) else { return }
    do {
      choices = try JSON.decode([String: Choice].self, from: data)
    } catch { choices = [:] }  // damaged or of an older form: measured again
  }

  subscript(pack: String) -> Choice? { choices[key(pack)] }

  mutating func keep(_ choice: Choice, for pack: String) throws {
    choices[key(pack)] = choice
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(choices, pretty: true).write(to: file, options: .atomic)
  }

  private func key(_ pack: String) -> String {
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
