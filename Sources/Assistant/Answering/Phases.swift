import Core
import Foundation
import Resources
import Synchronization

/// What the time of one turn went to: each part is named when it ends.
final class Phases: Sendable {
  let began = Date()
  private let clock = ContinuousClock.now
  private let ended = Mutex<[(name: String, atMs: Double)]>([])
  private let facts = Mutex<[String: String]>([:])
  private let signpost: (any AnswerSignpost)?

  init(_ signposts: (any AnswerSignposts)? = nil) { signpost = signposts?.begin() }

  func end(_ name: String) {
    let now = clock.msUntilNow
    ended.withLock { $0.append((name, now)) }
    signpost?.ended(name)
  }

  /// To be called once, however the turn ends.
  func over() { signpost?.over(facts.withLock(\.self)) }

  func entry(_ record: AnswerRecord, _ reading: Reading) -> TraceLog.Entry {
    var last = 0.0
    let phases = ended.withLock { $0 }.map { phase in
      defer { last = phase.atMs }
      return TraceLog.Entry.Phase(phase.name, ms: phase.atMs - last)
    }
    var entry = TraceLog.Entry(began: began, phases: phases)
    entry.names = ["kind": record.task.rawValue, "provider": record.provider, "mode": record.mode.rawValue]
    entry.names["pack"] = record.pack
    if record.stopped { entry.names["stopped"] = "yes" }
    if record.abstained { entry.names["abstained"] = "yes" }
    facts.withLock { [names = entry.names] in $0 = names }
    entry.numbers = [
      "passages": Double(record.passagesConsulted), "prompt tokens": Double(record.timings.promptTokens),
      "reused tokens": Double(record.timings.reusedTokens), "generated tokens": Double(record.timings.generatedTokens),
      "limits in force": Double(record.limits.count),
    ]
    entry.numbers["tokens per second"] = record.timings.tokensPerSecond
    entry.moments = (record.changes ?? []).map { .init("\($0.what): \($0.from) → \($0.to)", atMs: $0.atMs) }
    entry.device["free memory in MB"] = reading.memory.map { Double($0.available >> 20) }
    entry.device["hottest sensor in °C"] = reading.temperatures.map(\.celsius).max()
    return entry
  }
}

extension House {
  /// A trace that cannot be written is no reason to lose the answer.
  func trace(_ phases: Phases, _ record: AnswerRecord) async {
    do { try await traces.record(phases.entry(record, await governor.state.reading)) } catch {
      await errors.note(error, in: "traces")
    }
  }
}
