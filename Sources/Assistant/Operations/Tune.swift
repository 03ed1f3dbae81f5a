import Core
import Foundation
import Inference
import Models
import Resources

/// Measures how a chat pack computes fastest on this device, and keeps the answer for every later load.
package enum Tune: Operation {
  package struct Input: Codable, Sendable {
    package var pack: String?
    package init(pack: String? = nil) { self.pack = pack }
  }

  /// Exactly one field is set.
  package struct Event: Codable, Sendable {
    package var pack: String?
    package var row: Tuning.Row?
    package var chosen: Tuning.Row?

    init(pack: String? = nil, row: Tuning.Row? = nil, chosen: Tuning.Row? = nil) {
      self.pack = pack
      self.row = row
      self.chosen = chosen
    }
  }

  package static let name = "tune"
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Event, any Error> {
    streaming { emit in
      let limits = await house.governor.limits(.fast)
      guard limits.heavyInference.value else {
        throw AssistantError.heavyInferenceRefused(limits.heavyInference.reason)
      }
      let status = try await house.chatPack(asked: input.pack, preference: limits.preference.value)
      guard status.pack.kind == .chat else { throw AssistantError.smokeNeedsChat(status.pack.id) }
      emit(Event(pack: status.pack.id))
      await house.unload(status.pack.id)
      try await house.governor.admit(status.pack.id, bytes: UInt64(max(0, status.fit.footprintBytes)))
      let chosen: Tuning.Row
      do {
        chosen = try await measure(house.packs.weights(of: status.pack.id)) { emit(Event(row: $0)) }
      } catch {
        await house.governor.unloaded(status.pack.id)
        throw error
      }
      await house.governor.unloaded(status.pack.id)
      try await house.keep(chosen, for: status.pack.id)
      emit(Event(chosen: chosen))
    }
  }

  /// Threads first; then, with the best count, the other sizes of batch and the smaller memory for the context.
  private static func measure(_ pack: URL, tell: (Tuning.Row) -> Void) async throws -> Tuning.Row {
    var rows: [Tuning.Row] = []
    func row(_ threads: Int, _ microBatch: Int, _ kvType: KVType) async throws {
      let row = try await measure(pack, threads, microBatch, kvType)
      tell(row)
      rows.append(row)
    }
    for threads in Tuning.threadCounts(processors: ProcessInfo.processInfo.activeProcessorCount) {
      try await row(threads, 256, .f16)
    }
    let threads = Tuning.best(of: rows)?.threads ?? 1
    try await row(threads, 512, .f16)
    try await row(threads, 256, .q8)
    guard let best = Tuning.best(of: rows) else { throw CancellationError() }
    return best
  }

  private static func measure(_ pack: URL, _ threads: Int, _ microBatch: Int, _ kvType: KVType) async throws
    -> Tuning.Row
  {
    var load = LoadRequest(contextTokens: 1024, threads: threads)
    load.microBatch = microBatch
    load.kvType = kvType
    let model = TextModel(pack: pack, request: load)
    var row = Tuning.Row(
      threads: threads, microBatch: microBatch, kvType: kvType, promptTokensPerSecond: 0, tokensPerSecond: 0)
    do {
      // The better of two counts: whatever else the device does only makes a measurement slower.
      for round in 0..<2 {
        // Another beginning each time, so that nothing is reused.
        let text = "Round \(round). " + String(repeating: "The ferry to Harlingen left the quay at noon. ", count: 30)
        var request = GenerateRequest(.raw([.untrusted(text)]))
        request.maximumTokens = 32
        request.speculate = false
        var prompt = 0
        for try await event in model.generate(request) {
          if case .prompt(let report) = event { prompt = report.promptTokens - report.reusedTokens }
          if case .done(let report) = event, report.promptMs > 0 {
            row.promptTokensPerSecond = max(row.promptTokensPerSecond, Double(prompt) / report.promptMs * 1000)
            row.tokensPerSecond = max(row.tokensPerSecond, report.tokensPerSecond)
          }
        }
        try Task.checkCancellation()
      }
    } catch {
      await model.unload()
      throw error
    }
    await model.unload()
    return row
  }
}
