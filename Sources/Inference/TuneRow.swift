package import Core

/// One way to compute and what it gave: a row of `tune`'s table.
package struct TuneRow: Codable, Sendable, Equatable {
  package var threads: Int
  package var microBatch: Int
  package var kvType: KVType
  package var flashAttention: Bool
  package var promptTokensPerSecond: Double
  package var tokensPerSecond: Double

  package init(
    threads: Int, microBatch: Int, kvType: KVType, flashAttention: Bool = true, promptTokensPerSecond: Double = 0,
    tokensPerSecond: Double = 0
  ) {
    self.threads = threads
    self.microBatch = microBatch
    self.kvType = kvType
    self.flashAttention = flashAttention
    self.promptTokensPerSecond = promptTokensPerSecond
    self.tokensPerSecond = tokensPerSecond
  }

  enum CodingKeys: String, CodingKey {
    case threads
    case microBatch = "micro_batch"
    case kvType = "kv_type"
    case flashAttention = "flash_attention"
    case promptTokensPerSecond = "prompt_tokens_per_s"
    case tokensPerSecond = "tokens_per_s"
  }

  /// Seconds for a usual answer: a prompt of 600 tokens, an answer of 100.
  package var cost: Double { 600 / max(promptTokensPerSecond, 0.01) + 100 / max(tokensPerSecond, 0.01) }

  /// The cheapest way; within 5 % of it the one with fewer threads, then the one measured first, which is the usual one.
  package static func best(of rows: [TuneRow]) -> TuneRow? {
    guard let least = rows.map(\.cost).min() else { return nil }
    let good = rows.filter { $0.cost <= least * 1.05 }
    let threads = good.map(\.threads).min()
    return good.first { $0.threads == threads }
  }

  package func apply(to request: inout LoadRequest) {
    (request.threads, request.microBatch, request.kvType) = (threads, microBatch, kvType)
    // Left to the engine where it is on: it knows which models cannot.
    request.flashAttention = flashAttention ? nil : false
  }
}

/// Operation "tune": measures ways to compute with the loaded weights for about so many seconds, at least one, and goes on
/// with the best. Events: a `TuneEvent.row` each, at the end `.chosen`.
package struct TuneRequest: Codable, Sendable {
  package var seconds: Double
  package var processors: Int
  /// Ways that are measured however long they take.
  package var atLeast: Int
  package init(seconds: Double, processors: Int, atLeast: Int = 1) {
    self.seconds = seconds
    self.processors = processors
    self.atLeast = atLeast
  }
}

package enum TuneEvent: Codable, Sendable {
  case row(TuneRow)
  case chosen(TuneRow)
}
