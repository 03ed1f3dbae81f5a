import Core
import Foundation
import Inference
import Resources
import TestSupport
import Testing

@testable import Assistant

@Suite("An answer under the governor")
struct GoverningTests {
  private func limits(_ heat: Heat, _ mode: Mode = .deep) -> Limits {
    var tiers = Tiers()
    tiers.heat = Tier(heat, reason: "script at \(heat.rawValue)")
    return Limits.decide(
      Situation(
        tiers: tiers, mode: mode, settings: Settings(), device: Device(totalMemory: 32 << 30, cores: 4),
        promptSpeed: 500
      ))
  }

  @Test("What changes while it is written is told with its reason, and its recovery too")
  func changes() {
    let (cool, hot, tooHot) = (limits(.nominal), limits(.serious), limits(.critical))
    let paced = LimitChange.between(cool, hot, atMs: 10)
    #expect(
      paced.contains { $0.what == "pause_ms" && $0.from == "0" && $0.to == "40" && $0.reason == "the device is hot" })
    #expect(paced.contains { $0.what == "generation_tokens" && $0.to == "320" })
    #expect(LimitChange.between(hot, tooHot, atMs: 20).contains { $0.what == "mode" && $0.to == "fast" })
    let recovered = LimitChange.between(tooHot, cool, atMs: 30)
    #expect(recovered.contains { $0.what == "mode" && $0.to == "deep" })
    #expect(recovered.allSatisfy { $0.reason.hasPrefix("the device has recovered") })
    #expect(LimitChange.between(hot, hot, atMs: 40).isEmpty)
  }

  @Test("An answer longer than it may be now ends soon, one that is shorter has what the limit gives")
  func rest() {
    #expect(Governing.tokens(limit: 96, written: 10, most: .max) == 96)
    #expect(Governing.tokens(limit: 96, written: 90, most: .max) == 122)
    #expect(Governing.tokens(limit: 96, written: 400, most: .max) == 432)
    // A device that recovers makes no long answer of one that is to be short.
    #expect(Governing.tokens(limit: 1024, written: 70, most: 80) == 80)
  }

  @Test("Energy is what the processor counted, else what the battery gave, else unknown")
  func energy() {
    #expect(EnergyMeter.tokensPerJoule(100, from: 10, to: 60, seconds: 2, watts: 5) == 2)
    #expect(EnergyMeter.tokensPerJoule(100, from: 60, to: 10, seconds: 2, watts: 5) == 10)
    #expect(EnergyMeter.tokensPerJoule(100, from: nil, to: nil, seconds: 2, watts: nil) == nil)
    #expect(EnergyMeter.tokensPerJoule(0, from: 1, to: 2, seconds: 2, watts: nil) == nil)
  }

  @Test("The cheapest way to compute wins; within 5 % fewer threads, then the usual way")
  func tuning() {
    func row(_ threads: Int, _ prompt: Double, _ answer: Double, _ kvType: KVType = .f16) -> TuneRow {
      TuneRow(threads: threads, microBatch: 256, kvType: kvType, promptTokensPerSecond: prompt, tokensPerSecond: answer)
    }
    #expect(TuneRow.best(of: [row(4, 500, 50), row(2, 490, 50), row(1, 200, 40)])?.threads == 2)
    #expect(TuneRow.best(of: [row(2, 500, 50), row(2, 505, 50, .q8)])?.kvType == .f16)
    #expect(TuneRow.best(of: [row(2, 500, 50), row(2, 800, 80, .q8)])?.kvType == .q8)
    #expect(TuneRow.best(of: []) == nil)
  }
}

@Suite("The preview allowance")
struct PreviewLedgerTests {
  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private var file: URL { folder.appending(path: "allowance.json") }

  init() throws { scratch = try Scratch("ledger") }

  private func ledger() throws -> (PreviewLedger, ErrorLog) {
    try Folders.make(folder)
    let log = ErrorLog(folder.appending(path: "errors.jsonl"))
    return (PreviewLedger(file, log: log), log)
  }

  @Test("A run counts once, the count survives a restart and never goes below none left")
  func counts() async throws {
    let (first, _) = try ledger()
    for run in ["a", "a", "b"] { try await first.count(run: run, tier: .free) }
    #expect(try await first.left(.free) == 1)
    let (second, log) = try ledger()
    for run in ["b", "c", "d", "e"] { try await second.count(run: run, tier: .free) }
    #expect(try await second.left(.free) == 0)
    #expect(try await second.left(.pro) == nil)
    #expect(try await second.left(.lifetime) == nil)
    #expect(try await log.entries().filter { $0.code == "preview_exhausted" }.count >= 1)
  }

  @Test("A file that somebody wrote numbers into gives no more and no fewer runs than there are")
  func hostile() async throws {
    let (ledger, _) = try ledger()
    try Data(#"{"used": -7, "runs": []}"#.utf8).write(to: file)
    #expect(try await ledger.left(.free) == 3)
    try Data(#"{"used": 900, "runs": []}"#.utf8).write(to: file)
    #expect(try await ledger.left(.free) == 0)
    // A draft that a kill left behind is no count.
    try Data("{\"us".utf8).write(to: file.appendingPathExtension("new"))
    #expect(try await ledger.left(.free) == 0)
  }

  @Test("Other tiers count nothing")
  func unlimited() async throws {
    let (ledger, log) = try ledger()
    try await ledger.count(run: "a", tier: .lifetime)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await ledger.tierChanged(from: .free, to: .pro)
    try await ledger.tierChanged(from: .pro, to: .free)
    #expect(try await log.entries().map(\.code) == ["preview_to_paid"])
  }
}
